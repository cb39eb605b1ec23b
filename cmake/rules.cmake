# The table of the diagnosis' rules that have a file of src/diagnose/rules: a row for each file. The other rules are
# rows of src/diagnose/rules/rows.def.
file(GLOB rules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/diagnose/rules/*.c)
set(rows "")
foreach(rule IN LISTS rules)
  get_filename_component(name ${rule} NAME_WE)
  string(REPLACE _ - id ${name})
  string(APPEND rows "NCS_RULE(${name}, \"${id}\")\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rules/diagnose/rules/rules.def CONTENT "${rows}")
target_include_directories(ncs_diagnose PRIVATE ${PROJECT_BINARY_DIR}/rules)
