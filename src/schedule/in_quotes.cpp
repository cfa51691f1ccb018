#include "schedule/in_quotes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace anabranch {

std::string printable(std::string_view text) {
  const std::string quoted = in_quotes(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 200;
  constexpr char delete_character = 0x7f;
  constexpr std::string_view more = "...";
  std::string kept(text.substr(0, longest));
  if (text.size() > longest) kept += more;
  std::replace(kept.begin(), kept.end(), delete_character, ' ');
  return nlohmann::json(std::move(kept))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace anabranch
