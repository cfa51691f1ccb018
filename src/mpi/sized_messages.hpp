// Messages that begin with a header, for ranks that do not know all sizes beforehand. Of bytes
// only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mpi/memory.hpp"

namespace anabranch::mpi {

// What the header of a message tells.
struct HeaderContent {
  std::optional<std::int64_t> total_bytes;  // of all parts, the same in all of a collective
  bool has_sizes = false;                   // of the blocks of the message
};

// Puts the header in front of the iovecs of the blocks.
void add_header(BlockMemory& memory, const HeaderContent& content,
                std::span<const BlockSet> block_sets, std::int32_t shift,
                std::vector<Iovec>& iovecs);

// A message that is found by probing.
struct Found {
  Iovec message;          // memory of the collective's for all of it
  std::int32_t peer = 0;  // who sent it
  MPI_Request request = MPI_REQUEST_NULL;
};

// One from `peer`, or MPI_ANY_SOURCE, if it is there: the request of its receipt, else
// MPI_REQUEST_NULL. An MPI error code.
int receive_sized(BlockMemory& memory, MPI_Comm channel, std::int32_t peer, std::int32_t tag,
                  Found& found);

// Once it has come: scratch blocks lie in it from then on, others are copied to their places. An
// MPI error code.
int place_sized(const Iovec& message, const HeaderContent& content,
                std::span<const BlockSet> block_sets, std::int32_t shift, BlockMemory& memory,
                MPI_Comm channel, std::int32_t tag);

// As copy_iovecs, but scratch blocks whose sizes are found on the way take those of their sources.
int copy_blocks(std::span<const BlockSet> sources, std::span<const BlockSet> block_sets,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag);

}  // namespace anabranch::mpi
