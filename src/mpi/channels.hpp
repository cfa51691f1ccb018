// The channels that are open in this process: how many there may be, and which they are.
#pragma once

#include <cstddef>
#include <vector>

namespace anabranch::mpi {

struct Communicator;

// Each takes one of the MPI's contexts, which a program may need for communicators of its own.
// MPICH and its kin have 2,048: this leaves fifteen sixteenths of them to the program. Few programs
// call collectives on so many communicators at once, and the rest of those stays with the MPI.
constexpr std::size_t max_channels = 128;

// Keeps a place for the communicator's channel; false where there is none. That of MPI_COMM_WORLD
// is not counted.
bool reserve_channel(Communicator& communicator, bool is_counted);
// It was closed, or not opened after all.
void release_channel(const Communicator& communicator);

// All that have a place.
std::vector<Communicator*> reserved_channels();

}  // namespace anabranch::mpi
