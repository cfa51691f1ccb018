# What measurements say beyond the model, as C++ includes it: from src/evidence/evidence.json.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
set(evidence_json "${PROJECT_SOURCE_DIR}/src/evidence/evidence.json")
set(evidence_program "${CMAKE_CURRENT_LIST_DIR}/evidence_rows.py")
set(evidence_folder "${PROJECT_BINARY_DIR}/generated")
set(evidence_files "${evidence_folder}/evidence_rows.inc" "${evidence_folder}/evidence_values.inc")
file(MAKE_DIRECTORY "${evidence_folder}")
add_custom_command(
  OUTPUT ${evidence_files}
  COMMAND "${Python_EXECUTABLE}" "${evidence_program}" "${evidence_json}" ${evidence_files}
  DEPENDS "${evidence_json}" "${evidence_program}"
  COMMENT "Writing the evidence as C++" VERBATIM)
if(SKBUILD)
  install(FILES "${evidence_json}" DESTINATION anabranch)
endif()
