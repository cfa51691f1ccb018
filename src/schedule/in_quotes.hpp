// What somebody wrote, in a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace anabranch {

// Between quotation marks, as a string of JSON: without control characters and what is no UTF-8. Of
// a long text only how it begins.
std::string in_quotes(std::string_view text);

}  // namespace anabranch
