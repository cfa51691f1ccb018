#include "mpi/shared_files.hpp"

#include <algorithm>
#include <array>
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

// Of the plans that are kept, the newest so many, and none that is longer.
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
  paths.resize(std::min(paths.size(), most_kept));
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

// What one rank has read; `problem` is empty, or says why the plan that is set cannot be read.
struct ReadFiles {
  std::string problem;
  std::vector<File> files;  // the plan that is set, or an empty text; then those that are kept
};

ReadFiles read(const Settings& given) {
  ReadFiles all;
  all.files.push_back({given.plan_path, {}});
  if (!given.plan_path.empty()) {
    try {
      all.files[0].text = text_of_file(given.plan_path);
    } catch (const std::invalid_argument& error) {
      all.problem = std::string("ANABRANCH_PLAN: ") + error.what();
    }
  }
  std::ranges::move(kept_files(given), std::back_inserter(all.files));
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
  add(all.problem);
  for (const File& file : all.files) {
    add(file.name);
    add(file.text);
  }
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
  ReadFiles all{take(), {}};
  while (!bytes.empty()) {
    std::string name = take();
    all.files.push_back({std::move(name), take()});
  }
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

}  // namespace

std::string share_files(MPI_Comm comm) {
  const ReadFiles all = read_for_all(comm);
  if (!all.problem.empty()) return all.problem;
  Plans plans;
  try {
    const auto& [name, text] = all.files[0];
    if (!name.empty()) plans.set = std::make_shared<const Plan>(parse_plan(text, name));
  } catch (const std::invalid_argument& error) {
    return std::string("ANABRANCH_PLAN: ") + error.what();
  }
  for (std::size_t i = 1; i < all.files.size(); ++i) {
    const auto& [name, text] = all.files[i];
    plans.kept.push_back(std::make_shared<const Plan>(parse_plan(text, name)));
  }
  put_plans_in_force(plans);
  return {};
}

}  // namespace anabranch::mpi
