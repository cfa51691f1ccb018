#include "verify/memory.hpp"

#include <limits>

#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr const char* buffer_names[3] = {"input ", "", "scratch "};

}  // namespace

Memory::Memory(const Semantics& semantics, std::int32_t rank, std::int32_t scratch_blocks,
               Operands& operands)
    : semantics_(semantics), rank_(rank), operands_(operands) {
  const std::int32_t held[3] = {semantics.blocks_in(rank, Buffer::input),
                                semantics.blocks_in(rank, Buffer::output), scratch_blocks};
  for (int buffer = 0; buffer < 3; ++buffer) first_[buffer + 1] = first_[buffer] + held[buffer];
  values_.resize(static_cast<std::size_t>(first_[3]));
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const auto index = static_cast<std::size_t>(buffer);
    for (std::int32_t block = 0; block < held[index]; ++block) {
      const auto given = semantics.before(rank, buffer, block);
      if (!given) continue;
      set(first_[index] + block,
          {given->piece, operands.range(given->first_rank, given->last_rank)});
    }
  }
  if (semantics.sizes() == SizeKnowledge::everywhere) return;
  learnt_.resize(static_cast<std::size_t>(semantics.pieces()), never);
  for (std::int32_t piece = 0; piece < semantics.pieces(); ++piece) {
    if (semantics.knows_size(rank, piece)) learnt_[static_cast<std::size_t>(piece)] = -1;
  }
}

void Memory::expand(std::span<const BlockSet> block_sets, std::int32_t shift,
                    std::vector<Cell>& cells) const {
  for (const BlockSet& set : block_sets) {
    const auto buffer = static_cast<std::size_t>(set.buffer);
    const std::int32_t held = first_[buffer + 1] - first_[buffer];
    for (std::int32_t i = 0; i < set.count; ++i) {
      const std::int32_t block = set.at(i) + shift;
      if (block < 0 || block >= held) {
        throw Violation(Fault::block_range, rank_text(rank_) + " uses " + buffer_names[buffer] +
                                                "block " + std::to_string(block) + " of " +
                                                std::to_string(held));
      }
      cells.push_back(first_[buffer] + block);
    }
  }
}

std::int32_t Memory::piece_at(Cell cell) const {
  if (cell >= first_[2]) return -1;
  if (cell >= first_[1]) return semantics_.piece_at(rank_, Buffer::output, cell - first_[1]);
  return semantics_.piece_at(rank_, Buffer::input, cell);
}

void Memory::learn_size(std::int32_t piece, std::int64_t time) {
  if (learnt_.empty()) return;
  auto& learnt = learnt_[static_cast<std::size_t>(piece)];
  learnt = std::min(learnt, time);
}

std::string Memory::misfit(std::span<const Cell> cells, std::span<const Value> values) const {
  if (cells.size() != values.size()) {
    return std::to_string(values.size()) + (values.size() == 1 ? " block" : " blocks") +
           " in place of " + std::to_string(cells.size());
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int32_t room_for = piece_at(cells[i]);
    if (room_for < 0 || room_for == values[i].piece) continue;
    return "piece " + std::to_string(values[i].piece) + " in place of piece " +
           std::to_string(room_for);
  }
  return "";
}

Value Memory::combined(Cell cell, Value theirs, OperandOrder order,
                       const std::string& where) const {
  const Value mine = value(cell);
  const Cell cells[1] = {cell};
  if (!mine.defined()) {
    throw Violation(Fault::not_held, rank_text(rank_) + " combines a message with " + text(cells) +
                                         ", which holds nothing yet" + where);
  }
  if (mine.piece != theirs.piece) {
    throw Violation(Fault::mismatch, rank_text(rank_) + " combines " + text(theirs) + " with " +
                                         text(mine) + " in " + text(cells) + where);
  }
  const bool mine_first = order == OperandOrder::mine_first;
  const auto both = operands_.joined(mine_first ? mine.operands : theirs.operands,
                                     mine_first ? theirs.operands : mine.operands);
  if (!both) {
    const auto ranks_text = [&](OperandsId id) {
      return (operands_.ranks(id).size() == 1 ? "rank " : "ranks ") + operands_.text(id);
    };
    throw Violation(Fault::combined_twice, rank_text(rank_) + " combines what comes from " +
                                               ranks_text(theirs.operands) + " into " +
                                               text(cells) + ", which has that of " +
                                               ranks_text(mine.operands) + " already" + where);
  }
  return {mine.piece, *both};
}

void Memory::check_result() const {
  Contribution last_due;
  OperandsId operands = operands_.range(last_due.first_rank, last_due.last_rank);
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    const auto index = static_cast<std::size_t>(buffer);
    for (Cell cell = first_[index]; cell < first_[index + 1]; ++cell) {
      const auto due = semantics_.after(rank_, buffer, cell - first_[index]);
      if (!due) continue;
      if (due->first_rank != last_due.first_rank || due->last_rank != last_due.last_rank) {
        operands = operands_.range(due->first_rank, due->last_rank);
      }
      last_due = *due;
      const Value wanted{due->piece, operands};
      const Value held = value(cell);
      if (held == wanted) continue;
      const Cell cells[1] = {cell};
      const std::string subject = rank_text(rank_) + " ends ";
      if (!held.defined()) {
        throw Violation(Fault::result, subject + "without " + text(cells));
      }
      throw Violation(Fault::result, subject + "with " + text(held) + " in " + text(cells) +
                                         ", which must hold " + text(wanted));
    }
  }
}

std::string Memory::text_in_buffer(std::span<const Cell> cells, Buffer buffer) const {
  const auto index = static_cast<std::size_t>(buffer);
  std::vector<std::int32_t> numbers;
  for (const Cell cell : cells) {
    if (cell >= first_[index] && cell < first_[index + 1]) numbers.push_back(cell - first_[index]);
  }
  if (numbers.empty()) return "";
  return std::string(buffer_names[index]) + (numbers.size() == 1 ? "block " : "blocks ") +
         text_of_runs(numbers);
}

std::string Memory::text(std::span<const Cell> cells) const {
  std::string text;
  for (const Buffer buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
    const std::string some = text_in_buffer(cells, buffer);
    if (!text.empty() && !some.empty()) text += " and ";
    text += some;
  }
  return text.empty() ? "no blocks" : text;
}

std::string Memory::text(Value value) const {
  if (!value.defined()) return "nothing";
  const auto ranks = operands_.ranks(value.operands);
  const std::string piece = "piece " + std::to_string(value.piece);
  if (!semantics_.combines()) return piece;
  return piece + (ranks.size() == 1 ? " of rank " : " of ranks ") + operands_.text(value.operands);
}

}  // namespace anabranch::verify
