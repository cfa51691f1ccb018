#include "mpi/shared_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "mpi/functions.hpp"
#include "mpi/state.hpp"
#include "plan/plan.hpp"

namespace anabranch::mpi {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name;
  std::string text;
};

// Of the plans that are kept: the newest so many, and none that is longer.
constexpr std::size_t most_kept = 32;
constexpr std::uintmax_t most_kept_bytes = std::uintmax_t{1} << 20;

std::string kept_folder(const Settings& given) {
  if (!given.plans.empty()) return given.plans;
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string cache = value("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/anabranch/plans";
  const std::string home = value("HOME");
  return home.empty() ? std::string() : home + "/.cache/anabranch/plans";
}

// A folder that is not there holds none.
std::vector<fs::path> kept_paths(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code of_file;
    const auto changed = entry->last_write_time(of_file);
    if (!of_file && entry->path().extension() == ".json") found.emplace_back(changed, *entry);
  }
  std::ranges::sort(found, std::greater<>{});
  std::vector<fs::path> paths;
  for (auto& [changed, path] : found) paths.push_back(std::move(path));
  if (paths.size() > most_kept) {
    std::fprintf(stderr, "anabranch: of the %zu plans in '%s' only the newest %zu are looked at\n",
                 paths.size(), folder.c_str(), most_kept);
    paths.resize(most_kept);
  }
  return paths;
}

void leave_out(const std::string& name, std::string_view why) {
  std::fprintf(stderr, "anabranch: the kept plan '%s' is left out: %.*s\n", name.c_str(),
               static_cast<int>(why.size()), why.data());
}

// Those that hold a plan.
std::vector<File> kept_files(const Settings& given) {
  std::vector<File> files;
  const std::string folder = kept_folder(given);
  if (folder.empty() || folder == "none") return files;
  for (const fs::path& path : kept_paths(folder)) {
    File file{path.string(), {}};
    try {
      std::error_code error;
      if (fs::file_size(path, error) > most_kept_bytes || error) {
        throw std::invalid_argument("it is no file of up to 1 MiB");
      }
      file.text = text_of_file(file.name);
      static_cast<void>(parse_plan(file.text, file.name));
      files.push_back(std::move(file));
    } catch (const std::invalid_argument& problem) {
      leave_out(file.name, problem.what());
    }
  }
  return files;
}

// What one rank has read; `problem` is empty, or says which file that is set cannot be read.
struct ReadFiles {
  std::string problem;
  File plan;  // that is set, or an empty text
  File tuning;
  std::vector<File> kept;
};

// Calls `read`; what it throws is a problem with the setting.
template <class Read>
void read_set(const char* variable, ReadFiles& all, Read read) {
  try {
    read();
  } catch (const std::invalid_argument& error) {
    if (all.problem.empty()) all.problem = std::string(variable) + ": " + error.what();
  }
}

ReadFiles read(const Settings& given) {
  ReadFiles all{{}, {given.plan_path, {}}, {given.tuning_path, {}}, {}};
  if (!given.plan_path.empty()) {
    read_set("ANABRANCH_PLAN", all, [&] { all.plan.text = text_of_file(given.plan_path); });
  }
  if (!given.tuning_path.empty()) {
    read_set("ANABRANCH_TUNING", all, [&] {
      all.tuning.text = without_measurements(text_of_file(given.tuning_path), given.tuning_path);
    });
  }
  if (!given.disable) all.kept = kept_files(given);
  return all;
}

// One after the other, each with its length.
std::string packed(const ReadFiles& all) {
  std::string bytes;
  const auto add = [&](const std::string& text) {
    const auto length = static_cast<std::uint64_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes += text;
  };
  const auto add_file = [&](const File& file) {
    add(file.name);
    add(file.text);
  };
  add(all.problem);
  add_file(all.plan);
  add_file(all.tuning);
  std::ranges::for_each(all.kept, add_file);
  return bytes;
}

ReadFiles unpacked(std::string_view bytes) {
  const auto take = [&] {
    std::uint64_t length = 0;
    bytes.copy(reinterpret_cast<char*>(&length), sizeof(length));
    std::string text(bytes.substr(sizeof(length), length));
    bytes.remove_prefix(sizeof(length) + length);
    return text;
  };
  const auto take_file = [&] {
    std::string name = take();
    return File{std::move(name), take()};
  };
  ReadFiles all{.problem = take(), .plan = take_file(), .tuning = take_file(), .kept = {}};
  while (!bytes.empty()) all.kept.push_back(take_file());
  return all;
}

ReadFiles read_for_all(MPI_Comm comm) {
  int rank = 0;
  native.Comm_rank(comm, &rank);
  std::string bytes;
  if (rank == 0) bytes = packed(read(settings()));
  auto length = static_cast<std::int64_t>(bytes.size());
  native.Bcast(&length, 1, MPI_INT64_T, 0, comm);
  bytes.resize(static_cast<std::size_t>(length));
  native.Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, 0, comm);
  return unpacked(bytes);
}

// All ranks parse the same texts, and find the same problems.
SharedFiles parsed(ReadFiles& all) {
  SharedFiles files;
  if (!all.plan.name.empty()) {
    read_set("ANABRANCH_PLAN", all, [&] {
      files.plan = std::make_shared<const Plan>(parse_plan(all.plan.text, all.plan.name));
    });
  }
  if (!all.tuning.name.empty()) {
    read_set("ANABRANCH_TUNING", all, [&] {
      files.tuning = std::make_shared<const Tuning>(parse_tuning(all.tuning.text, all.tuning.name));
    });
  }
  for (const auto& [name, text] : all.kept) {
    files.kept_plans.push_back(std::make_shared<const Plan>(parse_plan(text, name)));
  }
  return files;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

void tell_of_unused_tuning() {
  static std::atomic<bool> is_told{false};
  const std::string other = mpi_of_unused_tuning();
  if (other.empty() || is_told.exchange(true)) return;
  std::fprintf(stderr,
               "anabranch: the tuning file '%s' is for '%s', and this is '%s': it is not used\n",
               settings().tuning_path.c_str(), first_line(other).c_str(),
               first_line(library_version()).c_str());
}

std::string share_files(MPI_Comm comm) {
  ReadFiles all = read_for_all(comm);
  const SharedFiles files = parsed(all);
  if (!all.problem.empty()) return all.problem;
  put_files_in_force(files);
  int rank = 0;
  native.Comm_rank(comm, &rank);
  if (rank == 0) tell_of_unused_tuning();
  return {};
}

}  // namespace anabranch::mpi
