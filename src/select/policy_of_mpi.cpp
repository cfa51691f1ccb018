#include "select/policy_of_mpi.hpp"

#include <array>
#include <set>
#include <stdexcept>
#include <string>

#include "algorithms/algorithm.hpp"

namespace anabranch {
namespace {

struct Release {
  std::string_view begins;  // of the text, up to the number of the release
  std::string_view number;
  std::string_view policy;
};

constexpr std::array releases = {Release{"MPICH Version:", "3.", "mpich3"},
                                 Release{"MPICH Version:", "5.", "mpich5"},
                                 Release{"Open MPI v", "5.", "openmpi5"}};

// The text up to its first number.
std::string_view release_of(std::string_view library_version) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t first = library_version.find_first_of(digits);
  if (first == std::string_view::npos) return library_version;
  return library_version.substr(0, library_version.find_first_not_of(digits, first));
}

}  // namespace

bool choose_alike(std::string_view library_version, std::string_view other) {
  const std::string_view policy = policy_of_mpi(library_version);
  if (policy != policy_of_mpi(other)) return false;
  return !policy.empty() || release_of(library_version) == release_of(other);
}

std::string_view policy_of_mpi(std::string_view library_version) {
  for (const auto& [begins, number, policy] : releases) {
    if (!library_version.starts_with(begins)) continue;
    const std::string_view rest = library_version.substr(begins.size());
    const std::size_t first = rest.find_first_not_of(" \t");
    if (first != std::string_view::npos && rest.substr(first).starts_with(number)) return policy;
  }
  return {};
}

std::string_view policy_named(std::string_view name) {
  if (name.empty()) return {};
  std::set<std::string_view> names;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->is_policy()) names.insert(algorithm->name());
  }
  const auto found = names.find(name);
  if (found != names.end()) return *found;
  std::string all;
  for (const std::string_view each : names) all.append(all.empty() ? "" : ", ").append(each);
  throw std::invalid_argument("no policy '" + std::string(name) + "': give one of " + all);
}

}  // namespace anabranch
