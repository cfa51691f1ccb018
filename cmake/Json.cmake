# anabranch_json: the header library that reads plans, from the system or from its Python package.
find_path(ANABRANCH_JSON_INCLUDE nlohmann/json.hpp)
if(NOT ANABRANCH_JSON_INCLUDE)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import nlohmann_json; print(nlohmann_json.__path__[0])"
    OUTPUT_VARIABLE json_package OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(ANABRANCH_JSON_INCLUDE nlohmann/json.hpp PATHS "${json_package}/include"
            NO_DEFAULT_PATH REQUIRED)
endif()
add_library(anabranch_json INTERFACE)
target_include_directories(anabranch_json SYSTEM INTERFACE "${ANABRANCH_JSON_INCLUDE}")
