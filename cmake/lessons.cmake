# The lessons, embedded in room prompt by their numbers: lua/lessons/NN-name.lua.
file(GLOB lessons CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/lessons/[0-9]*.lua)
ncs_embed(ncs_prompt ${lessons})
set(declarations "")
set(rows "")
foreach(file IN LISTS lessons)
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  string(APPEND declarations "extern const unsigned char ncs_lua_${symbol}[];\n"
                             "extern const size_t ncs_lua_${symbol}_bytes;\n")
  string(APPEND rows "    { \"${name}\", ncs_lua_${symbol}, &ncs_lua_${symbol}_bytes },\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/lessons_table.c CONTENT
"#include \"prompt/lesson.h\"

${declarations}
const struct ncs_lesson_text ncs_lesson_texts[] = {
${rows}    { NULL, NULL, NULL },
};
" @ONLY)
target_sources(ncs_prompt PRIVATE ${PROJECT_BINARY_DIR}/embedded/lessons_table.c)
