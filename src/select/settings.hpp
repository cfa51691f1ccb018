// What a user can set: ANABRANCH_* environment variables and a file of `name = value` lines.
//
// One table holds every setting; the reader, the error messages, the docs and the hash that the
// ranks compare are made from it. To add a setting: a field in Settings, a row in settings.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "execution/execution.hpp"
#include "plan/plan.hpp"
#include "select/size_ranges.hpp"
#include "select/tuning.hpp"

namespace anabranch {

// How a rank waits for messages.
enum class Wait : std::uint8_t {
  automatic,  // spin; yield and sleep where there are more ranks than cores
  spin,
  yield,
  sleep,
};

struct Settings {
  bool disable = false;
  bool reproducible = false;
  bool any_reduction_order = false;
  bool guard = true;
  bool check_decisions = false;
  bool explain = false;
  bool summary = false;
  std::array<SizeRanges, 10> selections;  // by Collective
  // Of the network; where it is not set, whoever runs on one measures it.
  std::optional<double> latency_s;
  std::optional<double> time_per_byte_s;
  std::optional<std::int64_t> eager_limit_bytes;
  Window window;
  Wait wait = Wait::automatic;
  double watchdog_s = 0;  // 0: off
  std::int64_t cache_bytes = std::int64_t{4} << 20;
  std::string library_dir;
  std::string plan_path;
  std::string plans;                                    // a folder; empty: the user's cache
  std::shared_ptr<const Plan> plan;                     // what the file of that path holds
  std::uint64_t plan_hash = 0;                          // of its text
  std::vector<std::shared_ptr<const Plan>> kept_plans;  // found in that folder, the newest first
  std::string tuning_path;
  std::shared_ptr<const Tuning> tuning;  // what the file of that path holds
  std::uint64_t tuning_hash = 0;         // of its text
  std::string lab;
  std::string trace;
  std::string config;

  const SizeRanges& selection(Collective collective) const {
    return selections[static_cast<std::size_t>(collective)];
  }
};

struct Setting {
  std::string name;  // "eager_limit" in a file, ANABRANCH_EAGER_LIMIT in the environment
  std::string summary;
  std::string values;      // what is valid, in words
  bool same_on_all_ranks;  // decisions depend on it, or all ranks take part in what it asks for
  // Throws std::invalid_argument with one line that says what is valid.
  std::function<void(Settings&, std::string_view)> parse;
  std::function<std::string(const Settings&)> text;  // the effective value; parse reads it back

  std::string variable() const;
};

// All settings, ordered by name.
std::span<const Setting> all_settings();

// By its name in a file ("bcast"). Throw as read_settings does.
const Setting& find_setting(const std::string& name);
void apply_setting(Settings& settings, const std::string& name, std::string_view value);

// From "NAME=value" strings; those that do not begin with ANABRANCH_ are none of ours. Reads the
// files that ANABRANCH_CONFIG, _PLAN and _TUNING name; the environment goes before them. Throws
// std::invalid_argument with one line for unknown names (with the nearest and all valid ones),
// invalid values, unreadable files.
Settings read_settings(std::span<const std::string> environment);
// As the C library's environ. Without plan and tuning, which one rank reads for all
// (mpi/shared_files.hpp).
Settings read_settings_but_no_files(const char* const* environment);
Settings read_settings(const char* const* environment);

// The whole file. Throws std::invalid_argument with one line that says why it cannot be read.
std::string text_of_file(const std::string& path);

// The same without any file access: `file_text` is the text of the file called `file_name`.
Settings parse_settings(std::span<const std::string> environment, std::string_view file_text,
                        std::string_view file_name);

// Equal where all that must be the same on all ranks is. The same on all machines. with_files: the
// plan and the tuning file are part of it, which not all ranks have read where one hands them out.
std::uint64_t hash_of(const Settings& settings, bool with_files);
// Of bytes, FNV-1a; `hash` is that of what goes before them.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325);

}  // namespace anabranch
