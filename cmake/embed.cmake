# Embeds files in a library. Included, it defines ncs_embed and ncs_embed_as; run as a script (cmake -P), it
# writes the C source of what stands in the files INPUT, with '|' between them.

# The SHA-256 of a text in base64, as security policies of pages want it.
function(ncs_sha256_base64 text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  set(base64 "")
  foreach(at RANGE 0 60 6) # 3 bytes are 4 digits; of the last 4 hex digits, two bytes, come 3
    string(SUBSTRING "${hex}00" ${at} 6 part)
    math(EXPR value "0x${part}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${value} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${result} "${base64}=" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND HASH)
  string(REPLACE "|" ";" files "${INPUT}")
  set(text "")
  foreach(file IN LISTS files)
    file(READ "${file}" part)
    string(APPEND text "${part}")
  endforeach()
  ncs_sha256_base64("${text}" hash)
  file(WRITE "${OUTPUT}" "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = \"${hash}\";\n")
  return()
endif()

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
  ncs_embed_by("" ${target} ${name} ${ARGN})
endfunction()

# ncs_embed_hash(<library> <name> <file>...): the SHA-256 in base64 of the same contents, as the text ncs_<name>.
function(ncs_embed_hash target name)
  ncs_embed_by("-DHASH=1" ${target} ${name} ${ARGN})
endfunction()

function(ncs_embed_by what target name)
  set(output ${PROJECT_BINARY_DIR}/embedded/${name}.c)
  string(REPLACE ";" "|" input "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DSYMBOL=ncs_${name} ${what}
            -P ${NCS_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${NCS_EMBED_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
