# anabranch._core: the Python module over the core. One build serves all versions of Python from
# 3.12 on, where nanobind can use the stable ABI.
file(GLOB binding_sources CONFIGURE_DEPENDS src/bindings/*.cpp)
if(NOT binding_sources)
  message(STATUS "anabranch: no src/bindings/*.cpp, the Python module is left out")
  return()
endif()

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
                                   ${SKBUILD_SABI_COMPONENT})
if(NOT nanobind_DIR AND NOT SKBUILD)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_core STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS NOMINSIZE ${binding_sources})
target_link_libraries(_core PRIVATE anabranch_core)

# nanobind's headers use `stderr` and count on others to declare it. With the stable ABI Python.h does
# not, with libc++ the C++ headers do not either.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <stdexcept>\nint main() { return stderr == nullptr; }"
                          ANABRANCH_CXX_HEADERS_DECLARE_STDERR)
if(NOT ANABRANCH_CXX_HEADERS_DECLARE_STDERR)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "^(_core|nanobind-static.*)$")
  foreach(target IN LISTS targets)
    target_compile_options(${target} PRIVATE -include stdio.h)
  endforeach()
endif()

# A C++ runtime that is linked in stays within the module.
set(module_exports "${CMAKE_CURRENT_LIST_DIR}/module_exports.map")
target_link_options(_core PRIVATE "LINKER:--version-script=${module_exports}")
set_target_properties(_core PROPERTIES LINK_DEPENDS "${module_exports}")
if(SKBUILD)
  install(TARGETS _core LIBRARY DESTINATION anabranch)
endif()
