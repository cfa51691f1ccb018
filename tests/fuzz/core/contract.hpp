// What a reader may do with its input: take it, or refuse it in one short line of text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace anabranch::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

inline void check_message(const std::string& message) {
  constexpr std::size_t longest = 1200;  // enough for a list of what is valid
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  require(!message.empty() && message.size() <= longest,
          "a message of " + std::to_string(message.size()) + " bytes: " + message.substr(0, 80));
  require(std::ranges::none_of(message, is_control), "a message is not one line: " + message);
  try {
    (void)nlohmann::json(message).dump();
  } catch (const nlohmann::json::exception&) {
    require(false, "a message is not UTF-8: " + message);
  }
}

// Whether it was taken.
template <typename Read>
bool read_or_refuse(Read read) {
  try {
    read();
    return true;
  } catch (const std::invalid_argument& error) {
    check_message(error.what());
    return false;
  }
}

}  // namespace anabranch::fuzz
