# anabranch._core: the Python module over the core.
file(GLOB binding_sources CONFIGURE_DEPENDS src/bindings/*.cpp)
if(NOT binding_sources)
  message(STATUS "anabranch: no src/bindings/*.cpp, the Python module is left out")
  return()
endif()

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR AND NOT SKBUILD)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_core NB_STATIC NB_SUPPRESS_WARNINGS NOMINSIZE ${binding_sources})
target_link_libraries(_core PRIVATE anabranch_core)
if(SKBUILD)
  install(TARGETS _core LIBRARY DESTINATION anabranch)
endif()
