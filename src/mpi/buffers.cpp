#include "mpi/buffers.hpp"

#include <utility>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

std::int64_t total_of(const std::vector<Part>& parts) {
  std::int64_t total = 0;
  for (const Part& part : parts) total += part.count;
  return total;
}

// The same parts, one behind the other.
std::vector<Part> closed_up(std::vector<Part> parts) {
  std::int64_t next = 0;
  for (Part& part : parts) {
    part.offset = next;
    next += part.count;
  }
  return parts;
}

// Parts of elements as parts of smaller units.
std::vector<Part> scaled(std::vector<Part> parts, std::int64_t factor) {
  for (Part& part : parts) part = {part.offset * factor, part.count * factor};
  return parts;
}

}  // namespace

Shapes shapes_of(const Role& role) {
  Shapes shapes;
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    if (!role.has(buffer) || role.is_in_place(buffer)) continue;
    shapes[static_cast<std::size_t>(buffer)] = shape_of(role.side(buffer).datatype);
  }
  return shapes;
}

int Buffers::fetch(std::int32_t blocks) {
  blocks_ = blocks;
  int error = MPI_SUCCESS;
  if (is_combined()) {
    Unit unit;
    error = unit_of(role_.call.output.datatype, unit);
    memory_.use(unit);
  }
  // What another buffer lies within comes first.
  for (const bool in_place : {false, true}) {
    for (const Buffer buffer : {Buffer::output, Buffer::input}) {
      if (!role_.has(buffer) || role_.is_in_place(buffer) != in_place) continue;
      if (error == MPI_SUCCESS) error = in_place ? lay_out_in_place() : lay_out(buffer);
    }
  }
  if (error != MPI_SUCCESS) return error;
  choose_what_is_copied();
  find_scratch_sizes();
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const Copy& from = copy(buffer);
    const Region& region = memory_.region(buffer);
    for (std::size_t i = from.first_fetched; i < from.end_fetched && from.is_packed; ++i) {
      const Part& part = region.layout.parts()[i];
      error = pack(of_user(from, i), region.base + part.offset, part.count, role_.members.channel);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return MPI_SUCCESS;
}

int Buffers::store() {
  const Copy& to = copy(Buffer::output);
  if (!to.is_packed || !to.is_stored) return MPI_SUCCESS;
  const Region& region = memory_.region(Buffer::output);
  for (std::size_t i = 0; i < to.elements.size(); ++i) {
    const Part& part = region.layout.parts()[i];
    const int error =
        unpack(region.base + part.offset, of_user(to, i), part.count, role_.members.channel);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Buffers::lay_out(Buffer buffer) {
  if (!is_combined()) return lay_out_bytes(buffer, role_.side(buffer), role_.elements_in(buffer));
  lay_out_elements(buffer);
  return MPI_SUCCESS;
}

void Buffers::lay_out_elements(Buffer buffer) {
  std::vector<Part> elements = role_.elements_in(buffer);
  auto* base = static_cast<char*>(role_.side(buffer).address);
  if (role_.gets_nothing(buffer)) {
    base = memory_.temporary().take(total_of(elements), memory_.unit());
  }
  memory_.region(buffer) = {base, {std::move(elements), blocks_}};
}

int Buffers::lay_out_bytes(Buffer buffer, const Side& side, std::vector<Part> elements) {
  Copy& here = copy(buffer);
  here.side = &side;
  if (const int error = unit_of(side.datatype, here.element)) return error;
  std::vector<Part> bytes = scaled(elements, here.element.size_bytes);
  const bool copies = &side != &role_.side(buffer);  // the input is in the output buffer
  here.is_packed = copies || !shapes_[static_cast<std::size_t>(buffer)].is_contiguous;
  auto* base = static_cast<char*>(side.address);
  if (here.is_packed) {
    bytes = closed_up(std::move(bytes));
    base = memory_.temporary().take(total_of(bytes));
  }
  here.elements = std::move(elements);
  memory_.region(buffer) = {base, {std::move(bytes), blocks_}};
  return MPI_SUCCESS;
}

// What is only moved to where it is lies within the other buffer; what is overwritten on the way is
// copied first.
int Buffers::lay_out_in_place() {
  const Call& call = role_.call;
  if (call.collective == Collective::scatter) {
    lay_out_within(Buffer::output, Buffer::input);
    return MPI_SUCCESS;
  }
  if (call.collective == Collective::alltoall) {
    return lay_out_bytes(Buffer::input, call.output, role_.elements_in(Buffer::output));
  }
  if (!is_combined()) {
    lay_out_within(Buffer::input, Buffer::output);
    return MPI_SUCCESS;
  }
  const Unit& unit = memory_.unit();
  std::vector<Part> elements = closed_up(role_.elements_in(Buffer::input));
  const std::int64_t count = total_of(elements);
  const Piece from{static_cast<char*>(call.output.address), count};
  const Piece to{memory_.temporary().take(count, unit), count};
  memory_.region(Buffer::input) = {to.address, {std::move(elements), blocks_}};
  return copy_pieces({&from, 1}, {&to, 1}, unit, role_.members.channel, 0);
}

void Buffers::lay_out_within(Buffer buffer, Buffer other) {
  const Region& whole = memory_.region(other);
  const auto own = static_cast<std::size_t>(role_.members.relative(role_.rank));
  memory_.region(buffer) = {whole.base, {{whole.layout.parts()[own]}, blocks_}};
}

void Buffers::choose_what_is_copied() {
  Copy& input = copy(Buffer::input);
  Copy& output = copy(Buffer::output);
  input.end_fetched = input.elements.size();
  output.is_stored = true;
  if (role_.call.collective == Collective::bcast) {
    output.is_stored = !role_.is_root();
    if (role_.is_root()) output.end_fetched = output.elements.size();
  } else if (role_.is_in_place(Buffer::input) && !input.is_packed) {
    output.first_fetched = static_cast<std::size_t>(role_.members.relative(role_.rank));
    output.end_fetched = output.first_fetched + 1;
  }
}

void Buffers::find_scratch_sizes() {
  const Call& call = role_.call;
  if (call.sizes == SizeKnowledge::own_buffers) return;
  knows_sizes_ = true;
  const Buffer telling = telling_buffer(call.collective, role_.is_root());
  std::vector<Part> sizes = role_.elements_in(telling);
  if (has_parts(call.collective) && role_.side(telling).counts.is_one()) sizes.resize(1);
  if (!is_combined()) sizes = scaled(std::move(sizes), copy(telling).element.size_bytes);
  scratch_sizes_ = {std::move(sizes), blocks_};
}

TypedBuffer Buffers::of_user(const Copy& copy, std::size_t part) const {
  const Part& elements = copy.elements[part];
  char* address =
      static_cast<char*>(copy.side->address) + elements.offset * copy.element.extent_bytes;
  return {address, elements.count, copy.side->datatype};
}

}  // namespace anabranch::mpi
