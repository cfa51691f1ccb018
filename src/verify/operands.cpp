#include "verify/operands.hpp"

#include <algorithm>
#include <numeric>

namespace anabranch::verify {
namespace {

std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 |
         static_cast<std::uint32_t>(b);
}

std::uint64_t hash_of(std::span<const std::int32_t> sequence) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::int32_t rank : sequence) {
    hash = (hash ^ static_cast<std::uint32_t>(rank)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

Operands::Operands(bool ordered) : ordered_(ordered) { sequences_.push_back({0, 0}); }

std::span<const std::int32_t> Operands::ranks(OperandsId id) const {
  const Sequence& sequence = sequences_[static_cast<std::size_t>(id)];
  return {ranks_.data() + sequence.first, sequence.count};
}

OperandsId Operands::intern(std::span<const std::int32_t> sequence) {
  if (sequence.empty()) return 0;
  const std::uint64_t hash = hash_of(sequence);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (std::ranges::equal(ranks(at->second), sequence)) return at->second;
  }
  const auto id = static_cast<OperandsId>(sequences_.size());
  sequences_.push_back({ranks_.size(), sequence.size()});
  ranks_.insert(ranks_.end(), sequence.begin(), sequence.end());
  by_hash_.emplace(hash, id);
  return id;
}

OperandsId Operands::range(std::int32_t first, std::int32_t last) {
  const auto [known, is_new] = ranges_.try_emplace(pair_key(first, last), 0);
  if (is_new) {
    std::vector<std::int32_t> sequence(static_cast<std::size_t>(std::max(last - first + 1, 0)));
    std::iota(sequence.begin(), sequence.end(), first);
    known->second = intern(sequence);
  }
  return known->second;
}

std::optional<OperandsId> Operands::joined(OperandsId a, OperandsId b) {
  if (!ordered_ && b < a) std::swap(a, b);
  const auto [known, is_new] = joins_.try_emplace(pair_key(a, b), -1);
  if (is_new) {
    std::vector<std::int32_t> sequence(ranks(a).begin(), ranks(a).end());
    sequence.insert(sequence.end(), ranks(b).begin(), ranks(b).end());
    std::vector<std::int32_t> sorted = sequence;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) {
      known->second = intern(ordered_ ? sequence : sorted);
    }
  }
  if (known->second < 0) return std::nullopt;
  return known->second;
}

std::string Operands::text(OperandsId id) const { return text_of_runs(ranks(id)); }

std::string text_of_runs(std::span<const std::int32_t> numbers) {
  std::string text;
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[begin]);
    if (end - begin > 1) text += ".." + std::to_string(numbers[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace anabranch::verify
