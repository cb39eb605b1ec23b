# libncclscript, with pkg-config and CMake packages. Programs see the names of its header and nothing else.
set(map ${PROJECT_SOURCE_DIR}/src/lib/ncclscript.map)
add_library(library SHARED ${PROJECT_SOURCE_DIR}/src/lib/ncclscript.c)
add_library(ncclscript::ncclscript ALIAS library)
set_target_properties(library PROPERTIES
  OUTPUT_NAME ncclscript EXPORT_NAME ncclscript VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${map})
target_include_directories(library
  PRIVATE ${PROJECT_SOURCE_DIR}/src
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(library PRIVATE NCCLSCRIPT_VERSION="${PROJECT_VERSION}")
target_link_libraries(library PRIVATE ncs_script ncs_report)
target_link_options(library PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${map})

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ncclscript)
install(TARGETS library EXPORT ncclscript LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ncclscript FILE ncclscriptConfig.cmake NAMESPACE ncclscript:: DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ncclscriptConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ncclscriptConfigVersion.cmake DESTINATION ${package})

file(WRITE ${PROJECT_BINARY_DIR}/ncclscript.pc "prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ncclscript
Description: ${PROJECT_NAME}: run, verify and explain NCCL scenarios
Version: ${PROJECT_VERSION}
Libs: -L\${libdir} -lncclscript
Cflags: -I\${includedir}
")
install(FILES ${PROJECT_BINARY_DIR}/ncclscript.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
