# For programs that link the library instead of having it preloaded: the header, a pkg-config file
# and a CMake package. They find each other by relative paths, so the folder may be moved.
if(NOT TARGET anabranch_dispatcher)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder "${anabranch_library_folder}/cmake/Anabranch")
install(FILES include/anabranch.h DESTINATION "${anabranch_header_folder}")
file(RELATIVE_PATH anabranch_headers_from_pkgconfig "/${anabranch_library_folder}/pkgconfig"
     "/${anabranch_header_folder}")
configure_file(cmake/anabranch.pc.in anabranch.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/anabranch.pc"
        DESTINATION "${anabranch_library_folder}/pkgconfig")

install(EXPORT anabranch NAMESPACE Anabranch:: FILE AnabranchTargets.cmake
        DESTINATION "${package_folder}")
file(WRITE "${PROJECT_BINARY_DIR}/AnabranchConfig.cmake"
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/AnabranchTargets.cmake\")\n")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/AnabranchConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/AnabranchConfig.cmake"
              "${PROJECT_BINARY_DIR}/AnabranchConfigVersion.cmake" DESTINATION "${package_folder}")
