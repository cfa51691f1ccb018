#include "mpi/memory.hpp"

#include <algorithm>

namespace anabranch::mpi {

TemporaryMemory::~TemporaryMemory() {
  if (!keeps_) return;
  for (auto& memory : held_) static_cast<void>(memory.release());
}

char* TemporaryMemory::take(std::int64_t size_bytes) {
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
  held_.push_back(std::make_unique_for_overwrite<char[]>(room));
  return held_.back().get();
}

char* TemporaryMemory::take(std::int64_t count, const Element& element) {
  if (count == 0) return take(0);
  const std::int64_t reach =
      (count - 1) * element.extent_bytes;  // of the last element from the first
  char* lowest = take(element.width_bytes + std::max(reach, -reach));
  return lowest - element.lower_bytes - std::min<std::int64_t>(reach, 0);
}

void BlockMemory::make_scratch(std::int32_t blocks, const PartLayout& sizes) {
  if (blocks == 0 || sizes.blocks() == 0) return;
  const std::int32_t per_part = sizes.blocks_per_part();
  std::vector<Part> parts(static_cast<std::size_t>((blocks + per_part - 1) / per_part));
  std::int64_t total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = {total, sizes.parts()[i % sizes.parts().size()].count};
    total += parts[i].count;
  }
  char* base = temporary().take(total, element_);
  layout(Buffer::scratch) = {std::move(parts), per_part, base};
}

void BlockMemory::make_unsized_scratch(std::int32_t blocks) {
  placed_.assign(static_cast<std::size_t>(blocks), {});
}

void BlockMemory::place_scratch(std::int32_t block, const Iovec& iovec) {
  placed_[static_cast<std::size_t>(block)] = iovec;
}

void BlockMemory::add(const Iovec& iovec, std::vector<Iovec>& iovecs) const {
  if (iovec.count == 0) return;
  if (!iovecs.empty()) {
    Iovec& last = iovecs.back();
    if (last.address + last.count * element_.extent_bytes == iovec.address) {
      last.count += iovec.count;
      return;
    }
  }
  iovecs.push_back(iovec);
}

void BlockMemory::add_iovecs(Buffer buffer, std::int32_t first, std::int32_t count,
                             std::vector<Iovec>& iovecs) const {
  if (buffer == Buffer::scratch && scratch_is_unsized()) {
    for (std::int32_t i = 0; i < count; ++i) {
      add(placed_[static_cast<std::size_t>(first + i)], iovecs);
    }
    return;
  }
  const PartLayout& from = layouts_[static_cast<std::size_t>(buffer)];
  from.of(first, count, [&](const Part& part) {
    add({from.base() + part.offset * element_.extent_bytes, part.count}, iovecs);
  });
}

void BlockMemory::add_iovecs(std::span<const BlockSet> block_sets, std::int32_t shift,
                             std::vector<Iovec>& iovecs) const {
  for (const BlockSet& set : block_sets) {
    if (set.stride == 1) {
      add_iovecs(set.buffer, set.first + shift, set.count, iovecs);
    } else {
      for (std::int32_t i = 0; i < set.count; ++i) {
        add_iovecs(set.buffer, set.at(i) + shift, 1, iovecs);
      }
    }
  }
}

std::int64_t BlockMemory::units_in(Buffer buffer, std::int32_t block) const {
  std::vector<Iovec> iovecs;
  add_iovecs(buffer, block, 1, iovecs);
  return count_of(iovecs);
}

}  // namespace anabranch::mpi
