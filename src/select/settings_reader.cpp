// Reads settings from the environment and from a file.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "schedule/in_quotes.hpp"
#include "select/nearest.hpp"
#include "select/settings.hpp"

namespace anabranch {
namespace {

constexpr std::string_view prefix = "ANABRANCH_";
constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of a file

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// `name` is what the user wrote, in the environment or in a file; `where` goes before messages.
const Setting& setting_called(const std::string& name, const std::string& where,
                              bool in_environment) {
  std::vector<std::string> names;
  for (const Setting& setting : all_settings()) {
    names.push_back(in_environment ? setting.variable() : setting.name);
    if (names.back() == name) return setting;
  }
  std::string nearest = nearest_to(name, names);
  if (in_environment && nearest.empty()) nearest = nearest_to(upper(name), names);
  throw std::invalid_argument(where + in_quotes(name) + " is not a setting: " + hint(nearest) +
                              "valid are " + listed(names));
}

void apply(const Setting& setting, Settings& settings, std::string_view value,
           const std::string& where) {
  try {
    setting.parse(settings, value);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(where + ": " + error.what());
  }
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

void apply_line(std::string_view line, const std::string& where, Settings& settings,
                std::vector<const Setting*>& seen) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos) {
    throw std::invalid_argument(where + ": " + in_quotes(line) +
                                " is not a setting: write it as name = value");
  }
  const std::string name(trimmed(line.substr(0, equals)));
  const Setting& setting = setting_called(name, where + ": ", false);
  if (setting.name == "config") {
    throw std::invalid_argument(where + ": \"config\" is valid in the environment only");
  }
  if (std::ranges::find(seen, &setting) != seen.end()) {
    throw std::invalid_argument(where + ": \"" + name + "\" is set a second time");
  }
  seen.push_back(&setting);
  apply(setting, settings, trimmed(line.substr(equals + 1)), where + ": " + name);
}

void apply_file(std::string_view text, std::string_view file_name, Settings& settings) {
  std::vector<const Setting*> seen;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    apply_line(line, std::string(file_name) + ":" + std::to_string(number), settings, seen);
  }
}

struct Variable {
  std::string name;
  std::string_view value;
};

std::optional<Variable> variable_in(std::string_view entry) {
  if (!entry.starts_with(prefix)) return std::nullopt;
  const std::size_t equals = entry.find('=');
  if (equals == entry.npos) return std::nullopt;
  return Variable{std::string(entry.substr(0, equals)), entry.substr(equals + 1)};
}

std::string text_of_file(const std::string& path, const std::string& variable) {
  try {
    return anabranch::text_of_file(path);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(variable + ": " + error.what());
  }
}

void check_that_plans_are_set(const Settings& settings) {
  for (const SizeRange& range : settings.selection(Collective::bcast).ranges()) {
    if (!range.selection.algorithm->needs_plan || !settings.plan_path.empty()) continue;
    throw std::invalid_argument(
        "bcast/plan has no plan: set ANABRANCH_PLAN to a file of 'anabranch plan'");
  }
}

void read_plan(Settings& settings) {
  if (!settings.plan_path.empty()) {
    const std::string text = text_of_file(settings.plan_path, "ANABRANCH_PLAN");
    try {
      settings.plan = std::make_shared<const Plan>(parse_plan(text, settings.plan_path));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("ANABRANCH_PLAN: ") + error.what());
    }
    settings.plan_hash = hash_bytes(text);
  }
}

void read_tuning(Settings& settings) {
  if (settings.tuning_path.empty()) return;
  const std::string text = text_of_file(settings.tuning_path, "ANABRANCH_TUNING");
  try {
    settings.tuning = std::make_shared<const Tuning>(parse_tuning(text, settings.tuning_path));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("ANABRANCH_TUNING: ") + error.what());
  }
  settings.tuning_hash = hash_bytes(text);
}

std::vector<std::string> ours_of(const char* const* environment) {
  std::vector<std::string> entries;
  for (; *environment != nullptr; ++environment) {
    if (std::string_view(*environment).starts_with(prefix)) entries.emplace_back(*environment);
  }
  return entries;
}

Settings read_but_no_files(std::span<const std::string> environment) {
  std::string path;
  for (const std::string& entry : environment) {
    const auto variable = variable_in(entry);
    if (variable && variable->name == "ANABRANCH_CONFIG") path = variable->value;
  }
  const std::string text = path.empty() ? std::string() : text_of_file(path, "ANABRANCH_CONFIG");
  Settings settings = parse_settings(environment, text, path);
  check_that_plans_are_set(settings);
  return settings;
}

}  // namespace

const Setting& find_setting(const std::string& name) { return setting_called(name, "", false); }

void apply_setting(Settings& settings, const std::string& name, std::string_view value) {
  apply(find_setting(name), settings, value, name);
}

Settings parse_settings(std::span<const std::string> environment, std::string_view file_text,
                        std::string_view file_name) {
  Settings settings;
  apply_file(file_text, file_name, settings);
  for (const std::string& entry : environment) {
    const auto variable = variable_in(entry);
    if (!variable) continue;
    const Setting& setting = setting_called(variable->name, "", true);
    apply(setting, settings, variable->value, variable->name);
  }
  return settings;
}

std::string text_of_file(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(in_quotes(path) + " cannot be read: " + why);
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text;
  constexpr std::size_t step = std::size_t{1} << 16;
  while (file && text.size() <= most_bytes) {
    const std::size_t before = text.size();
    text.resize(before + step);
    file.read(text.data() + before, step);
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || (text.empty() && !file.eof())) refuse(std::strerror(errno));
  if (text.size() > most_bytes) {
    refuse("it has more than " + std::to_string(most_bytes >> 20) + " MiB");
  }
  return text;
}

Settings read_settings(std::span<const std::string> environment) {
  Settings settings = read_but_no_files(environment);
  read_plan(settings);
  read_tuning(settings);
  return settings;
}

Settings read_settings(const char* const* environment) {
  return read_settings(ours_of(environment));
}

Settings read_settings_but_no_files(const char* const* environment) {
  return read_but_no_files(ours_of(environment));
}

}  // namespace anabranch
