// What one rank does in one collective operation, as a value.
//
// A schedule is a list of operations on blocks. Its meaning is that of a sequential program: the
// operations take place in the order of their rounds, those of one round at the same time. What may
// run earlier follows from the blocks alone: an operation waits for the earlier ones that touch the
// same blocks, and for nothing else (Builder derives these dependencies).
//
// Schedules know neither bytes nor datatypes, tags, requests or the root: ranks are relative to the
// root, and a Layout says which bytes a block is. Segments of a long message are a repeat of one
// operation, so the size of a schedule does not depend on the size of the message.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace anabranch {

enum class Buffer : std::uint8_t {
  input,    // what the caller passes in, only read; rooted collectives may lack it on some ranks
  output,   // what the caller gets; a broadcast has this buffer only
  scratch,  // lives as long as the collective
};

// Blocks first, first + stride, .. (count of them) of one buffer. May be empty.
struct BlockSet {
  std::int32_t first = 0;
  std::int32_t count = 1;
  std::int32_t stride = 1;
  Buffer buffer = Buffer::output;

  friend bool operator==(const BlockSet&, const BlockSet&) = default;
  std::int32_t at(std::int32_t index) const { return first + index * stride; }
};

inline BlockSet block(std::int32_t index, Buffer buffer = Buffer::output) {
  return {index, 1, 1, buffer};
}
inline BlockSet blocks(std::int32_t first, std::int32_t count, Buffer buffer = Buffer::output) {
  return {first, count, 1, buffer};
}

inline std::int64_t blocks_in(std::span<const BlockSet> block_sets) {
  std::int64_t count = 0;
  for (const BlockSet& set : block_sets) count += set.count;
  return count;
}
// Whether they are one set of adjacent blocks.
inline bool are_one_range(std::span<const BlockSet> block_sets) {
  return block_sets.size() == 1 && (block_sets[0].count == 1 || block_sets[0].stride == 1);
}

enum class Kind : std::uint8_t {
  send,
  receive,  // overwrites its blocks with the message
  reduce,   // receives a message and combines its blocks with those held here
  copy,     // overwrites its blocks with others of this rank, or combines those with them
};

// In which order a reduce combines: the operands of a non-commutative MPI_Op keep theirs.
enum class OperandOrder : std::uint8_t { mine_first, theirs_first };

// `count` instances of an operation; each moves its blocks on by block_step and its round by
// round_step.
struct Repeat {
  std::int32_t count = 1;
  std::int32_t block_step = 1;
  std::int32_t round_step = 1;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct Operation {
  Kind kind = Kind::send;
  OperandOrder order = OperandOrder::mine_first;
  // The message begins with the sizes of its blocks: the receiver does not know them beforehand.
  bool carries_sizes = false;
  // Of a copy: the blocks become the sources combined with what they hold, sources first.
  bool combines = false;
  // Of a send: no other is under way beside it, and if it is long none before the peer has it. So
  // what a subtree waits for does not share the port with what is for later.
  bool is_exclusive = false;
  // Of a send: how many rounds it may be ahead of the messages that this rank still waits for. So
  // ranks stay in step, and ports that all send to are shared by few. 0: any number.
  std::int32_t max_ahead = 0;
  std::int32_t peer = -1;             // relative rank; -1 for copy
  std::int32_t round = 0;             // of the first instance
  Repeat repeat;                      // with count > 1 there is exactly one block set
  std::uint32_t first_block_set = 0;  // those of the message in their order; a copy has
  std::uint32_t block_set_count = 0;  // its sources behind them, as many
  std::uint32_t first_dependency = 0;
  std::uint32_t dependency_count = 0;

  bool receives() const { return kind == Kind::receive || kind == Kind::reduce; }
  bool writes() const { return kind != Kind::send; }
  std::int32_t round_of(std::int32_t iteration) const {
    return round + iteration * repeat.round_step;
  }
  friend bool operator==(const Operation&, const Operation&) = default;
};

// How much of a schedule is to be under way at once, where that is a part of what it says: within
// the window of whoever runs it, or against it.
struct Pace {
  static constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();
  std::int32_t max_receives = any;
  std::int32_t min_sends = 1;
  std::int32_t max_sends = any;
  bool is_synchronous = false;  // no send is complete before the peer receives it
  friend bool operator==(const Pace&, const Pace&) = default;
};

struct Schedule {
  std::int32_t ranks = 1;
  std::int32_t rank = 0;  // relative to the root
  std::int32_t rounds = 0;
  // Blocks in each buffer, indexed by Buffer.
  std::int32_t block_count[3] = {0, 0, 0};
  Pace pace;
  std::vector<Operation> operations;
  std::vector<BlockSet> block_sets;
  // Indices of operations. An instance waits for those instances of them that touch a block of its
  // own and precede it.
  std::vector<std::uint32_t> dependencies;

  std::span<const BlockSet> block_sets_of(const Operation& operation) const {
    return {block_sets.data() + operation.first_block_set, operation.block_set_count};
  }
  std::span<const BlockSet> sources_of(const Operation& copy) const {
    return {block_sets.data() + copy.first_block_set + copy.block_set_count, copy.block_set_count};
  }
  // What it reads or writes: of a copy the sources, too.
  std::span<const BlockSet> all_block_sets_of(const Operation& operation) const {
    const std::size_t of_each = operation.kind == Kind::copy ? 2 : 1;
    return {block_sets.data() + operation.first_block_set, of_each * operation.block_set_count};
  }
  std::span<const std::uint32_t> dependencies_of(const Operation& operation) const {
    return {dependencies.data() + operation.first_dependency, operation.dependency_count};
  }
  std::size_t size_bytes() const;  // memory held, for the cache's limit
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// How many instances of `earlier` must be complete before instance `iteration` of `later` may
// start. 0 where no instance of `earlier` both precedes it and touches its blocks.
std::int32_t instances_needed(const Schedule& schedule, std::uint32_t earlier, std::uint32_t later,
                              std::int32_t iteration);

}  // namespace anabranch
