// What a user who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace anabranch {

// The name that is at most 3 edits away from `text`, the nearest of them; empty where there is
// none.
std::string nearest_to(std::string_view text, std::span<const std::string> names);

// "did you mean NAME? " or nothing.
std::string hint(const std::string& nearest);

// "a, b, c".
std::string listed(std::span<const std::string> names);

}  // namespace anabranch
