// Writes a schedule: operations in any order, each with its round; dependencies follow at the end.
#pragma once

#include <initializer_list>

#include "schedule/relocation.hpp"
#include "schedule/schedule.hpp"

namespace anabranch {

class Builder {
 public:
  // `rounds` counts the rounds of the whole operation and is the same on all ranks.
  Builder(std::int32_t ranks, std::int32_t rank, std::int32_t rounds, std::int32_t output_blocks);

  Builder& input(std::int32_t blocks);
  Builder& scratch(std::int32_t blocks);
  // Where their number is only known at the end.
  void set_rounds(std::int32_t rounds) { schedule_.rounds = rounds; }
  void reserve(std::size_t operations);

  // Operations without blocks or instances are left out, so that generators need not ask.
  void send(std::int32_t round, std::int32_t peer, BlockSet blocks, Repeat repeat = {});
  void receive(std::int32_t round, std::int32_t peer, BlockSet blocks, Repeat repeat = {});
  void reduce(std::int32_t round, std::int32_t peer, BlockSet blocks, OperandOrder order,
              Repeat repeat = {});
  void copy(std::int32_t round, BlockSet destination, BlockSet source);
  // The destination becomes the source combined with it, in this order.
  void combine(std::int32_t round, BlockSet destination, BlockSet source);

  // One message of several block sets, in this order. Only a message of one may be repeated.
  void send(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
            Repeat repeat = {});
  void receive(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
               Repeat repeat = {});
  void reduce(std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
              OperandOrder order, Repeat repeat = {});

  // Of the operation before; nothing happens if it was left out. It sends the sizes of its blocks
  // along with them, or it is a send that goes alone or is never so many rounds ahead.
  void carry_sizes() { newest().carries_sizes = true; }
  void go_alone() { newest().is_exclusive = true; }
  void stay_within(std::int32_t rounds) { newest().max_ahead = rounds; }

  // Appends all of `other`, its rounds counted from first_round, its ranks replaced by
  // members[rank].
  void append(const Schedule& other, std::int32_t first_round,
              std::span<const std::int32_t> members = {});
  // The same with its blocks in other places; scratch grows as it needs.
  void append(const Schedule& other, std::int32_t first_round,
              std::span<const std::int32_t> members, const Relocation& relocation);

  Schedule finish() &&;

 private:
  void grow_scratch(std::span<const BlockSet> block_sets, const Repeat& repeat);
  void add(Kind kind, std::int32_t round, std::int32_t peer, std::span<const BlockSet> block_sets,
           OperandOrder order, Repeat repeat);

  Operation& newest() { return was_left_out_ ? left_out_ : schedule_.operations.back(); }

  Schedule schedule_;
  Operation left_out_;
  bool was_left_out_ = true;
  bool sorted_ = true;
};

}  // namespace anabranch
