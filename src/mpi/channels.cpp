#include "mpi/channels.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <span>

namespace anabranch::mpi {
namespace {

std::mutex mutex;
// Nothing that could fail on one rank only, as getting memory. The last one is not counted.
std::array<Communicator*, max_channels + 1> places{};

}  // namespace

bool reserve_channel(Communicator& communicator, bool is_counted) {
  const std::lock_guard lock(mutex);
  const std::span all(places);
  const auto candidates = is_counted ? all.first(max_channels) : all.subspan(max_channels);
  const auto place = std::ranges::find(candidates, nullptr);
  if (place == candidates.end()) return false;
  *place = &communicator;
  return true;
}

void release_channel(const Communicator& communicator) {
  const std::lock_guard lock(mutex);
  std::ranges::replace(places, &communicator, nullptr);
}

std::vector<Communicator*> reserved_channels() {
  const std::lock_guard lock(mutex);
  std::vector<Communicator*> all;
  std::ranges::copy_if(places, std::back_inserter(all), [](auto* one) { return one != nullptr; });
  return all;
}

}  // namespace anabranch::mpi
