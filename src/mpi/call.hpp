// A call of a collective function of MPI, as the caller made it: one form for all of them, classic
// and large-count.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "collectives/collective.hpp"
#include "collectives/meaning.hpp"
#include "mpi/driver.hpp"

namespace anabranch::mpi {

// One number for all ranks, or one for each.
class Numbers {
 public:
  Numbers() = default;
  Numbers(std::int64_t one) : one_(one) {}  // NOLINT: a count is a number
  template <typename Integer>
  Numbers(const Integer* each) : each_(each), width_(sizeof(Integer)) {}  // NOLINT: so are these

  bool is_one() const { return width_ == 0; }
  std::int64_t of(std::int32_t rank) const {
    if (is_one()) return one_;
    if (width_ == sizeof(int)) return static_cast<const int*>(each_)[rank];
    return static_cast<const std::int64_t*>(each_)[rank];
  }

 private:
  std::int64_t one_ = 0;
  const void* each_ = nullptr;
  std::size_t width_ = 0;
};

// A buffer as a caller gives it.
struct Side {
  void* address = nullptr;
  Numbers counts;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  // In extents of the datatype; one: there are none, and parts lie one behind the other.
  Numbers displacements = {};
};

struct Call {
  const char* name = "";  // "scatterv"
  Collective collective = Collective::bcast;
  SizeKnowledge sizes = SizeKnowledge::everywhere;
  Side input;
  Side output;  // a broadcast has this only
  MPI_Op operation = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

// A buffer that the rank has in any case. It tells all that the rank knows of the sizes of parts.
Buffer telling_buffer(Collective collective, bool is_root);

// How a rank takes part in a call.
struct Role {
  const Call& call;
  Members members;
  std::int32_t rank = 0;

  bool is_root() const { return rank == members.root; }
  // Parts of a buffer here: none where the rank lacks it, one, or one per rank.
  std::int32_t parts_in(Buffer buffer) const;
  bool is_of_all(Buffer buffer) const;  // of parts, one per rank, where the rank has it
  // An exclusive scan gives nothing to the first rank, which may lack the buffer for it.
  bool gets_nothing(Buffer buffer) const {
    return call.collective == Collective::exscan && buffer == Buffer::output && rank == 0;
  }
  bool has(Buffer buffer) const { return parts_in(buffer) > 0; }
  const Side& side(Buffer buffer) const {
    return buffer == Buffer::input ? call.input : call.output;
  }
  // The parts of a buffer in elements of its datatype, ordered by relative rank.
  std::vector<Part> elements_in(Buffer buffer) const;
  // MPI_IN_PLACE: what belongs into this buffer is, or is to be left, in the other one.
  bool is_in_place(Buffer buffer) const;
};

// What all ranks know of the sizes of a call; size_bytes is -1 where the MPI should look at the
// arguments itself.
struct Measure {
  std::int64_t size_bytes = 0;  // as in Problem; 0 where it is not known everywhere
  bool equal_parts = true;
};
Measure measure(const Call& call, std::int32_t rank, std::int32_t ranks);
// What the rank knows by itself, whether others know it or not.
Measure measure_own(const Call& call, std::int32_t rank, std::int32_t ranks);

}  // namespace anabranch::mpi
