// The collectives, by MPI's names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace anabranch {

enum class Collective : std::uint8_t {
  bcast,
  scatter,
  gather,
  allgather,
  reduce,
  allreduce,
  reduce_scatter,
  alltoall,
  scan,
  exscan,
};

std::string_view name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);
std::span<const Collective> all_collectives();

// Whether one rank is special: its input or output differs from that of the others.
bool is_rooted(Collective collective);

// Whether the larger buffer is of parts, one per rank.
bool has_parts(Collective collective);

// Whether contributions of ranks are combined, rather than moved only.
bool combines(Collective collective);

}  // namespace anabranch
