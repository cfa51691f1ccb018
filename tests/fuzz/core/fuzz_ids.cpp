// Ids of algorithms with parameters, of each collective; what is taken is priced for a few calls.
#include "algorithms/instantiate.hpp"
#include "contract.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  for (const Algorithm* algorithm : all_algorithms()) {
    if (text.substr(0, text.find('/')) != name_of(algorithm->collective)) continue;
    Selection selection;
    if (!fuzz::read_or_refuse([&] { selection = parse_selection(algorithm->collective, text); })) {
      return 0;
    }
    const Selection again = parse_selection(algorithm->collective, selection.text());
    fuzz::require(again.text() == selection.text(), "an id is printed as another one");
    for (const std::int64_t size_bytes : {0, 1, 70000}) {
      const Problem problem{.ranks = 5, .size_bytes = size_bytes, .network = {1e-4, 1e-8}};
      const Choice choice = selection.at(problem);
      if (!refusal(choice, problem) && choice.algorithm->blocks != nullptr) {
        const std::int32_t blocks = choice.algorithm->blocks(problem, choice.values);
        fuzz::require(blocks >= 0 && blocks <= maximum_blocks, "an impossible number of blocks");
      }
    }
    return 0;
  }
  fuzz::read_or_refuse([&] { parse_selection(Collective::bcast, text); });
  return 0;
}
