# `cpack -G DEB --config build/default/CPackConfig.cmake`: a package for Debian and Ubuntu.
set(CPACK_PACKAGE_NAME ncclscript)
set(CPACK_PACKAGE_VENDOR "The ncclscript developers")
set(CPACK_PACKAGE_CONTACT "The ncclscript developers <ncclscript@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run, verify and explain NCCL scenarios without a GPU")
set(CPACK_PACKAGE_DESCRIPTION
    "ncclscript executes what every rank of a multi-GPU job does with NCCL,
written in Lua or YAML, on a simulator of NCCL and the CUDA runtime or on
real GPUs. It verifies each result, and explains hangs: who waits for whom,
in which call, at which line, and what to change.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# exec opens libdw to find lines, a prompt libedit, a job of several processes libcrypto
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdw1, libedit2, libssl3")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
if(NCCLSCRIPT_PORTABLE)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${NCCLSCRIPT_GLIBC})")
elseif(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps knows this system's libraries only. Those of the sysroot, with their versions, are in its list.
  file(STRINGS ${CMAKE_SYSROOT}/packages packages REGEX "^(libc6|libjansson4|liblua5.4-0|libyaml-0-2) ")
  # The upstream version is enough: what Debian adds to it changes no interface.
  list(TRANSFORM packages REPLACE "^([^ ]+) ([^-+]+).*" "\\1 (>= \\2)")
  list(JOIN packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # dpkg-shlibdeps has to find the libraries that ours share.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${NCS_SHIM_OUT})
endif()
include(CPack)
