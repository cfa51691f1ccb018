#include "mpi/call.hpp"

#include "collectives/meaning.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {

Buffer telling_buffer(const Meaning& meaning, std::int32_t rank) {
  const std::int32_t input = meaning.blocks_in(rank, Buffer::input);
  const std::int32_t output = meaning.blocks_in(rank, Buffer::output);
  // Of a reduction both have one count, and the input's is there also where the output is not.
  return meaning.combines() || input > output ? Buffer::input : Buffer::output;
}

bool RankView::is_of_all(Buffer buffer) const {
  // With one rank, one part may be all.
  return Meaning(call_.collective, 2, 1).blocks_in(0, buffer) == 2;
}

bool RankView::is_given(Buffer buffer) const {
  return has(buffer) && meaning_.before(rank_, buffer, 0).has_value();
}

bool RankView::is_filled(Buffer buffer) const {
  return has(buffer) && !is_given(buffer) && meaning_.after(rank_, buffer, 0).has_value();
}

bool RankView::is_in_place(Buffer buffer) const {
  if (!has(Buffer::input) || !has(Buffer::output)) return false;
  // The part of one rank is where those of all are; else the input is in the output buffer.
  const bool output_is_smaller =
      !meaning_.combines() && parts_in(Buffer::output) < parts_in(Buffer::input);
  const bool may_be = buffer == (output_is_smaller ? Buffer::output : Buffer::input);
  return may_be && argument(buffer).address == MPI_IN_PLACE;
}

std::vector<Part> RankView::elements_in(Buffer buffer) const {
  const std::int32_t parts = parts_in(buffer);
  const BufferArgument& from = argument(buffer);
  if (parts == 0) return {};
  if (!has_parts(call_.collective) || !is_of_all(buffer)) return {{0, from.counts.of(rank_)}};
  std::vector<Part> found(static_cast<std::size_t>(parts));
  std::int64_t next = 0;
  for (std::int32_t other = 0; other < parts; ++other) {
    Part& part = found[static_cast<std::size_t>(members_.relative(other))];
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
  const int root = is_rooted(call.collective) && ranks > 1 ? call.root : 0;
  if (root < 0 || root >= ranks) return {.size_bytes = -1};
  const Meaning meaning(call.collective, ranks, 1, root, call.sizes);
  const BufferArgument& side = call.argument(telling_buffer(meaning, rank));
  if (side.datatype == MPI_DATATYPE_NULL) return {.size_bytes = -1};
  MPI_Count size = 0;
  if (native.Type_size_x(side.datatype, &size) != MPI_SUCCESS || size < 0)
    return {.size_bytes = -1};
  if (side.counts.is_one()) {
    const std::int64_t count = side.counts.of(0);
    const std::int64_t parts = has_parts(call.collective) ? ranks : 1;
    return {.size_bytes = count < 0 ? -1 : count * parts * static_cast<std::int64_t>(size)};
  }
  Measure found;
  for (std::int32_t other = 0; other < ranks; ++other) {
    const std::int64_t count = side.counts.of(other);
    if (count < 0) return {.size_bytes = -1};
    found.size_bytes += count * static_cast<std::int64_t>(size);
    found.equal_parts = found.equal_parts && count == side.counts.of(0);
  }
  return found;
}

}  // namespace anabranch::mpi
