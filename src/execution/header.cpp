#include "execution/header.hpp"

#include <cstring>

namespace anabranch {
namespace {

constexpr std::int64_t field_bytes = sizeof(std::int64_t);

// Whether blocks of these sizes are so many bytes.
bool fill(std::span<const std::int64_t> sizes, std::int64_t data_bytes) {
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > data_bytes) return false;
    data_bytes -= size;
  }
  return data_bytes == 0;
}

}  // namespace

std::int64_t Header::bytes() const {
  const std::int64_t fields = static_cast<std::int64_t>(sizes.size()) + (total_bytes ? 1 : 0);
  return fields * field_bytes;
}

void Header::write(char* to) const {
  if (total_bytes) {
    std::memcpy(to, &*total_bytes, field_bytes);
    to += field_bytes;
  }
  if (!sizes.empty()) std::memcpy(to, sizes.data(), sizes.size() * field_bytes);
}

std::optional<Header> read_header(std::span<const char> message, bool has_total,
                                  std::int64_t size_count) {
  const auto message_bytes = static_cast<std::int64_t>(message.size());
  if (message_bytes / field_bytes < size_count + (has_total ? 1 : 0)) return std::nullopt;
  Header header;
  const char* from = message.data();
  if (has_total) {
    header.total_bytes = 0;
    std::memcpy(&*header.total_bytes, from, field_bytes);
    from += field_bytes;
    if (*header.total_bytes < 0) return std::nullopt;
  }
  if (size_count == 0) return header;
  header.sizes.resize(static_cast<std::size_t>(size_count));
  std::memcpy(header.sizes.data(), from, header.sizes.size() * field_bytes);
  if (!fill(header.sizes, message_bytes - header.bytes())) return std::nullopt;
  return header;
}

}  // namespace anabranch
