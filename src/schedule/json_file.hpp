// Reads JSON files that users give: within limits, numbers as they are written, and one line for
// whatever is wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace anabranch::json_file {

using Json = nlohmann::ordered_json;  // the order of members is that of the file

class Wrong : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Each throws Wrong where the value is none. Numbers are not cut down to a type.
std::int64_t whole(const Json& value, std::int64_t least, std::int64_t most);
double above_0(const Json& value);
const Json& array(const Json& value);

// Throws Wrong unless it is an object of this schema.
void check_schema(const Json& document, std::string_view schema);

// `what`: that each object has at most `most_members` of. Throws Wrong, or the JSON library's
// exceptions.
Json parsed(std::string_view text, std::size_t most_members, std::string_view what);

// Turns the exception that is being handled into std::invalid_argument with one line, which begins
// with `prefix`.
[[noreturn]] void tell(const std::string& prefix);

}  // namespace anabranch::json_file
