# Cross build for 64-bit Arm with Debian's gcc-aarch64-linux-gnu and the libraries that cmake/sysroot.sh unpacks.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(NCCLSCRIPT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/arm64 CACHE PATH "Libraries for 64-bit Arm")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NCCLSCRIPT_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${NCCLSCRIPT_SYSROOT} ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/packages)
  message(FATAL_ERROR "there is no sysroot yet: cmake/sysroot.sh arm64 ${CMAKE_SYSROOT}")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# CMake learns this from the compiler only after the first find_library.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# With an emulator the build writes the manual pages too.
find_program(NCCLSCRIPT_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(NCCLSCRIPT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${NCCLSCRIPT_QEMU} -L ${CMAKE_SYSROOT})
endif()
