# What stands in front of an MPI program: libanabranch.so, the dispatcher that is preloaded, and
# libanabranch-<abi>.so, the same sources built once per MPI ABI. Besides, benchmarks per MPI.
file(GLOB_RECURSE abi_sources CONFIGURE_DEPENDS src/mpi/*.cpp src/interpose/*.cpp src/capi/*.cpp)
list(FILTER abi_sources EXCLUDE REGEX "/interpose/dispatcher/")
file(GLOB_RECURSE dispatcher_sources CONFIGURE_DEPENDS src/interpose/dispatcher/*.cpp)
file(GLOB benchmark_sources CONFIGURE_DEPENDS src/bench/*.cpp)

# They live in programs of others: the C++ runtime is linked in and nothing of it shows. Stacks are
# unwound by the system's libgcc_s, as the program's: its exceptions may pass through both.
set(exports "${CMAKE_CURRENT_LIST_DIR}/abi_exports.map")
set(self_contained -static-libstdc++ LINKER:-z,defs
                   LINKER:--version-script=${exports})
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:--exclude-libs,ALL ANABRANCH_LINKER_EXCLUDES_LIBRARIES)
if(ANABRANCH_LINKER_EXCLUDES_LIBRARIES) # not so Zig's; the script above hides their symbols, too
  list(APPEND self_contained LINKER:--exclude-libs,ALL)
endif()

if(dispatcher_sources)
  add_library(anabranch_dispatcher SHARED ${dispatcher_sources})
  target_compile_options(anabranch_dispatcher PRIVATE -fno-exceptions -fno-rtti
                                                      -fno-threadsafe-statics)
  target_compile_definitions(anabranch_dispatcher PRIVATE ANABRANCH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(anabranch_dispatcher PRIVATE anabranch_flags Threads::Threads
                                                     ${CMAKE_DL_LIBS})
  target_link_options(anabranch_dispatcher PRIVATE LINKER:-z,defs)
  # Linked as C: a use of the C++ runtime is then an error of the build.
  set_target_properties(anabranch_dispatcher PROPERTIES OUTPUT_NAME anabranch LINKER_LANGUAGE C)
  # What those link who do not preload it. It must come before the MPI in the search order, also
  # where the program calls none of its functions.
  set_target_properties(anabranch_dispatcher PROPERTIES EXPORT_NAME anabranch)
  target_include_directories(anabranch_dispatcher
                             INTERFACE "$<INSTALL_INTERFACE:${anabranch_header_folder}>")
  target_link_options(anabranch_dispatcher INTERFACE LINKER:--no-as-needed)
  install(TARGETS anabranch_dispatcher EXPORT anabranch
          LIBRARY DESTINATION "${anabranch_library_folder}")
else()
  message(STATUS "anabranch: no src/interpose/dispatcher/*.cpp, libanabranch.so is left out")
endif()

# anabranch_build_for_abi(<abi> PREFIX <prefix> [DEFINITION <macro>] [LINK_MPI] [BENCHMARKS])
#   LINK_MPI    the ABI has data symbols, so its library must be linked
#   BENCHMARKS  build src/bench/*.cpp with this MPI
function(anabranch_build_for_abi abi)
  cmake_parse_arguments(arg "LINK_MPI;BENCHMARKS" "PREFIX;DEFINITION" "" ${ARGN})
  if(NOT EXISTS "${arg_PREFIX}/include/mpi.h")
    message(FATAL_ERROR "anabranch: no include/mpi.h in the MPI prefix '${arg_PREFIX}' for ${abi}")
  endif()
  add_library(anabranch_mpi_${abi} INTERFACE)
  target_include_directories(anabranch_mpi_${abi} SYSTEM INTERFACE "${arg_PREFIX}/include")
  target_compile_definitions(anabranch_mpi_${abi} INTERFACE ANABRANCH_ABI_NAME="${abi}"
                                                            ${arg_DEFINITION})

  if(abi_sources)
    add_library(anabranch_objects_${abi} OBJECT ${abi_sources})
    target_link_libraries(anabranch_objects_${abi} PUBLIC anabranch_flags anabranch_mpi_${abi})
    add_library(anabranch_${abi} SHARED)
    target_link_libraries(anabranch_${abi} PRIVATE anabranch_objects_${abi} anabranch_core
                                                   Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(anabranch_${abi} PRIVATE ${self_contained})
    if(arg_LINK_MPI)
      target_link_directories(anabranch_${abi} PRIVATE "${arg_PREFIX}/lib")
      target_link_libraries(anabranch_${abi} PRIVATE mpi)
    endif()
    set_target_properties(anabranch_${abi} PROPERTIES OUTPUT_NAME anabranch-${abi}
                                                      LINK_DEPENDS "${exports}")
    install(TARGETS anabranch_${abi} LIBRARY DESTINATION "${anabranch_library_folder}")
  endif()

  if(arg_BENCHMARKS AND ANABRANCH_TEST_PROGRAMS AND abi_sources)
    # Of what programs cannot reach yet; stays in the build tree.
    add_executable(requests-${abi} tests/mpi/requests/under_way.cpp)
    target_link_directories(requests-${abi} PRIVATE "${arg_PREFIX}/lib")
    target_link_libraries(requests-${abi} PRIVATE anabranch_objects_${abi} anabranch_core
                                                  Threads::Threads ${CMAKE_DL_LIBS} mpi)
  endif()
  if(arg_BENCHMARKS)
    foreach(source ${benchmark_sources})
      cmake_path(GET source STEM name)
      add_executable(${name}-${abi} ${source})
      target_link_directories(${name}-${abi} PRIVATE "${arg_PREFIX}/lib")
      target_link_libraries(${name}-${abi} PRIVATE anabranch_core anabranch_mpi_${abi}
                                                   Threads::Threads mpi)
      target_link_options(${name}-${abi} PRIVATE -static-libstdc++ -static-libgcc)
      install(TARGETS ${name}-${abi} RUNTIME DESTINATION "${anabranch_program_folder}")
    endforeach()
  endif()
endfunction()

if(ANABRANCH_MPICH_PREFIX)
  anabranch_build_for_abi(mpich PREFIX "${ANABRANCH_MPICH_PREFIX}" BENCHMARKS)
  if(EXISTS "${ANABRANCH_MPICH_PREFIX}/include/mpi_abi.h")
    # mpi.h hands over to mpi_abi.h, as under mpicc_abi.
    anabranch_build_for_abi(abi PREFIX "${ANABRANCH_MPICH_PREFIX}" DEFINITION MPI_ABI)
  else()
    message(STATUS "anabranch: this MPICH has no mpi_abi.h, libanabranch-abi.so is left out")
  endif()
else()
  message(STATUS "anabranch: no ANABRANCH_MPICH_PREFIX, libanabranch-{mpich,abi}.so are left out")
endif()
if(ANABRANCH_OPENMPI_PREFIX)
  anabranch_build_for_abi(openmpi PREFIX "${ANABRANCH_OPENMPI_PREFIX}" LINK_MPI BENCHMARKS)
else()
  message(STATUS "anabranch: no ANABRANCH_OPENMPI_PREFIX, libanabranch-openmpi.so is left out")
endif()
