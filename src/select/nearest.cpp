#include "select/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace anabranch {
namespace {

constexpr std::size_t max_edits = 3;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_to(std::string_view text, std::span<const std::string> names) {
  std::string nearest;
  std::size_t fewest = max_edits + 1;
  for (const std::string& name : names) {
    if (text.size() > name.size() + max_edits) continue;
    const std::size_t edits = edit_distance(name, text);
    // A name that has nothing in common with the text is no guess.
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

std::string hint(const std::string& nearest) {
  return nearest.empty() ? "" : "did you mean " + nearest + "? ";
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace anabranch
