#include "mpi/state.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>

#include "mpi/functions.hpp"
#include "mpi/native_watchdog.hpp"
#include "select/decision.hpp"
#include "select/policy_of_mpi.hpp"

namespace anabranch::mpi {
namespace {

using Shared = std::shared_ptr<const SettingsInForce>;

std::mutex mutex;
Network measured;  // time_per_byte_s is 0 while there is none
std::atomic<std::uint64_t> generation{1};
std::atomic<bool> loaded{false};

// Never destroyed, nor is the cache below: a program may still broadcast while its statics go.
Shared& newest() {
  static auto* settings = new Shared(std::make_shared<const SettingsInForce>(Settings{}));
  return *settings;
}

// That the tuning file is for, where it is left out.
std::string& other_mpi() {
  static auto* name = new std::string;
  return *name;
}

void put_in_force(Settings changed) {
  schedule_cache().limit(static_cast<std::size_t>(changed.cache_bytes));
  const std::lock_guard lock(mutex);
  const std::uint64_t next = generation.load(std::memory_order_relaxed) + 1;
  const auto& tuning = changed.tuning;
  if (tuning != nullptr && !choose_alike(tuning->mpi_version, library_version())) {
    other_mpi() = tuning->mpi_version;
    changed.tuning = nullptr;
  }
  newest() = std::make_shared<const SettingsInForce>(std::move(changed), native_policy());
  generation.store(next, std::memory_order_release);
  if (newest()->settings.watchdog_s > 0) watch_native_calls();
}

// Keeps what a thread has seen until it sees something newer, or ends.
thread_local bool keeper_is_gone = false;
struct Keeper {
  Shared seen;
  ~Keeper() { keeper_is_gone = true; }
};
thread_local Keeper keeper;

const SettingsInForce* look_again() {
  const std::lock_guard lock(mutex);
  // At the exit of the process the newest settings outlive everything, and nobody changes them.
  if (!keeper_is_gone) keeper.seen = newest();
  return newest().get();
}

}  // namespace

SettingsInForce::SettingsInForce(Settings chosen, std::optional<std::string_view> policy)
    : settings(std::move(chosen)),
      native_up_to(native_up_to_bytes(settings, policy, true)),
      native_before(native_up_to_bytes(settings, policy)),
      hash(hash_of(settings, true)) {}

std::string_view library_version() {
  static const std::string found = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    native.Get_library_version(text.data(), &length);
    return std::string(text.data(), static_cast<std::size_t>(length));
  }();
  return found;
}

std::string_view native_policy() {
  static const std::string_view found = policy_of_mpi(library_version());
  return found;
}

constinit thread_local LastChoice last_choice;

const SettingsInForce& settings_in_force() {
  // One look at the generation a call; the lock only after a change.
  thread_local const SettingsInForce* seen = nullptr;
  thread_local std::uint64_t seen_generation = 0;
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (seen_generation != now) [[unlikely]] {
    seen = look_again();
    seen_generation = now;
  }
  return *seen;
}

std::string load_settings(bool with_files) {
  try {
    const auto* environment = static_cast<const char* const*>(environ);
    put_in_force(with_files ? read_settings(environment) : read_settings_but_no_files(environment));
    loaded.store(true, std::memory_order_release);
    return {};
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

void put_files_in_force(const SharedFiles& files) {
  Settings changed = settings();
  changed.plan = files.plan;
  changed.tuning = files.tuning;
  changed.kept_plans = files.kept_plans;
  put_in_force(std::move(changed));
}

std::string mpi_of_unused_tuning() {
  const std::lock_guard lock(mutex);
  return other_mpi();
}

std::string change_setting(std::string_view name, std::string_view value) {
  if (!loaded.load(std::memory_order_acquire)) {
    return "settings can be changed once MPI_Init (or, with sessions, a collective) has been "
           "called";
  }
  try {
    // What is read before anything else, or by others.
    for (const std::string_view fixed :
         {"config", "lab", "library_dir", "plan", "plans", "summary", "trace", "tuning"}) {
      if (name == fixed) return std::string(name) + " can be set in the environment only";
    }
    Settings changed = settings();
    apply_setting(changed, std::string(name), value);
    put_in_force(std::move(changed));
    return {};
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

void LastChoice::set(const Choice& choice) {
  algorithm = choice.algorithm;
  value_count = std::min(choice.values.size(), values.size());
  std::copy_n(choice.values.begin(), value_count, values.begin());
}

std::string LastChoice::text() const {
  if (algorithm == nullptr) return "native";
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(value_count);
  return text_of({algorithm, {values.begin(), end}});
}

void apply_settings(Network& network) {
  const Settings& given = settings();
  network.latency_s = given.latency_s.value_or(network.latency_s);
  network.time_per_byte_s = given.time_per_byte_s.value_or(network.time_per_byte_s);
  network.eager_limit_bytes = given.eager_limit_bytes.value_or(network.eager_limit_bytes);
}

Network known_network() {
  Network known;
  {
    const std::lock_guard lock(mutex);
    known = measured;
  }
  apply_settings(known);
  return known;
}

void learn_network(const Network& network) {
  const std::lock_guard lock(mutex);
  measured = network;
}

ScheduleCache& schedule_cache() {
  static auto* cache = new ScheduleCache(static_cast<std::size_t>(Settings{}.cache_bytes));
  return *cache;
}

}  // namespace anabranch::mpi
