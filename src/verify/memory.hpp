// The buffers of one rank in one operation, with symbols in place of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/semantics.hpp"
#include "schedule/schedule.hpp"
#include "verify/operands.hpp"

namespace anabranch::verify {

// One block of one buffer.
using Cell = std::int32_t;

class Memory {
 public:
  // As before the operation. `rank` is absolute, and so are ranks in all sentences.
  Memory(const Semantics& semantics, std::int32_t rank, std::int32_t scratch_blocks,
         Operands& operands);

  // The cells of some blocks, in their order. Throws Violation where a block is out of range.
  void expand(std::span<const BlockSet> block_sets, std::int32_t shift,
              std::vector<Cell>& cells) const;

  Value value(Cell cell) const { return values_[static_cast<std::size_t>(cell)]; }
  void set(Cell cell, Value value) { values_[static_cast<std::size_t>(cell)] = value; }

  // The only piece for which the cell has room; -1 for scratch, which takes any.
  std::int32_t piece_at(Cell cell) const;
  bool is_input(Cell cell) const { return cell < first_[1]; }
  std::size_t cells() const { return values_.size(); }

  // Knowledge of sizes, with the time at which it came; times are the caller's, from 0 up.
  bool knew_size(std::int32_t piece, std::int64_t time) const {
    return learnt_.empty() || learnt_[static_cast<std::size_t>(piece)] <= time;
  }
  void learn_size(std::int32_t piece, std::int64_t time);

  // What is wrong with these values for these cells: "1 block in place of 2", "piece 7 in place of
  // piece 5"; empty where they fit.
  std::string misfit(std::span<const Cell> cells, std::span<const Value> values) const;

  // The cell's value with `theirs` combined into it. Throws Violation with a sentence that ends in
  // `where` if either is undefined, they are of different pieces, or share an operand.
  Value combined(Cell mine, Value theirs, OperandOrder order, const std::string& where) const;

  // Throws Violation where a block does not hold what it must at the end.
  void check_result() const;

  // For sentences: "blocks 4..5", "scratch block 0", "input blocks 1, 3".
  std::string text(std::span<const Cell> cells) const;
  std::string text(Value value) const;

 private:
  std::string text_in_buffer(std::span<const Cell> cells, Buffer buffer) const;

  const Semantics& semantics_;
  std::int32_t rank_;
  Operands& operands_;
  Cell first_[4] = {0, 0, 0, 0};  // of each buffer, and the end
  std::vector<Value> values_;
  std::vector<std::int64_t> learnt_;  // by piece; empty where all sizes are known
};

}  // namespace anabranch::verify
