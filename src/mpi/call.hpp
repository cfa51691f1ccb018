// A call of a collective function of MPI, as the caller made it: one form for all of them, classic
// and large-count.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/buffer_use.hpp"
#include "collectives/collective.hpp"
#include "collectives/relative_rank.hpp"
#include "collectives/semantics.hpp"
#include "mpi/part_layout.hpp"
#include "select/arrival_order.hpp"

namespace anabranch::mpi {

// One number for all ranks, or one for each.
class Numbers {
 public:
  Numbers() = default;
  Numbers(std::int64_t one) : one_(one) {}  // NOLINT: a count is a number
  template <typename Integer>
  Numbers(const Integer* each) : each_(each), width_(sizeof(Integer)) {}  // NOLINT: so are these

  bool is_one() const { return width_ == 0; }
  // Whether this is the array at the address.
  bool is_array_at(const void* address) const { return !is_one() && each_ == address; }
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
struct BufferArgument {
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
  BufferArgument input;
  BufferArgument output;  // a broadcast has this only
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;

  const BufferArgument& argument(Buffer buffer) const {
    return buffer == Buffer::input ? input : output;
  }
};

// Of whom a call's arrays of counts and displacements are. On an intercommunicator they are of the
// remote group; a reduce_scatter deals its result out to the own one.
struct GroupOfCall {
  int rank = 0;  // the caller's, in its own group
  int size = 0;  // how many numbers such an array has
  bool is_inter = false;
};
GroupOfCall group_of(const Call& call);
inline bool is_root(const GroupOfCall& group, const Call& call) {
  return group.is_inter ? call.root == MPI_ROOT : call.root == group.rank;
}

// The ranks of one collective: relative ranks count from the root.
struct ProcessGroup {
  MPI_Comm channel = MPI_COMM_NULL;  // private, with MPI_ERRORS_RETURN
  std::int32_t size = 1;
  std::int32_t root = 0;
  // Of a collective without a root: relative ranks are places in it. Null: as they count from root.
  std::shared_ptr<const RankOrder> order = nullptr;
  std::int32_t absolute(std::int32_t relative) const {
    if (order != nullptr) return order->rank_at[static_cast<std::size_t>(relative)];
    return absolute_rank(relative, root, size);
  }
  std::int32_t relative(std::int32_t rank) const {
    if (order != nullptr) return order->place_of[static_cast<std::size_t>(rank)];
    return relative_rank(rank, root, size);
  }
};

// How a rank takes part in a call, as the collective's meaning and the arguments say. Reads the
// caller's arrays of counts and displacements when it is made, and never again.
class RankView {
 public:
  RankView(const Call& call, const ProcessGroup& group, std::int32_t rank);

  const Call& call() const { return call_; }
  const ProcessGroup& group() const { return group_; }
  std::int32_t rank() const { return rank_; }
  std::int32_t relative() const { return group_.relative(rank_); }
  bool is_root() const { return rank_ == group_.root; }
  bool is_combined() const { return uses_->is_combined; }
  const BufferArgument& argument(Buffer buffer) const { return call_.argument(buffer); }

  // Whether this rank has the buffer; whether it is of parts, one per rank.
  bool has(Buffer buffer) const { return of(buffer).parts != PartCount::none; }
  bool is_of_all(Buffer buffer) const { return of(buffer).parts == PartCount::one_per_rank; }
  // Whether it holds something before the collective; whether it gets something on the way.
  bool is_given(Buffer buffer) const { return of(buffer).is_given; }
  bool is_filled(Buffer buffer) const { return of(buffer).is_filled; }
  // An exclusive scan gives nothing to the first rank, which may lack the buffer for it.
  bool gets_nothing(Buffer buffer) const {
    return has(buffer) && !is_given(buffer) && !is_filled(buffer);
  }
  // MPI_IN_PLACE: what belongs into this buffer is, or is to be left, in the other one.
  bool is_in_place(Buffer buffer) const { return in_place_ == buffer; }
  // Arguments in place may be anything, save those of a reduction, which both buffers share.
  bool has_arguments(Buffer buffer) const {
    return has(buffer) && (is_combined() || !is_in_place(buffer));
  }
  // The buffer whose arguments tell all that the rank knows of the sizes of parts.
  Buffer size_source() const { return uses_->size_source; }
  // The parts of a buffer that has arguments, in elements of its datatype, ordered by relative
  // rank.
  const std::vector<Part>& elements_in(Buffer buffer) const {
    return elements_[static_cast<std::size_t>(buffer)];
  }

 private:
  const BufferUse& of(Buffer buffer) const { return uses_->of(buffer); }
  std::vector<Part> find_elements(Buffer buffer) const;

  Call call_;
  ProcessGroup group_;
  std::int32_t rank_;
  const BufferUses* uses_;
  std::optional<Buffer> in_place_;
  std::array<std::vector<Part>, 2> elements_;
};

// What all ranks know of the sizes of a call; size_bytes is -1 where the MPI should look at the
// arguments itself.
struct Measure {
  std::int64_t size_bytes = 0;  // as in Problem; 0 where it is not known everywhere
  bool equal_parts = true;
};
// Without parts, neither rank nor ranks matter.
Measure measure(const Call& call, std::int32_t rank, std::int32_t ranks);
// What the rank knows by itself, whether others know it or not.
Measure measure_own(const Call& call, std::int32_t rank, std::int32_t ranks);

}  // namespace anabranch::mpi
