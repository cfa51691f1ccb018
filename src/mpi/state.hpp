// What this process knows: settings, the network once measured, schedules made so far. Locks are
// held for look-ups only, never across a call of MPI.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "algorithms/schedule_cache.hpp"
#include "select/settings.hpp"

namespace anabranch::mpi {

// The settings in force, until this thread asks again.
const Settings& settings();
// The same, to be held as long as something goes by them.
std::shared_ptr<const Settings> settings_in_force();
// Calls of up to so many bytes are native under them, whatever the network is.
std::int64_t native_up_to_bytes(Collective collective);
// Changes with each change of the settings.
std::uint64_t settings_generation();

// Reads the environment. Empty, or one line that says what is wrong and what is valid.
std::string load_settings();

// Sets one setting by its name, for later calls. Must be done alike on all ranks. As load_settings.
std::string change_setting(std::string_view name, std::string_view value);

// From the settings or an earlier measurement; time_per_byte_s is 0 while nothing is known.
Network known_network();
void learn_network(const Network& measured);

ScheduleCache& schedule_cache();

// What served the last collective of this thread; without an algorithm it was the MPI beneath. A
// copy: the decision may go, with its communicator, before anybody asks.
struct LastChoice {
  const Algorithm* algorithm = nullptr;
  std::size_t value_count = 0;
  std::array<std::int64_t, 8> values{};

  void set(const Choice& choice);
  std::string text() const;  // "bcast/chain:segment=4KiB" or "native"
};
extern thread_local LastChoice last_choice;

}  // namespace anabranch::mpi
