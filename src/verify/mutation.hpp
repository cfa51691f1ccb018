// Small faults put into correct schedules, to see whether they are found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace anabranch::verify {

struct Mutation {
  enum class Kind : std::uint8_t {
    drop,               // the operation is missing
    duplicate,          // it is there twice
    retarget,           // its peer is another rank
    change_block,       // one of its block sets begins at another block
    resize,             // one of its block sets has a block more or less
    change_kind,        // combines where it should overwrite, or the other way round
    change_order,       // combines in the other order
    change_sizes,       // sends or expects sizes where the other end does not
    move_round,         // it takes place one round earlier or later
    swap_rounds,        // it and another one take place in each other's rounds
    swap_places,        // it and the next of its round are listed the other way round
    change_repeat,      // it is repeated once more or less
    remove_dependency,  // it does not wait for an operation that it should wait for
  };
  Kind kind = Kind::drop;
  std::int32_t rank = 0;        // relative
  std::uint32_t operation = 0;  // index in its schedule
  std::int32_t amount = 0;      // by how much, to which rank, with which operation or dependency
  std::int32_t block_set = 0;   // index in its operation

  std::string text() const;
};

std::string_view name_of(Mutation::Kind kind);

// All of them, for all ranks.
std::vector<Mutation> mutations_of(std::span<const Schedule> schedules);

// The schedule of the rank that the mutation is about, with it. Dependencies are derived anew, but
// for remove_dependency, and where blocks are out of range.
Schedule mutated(const Schedule& schedule, const Mutation& mutation);

}  // namespace anabranch::verify
