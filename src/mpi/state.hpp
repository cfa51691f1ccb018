// What this process knows: settings, the network once measured, schedules made so far. Locks are
// held for look-ups only, never across a call of MPI.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/schedule_cache.hpp"
#include "select/native_sizes.hpp"
#include "select/settings.hpp"

namespace anabranch::mpi {

// Settings, and what follows from them alone. Whoever goes by them for longer holds a share.
struct SettingsInForce : std::enable_shared_from_this<SettingsInForce> {
  // policy: of the MPI beneath, once it is known.
  explicit SettingsInForce(Settings chosen, std::optional<std::string_view> policy = {});

  Settings settings;
  NativeSizes native_up_to;   // calls of up to so many bytes are native, whatever the network is
  NativeSizes native_before;  // .. while nobody knows it
  std::uint64_t hash;         // of those that all ranks have alike: decisions go by no others
};

// That says what the MPI beneath picks; empty where nobody knows.
std::string_view native_policy();
// As MPI_Get_library_version says it.
std::string_view library_version();

// Those in force, until this thread asks again.
const SettingsInForce& settings_in_force();
inline const Settings& settings() { return settings_in_force().settings; }

// Reads the environment, and the files that it names if that is wanted. Empty, or one line that
// says what is wrong and what is valid.
std::string load_settings(bool with_files);

// What was read for all ranks (shared_files.hpp).
struct SharedFiles {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Tuning> tuning;
  std::vector<std::shared_ptr<const Plan>> kept_plans;
};
void put_files_in_force(const SharedFiles& files);
// As the file has it where that is another MPI, and the file is left out; else empty.
std::string mpi_of_unused_tuning();

// Sets one setting by its name, for later calls. Must be done alike on all ranks. As load_settings.
std::string change_setting(std::string_view name, std::string_view value);

// What the user has set goes before what was measured.
void apply_settings(Network& network);

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
extern constinit thread_local LastChoice last_choice;

}  // namespace anabranch::mpi
