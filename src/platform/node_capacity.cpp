#include "platform/node_capacity.hpp"

#include <algorithm>

namespace anabranch::platform {
namespace {

// What two measurements of the same may differ by.
constexpr double noticeable = 4.0 / 3;

double of_one_s(const MessagesAtOnce& measured) {
  return static_cast<double>(measured.bytes) * measured.time_per_byte_s;
}

}  // namespace

double ports_a_node(const MessagesAtOnce& measured) {
  const auto count = static_cast<double>(measured.count);
  const double all_s = count * of_one_s(measured);
  if (measured.took_s * noticeable >= all_s) return 1;
  return std::min(all_s / measured.took_s, count);
}

double memory_time_per_byte_s(const MessagesAtOnce& measured) {
  if (measured.of_bytes_s <= noticeable * of_one_s(measured)) return 0;
  const auto count = static_cast<double>(measured.count);
  return measured.of_bytes_s / (count * static_cast<double>(measured.bytes));
}

}  // namespace anabranch::platform
