// The buffers of a call as the blocks of its operation.
//
// Data that is only moved is bytes in the order of its signature: the user's memory itself where a
// datatype lies in it just so, and else a packed copy. So ranks whose datatypes differ understand
// each other. Data that is combined stays where it is, as elements of its datatype.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "mpi/call.hpp"
#include "mpi/datatype.hpp"
#include "mpi/memory.hpp"

namespace anabranch::mpi {

// Of the datatypes of input and output, where a rank has them.
using Shapes = std::array<Shape, 2>;
Shapes shapes_of(const Role& role);

class Buffers {
 public:
  Buffers(const Role& role, const Shapes& shapes) : role_(role), shapes_(shapes) {}

  // Before the operation and after it. MPI error codes. `blocks` is how many each part is cut into.
  int fetch(std::int32_t blocks);
  int store();

  BlockMemory& memory() { return memory_; }
  // Of scratch blocks; null where this rank does not know them.
  const PartLayout* scratch_sizes() const { return knows_sizes_ ? &scratch_sizes_ : nullptr; }

 private:
  // A buffer that is a packed copy, and which of its parts the user's memory is read for.
  struct Copy {
    bool is_packed = false;
    const Side* side = nullptr;
    Unit element;
    std::vector<Part> elements;
    std::size_t first_fetched = 0;
    std::size_t end_fetched = 0;
    bool is_stored = false;
  };

  int lay_out(Buffer buffer);
  int lay_out_bytes(Buffer buffer, const Side& side, std::vector<Part> elements);
  void lay_out_elements(Buffer buffer);
  void lay_out_within(Buffer buffer, Buffer other);
  int lay_out_in_place();
  void choose_what_is_copied();
  void find_scratch_sizes();
  TypedBuffer of_user(const Copy& copy, std::size_t part) const;
  Copy& copy(Buffer buffer) { return copies_[static_cast<std::size_t>(buffer)]; }
  bool is_combined() const { return combines(role_.call.collective); }

  Role role_;
  Shapes shapes_;
  std::int32_t blocks_ = 1;
  BlockMemory memory_;
  std::array<Copy, 2> copies_;
  PartLayout scratch_sizes_;
  bool knows_sizes_ = false;
};

}  // namespace anabranch::mpi
