// Settings in the environment, one a line; those of files name none that is there.
#include "contract.hpp"
#include "select/settings.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> environment;
  std::string_view text = fuzz::as_text(data, size);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    environment.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  fuzz::read_or_refuse([&] { hash_of(parse_settings(environment, "", ""), true); });
  return 0;
}
