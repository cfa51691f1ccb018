#include "mpi/call.hpp"

#include "collectives/meaning.hpp"
#include "mpi/functions.hpp"

namespace anabranch::mpi {

Buffer telling_buffer(Collective collective, bool is_root) {
  if (combines(collective)) return Buffer::input;
  if (collective == Collective::scatter) return is_root ? Buffer::input : Buffer::output;
  if (collective == Collective::gather) return is_root ? Buffer::output : Buffer::input;
  return Buffer::output;
}

std::int32_t Role::parts_in(Buffer buffer) const {
  const Meaning meaning(call.collective, members.size, 1, members.root);
  return meaning.blocks_in(rank, buffer);
}

std::vector<Part> Role::elements_in(Buffer buffer) const {
  const std::int32_t parts = parts_in(buffer);
  const Side& from = side(buffer);
  if (parts == 0) return {};
  if (!has_parts(call.collective) || !is_of_all(buffer)) return {{0, from.counts.of(rank)}};
  std::vector<Part> found(static_cast<std::size_t>(parts));
  std::int64_t next = 0;
  for (std::int32_t other = 0; other < parts; ++other) {
    Part& part = found[static_cast<std::size_t>(members.relative(other))];
    part.count = from.counts.of(other);
    part.offset = from.displacements.is_one() ? next : from.displacements.of(other);
    next += part.count;
  }
  return found;
}

bool Role::is_of_all(Buffer buffer) const {
  const Meaning two(call.collective, 2, 1);  // with one rank, one part may be all
  return two.blocks_in(0, buffer) == 2;
}

bool Role::is_in_place(Buffer buffer) const {
  // What is moved to where it is already; for others, the input is in the output buffer.
  const Buffer giving = call.collective == Collective::scatter ? Buffer::output : Buffer::input;
  return call.collective != Collective::bcast && buffer == giving && has(Buffer::input) &&
         has(Buffer::output) && side(giving).address == MPI_IN_PLACE;
}

Measure measure(const Call& call, std::int32_t rank, std::int32_t ranks) {
  // Whatever the arguments of this rank are like: others do not know.
  if (call.sizes == SizeKnowledge::own_buffers) return {.size_bytes = 0, .equal_parts = false};
  return measure_own(call, rank, ranks);
}

Measure measure_own(const Call& call, std::int32_t rank, std::int32_t ranks) {
  const Buffer telling = telling_buffer(call.collective, rank == call.root);
  const Side& side = telling == Buffer::input ? call.input : call.output;
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
