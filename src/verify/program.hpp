// The schedules of all ranks together: checked for what can be seen without running them, put into
// the order of their rounds, and every message paired with its receive as MPI would (by sender, in
// order).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/semantics.hpp"
#include "schedule/schedule.hpp"

namespace anabranch::verify {

// One of the repeats of an operation.
struct Instance {
  std::int32_t round = 0;
  std::uint32_t operation = 0;
  std::int32_t iteration = 0;
};

// All instances of a schedule by round; those of one round in the order in which they are listed.
std::vector<Instance> instances_of(const Schedule& schedule);

class Program {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // `schedules` by relative rank; they and the meaning must outlive the program. Throws Violation.
  Program(std::span<const Schedule> schedules, const Semantics& semantics);

  const Semantics& semantics() const { return semantics_; }
  std::int32_t ranks() const { return semantics_.ranks(); }
  std::int32_t rounds() const { return schedules_.front().rounds; }
  // Ranks are absolute from here on.
  const Schedule& schedule(std::int32_t rank) const;
  std::int32_t peer(const Operation& operation) const;

  // Instances of all ranks are numbered through; those of one rank are neighbours.
  std::uint32_t first_of(std::int32_t rank) const { return first_[static_cast<std::size_t>(rank)]; }
  std::uint32_t end_of(std::int32_t rank) const {
    return first_[static_cast<std::size_t>(rank) + 1];
  }
  std::uint32_t size() const { return first_.back(); }
  const Instance& instance(std::uint32_t index) const { return instances_[index]; }
  // The receive of a send and the other way round; none for copies.
  std::uint32_t partner(std::uint32_t index) const { return partners_[index]; }
  std::int32_t rank_of(std::uint32_t index) const;

 private:
  struct End;

  void check_schedule(std::int32_t rank) const;
  void check_operation(std::int32_t rank, const Operation& operation) const;
  void pair_messages();
  void pair(std::span<const End> sends, std::span<const End> receives);
  std::string blocks_text(const End& end) const;

  std::span<const Schedule> schedules_;
  const Semantics& semantics_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> partners_;
};

// "blocks 4..5", "input block 3": the blocks of a message for a sentence.
std::string text_of_blocks(std::span<const BlockSet> block_sets, std::int32_t shift);

}  // namespace anabranch::verify
