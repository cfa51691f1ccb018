// The buffers of one rank, filled so that any byte that is missing, stale, misplaced or combined
// once too often shows. What belongs where is what the collective means.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "bench/function.hpp"
#include "collectives/relative_rank.hpp"
#include "collectives/semantics.hpp"

namespace anabranch::bench {

class Buffers {
 public:
  // parts_grow: as Options::parts_grow, for functions that take lists of counts.
  Buffers(const Function& function, int ranks, int rank, int root, bool parts_grow)
      : function_(function),
        semantics_(function.collective, ranks, 1, is_rooted(function.collective) ? root : 0),
        rank_(rank),
        parts_grow_(parts_grow) {}

  // Sizes all for a problem whose larger buffer has `size_bytes`, rounded up to whole elements for
  // each rank. Buffers keep what they held.
  void prepare(std::int64_t size_bytes) {
    const std::int64_t unit_bytes = parts() * element_bytes();
    count_ = (size_bytes + unit_bytes - 1) / unit_bytes;
    counts_.resize(static_cast<std::size_t>(semantics_.ranks()));
    displacements_.resize(counts_.size());
    for (std::int64_t part = 0; part < semantics_.ranks(); ++part) {
      const auto place = static_cast<std::size_t>(part);
      displacements_[place] = static_cast<int>(before(part));
      counts_[place] = static_cast<int>(before(part + 1) - before(part));
    }
    for (const Buffer buffer : {Buffer::input, Buffer::output}) {
      const std::int64_t bytes = bytes_of(buffer);
      auto& memory = memory_of(buffer);
      if (static_cast<std::int64_t>(memory.size()) < bytes) {
        memory.resize(static_cast<std::size_t>(bytes));
      }
    }
  }

  // Of the larger buffer, after prepare().
  std::int64_t size_bytes() const { return parts() * count_ * element_bytes(); }

  // Data differ from call to call: those of an earlier one are wrong in a later one.
  void fill(std::int64_t call) {
    for (const Buffer buffer : {Buffer::input, Buffer::output}) {
      for (std::int32_t block = 0; block < blocks_in(buffer); ++block) {
        const auto held = semantics_.before(rank_, buffer, block);
        if (!held) continue;
        const std::int32_t part = part_of(buffer, block);
        write(place_of(buffer, part), part_bytes(part), Content(*held, call));
      }
    }
  }

  void call() {
    function_.call({.input = input_.data(),
                    .output = output_.data(),
                    .count = counts_[static_cast<std::size_t>(rank_)],
                    .counts = counts_,
                    .displacements = displacements_,
                    .type = semantics_.combines() ? MPI_UINT64_T : MPI_BYTE,
                    .root = semantics_.root()});
  }

  // Offset in the output of the first wrong byte, -1 where all are right.
  std::int64_t first_wrong(std::int64_t call) {
    for (std::int32_t block = 0; block < blocks_in(Buffer::output); ++block) {
      const auto held = semantics_.after(rank_, Buffer::output, block);
      if (!held) continue;
      const std::int32_t part = part_of(Buffer::output, block);
      const char* place = place_of(Buffer::output, part);
      const std::int64_t wrong = find_wrong(place, part_bytes(part), Content(*held, call));
      if (wrong >= 0) return place - output_.data() + wrong;
    }
    return -1;
  }

  // For tests: damages a byte of the output, where this rank has any.
  void damage() {
    const std::int64_t bytes = bytes_of(Buffer::output);
    if (bytes > 0) output_[static_cast<std::size_t>(bytes / 2)] ^= 1;
  }

 private:
  static constexpr std::int64_t word_bytes = sizeof(std::uint64_t);

  std::int64_t element_bytes() const { return semantics_.combines() ? word_bytes : 1; }
  std::int64_t part_bytes(std::int32_t part) const {
    return counts_[static_cast<std::size_t>(part)] * element_bytes();
  }
  // Elements of all parts before this one.
  std::int64_t before(std::int64_t part) const {
    const std::int64_t ranks = semantics_.ranks();
    return parts_grow_ ? ranks * count_ * part * (part + 1) / (ranks * (ranks + 1)) : part * count_;
  }
  std::int64_t bytes_of(Buffer buffer) const {
    const std::int32_t blocks = blocks_in(buffer);
    return blocks == 1 ? part_bytes(rank_) : blocks * count_ * element_bytes();
  }
  std::int32_t blocks_in(Buffer buffer) const { return semantics_.blocks_in(rank_, buffer); }

  // Of the larger buffer of the root, which has the largest of all.
  std::int32_t parts() const {
    return std::max(semantics_.blocks_in(semantics_.root(), Buffer::input),
                    semantics_.blocks_in(semantics_.root(), Buffer::output));
  }

  std::vector<char>& memory_of(Buffer buffer) { return buffer == Buffer::input ? input_ : output_; }

  // Blocks count from the root, MPI's parts do not. A buffer of one block has this rank's part.
  std::int32_t part_of(Buffer buffer, std::int32_t block) const {
    return blocks_in(buffer) == 1 ? rank_
                                  : absolute_rank(block, semantics_.root(), semantics_.ranks());
  }
  char* place_of(Buffer buffer, std::int32_t part) {
    const std::int64_t first = blocks_in(buffer) == 1 ? 0 : before(part);
    return memory_of(buffer).data() + first * element_bytes();
  }

  // Words of a piece, as a contribution has them: those of the piece times the sum of odd weights,
  // one for each rank in it. So sums are known without adding up what all ranks contribute, and a
  // rank too many or too few shows.
  struct Content {
    std::uint64_t seed = 0;
    std::uint64_t weight = 0;

    Content(const Contribution& held, std::int64_t call) {
      const auto number = static_cast<std::uint64_t>(call);
      seed = mix((number << 32) ^ static_cast<std::uint64_t>(held.piece));
      for (std::int32_t rank = held.first_rank; rank <= held.last_rank; ++rank) {
        weight += mix(((static_cast<std::uint64_t>(rank) + 1) << 32) ^ number) | 1;
      }
    }
    std::uint64_t word(std::int64_t at) const {
      return mix(seed + static_cast<std::uint64_t>(at)) * weight;
    }
  };

  static void write(char* place, std::int64_t bytes, const Content& content) {
    for (std::int64_t at = 0; at < bytes; at += word_bytes) {
      const std::uint64_t value = content.word(at);
      const std::int64_t length = std::min(bytes - at, word_bytes);
      std::memcpy(place + at, &value, static_cast<std::size_t>(length));
    }
  }

  static std::int64_t find_wrong(const char* place, std::int64_t bytes, const Content& content) {
    for (std::int64_t at = 0; at < bytes; at += word_bytes) {
      const std::uint64_t value = content.word(at);
      const std::int64_t length = std::min(bytes - at, word_bytes);
      if (std::memcmp(place + at, &value, static_cast<std::size_t>(length)) == 0) continue;
      const auto* expected = reinterpret_cast<const char*>(&value);
      for (std::int64_t i = 0; i < length; ++i) {
        if (place[at + i] != expected[i]) return at + i;
      }
    }
    return -1;
  }

  static std::uint64_t mix(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15U;
    value ^= value >> 29;
    value *= 0xBF58476D1CE4E5B9U;
    return value ^ (value >> 32);
  }

  const Function& function_;
  Semantics semantics_;
  int rank_;
  bool parts_grow_;
  std::int64_t count_ = 0;  // of a part, where they are equal
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<char> input_;
  std::vector<char> output_;
};

}  // namespace anabranch::bench
