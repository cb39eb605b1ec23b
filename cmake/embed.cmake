# Embeds files in a library. Included, it defines ncs_embed and ncs_embed_as; run as a script (cmake -P), it
# writes the C source of what stands in the files INPUT, with '|' between them.

if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "|" ";" files "${INPUT}")
  set(hex "")
  set(bytes 0)
  foreach(file IN LISTS files)
    file(READ "${file}" part HEX)
    file(SIZE "${file}" size)
    string(APPEND hex "${part}")
    math(EXPR bytes "${bytes} + ${size}")
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," values "${hex}")
  string(REPEAT "....," 16 line)
  string(REGEX REPLACE "(${line})" "    \\1\n" values "${values}")
  file(WRITE "${OUTPUT}" "#include <stddef.h>

extern const unsigned char ${SYMBOL}[];
extern const size_t ${SYMBOL}_bytes;

const unsigned char ${SYMBOL}[] = {
${values} 0
};
const size_t ${SYMBOL}_bytes = ${bytes};
")
  return()
endif()

set(NCS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# ncs_embed(<library> <file>...): each file dir/name.lua becomes the symbols
# `const unsigned char ncs_lua_name[]` and `const size_t ncs_lua_name_bytes` of the library, and
# name.css ncs_css_name. A zero byte that is not counted follows the contents.
function(ncs_embed target)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(kind ${file} LAST_EXT)
    string(MAKE_C_IDENTIFIER ${name} name)
    string(SUBSTRING ${kind} 1 -1 kind)
    ncs_embed_as(${target} ${kind}_${name} ${file})
  endforeach()
endfunction()

# ncs_embed_as(<library> <name> <file>...): the files, one behind the other, as ncs_<name>.
function(ncs_embed_as target name)
  set(output ${PROJECT_BINARY_DIR}/embedded/${name}.c)
  string(REPLACE ";" "|" input "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=ncs_${name}
            -P ${NCS_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${NCS_EMBED_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
