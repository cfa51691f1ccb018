// Messages that begin with the sizes of their blocks, as 64-bit integers: for ranks that do not
// know them beforehand. Of bytes only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/memory.hpp"

namespace anabranch::mpi {

// Puts the sizes of the blocks in front of their pieces.
void add_sizes(BlockMemory& memory, std::span<const BlockSet> parts, std::int32_t shift,
               std::vector<Piece>& pieces);

// A message from `peer`, if one is there: memory of the operation's for all of it, and the request
// of its receipt, else MPI_REQUEST_NULL. An MPI error code.
int receive_sized(BlockMemory& memory, MPI_Comm channel, std::int32_t peer, std::int32_t tag,
                  Piece& message, MPI_Request& request);

// Once it has come: scratch blocks lie in it from then on, others are copied to their places. An
// MPI error code.
int place_sized(const Piece& message, std::span<const BlockSet> parts, std::int32_t shift,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag);

// As copy_pieces, but scratch blocks whose sizes are found on the way take those of their sources.
int copy_blocks(std::span<const BlockSet> sources, std::span<const BlockSet> parts,
                BlockMemory& memory, MPI_Comm channel, std::int32_t tag);

}  // namespace anabranch::mpi
