// The memory of one collective: where its blocks lie, and what the library has of its own for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/message.hpp"
#include "mpi/part_layout.hpp"
#include "schedule/schedule.hpp"

namespace anabranch::mpi {

// Memory of the library's that messages are sent from and received into.
class TemporaryMemory {
 public:
  TemporaryMemory() = default;
  ~TemporaryMemory();
  TemporaryMemory(const TemporaryMemory&) = delete;
  TemporaryMemory& operator=(const TemporaryMemory&) = delete;

  // Uninitialised; as long as this object.
  char* take(std::int64_t size_bytes);
  // Room for `count` units: the address from which they count.
  char* take(std::int64_t count, const Element& element);
  // After a failure, while messages are under way: what they write to or read from is never freed.
  void keep_for_ever() { keeps_ = true; }

 private:
  bool keeps_ = false;
  std::vector<std::unique_ptr<char[]>> held_;
};

class BlockMemory {
 public:
  // Bytes, unless told otherwise.
  void use(const Element& element) { element_ = element; }
  const Element& element() const { return element_; }
  TemporaryMemory& temporary() { return temporary_; }

  PartLayout& layout(Buffer buffer) { return layouts_[static_cast<std::size_t>(buffer)]; }

  // Makes scratch blocks. Block i has the size of block i of the layout, again and again.
  void make_scratch(std::int32_t blocks, const PartLayout& sizes);
  // Makes scratch blocks whose sizes are found on the way; empty until then.
  void make_unsized_scratch(std::int32_t blocks);
  // The scratch block lies here from now on. Only if it is unsized.
  void place_scratch(std::int32_t block, const Iovec& iovec);
  bool scratch_is_unsized() const { return !placed_.empty(); }

  // Adds the iovecs of some blocks in their order, neighbours in memory taken together.
  void add_iovecs(std::span<const BlockSet> block_sets, std::int32_t shift,
                  std::vector<Iovec>& iovecs) const;
  std::int64_t units_in(Buffer buffer, std::int32_t block) const;

 private:
  void add_iovecs(Buffer buffer, std::int32_t first, std::int32_t count,
                  std::vector<Iovec>& iovecs) const;
  void add(const Iovec& iovec, std::vector<Iovec>& iovecs) const;

  Element element_;
  TemporaryMemory temporary_;
  std::array<PartLayout, 3> layouts_;  // by Buffer
  std::vector<Iovec> placed_;          // of unsized scratch
};

}  // namespace anabranch::mpi
