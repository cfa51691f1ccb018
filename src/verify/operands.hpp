// Sequences of operands, each stored once: equal sequences have equal numbers, and joining two that
// were joined before is one look-up. So a result over 64 ranks costs no more than a block that is
// moved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace anabranch::verify {

// The number of a sequence of ranks; 0 is the empty one.
using OperandsId = std::int32_t;

class Operands {
 public:
  // `ordered` keeps the order in which operands are joined; otherwise only which ones there are.
  explicit Operands(bool ordered);

  // first, first + 1, .., last.
  OperandsId range(std::int32_t first, std::int32_t last);

  // `a` followed by `b`; nothing where they share an operand.
  std::optional<OperandsId> joined(OperandsId a, OperandsId b);

  std::span<const std::int32_t> ranks(OperandsId id) const;

  // "0..2", "0, 1, 3": for messages.
  std::string text(OperandsId id) const;

 private:
  struct Sequence {
    std::size_t first;
    std::size_t count;
  };
  OperandsId intern(std::span<const std::int32_t> sequence);

  bool ordered_;
  std::vector<std::int32_t> ranks_;
  std::vector<Sequence> sequences_;
  std::unordered_multimap<std::uint64_t, OperandsId> by_hash_;
  std::unordered_map<std::uint64_t, OperandsId> ranges_;
  std::unordered_map<std::uint64_t, OperandsId> joins_;  // -1 where they share an operand
};

// What a block of a rank holds: a piece (see Semantics) with the operands combined into it so far.
struct Value {
  std::int32_t piece = -1;
  OperandsId operands = 0;

  bool defined() const { return operands != 0; }
  friend bool operator==(const Value&, const Value&) = default;
};

// Numbers in ascending runs: "0..2, 5". Keeps the order given.
std::string text_of_runs(std::span<const std::int32_t> numbers);

}  // namespace anabranch::verify
