#include "mpi/buffers.hpp"

#include <algorithm>
#include <utility>

#include "mpi/functions.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::array both = {Buffer::input, Buffer::output};

Buffer other_than(Buffer buffer) {
  return buffer == Buffer::input ? Buffer::output : Buffer::input;
}

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

int describe(const RankView& view, Elements& elements) {
  for (const Buffer buffer : both) {
    const MPI_Datatype datatype = view.argument(buffer).datatype;
    if (!view.has_arguments(buffer) || datatype == MPI_DATATYPE_NULL) continue;
    if (const int error = describe(datatype, elements[static_cast<std::size_t>(buffer)])) {
      return error;
    }
  }
  return MPI_SUCCESS;
}

int Buffers::fetch(std::int32_t blocks) {
  blocks_ = blocks;
  if (is_combined()) memory_.use(element_of(Buffer::input));
  // What another buffer lies within comes first.
  for (const bool in_place : {false, true}) {
    for (const Buffer buffer : both) {
      if (!view_.has(buffer) || view_.is_in_place(buffer) != in_place) continue;
      if (const int error = in_place ? lay_out_in_place(buffer) : lay_out(buffer)) return error;
    }
  }
  for (const Buffer buffer : both) {
    if (!copy(buffer).is_packed) continue;
    const bool lies_within =
        view_.is_in_place(other_than(buffer)) && !copy(other_than(buffer)).from;
    const auto own = static_cast<std::size_t>(view_.relative());
    for (std::size_t part = 0; part < copy(buffer).parts.size(); ++part) {
      const bool is_given = view_.is_given(buffer) ||
                            (lies_within && part == own && view_.is_given(other_than(buffer)));
      if (!is_given) continue;
      if (const int error = fetch_part(buffer, part)) return error;
    }
  }
  return MPI_SUCCESS;
}

int Buffers::fetch_part(Buffer buffer, std::size_t part) {
  const PartLayout& layout = memory_.layout(buffer);
  return pack(of_user(copy(buffer), part), copy(buffer).element,
              layout.base() + layout.parts()[part].offset, view_.group().channel);
}

int Buffers::store() {
  const Copy& to = copy(Buffer::output);
  if (!to.is_packed || !view_.is_filled(Buffer::output)) return MPI_SUCCESS;
  const PartLayout& layout = memory_.layout(Buffer::output);
  for (std::size_t part = 0; part < to.parts.size(); ++part) {
    const int error = unpack(layout.base() + layout.parts()[part].offset, of_user(to, part),
                             to.element, view_.group().channel);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Buffers::lay_out(Buffer buffer) {
  if (!is_combined()) return lay_out_bytes(buffer, buffer);
  lay_out_elements(buffer);
  return MPI_SUCCESS;
}

void Buffers::lay_out_elements(Buffer buffer) {
  std::vector<Part> elements = view_.elements_in(buffer);
  auto* base = static_cast<char*>(view_.argument(buffer).address);
  if (view_.gets_nothing(buffer)) {
    base = memory_.temporary().take(total_of(elements), memory_.element());
  }
  memory_.layout(buffer) = {std::move(elements), blocks_, base};
}

// The buffer of the collective is made of that of the caller's, which is another one where it is
// overwritten on the way.
int Buffers::lay_out_bytes(Buffer buffer, Buffer from) {
  Copy& here = copy(buffer);
  here.from = &view_.argument(from);
  here.element = element_of(from);
  here.parts = view_.elements_in(from);
  here.is_packed = buffer != from || !here.element.is_contiguous;
  std::vector<Part> bytes = scaled(here.parts, here.element.size_bytes);
  auto* base = static_cast<char*>(here.from->address);
  if (here.is_packed) {
    bytes = closed_up(std::move(bytes));
    base = memory_.temporary().take(total_of(bytes));
  }
  memory_.layout(buffer) = {std::move(bytes), blocks_, base};
  return MPI_SUCCESS;
}

// What is combined, or is as large as what it gives way to, is overwritten on the way and copied
// first. The part of one rank lies within those of all.
int Buffers::lay_out_in_place(Buffer buffer) {
  if (is_combined()) return copy_in_place();
  const Buffer whole = other_than(buffer);
  if (view_.is_of_all(buffer) == view_.is_of_all(whole)) return lay_out_bytes(buffer, whole);
  const PartLayout& all = memory_.layout(whole);
  const auto own = static_cast<std::size_t>(view_.relative());
  memory_.layout(buffer) = {{all.parts()[own]}, blocks_, all.base()};
  return MPI_SUCCESS;
}

int Buffers::copy_in_place() {
  const Element& element = memory_.element();
  std::vector<Part> elements = closed_up(view_.elements_in(Buffer::input));
  const std::int64_t count = total_of(elements);
  const Iovec from{static_cast<char*>(view_.argument(Buffer::output).address), count};
  const Iovec to{memory_.temporary().take(count, element), count};
  memory_.layout(Buffer::input) = {std::move(elements), blocks_, to.address};
  return copy_iovecs({&from, 1}, {&to, 1}, element, view_.group().channel, 0);
}

// Scratch block i has the size of block i of the larger buffer, again and again; what nobody knows
// beforehand is found on the way.
void Buffers::make_scratch(std::int32_t blocks, bool carries_sizes) {
  if (blocks == 0) return;
  const Call& call = view_.call();
  if (call.sizes == SizeKnowledge::own_buffers || carries_sizes) {
    memory_.make_unsized_scratch(blocks);
    return;
  }
  const Buffer size_source = view_.size_source();
  std::vector<Part> sizes = view_.elements_in(size_source);
  if (has_parts(call.collective) && view_.argument(size_source).counts.is_one()) sizes.resize(1);
  if (!is_combined()) sizes = scaled(std::move(sizes), element_of(size_source).size_bytes);
  memory_.make_scratch(blocks, {std::move(sizes), blocks_});
}

Iovec Buffers::of_user(const Copy& copy, std::size_t part) const {
  const Part& elements = copy.parts[part];
  return {static_cast<char*>(copy.from->address) + elements.offset * copy.element.extent_bytes,
          elements.count};
}

}  // namespace anabranch::mpi
