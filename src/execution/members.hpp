// The members of a group in the numbers of a control message: as runs of neighbouring ranks, or a
// bit for each rank, whichever is shorter. Each group has one form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace anabranch {

// In a collective of so many ranks.
std::int32_t max_members_length(std::int32_t ranks);

// Appends them to a control message. They ascend, and rank 0 is the first.
void add_members(std::vector<std::int32_t>& control, std::span<const std::int32_t> members);

// What add_members has written. Nothing where the numbers are not those of a group of these ranks.
std::optional<std::vector<std::int32_t>> read_members(std::span<const std::int32_t> numbers,
                                                      std::int32_t ranks);

}  // namespace anabranch
