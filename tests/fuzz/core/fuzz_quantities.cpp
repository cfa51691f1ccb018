// Sizes, durations and rates; what is printed of them is read back.
#include "algorithms/size.hpp"
#include "contract.hpp"
#include "select/quantity.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::read_or_refuse([&] {
    const std::int64_t size_bytes = parse_size(text);
    fuzz::require(parse_size(format_size(size_bytes)) == size_bytes, "a size is printed otherwise");
  });
  fuzz::read_or_refuse([&] { parse_duration_s(format_duration(parse_duration_s(text))); });
  fuzz::read_or_refuse([&] {
    const double bytes_per_s = parse_bandwidth_bytes_per_s(text);
    parse_bandwidth_bytes_per_s(format_bandwidth(bytes_per_s));
    fuzz::require(1 / bytes_per_s < 1e300, "a rate that takes for ever");
  });
  return 0;
}
