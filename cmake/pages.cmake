# Manual pages and completions, written by the program itself. A cross build needs an emulator to run it.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "no manual pages and completions: the program cannot run here")
  return()
endif()

set(pages ${PROJECT_BINARY_DIR}/pages)
find_program(NCS_GZIP gzip REQUIRED)
add_custom_command(
  OUTPUT ${pages}/man/ncclscript.1.gz ${pages}/shells/ncclscript ${pages}/changelog.gz
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man ${pages}/shells
  COMMAND ncclscript man --directory ${pages}/man
  COMMAND sh -c "'${NCS_GZIP}' -9nf '${pages}'/man/*.1"
  COMMAND ncclscript completions --directory ${pages}/shells
  COMMAND sh -c "'${NCS_GZIP}' -9nc '${PROJECT_SOURCE_DIR}/CHANGELOG.md' >'${pages}/changelog.gz'"
  DEPENDS ncclscript ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  VERBATIM
  COMMENT "Writing manual pages and completions")
add_custom_target(pages ALL DEPENDS ${pages}/man/ncclscript.1.gz)

install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${pages}/shells/ncclscript DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/shells/_ncclscript DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages}/shells/ncclscript.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
