// Where the ranks of a measuring program run, and under which MPI.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "bench/sharing.hpp"

namespace anabranch::bench {

// Where a rank runs.
struct Place {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  std::size_t kernel = 0;  // differs where the clocks may differ
  int cores = 1;
};

inline Place own_place() {
  Place place;
  int length = 0;
  MPI_Get_processor_name(place.host.data(), &length);
  std::string kernel;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> kernel;
  std::array<char, 64> time_namespace{};
  if (readlink("/proc/self/ns/time", time_namespace.data(), time_namespace.size() - 1) > 0) {
    kernel += time_namespace.data();
  }
  place.cores = usable_cores();
  place.kernel = std::hash<std::string>()(kernel);
  return place;
}

// More ranks than cores on rank 0's machine, which stands for all.
inline bool share_cores(const std::vector<Place>& places) {
  int ranks = 0;
  for (const Place& place : places) ranks += place.kernel == places[0].kernel ? 1 : 0;
  return ranks > places[0].cores;
}

// The last rank on another node than rank 0; the last one where there is one node; 0 if alone.
inline int choose_peer(const std::vector<Place>& places) {
  for (std::size_t rank = places.size(); rank-- > 1;) {
    if (places[rank].host != places[0].host) return static_cast<int>(rank);
  }
  return static_cast<int>(places.size()) - 1;
}

inline std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.data();
}

}  // namespace anabranch::bench
