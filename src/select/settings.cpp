#include "select/settings.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithms/size.hpp"
#include "schedule/in_quotes.hpp"
#include "select/quantity.hpp"

namespace anabranch {
namespace {

constexpr std::string_view prefix = "ANABRANCH_";

[[noreturn]] void refuse(std::string_view text, std::string_view valid) {
  throw std::invalid_argument(in_quotes(text) + " is not valid: " + std::string(valid));
}

bool parse_switch(std::string_view text) {
  if (text != "0" && text != "1") refuse(text, "give 0 or 1");
  return text == "1";
}
std::string switch_text(bool on) { return on ? "1" : "0"; }

std::int32_t parse_window(std::string_view text) {
  std::int32_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value < 1 ||
      value > Window::maximum) {
    refuse(text, "give 1 to " + std::to_string(Window::maximum) + " messages");
  }
  return value;
}

std::string parse_path(std::string_view text) {
  if (text.empty()) refuse(text, "give a path");
  return std::string(text);
}

constexpr std::array<std::pair<std::string_view, Wait>, 4> waits = {{{"auto", Wait::automatic},
                                                                     {"spin", Wait::spin},
                                                                     {"yield", Wait::yield},
                                                                     {"sleep", Wait::sleep}}};

Wait parse_wait(std::string_view text) {
  for (const auto& [name, wait] : waits) {
    if (name == text) return wait;
  }
  refuse(text, "give auto, spin, yield or sleep");
}

std::string wait_text(Wait wait) {
  return std::string(waits[static_cast<std::size_t>(wait)].first);
}

// An id that is valid, for the descriptions.
std::string example_of(Collective collective) {
  const Algorithm* example = nullptr;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective != collective) continue;
    const bool is_schedule = algorithm->serves_any_group();
    if (example == nullptr || (is_schedule && !example->serves_any_group())) {
      example = algorithm;
    }
    for (const Parameter& parameter : algorithm->parameters) {
      if (is_schedule && parameter.name == "segment") {
        return std::string(algorithm->id) + ":segment=4KiB";
      }
    }
  }
  return std::string(example->id);
}

Setting algorithm_setting(Collective collective) {
  const std::string name(name_of(collective));
  const std::string example = example_of(collective);
  const auto index = static_cast<std::size_t>(collective);
  return {name,
          "Which algorithm serves MPI's " + name + ".",
          "`auto` (chosen for each call), `native` (the MPI beneath), an id with parameters, as in "
          "`" +
              example + "`, or one of these for each range of sizes, as in `0-4KiB:native,4KiB-:" +
              example + "`; `anabranch algorithms " + name + "` lists the ids",
          true,
          [=](Settings& settings, std::string_view text) {
            settings.selections[index] = SizeRanges::parse(collective, text);
          },
          [=](const Settings& settings) { return settings.selections[index].text(); }};
}

std::vector<Setting> network_settings() {
  return {
      {"latency",
       "Time that a message of no bytes takes between two ranks: alpha of the cost model.",
       "a duration, as in `100us`, or `auto` (measured at the first call)", true,
       [](Settings& s, std::string_view text) {
         s.latency_s = text == "auto" ? std::nullopt : std::optional(parse_duration_s(text));
       },
       [](const Settings& s) {
         return s.latency_s ? format_duration(*s.latency_s) : std::string("auto");
       }},
      {"bandwidth", "Bytes that a rank can send in a second: 1 / beta of the cost model.",
       "a rate in bits or bytes, as in `40mbit` or `1.2GB/s`, or `auto` (measured at the first "
       "call)",
       true,
       [](Settings& s, std::string_view text) {
         s.time_per_byte_s.reset();
         if (text != "auto") s.time_per_byte_s = 1 / parse_bandwidth_bytes_per_s(text);
       },
       [](const Settings& s) {
         return s.time_per_byte_s ? format_bandwidth(1 / *s.time_per_byte_s) : std::string("auto");
       }},
      {"eager_limit",
       "The longest message that the MPI sends without a handshake; segments are kept within it.",
       "a size, as in `8KiB`, or `auto` (measured at the first call)", true,
       [](Settings& s, std::string_view text) {
         s.eager_limit_bytes = text == "auto" ? std::nullopt : std::optional(parse_size(text));
       },
       [](const Settings& s) {
         return s.eager_limit_bytes ? format_size(*s.eager_limit_bytes) : std::string("auto");
       }},
  };
}

std::vector<Setting> execution_settings() {
  const std::string window = "1 to " + std::to_string(Window::maximum) + " messages";
  return {
      {"receive_window", "How many receives a rank posts beforehand.", window, false,
       [](Settings& s, std::string_view text) { s.window.receives = parse_window(text); },
       [](const Settings& s) { return std::to_string(s.window.receives); }},
      {"send_window", "How many sends a rank has under way at once.", window, false,
       [](Settings& s, std::string_view text) { s.window.sends = parse_window(text); },
       [](const Settings& s) { return std::to_string(s.window.sends); }},
      {"wait",
       "How a rank waits for messages: `auto` spins; where others want its core it yields, and "
       "sleeps once it has waited for a while.",
       "`auto`, `spin`, `yield` or `sleep`", false,
       [](Settings& s, std::string_view text) { s.wait = parse_wait(text); },
       [](const Settings& s) { return wait_text(s.wait); }},
      {"cache", "Memory of a process for schedules that it keeps for the next call.",
       "a size, as in `4MiB`; `0` keeps none", false,
       [](Settings& s, std::string_view text) { s.cache_bytes = parse_size(text); },
       [](const Settings& s) { return format_size(s.cache_bytes); }},
      {"watchdog",
       "Prints who waits for what when nothing has moved for this long, and who has been in a call "
       "that is left to the MPI for as long.",
       "a duration, as in `30s`, or `off`", false,
       [](Settings& s, std::string_view text) {
         s.watchdog_s = text == "off" ? 0 : parse_duration_s(text);
       },
       [](const Settings& s) {
         return s.watchdog_s > 0 ? format_duration(s.watchdog_s) : std::string("off");
       }},
  };
}

std::vector<Setting> general_settings() {
  return {
      {"disable", "Leaves every call to the MPI beneath.", "`0` or `1`", true,
       [](Settings& s, std::string_view text) { s.disable = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.disable); }},
      {"reproducible",
       "Fixes the choice for reductions by the collective, the number of ranks, the sizes and "
       "whether the MPI_Op commutes: their results have the same bits in every run and on every "
       "machine.",
       "`0` or `1`", true,
       [](Settings& s, std::string_view text) { s.reproducible = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.reproducible); }},
      {"reduction_order",
       "Whether operands may be combined in the order in which ranks arrive, which may change bits "
       "of sums of floating-point numbers in each run. Other results are the same in any order, "
       "but for which of two NaN, or of 0 and -0, is the maximum or minimum.",
       "`fixed`, or `any` (not where `reproducible` is set)", true,
       [](Settings& s, std::string_view text) {
         if (text != "fixed" && text != "any") refuse(text, "give fixed or any");
         s.any_reduction_order = text == "any";
       },
       [](const Settings& s) { return std::string(s.any_reduction_order ? "any" : "fixed"); }},
      {"guard",
       "Times the choice, native and other algorithms in turn in the first calls of each class, "
       "and goes on with the fastest; not where `reproducible` is set, nor for sums of "
       "floating-point "
       "numbers.",
       "`0` or `1`", true, [](Settings& s, std::string_view text) { s.guard = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.guard); }},
      {"check_decisions",
       "For tests: before each call the ranks compare who serves it, and the program ends where "
       "they differ.",
       "`0` or `1`", true,
       [](Settings& s, std::string_view text) { s.check_decisions = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.check_decisions); }},
      {"explain",
       "Prints once per kind of call which algorithm ran, why, and what the runner-up would have "
       "cost.",
       "`0` or `1`", false,
       [](Settings& s, std::string_view text) { s.explain = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.explain); }},
      {"summary",
       "Prints at the end, in MPI_Finalize, the calls, bytes, time and expected gain of each "
       "collective by the algorithm that served it, native included.",
       "`0` or `1`", true,
       [](Settings& s, std::string_view text) { s.summary = parse_switch(text); },
       [](const Settings& s) { return switch_text(s.summary); }},
      {"config", "A file with settings, one `name = value` a line; the environment goes before it.",
       "a path", false, [](Settings& s, std::string_view text) { s.config = parse_path(text); },
       [](const Settings& s) { return s.config; }},
      {"trace",
       "A folder in which each rank records what it does in collectives, and when; `anabranch "
       "trace` "
       "sets it.",
       "a path", false, [](Settings& s, std::string_view text) { s.trace = parse_path(text); },
       [](const Settings& s) { return s.trace; }},
      {"plan",
       "A file of `anabranch plan`: broadcasts go along its trees, where it knows all hosts of the "
       "communicator and the message has at least eight of its slices.",
       "a path", false, [](Settings& s, std::string_view text) { s.plan_path = parse_path(text); },
       [](const Settings& s) { return s.plan_path; }},
      {"plans",
       "A folder of plans that `anabranch probe` keeps, one for each set of hosts: where links are "
       "found to differ, broadcasts go along the plan for the hosts at hand. The newest 32 are "
       "looked at.",
       "a path, `auto` (`anabranch/plans` in the user's cache) or `none`", false,
       [](Settings& s, std::string_view text) {
         s.plans = text == "auto" ? std::string() : parse_path(text);
       },
       [](const Settings& s) { return s.plans.empty() ? std::string("auto") : s.plans; }},
      {"tuning",
       "A file of `anabranch tune`: what was the fastest there serves, on as many ranks and nodes "
       "of a network as fast.",
       "a path", false,
       [](Settings& s, std::string_view text) { s.tuning_path = parse_path(text); },
       [](const Settings& s) { return s.tuning_path; }},
      {"library_dir", "Where the libraries for each MPI are, if not beside the preloaded one.",
       "a path", false,
       [](Settings& s, std::string_view text) { s.library_dir = parse_path(text); },
       [](const Settings& s) { return s.library_dir; }},
      {"lab", "Set by `anabranch lab` for the programs inside it: the file that describes the lab.",
       "a path", false, [](Settings& s, std::string_view text) { s.lab = parse_path(text); },
       [](const Settings& s) { return s.lab; }},
  };
}

std::vector<Setting> make_table() {
  std::vector<Setting> table = general_settings();
  const auto append = [&table](std::vector<Setting> more) {
    std::ranges::move(more, std::back_inserter(table));
  };
  append(network_settings());
  append(execution_settings());
  for (const Collective collective : all_collectives()) {
    table.push_back(algorithm_setting(collective));
  }
  std::ranges::sort(table, {}, &Setting::name);
  return table;
}

}  // namespace

std::string Setting::variable() const {
  std::string upper(prefix);
  for (const char c : name) {
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return upper;
}

std::span<const Setting> all_settings() {
  static const std::vector<Setting> table = make_table();
  return table;
}

std::uint64_t hash_of(const Settings& settings, bool with_files) {
  std::uint64_t hash = hash_bytes("");
  const auto add = [&hash](std::string_view bytes) { hash = hash_bytes(bytes, hash); };
  for (const Setting& setting : all_settings()) {
    if (setting.same_on_all_ranks) add(setting.name + "=" + setting.text(settings) + "\n");
  }
  // Their texts are rounded.
  for (const auto& value : {settings.latency_s, settings.time_per_byte_s}) {
    const auto bits = std::bit_cast<std::array<char, sizeof(double)>>(value.value_or(-1));
    add({bits.data(), bits.size()});
  }
  return with_files ? hash + settings.plan_hash + settings.tuning_hash : hash;
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace anabranch
