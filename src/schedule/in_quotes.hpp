// What somebody wrote, in a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace anabranch {

// As in a string of JSON: without control characters and what is no UTF-8. Of a long text only how
// it begins.
std::string printable(std::string_view text);

// The same between quotation marks.
std::string in_quotes(std::string_view text);

}  // namespace anabranch
