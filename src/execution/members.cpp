#include "execution/members.hpp"

#include <cstddef>

namespace anabranch {
namespace {

constexpr std::int32_t word_bits = 32;

// The first number: how many runs, or that bits follow. The first run begins with rank 0, which is
// left out; of each later one there are its first rank and its length.
constexpr std::int32_t has_bits = 0;

std::int32_t words_for(std::int32_t ranks) { return (ranks + word_bits - 1) / word_bits; }

std::vector<std::int32_t> runs_of(std::span<const std::int32_t> members) {
  std::vector<std::int32_t> runs = {0};
  std::int32_t next = 0;
  for (const std::int32_t member : members) {
    if (member > next) runs.push_back(member);
    if (member > next || member == 0) {
      runs.push_back(0);
      ++runs.front();
    }
    ++runs.back();
    next = member + 1;
  }
  return runs;
}

std::optional<std::vector<std::int32_t>> read_runs(std::span<const std::int32_t> numbers,
                                                   std::int32_t ranks) {
  if (numbers.front() < 1 || numbers.size() % 2 != 0) return std::nullopt;
  if (static_cast<std::size_t>(numbers.front()) != numbers.size() / 2) return std::nullopt;
  std::vector<std::int32_t> members;
  std::int32_t end = 0;
  for (std::size_t i = 1; i < numbers.size(); i += 2) {
    const std::int32_t first = i == 1 ? 0 : numbers[i - 1];
    const bool is_after = i == 1 || (first > end && first < ranks);
    if (!is_after || numbers[i] < 1 || numbers[i] > ranks - first) return std::nullopt;
    end = first + numbers[i];
    for (std::int32_t member = first; member < end; ++member) members.push_back(member);
  }
  return members;
}

std::optional<std::vector<std::int32_t>> read_bits(std::span<const std::int32_t> words,
                                                   std::int32_t ranks) {
  if (words.empty() || words.size() > static_cast<std::size_t>(words_for(ranks))) {
    return std::nullopt;
  }
  if (words.back() == 0) return std::nullopt;  // it would be left out
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::int32_t bit = 0; bit < word_bits; ++bit) {
      if ((static_cast<std::uint32_t>(words[i]) >> bit & 1U) == 0) continue;
      members.push_back(static_cast<std::int32_t>(i) * word_bits + bit);
    }
  }
  if (members.back() >= ranks) return std::nullopt;
  if (members.front() != 0) return std::nullopt;
  return members;
}

}  // namespace

std::int32_t max_members_length(std::int32_t ranks) { return 1 + words_for(ranks); }

void add_members(std::vector<std::int32_t>& control, std::span<const std::int32_t> members) {
  const auto runs = runs_of(members);
  const auto words = static_cast<std::size_t>(words_for(members.back() + 1));
  if (runs.size() <= 1 + words) {
    control.insert(control.end(), runs.begin(), runs.end());
    return;
  }
  control.push_back(has_bits);
  const std::size_t begin = control.size();
  control.resize(begin + words);
  for (const std::int32_t member : members) {
    auto& word = control[begin + static_cast<std::size_t>(member / word_bits)];
    word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | 1U << member % word_bits);
  }
}

std::optional<std::vector<std::int32_t>> read_members(std::span<const std::int32_t> numbers,
                                                      std::int32_t ranks) {
  if (numbers.empty()) return std::nullopt;
  if (numbers.front() == has_bits) return read_bits(numbers.subspan(1), ranks);
  return read_runs(numbers, ranks);
}

}  // namespace anabranch
