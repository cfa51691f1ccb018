#include "mpi/call.hpp"

#include "mpi/functions.hpp"

namespace anabranch::mpi {

GroupOfCall group_of(const Call& call) {
  GroupOfCall group;
  int is_inter = 0;
  native.Comm_test_inter(call.comm, &is_inter);
  group.is_inter = is_inter != 0;
  const bool is_remote = group.is_inter && call.collective != Collective::reduce_scatter;
  (is_remote ? native.Comm_remote_size : native.Comm_size)(call.comm, &group.size);
  native.Comm_rank(call.comm, &group.rank);
  return group;
}

RankView::RankView(const Call& call, const ProcessGroup& group, std::int32_t rank)
    : call_(call),
      group_(group),
      rank_(rank),
      uses_(&uses_of(call.collective, rank == group.root)) {
  if (has(Buffer::input) && has(Buffer::output)) {
    // The part of one rank is where those of all are; else the input is in the output buffer.
    const bool output_is_smaller =
        !is_combined() && is_of_all(Buffer::input) && !is_of_all(Buffer::output);
    const Buffer may_be = output_is_smaller ? Buffer::output : Buffer::input;
    if (argument(may_be).address == MPI_IN_PLACE) in_place_ = may_be;
  }
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    if (has_arguments(buffer)) elements_[static_cast<std::size_t>(buffer)] = find_elements(buffer);
  }
}

std::vector<Part> RankView::find_elements(Buffer buffer) const {
  const BufferArgument& from = argument(buffer);
  if (!is_of_all(buffer)) return {{0, from.counts.of(rank_)}};
  std::vector<Part> found(static_cast<std::size_t>(group_.size));
  std::int64_t next = 0;
  for (std::int32_t other = 0; other < group_.size; ++other) {
    Part& part = found[static_cast<std::size_t>(group_.relative(other))];
    part.count = from.counts.of(other);
    part.offset = from.displacements.is_one() ? next : from.displacements.of(other);
    next += part.count;
  }
  return found;
}

Measure measure(const Call& call, std::int32_t rank, std::int32_t ranks) {
  // Whatever the arguments of this rank are like: others do not know.
  if (call.sizes == SizeKnowledge::own_buffers) return {.size_bytes = 0, .equal_parts = false};
  return measure_own(call, rank, ranks);
}

Measure measure_own(const Call& call, std::int32_t rank, std::int32_t ranks) {
  const BufferUses& uses = uses_of(call.collective, rank == call.root);
  if (uses.has_parts && (call.root < 0 || call.root >= ranks)) return {.size_bytes = -1};
  const BufferArgument& size_source = call.argument(uses.size_source);
  MPI_Count size = 0;
  if (size_source.datatype == MPI_DATATYPE_NULL ||
      native.Type_size_x(size_source.datatype, &size) != MPI_SUCCESS || size < 0) {
    return {.size_bytes = -1};
  }
  if (size_source.counts.is_one()) {
    const std::int64_t count = size_source.counts.of(0);
    const std::int64_t parts = uses.has_parts ? ranks : 1;
    return {.size_bytes = count < 0 ? -1 : count * parts * static_cast<std::int64_t>(size)};
  }
  Measure found;
  for (std::int32_t other = 0; other < ranks; ++other) {
    const std::int64_t count = size_source.counts.of(other);
    if (count < 0) return {.size_bytes = -1};
    found.size_bytes += count * static_cast<std::int64_t>(size);
    found.equal_parts = found.equal_parts && count == size_source.counts.of(0);
  }
  return found;
}

}  // namespace anabranch::mpi
