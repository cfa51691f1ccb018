// One event as one line of JSON, written at once so that a reader sees whole lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace anabranch::bench {

class JsonLine {
 public:
  explicit JsonLine(const std::string& event) { text("event", event); }

  JsonLine& text(const std::string& key, const std::string& value) {
    begin(key);
    append_text(value);
    return *this;
  }
  JsonLine& integer(const std::string& key, std::int64_t value) {
    begin(key);
    line_ += std::to_string(value);
    return *this;
  }
  JsonLine& seconds(const std::string& key, double value) {
    begin(key);
    append_seconds(value);
    return *this;
  }
  JsonLine& seconds(const std::string& key, const std::vector<double>& values) {
    begin(key);
    line_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) line_ += ',';
      append_seconds(values[i]);
    }
    line_ += ']';
    return *this;
  }
  JsonLine& numbers(const std::string& key, const std::vector<double>& values) {
    return seconds(key, values);
  }
  JsonLine& texts(const std::string& key, const std::vector<std::string>& values) {
    begin(key);
    line_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) line_ += ',';
      append_text(values[i]);
    }
    line_ += ']';
    return *this;
  }

  // The whole line, with its end.
  std::string take() { return std::move(line_) + "}\n"; }

  void write(std::FILE* file) {
    std::fputs(take().c_str(), file);
    std::fflush(file);
  }

 private:
  void begin(const std::string& key) {
    line_ += line_.empty() ? '{' : ',';
    append_text(key);
    line_ += ':';
  }
  void append_seconds(double value) {
    char digits[40];
    std::snprintf(digits, sizeof(digits), "%.9f", value);
    line_ += digits;
  }
  void append_text(const std::string& value) {
    line_ += '"';
    for (const char letter : value) {
      const auto code = static_cast<unsigned char>(letter);
      if (letter == '"' || letter == '\\') line_ += '\\';
      if (code >= 0x20) {
        line_ += letter;
      } else {
        line_ += ' ';
      }
    }
    line_ += '"';
  }

  std::string line_;
};

}  // namespace anabranch::bench
