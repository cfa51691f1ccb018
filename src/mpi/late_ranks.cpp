#include "mpi/late_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "select/quantity.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::uint64_t calls_until_told = 8;
constexpr std::size_t most_told = 3;

}  // namespace

void LateRanks::explain(const ArrivalSkew& skew, const Decision& decision, std::int32_t root) {
  const auto calls = static_cast<std::uint64_t>(++calls_);
  if (skew.rank >= 0 && skew.arrival_s >= decision.predicted_s.value_or(0)) {
    Late& late = late_[skew.rank];
    ++late.calls;
    late.after_root_s += skew.arrival_s;
    in_calls_s_ += skew.end_s;
    if (skew.arrival_s >= 2 * longest_s_) {
      longest_s_ = skew.arrival_s;
      print_one(skew, decision, root);
    }
  }
  if (calls >= calls_until_told && std::has_single_bit(calls) && !late_.empty()) {
    print_all(decision, root);
  }
}

void LateRanks::print_one(const ArrivalSkew& skew, const Decision& decision,
                          std::int32_t root) const {
  std::fprintf(stderr,
               "anabranch: %s: rank %d came last, %s after the root %d, which was in it for %s\n",
               std::string(decision.choice.algorithm->id).c_str(), skew.rank,
               format_duration(skew.arrival_s).c_str(), root, format_duration(skew.end_s).c_str());
}

void LateRanks::print_all(const Decision& decision, std::int32_t root) const {
  std::vector<std::pair<std::int32_t, Late>> most(late_.begin(), late_.end());
  std::ranges::stable_sort(most, std::ranges::greater(),
                           [](const auto& one) { return one.second.calls; });
  std::int64_t late_calls = 0;
  std::string who;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const auto& [rank, late] = most[i];
    late_calls += late.calls;
    if (i >= most_told) continue;
    who += ", rank " + std::to_string(rank) + " in " + std::to_string(late.calls) + " (" +
           format_duration(late.after_root_s / static_cast<double>(late.calls)) + " on average)";
  }
  std::fprintf(
      stderr,
      "anabranch: %s: in %lld of its %lld calls a rank came later after the root %d than the "
      "message takes%s; the root was in these calls for %s\n",
      std::string(decision.choice.algorithm->id).c_str(), static_cast<long long>(late_calls),
      static_cast<long long>(calls_), root, who.c_str(), format_duration(in_calls_s_).c_str());
}

}  // namespace anabranch::mpi
