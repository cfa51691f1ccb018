#include "mpi/checks.hpp"

#include <algorithm>
#include <array>

#include "mpi/communicator.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

// MPICH refuses what it refuses elsewhere also as a buffer that gets nothing; others do not look.
#ifdef MPICH_VERSION
constexpr bool unused_is_looked_at = true;
#else
constexpr bool unused_is_looked_at = false;
#endif

bool is_empty(const std::vector<Part>& parts) {
  return std::ranges::all_of(parts, [](const Part& part) { return part.count == 0; });
}

bool is_wrong_argument(const RankView& view, Buffer buffer, const Element& element) {
  const BufferArgument& side = view.argument(buffer);
  const std::vector<Part>& parts = view.elements_in(buffer);
  if (side.address == MPI_IN_PLACE || side.datatype == MPI_DATATYPE_NULL) return true;
  if (std::ranges::any_of(parts, [](const Part& part) { return part.count < 0; })) return true;
  if (!element.is_predefined && !is_committed(side.datatype, view.group().channel)) return true;
  const bool needs_memory = element.is_predefined || element.is_contiguous;
  return side.address == nullptr && needs_memory && !is_empty(parts);
}

// What a rank sends to itself must be what it receives from itself.
bool differs_from_itself(const RankView& view, const Elements& elements) {
  const auto own = static_cast<std::size_t>(view.relative());
  const auto bytes = [&](Buffer buffer) {
    const Element& element = elements[static_cast<std::size_t>(buffer)];
    return view.elements_in(buffer)[view.is_of_all(buffer) ? own : 0].count * element.size_bytes;
  };
  return bytes(Buffer::input) != bytes(Buffer::output);
}

// There is no function of MPI that tells, so a reduction of one rank is tried. On a communicator of
// the library's own, where errors are only returned; in a process without MPI_COMM_SELF, nowhere.
bool is_refused(MPI_Op op, MPI_Datatype datatype) {
  int initialized = 0;
  int finalized = 0;
  if (native.Initialized(&initialized) != MPI_SUCCESS || !initialized) return false;
  if (native.Finalized(&finalized) != MPI_SUCCESS || finalized) return false;
  Communicator* self = record_of(MPI_COMM_SELF);
  if (self == nullptr) return false;
  if (self->state == Communicator::Channel::not_tried) open_channel(MPI_COMM_SELF, *self);
  if (self->state != Communicator::Channel::open) return false;
  alignas(64) char from[64] = {};
  alignas(64) char to[64] = {};
  return native.Allreduce(from, to, 1, datatype, op, self->channel) != MPI_SUCCESS;
}

// The same for each pair, so it is tried once.
bool is_wrong_op(MPI_Op op, MPI_Datatype datatype, const Element& element) {
  if (op == MPI_OP_NULL) return true;
  if (!is_predefined(op)) return false;
  if (!element.is_predefined) return true;
  struct Pair {
    MPI_Op op;
    MPI_Datatype datatype;
  };
  // Nothing that is destroyed: a program may still reduce while its statics go.
  thread_local std::array<Pair, 64> accepted;
  thread_local std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(count, accepted.size()); ++i) {
    if (accepted[i].op == op && accepted[i].datatype == datatype) return false;
  }
  if (is_refused(op, datatype)) return true;
  accepted[count++ % accepted.size()] = {op, datatype};
  return false;
}

}  // namespace

bool is_predefined(MPI_Op op) {
  for (const MPI_Op known : {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR,
                             MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC}) {
    if (op == known) return true;
  }
  return op == MPI_REPLACE || op == MPI_NO_OP;
}

bool combines_exactly(MPI_Op op, MPI_Datatype datatype) {
  if (op != MPI_SUM && op != MPI_PROD) return is_predefined(op);
  static const std::array integers = {MPI_INT,
                                      MPI_LONG,
                                      MPI_LONG_LONG,
                                      MPI_SHORT,
                                      MPI_SIGNED_CHAR,
                                      MPI_UNSIGNED,
                                      MPI_UNSIGNED_LONG,
                                      MPI_UNSIGNED_LONG_LONG,
                                      MPI_UNSIGNED_SHORT,
                                      MPI_UNSIGNED_CHAR,
                                      MPI_INT8_T,
                                      MPI_INT16_T,
                                      MPI_INT32_T,
                                      MPI_INT64_T,
                                      MPI_UINT8_T,
                                      MPI_UINT16_T,
                                      MPI_UINT32_T,
                                      MPI_UINT64_T,
                                      MPI_AINT,
                                      MPI_OFFSET,
                                      MPI_COUNT,
                                      MPI_INTEGER};
  return std::ranges::find(integers, datatype) != integers.end();
}

bool is_wrong(const RankView& view, const Elements& elements) {
  std::array<bool, 2> is_used = {false, false};
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const auto index = static_cast<std::size_t>(buffer);
    if (!view.has(buffer) || view.is_in_place(buffer)) continue;
    is_used[index] = true;
    if (view.gets_nothing(buffer) && !unused_is_looked_at) continue;
    if (is_wrong_argument(view, buffer, elements[index])) return true;
  }
  const Call& call = view.call();
  if (is_used[0] && is_used[1]) {
    const bool same_memory =
        call.input.address == call.output.address && call.input.address != nullptr;
    if (same_memory && !is_empty(view.elements_in(Buffer::input)) &&
        !is_empty(view.elements_in(Buffer::output))) {
      return true;
    }
  }
  if (view.is_combined()) {
    return is_wrong_op(call.op, call.input.datatype, elements[is_used[0] ? 0 : 1]);
  }
  return is_used[0] && is_used[1] && differs_from_itself(view, elements);
}

}  // namespace anabranch::mpi
