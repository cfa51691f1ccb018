// The text of a file of settings; each value is printed as text that is read back alike.
#include "contract.hpp"
#include "select/settings.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Settings settings;
  if (!fuzz::read_or_refuse(
          [&] { settings = parse_settings({}, fuzz::as_text(data, size), "my.conf"); })) {
    return 0;
  }
  hash_of(settings, true);
  for (const Setting& setting : all_settings()) {
    const std::string text = setting.text(settings);
    if (text.empty()) continue;  // no path
    Settings again;
    setting.parse(again, text);
    fuzz::require(setting.text(again) == text,
                  setting.name + " is read as " + setting.text(again) + ", not as " + text);
  }
  return 0;
}
