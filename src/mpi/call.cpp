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

RankView::RankView(Call call, const Members& members, std::int32_t rank)
    : call_(std::move(call)),
      members_(members),
      rank_(rank),
      is_combined_(combines(call_.collective)) {
  const Meaning meaning(call_.collective, members.size, 1, members.root, call_.sizes);
  const Meaning of_two(call_.collective, 2, 1);  // with one rank, one part may be all
  telling_ = telling_buffer(meaning, rank);
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    Use& use = uses_[static_cast<std::size_t>(buffer)];
    use.parts = meaning.blocks_in(rank, buffer);
    if (use.parts == 0) continue;
    use.is_of_all = has_parts(call_.collective) && of_two.blocks_in(0, buffer) == 2;
    use.is_given = meaning.before(rank, buffer, 0).has_value();
    use.is_filled = !use.is_given && meaning.after(rank, buffer, 0).has_value();
  }
  if (!has(Buffer::input) || !has(Buffer::output)) return;
  // The part of one rank is where those of all are; else the input is in the output buffer.
  const bool output_is_smaller =
      !is_combined_ && parts_in(Buffer::output) < parts_in(Buffer::input);
  const Buffer may_be = output_is_smaller ? Buffer::output : Buffer::input;
  uses_[static_cast<std::size_t>(may_be)].is_in_place = argument(may_be).address == MPI_IN_PLACE;
}

std::vector<Part> RankView::elements_in(Buffer buffer) const {
  const std::int32_t parts = parts_in(buffer);
  const BufferArgument& from = argument(buffer);
  if (parts == 0) return {};
  if (!is_of_all(buffer)) return {{0, from.counts.of(rank_)}};
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
