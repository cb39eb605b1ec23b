# The drop-in libraries, in a folder of their own that no loader finds by itself: libnccl and
# libcudart are the names, libncclscript-sim what they share, libncclscript-exec what is reported. The
# target `drop_in` is all of them.

set(NCS_SHIM_OUT ${PROJECT_BINARY_DIR}/lib/ncclscript)
set(NCS_SHIM_INSTALL ${CMAKE_INSTALL_LIBDIR}/ncclscript)
set(shim ${PROJECT_SOURCE_DIR}/src/shim)

add_custom_target(drop_in)

# ncs_shim_library(<target> <file> <what it exports> <sources>...)
function(ncs_shim_library target file map)
  add_library(${target} SHARED ${ARGN})
  set_target_properties(${target} PROPERTIES
    PREFIX "" SUFFIX "" OUTPUT_NAME ${file} NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${NCS_SHIM_OUT} LINK_DEPENDS ${map}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_options(${target} PRIVATE -Wl,-soname,${file} -Wl,-Bsymbolic -Wl,--version-script=${map})
  add_dependencies(drop_in ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${NCS_SHIM_INSTALL})
endfunction()

# The name without a version, for programs that open it by that.
function(ncs_shim_link target name file)
  add_custom_command(TARGET ${target} POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink ${file} ${NCS_SHIM_OUT}/${name})
  install(FILES ${NCS_SHIM_OUT}/${name} DESTINATION ${NCS_SHIM_INSTALL})
endfunction()

file(GLOB many_sources CONFIGURE_DEPENDS ${shim}/many/*.c)
ncs_shim_library(shim_sim libncclscript-sim.so ${shim}/sim.map
                 ${shim}/shim.c ${shim}/watch.c ${shim}/place.c ${shim}/settings.c ${shim}/other.c ${shim}/threads.c ${shim}/absent_list.c ${shim}/newer.c
                 ${shim}/kernel/not_run.c ${many_sources})
target_link_libraries(shim_sim PRIVATE -Wl,--whole-archive ncs_sim ncs_api ncs_base
                      -Wl,--no-whole-archive ${CMAKE_DL_LIBS}
                      -Wl,-z,nodelete) # its thread watches the time limit to the end of the process

ncs_shim_library(shim_nccl libnccl.so.2 ${shim}/nccl.map ${shim}/nccl.c ${shim}/newer_nccl.c ${shim}/absent_nccl.c)
target_link_libraries(shim_nccl PRIVATE shim_sim)
ncs_shim_link(shim_nccl libnccl.so libnccl.so.2)

set(kernel_sources ${shim}/kernels.c)
foreach(file registry launch verifiable values types fill)
  list(APPEND kernel_sources ${shim}/kernel/${file}.c)
endforeach()

foreach(runtime 12090 13000)
  math(EXPR version "${runtime} / 1000")
  ncs_shim_library(shim_cudart${version} libcudart.so.${version} ${shim}/cudart_${version}.map
                   ${shim}/cuda.c ${shim}/cuda_more.c ${shim}/driver_entry.c ${shim}/absent_cuda.c ${kernel_sources})
  target_compile_definitions(shim_cudart${version} PRIVATE NCS_RUNTIME_VERSION=${runtime})
  target_link_libraries(shim_cudart${version} PRIVATE shim_sim)
endforeach()
target_sources(shim_cudart12 PRIVATE ${shim}/cuda_12.c)
ncs_shim_link(shim_cudart13 libcudart.so libcudart.so.13)

file(GLOB driver_sources CONFIGURE_DEPENDS ${shim}/driver/*.c)
ncs_shim_library(shim_cuda libcuda.so.1 ${shim}/driver.map ${driver_sources})
target_link_libraries(shim_cuda PRIVATE shim_sim)
ncs_shim_link(shim_cuda libcuda.so libcuda.so.1)

ncs_shim_library(shim_nvml libnvidia-ml.so.1 ${shim}/nvml.map ${shim}/nvml.c)
target_link_libraries(shim_nvml PRIVATE shim_sim)
ncs_shim_link(shim_nvml libnvidia-ml.so libnvidia-ml.so.1)

# Beside the program and not in it: it has a C library of its own, and no room for a sanitizer.
ncs_shim_library(shim_audit libncclscript-audit.so ${shim}/audit.map ${shim}/audit.c)
target_compile_options(shim_audit PRIVATE -fno-sanitize=all)
target_link_options(shim_audit PRIVATE -fno-sanitize=all)
target_link_libraries(shim_audit PRIVATE ${CMAKE_DL_LIBS})

# For programs on the real libraries, without the simulator (`ncclscript record`). A program gets it before all others, so it
# has no room for a sanitizer either.
file(GLOB record_sources CONFIGURE_DEPENDS ${shim}/record/*.c)
ncs_shim_library(shim_record libncclscript-record.so ${shim}/record/record.map ${record_sources}
                 ${PROJECT_SOURCE_DIR}/src/api/gen/meta.c ${PROJECT_SOURCE_DIR}/src/api/types.c
                 ${PROJECT_SOURCE_DIR}/src/base/elf.c ${PROJECT_SOURCE_DIR}/src/base/error.c
                 ${PROJECT_SOURCE_DIR}/src/base/hash.c ${PROJECT_SOURCE_DIR}/src/base/interpreter.c
                 ${PROJECT_SOURCE_DIR}/src/base/python.c)
target_compile_options(shim_record PRIVATE -fno-sanitize=all)
target_link_options(shim_record PRIVATE -fno-sanitize=all)
target_link_libraries(shim_record PRIVATE ${CMAKE_DL_LIBS} Threads::Threads m)

file(GLOB exec_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/shim/exec/*.c)
if(exec_sources)
  # The simulator's library has the rooms sim, api and base. A second copy of their state would know of no call, so the
  # other rooms are linked as files, without what they link to. The order alone would not do: zig changes it.
  ncs_shim_library(shim_exec libncclscript-exec.so ${shim}/exec.map ${exec_sources})
  foreach(room report reproduce scenario run driver verify diagnose trace words)
    target_link_libraries(shim_exec PRIVATE $<TARGET_FILE:ncs_${room}>)
    add_dependencies(shim_exec ncs_${room})
  endforeach()
  target_link_libraries(shim_exec PRIVATE shim_sim PkgConfig::JANSSON m)
endif()
