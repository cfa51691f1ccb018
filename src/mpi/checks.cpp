#include "mpi/checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

// There is no function of MPI that tells, so a reduction of one rank is tried, by one thread at a
// time. In a process without MPI_COMM_SELF, nowhere.
bool is_refused(const void* from, void* to, int count, MPI_Op op, MPI_Datatype datatype) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const MPI_Comm alone = communicator_of_this_process();
  if (alone == MPI_COMM_NULL) return false;
  return native.Allreduce(from, to, count, datatype, op, alone) != MPI_SUCCESS;
}

// Whether the MPI refuses one buffer for input and output. Without error checks it does not, and
// there such calls work; and for one element alone Open MPI does not.
bool refuses_the_same_buffer(bool of_one_element) {
  if (communicator_of_this_process() == MPI_COMM_NULL) return false;  // not known yet
  static const std::array<bool, 2> refuses = [] {
    int two[2] = {};
    return std::array{is_refused(two, two, 1, MPI_SUM, MPI_INT),
                      is_refused(two, two, 2, MPI_SUM, MPI_INT)};
  }();
  return refuses[of_one_element ? 0 : 1];
}

// MPICH refuses what it refuses elsewhere also as a buffer that gets nothing, and parts that a rank
// sends from where it receives them; others do not look.
bool refuses_more() {
#ifdef MPICH_VERSION
  return refuses_the_same_buffer(true);
#else
  return false;
#endif
}

std::int64_t count_of(const std::vector<Part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t sum, const Part& part) { return sum + part.count; });
}

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

// What a rank sends to itself, or receives from itself.
const Part& own_part(const RankView& view, Buffer buffer) {
  const auto own = static_cast<std::size_t>(view.relative());
  return view.elements_in(buffer)[view.is_of_all(buffer) ? own : 0];
}

// The two must be alike.
bool differs_from_itself(const RankView& view, const Elements& elements) {
  const auto bytes = [&](Buffer buffer) {
    return own_part(view, buffer).count * elements[static_cast<std::size_t>(buffer)].size_bytes;
  };
  return bytes(Buffer::input) != bytes(Buffer::output);
}

// As the MPI has it, which takes no account of gaps between elements.
const char* begin_of_own_part(const RankView& view, Buffer buffer, const Element& element) {
  const auto* base = static_cast<const char*>(view.argument(buffer).address);
  return base + own_part(view, buffer).offset * element.size_bytes;
}

// Whether the MPI refuses that input and output lie at the same place. Programs gather into the
// array of which each rank sends its part. For the first rank both begin where the array does, so
// that tells nothing: the part does, for all ranks alike. Where only the root has both, what it
// leaves to the MPI all others would have to leave, too: so nothing that the MPI does not refuse.
bool are_refused_as_one(const RankView& view, const Elements& elements) {
  const BufferArgument& input = view.argument(Buffer::input);
  const BufferArgument& output = view.argument(Buffer::output);
  if (input.address == nullptr) return false;
  if (view.is_combined()) {
    const std::int64_t count = count_of(view.elements_in(Buffer::input));
    return input.address == output.address && count > 0 &&
           !is_empty(view.elements_in(Buffer::output)) && refuses_the_same_buffer(count == 1);
  }
  const std::int64_t count = own_part(view, Buffer::input).count;
  return refuses_more() && count > 0 && input.datatype == output.datatype &&
         count == own_part(view, Buffer::output).count &&
         begin_of_own_part(view, Buffer::input, elements[0]) ==
             begin_of_own_part(view, Buffer::output, elements[1]);
}

// The same for each pair of an operation and a type, so it is tried once.
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
  alignas(64) const char from[64] = {};
  alignas(64) char to[64] = {};
  if (is_refused(from, to, 1, op, datatype)) return true;
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
  if (datatype == MPI_DATATYPE_NULL) return false;  // as some of Fortran's may be below
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
                                      MPI_INTEGER,
                                      MPI_INTEGER1,
                                      MPI_INTEGER2,
                                      MPI_INTEGER4,
                                      MPI_INTEGER8};
  return std::ranges::find(integers, datatype) != integers.end();
}

bool is_wrong(const RankView& view, const Elements& elements) {
  std::array<bool, 2> is_used = {false, false};
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const auto index = static_cast<std::size_t>(buffer);
    if (!view.has(buffer) || view.is_in_place(buffer)) continue;
    is_used[index] = true;
    if (view.gets_nothing(buffer) && !refuses_more()) continue;
    if (is_wrong_argument(view, buffer, elements[index])) return true;
  }
  const bool both_are_used = is_used[0] && is_used[1];
  if (both_are_used && are_refused_as_one(view, elements)) return true;
  if (view.is_combined()) {
    const Call& call = view.call();
    return is_wrong_op(call.op, call.input.datatype, elements[is_used[0] ? 0 : 1]);
  }
  return both_are_used && differs_from_itself(view, elements);
}

bool is_for_arguments(int error) {
  int found = MPI_SUCCESS;
  if (error == MPI_SUCCESS || native.Error_class(error, &found) != MPI_SUCCESS) return false;
  static const std::array classes = {MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_COUNT,
                                     MPI_ERR_OP,  MPI_ERR_ROOT,   MPI_ERR_TYPE};
  return std::ranges::find(classes, found) != classes.end();
}

}  // namespace anabranch::mpi
