# Portable builds: zig, as a C compiler, links to the interface of glibc 2.28, whatever glibc this system has.
# The package ziglang of Python brings zig, on the PATH or in build/tools. NCCLSCRIPT_PROCESSOR is x86_64 or aarch64.
set(NCCLSCRIPT_PROCESSOR x86_64 CACHE STRING "Processor of a portable build")
set(NCCLSCRIPT_GLIBC 2.28 CACHE STRING "Oldest glibc of a portable build")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NCCLSCRIPT_PROCESSOR NCCLSCRIPT_GLIBC NCCLSCRIPT_ZIG)
if(NOT NCCLSCRIPT_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux) # declares a cross build
  set(CMAKE_SYSTEM_PROCESSOR ${NCCLSCRIPT_PROCESSOR})
endif()
set(architecture_x86_64 amd64)
set(architecture_aarch64 arm64)
set(NCCLSCRIPT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${architecture_${NCCLSCRIPT_PROCESSOR}}
    CACHE PATH "Static libedit, and the libraries for qemu")
set(NCCLSCRIPT_PORTABLE ON CACHE BOOL "Compile libraries in, for systems that have none of them")

foreach(python ${CMAKE_CURRENT_LIST_DIR}/../build/tools/bin/python3 python3)
  if(NOT NCCLSCRIPT_ZIG)
    execute_process(COMMAND ${python} -c "import os, ziglang; print(os.path.dirname(ziglang.__file__))"
                    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_program(NCCLSCRIPT_ZIG zig HINTS ${folder})
  endif()
endforeach()
if(NOT NCCLSCRIPT_ZIG)
  message(FATAL_ERROR "there is no zig: python3 -m venv build/tools && build/tools/bin/pip install ziglang")
endif()
# The processor is the oldest of its kind, not this machine's; zig would stop at what a sanitizer finds.
set(CMAKE_C_COMPILER ${NCCLSCRIPT_ZIG} cc -target ${NCCLSCRIPT_PROCESSOR}-linux-gnu.${NCCLSCRIPT_GLIBC} -mcpu=baseline
    -fno-sanitize=undefined)
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "As RelWithDebInfo, without debug information")
add_link_options(-s) # this system's strip knows one processor
set(CMAKE_STRIP "")
# So does its ar.
set(CMAKE_C_ARCHIVE_CREATE "\"${NCCLSCRIPT_ZIG}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "\"${NCCLSCRIPT_ZIG}\" ar q <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "\"${NCCLSCRIPT_ZIG}\" ranlib <TARGET>")

if(CMAKE_SYSTEM_NAME)
  find_program(NCCLSCRIPT_QEMU NAMES qemu-${NCCLSCRIPT_PROCESSOR} qemu-${NCCLSCRIPT_PROCESSOR}-static)
  if(NCCLSCRIPT_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${NCCLSCRIPT_QEMU} -L ${NCCLSCRIPT_SYSROOT})
  endif()
endif()
