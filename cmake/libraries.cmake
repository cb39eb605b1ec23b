# The libraries that ncclscript is made of: those of the system, as shared libraries, by pkg-config. A portable build
# has Lua, libyaml and jansson compiled in, from the sources that cmake/sysroot.sh unpacks, and libedit from Debian's
# static libraries. The names are the same: PkgConfig::LUA, YAML, JANSSON and EDIT.
option(NCCLSCRIPT_EDIT "Edit lines at the prompt, with libedit" ON)
option(NCCLSCRIPT_PORTABLE "Compile libraries in, for systems that have none of them" OFF)

if(NOT NCCLSCRIPT_PORTABLE)
  find_package(PkgConfig REQUIRED)
  pkg_search_module(LUA REQUIRED IMPORTED_TARGET lua5.4 lua-5.4 lua>=5.4)
  if(NOT LUA_VERSION VERSION_LESS 5.5)
    # script/lines.c knows the bytecode of 5.4, notation/lint its words.
    message(FATAL_ERROR "Lua 5.4 is needed, this is ${LUA_VERSION}")
  endif()
  pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  if(NCCLSCRIPT_EDIT)
    pkg_check_modules(EDIT IMPORTED_TARGET libedit)
  endif()
  return()
endif()

set(NCCLSCRIPT_SOURCES ${PROJECT_SOURCE_DIR}/build/sysroot/source CACHE PATH "Sources of libraries, by cmake/sysroot.sh")
if(NOT EXISTS ${NCCLSCRIPT_SOURCES}/packages)
  message(FATAL_ERROR "there are no sources yet: cmake/sysroot.sh source ${NCCLSCRIPT_SOURCES}")
endif()

# ncs_compiled_in(<name> <where its headers are> <source>...)
function(ncs_compiled_in name include)
  string(TOLOWER ${name} target)
  add_library(portable_${target} STATIC ${ARGN})
  target_include_directories(portable_${target} SYSTEM PUBLIC ${include})
  target_compile_options(portable_${target} PRIVATE -w)
  add_library(PkgConfig::${name} ALIAS portable_${target})
endfunction()

file(GLOB lua CONFIGURE_DEPENDS ${NCCLSCRIPT_SOURCES}/lua5.4/src/*.c)
list(FILTER lua EXCLUDE REGEX "/luac?\\.c$") # the programs
ncs_compiled_in(LUA ${NCCLSCRIPT_SOURCES}/lua5.4/src ${lua})
target_compile_definitions(portable_lua PRIVATE LUA_USE_LINUX LUA_COMPAT_5_3)
# Debian's Lua looks for modules where this header says. Scenarios load none from there.
file(WRITE ${PROJECT_BINARY_DIR}/lua/lua5.4-deb-multiarch.h "#define DEB_HOST_MULTIARCH \"${CMAKE_SYSTEM_PROCESSOR}-linux-gnu\"\n")
target_include_directories(portable_lua SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/lua)
target_link_libraries(portable_lua PUBLIC m ${CMAKE_DL_LIBS})

file(GLOB yaml CONFIGURE_DEPENDS ${NCCLSCRIPT_SOURCES}/libyaml/src/*.c)
ncs_compiled_in(YAML ${NCCLSCRIPT_SOURCES}/libyaml/include ${yaml})
file(READ ${NCCLSCRIPT_SOURCES}/libyaml/configure.ac text)
foreach(part MAJOR MINOR PATCH)
  string(REGEX MATCH "YAML_${part}\\], *([0-9]+)" unused "${text}")
  list(APPEND version ${CMAKE_MATCH_1})
  target_compile_definitions(portable_yaml PRIVATE YAML_VERSION_${part}=${CMAKE_MATCH_1})
endforeach()
list(JOIN version . version)
target_compile_definitions(portable_yaml PRIVATE YAML_VERSION_STRING="${version}")

# What jansson's own configuration asks of the system, every Linux with glibc answers alike.
foreach(has STDINT_H ENDIAN_H FCNTL_H SCHED_H UNISTD_H SYS_PARAM_H SYS_STAT_H SYS_TIME_H SYS_TYPES_H LOCALE_H SETLOCALE OPEN
        CLOSE READ GETPID GETTIMEOFDAY SCHED_YIELD ATOMIC_BUILTINS SYNC_BUILTINS INT32_T UINT32_T UINT16_T UINT8_T SSIZE_T)
  set(HAVE_${has} 1)
endforeach()
set(USE_URANDOM 1)
set(JANSSON_INITIAL_HASHTABLE_ORDER 3)
set(json_inline inline)
foreach(has long_long localeconv atomic_builtins sync_builtins)
  set(json_have_${has} 1)
endforeach()
configure_file(${NCCLSCRIPT_SOURCES}/jansson/src/jansson_config.h.in ${PROJECT_BINARY_DIR}/jansson/jansson_config.h @ONLY)
configure_file(${NCCLSCRIPT_SOURCES}/jansson/cmake/jansson_private_config.h.cmake
               ${PROJECT_BINARY_DIR}/jansson/jansson_private_config.h)
file(GLOB jansson CONFIGURE_DEPENDS ${NCCLSCRIPT_SOURCES}/jansson/src/*.c)
ncs_compiled_in(JANSSON "${NCCLSCRIPT_SOURCES}/jansson/src;${PROJECT_BINARY_DIR}/jansson" ${jansson})
target_compile_definitions(portable_jansson PRIVATE HAVE_CONFIG_H)
# libedit stands in the program alone, so Debian's static library will do: in shared libraries it would not. A newer
# Debian's may need a newer glibc than the target has. Then it cannot be linked, and the prompt reads plain lines.
if(NCCLSCRIPT_EDIT AND NCCLSCRIPT_SYSROOT)
  file(COPY ${NCCLSCRIPT_SYSROOT}/usr/include/histedit.h DESTINATION ${PROJECT_BINARY_DIR}/libedit)
  file(GLOB archives ${NCCLSCRIPT_SYSROOT}/usr/lib/*-linux-gnu/libedit.a)
  get_filename_component(folder ${archives} DIRECTORY)
  list(APPEND archives ${folder}/libtinfo.a ${folder}/libbsd.a ${folder}/libmd.a)
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_BINARY_DIR}/libedit)
  set(CMAKE_REQUIRED_LIBRARIES ${archives})
  include(CheckSourceCompiles)
  check_source_compiles(C "
#include <stdio.h>
#include <histedit.h>
int main(void) { return el_init(\"\", stdin, stdout, stderr) == NULL; }" EDIT_FOUND)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  add_library(portable_edit INTERFACE)
  target_include_directories(portable_edit SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/libedit)
  target_link_libraries(portable_edit INTERFACE ${archives})
  add_library(PkgConfig::EDIT ALIAS portable_edit)
endif()

# Who passes the program on passes their licenses on.
foreach(package lua5.4 jansson libyaml)
  install(FILES ${NCCLSCRIPT_SOURCES}/${package}/debian/copyright RENAME ${package}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/ncclscript/licenses)
endforeach()
if(EDIT_FOUND)
  foreach(package libedit libbsd libmd)
    install(FILES ${NCCLSCRIPT_SYSROOT}/usr/share/doc/${package}-dev/copyright RENAME ${package}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/ncclscript/licenses)
  endforeach()
  install(FILES ${NCCLSCRIPT_SYSROOT}/usr/share/doc/libtinfo6/copyright RENAME ncurses
          DESTINATION ${CMAKE_INSTALL_DATADIR}/ncclscript/licenses)
endif()
