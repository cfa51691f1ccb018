// What is broadcast, so that any byte that is missing, stale or misplaced shows.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace anabranch::bench {

class Payload {
 public:
  // Room for `size_bytes`, with whatever was there before.
  char* reserve(std::int64_t size_bytes) {
    const auto size = static_cast<std::size_t>(size_bytes);
    if (bytes_.size() < size + sizeof(std::uint64_t)) bytes_.resize(size + sizeof(std::uint64_t));
    return bytes_.data();
  }

  // Seeds differ from call to call: data of an earlier one is wrong in a later one.
  static std::uint64_t seed(std::int64_t call, int root) {
    return mix((static_cast<std::uint64_t>(call) << 20) ^ static_cast<std::uint64_t>(root));
  }

  void fill(std::int64_t size_bytes, std::uint64_t seed) {
    reserve(size_bytes);
    for (std::int64_t at = 0; at < size_bytes; at += word_bytes) {
      const std::uint64_t word = mix(seed + static_cast<std::uint64_t>(at));
      std::memcpy(bytes_.data() + at, &word, sizeof(word));
    }
  }

  // Offset of the first wrong byte, -1 where all are right.
  std::int64_t first_wrong(std::int64_t size_bytes, std::uint64_t seed) const {
    for (std::int64_t at = 0; at < size_bytes; at += word_bytes) {
      const std::uint64_t word = mix(seed + static_cast<std::uint64_t>(at));
      const std::int64_t length = size_bytes - at < word_bytes ? size_bytes - at : word_bytes;
      if (std::memcmp(bytes_.data() + at, &word, static_cast<std::size_t>(length)) == 0) continue;
      const auto* expected = reinterpret_cast<const char*>(&word);
      for (std::int64_t i = 0; i < length; ++i) {
        if (bytes_[static_cast<std::size_t>(at + i)] != expected[i]) return at + i;
      }
    }
    return -1;
  }

 private:
  static constexpr std::int64_t word_bytes = sizeof(std::uint64_t);

  static std::uint64_t mix(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15U;
    value ^= value >> 29;
    value *= 0xBF58476D1CE4E5B9U;
    return value ^ (value >> 32);
  }

  std::vector<char> bytes_;
};

}  // namespace anabranch::bench
