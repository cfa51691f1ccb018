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
#include "schedule/schedule.hpp"

namespace anabranch::mpi {

// Of the datatypes of input and output, where a rank has them. An MPI error code.
using Elements = std::array<Element, 2>;
int describe(const RankView& view, Elements& elements);

class Buffers {
 public:
  // Refers to the view, which must outlive it.
  Buffers(const RankView& view, const Elements& elements) : view_(view), elements_(elements) {}

  // Before the collective and after it. MPI error codes. `blocks` is how many each part is cut
  // into.
  int fetch(std::int32_t blocks);
  int store();
  // So many scratch blocks; whether some carry their sizes.
  void make_scratch(std::int32_t blocks, bool carries_sizes);

  BlockMemory& memory() { return memory_; }

 private:
  // A buffer that is a packed copy of the caller's parts.
  struct Copy {
    bool is_packed = false;
    const BufferArgument* from = nullptr;
    Element element;
    std::vector<Part> parts;  // in elements
  };

  int lay_out(Buffer buffer);
  int lay_out_bytes(Buffer buffer, Buffer from);
  void lay_out_elements(Buffer buffer);
  int lay_out_in_place(Buffer buffer);
  int copy_in_place();
  int fetch_part(Buffer buffer, std::size_t part);
  Iovec of_user(const Copy& copy, std::size_t part) const;
  const Element& element_of(Buffer buffer) const {
    return elements_[static_cast<std::size_t>(buffer)];
  }
  Copy& copy(Buffer buffer) { return copies_[static_cast<std::size_t>(buffer)]; }
  bool is_combined() const { return view_.is_combined(); }

  const RankView& view_;
  Elements elements_;
  std::int32_t blocks_ = 1;
  BlockMemory memory_;
  std::array<Copy, 2> copies_;
};

}  // namespace anabranch::mpi
