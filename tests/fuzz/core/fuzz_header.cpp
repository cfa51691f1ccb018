// Headers of messages whose sizes not all ranks know. The first byte says what they should have.
#include "contract.hpp"
#include "execution/header.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool has_total = (data[0] & 1) != 0;
  const std::int64_t count = data[0] >> 1;
  const std::string_view message = fuzz::as_text(data, size).substr(1);
  const auto header = read_header({message.data(), message.size()}, has_total, count);
  if (!header) return 0;
  fuzz::require(header->total_bytes.has_value() == has_total, "a total that nobody wrote");
  fuzz::require(static_cast<std::int64_t>(header->sizes.size()) == count, "other sizes");
  std::int64_t data_bytes = static_cast<std::int64_t>(message.size()) - header->bytes();
  for (const std::int64_t block_bytes : header->sizes) {
    fuzz::require(0 <= block_bytes && block_bytes <= data_bytes, "a block beyond the message");
    data_bytes -= block_bytes;
  }
  std::string again(static_cast<std::size_t>(header->bytes()), '\0');
  header->write(again.data());
  fuzz::require(message.starts_with(again), "a header is written otherwise");
  return 0;
}
