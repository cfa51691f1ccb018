// Which calls are native whatever is not known of them yet: the first rule of a decision, and the
// first test of a call.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/evidence.hpp"
#include "select/settings.hpp"

namespace anabranch {

// Data that is only moved arrives the same, whichever way it takes.
bool is_reproducible(Collective collective, const Settings& settings);

// Without a plan nobody need learn where ranks are to know that no trees are planned.
Situation situation_under(const Settings& settings, Situation situation);

// Why a call is native whatever is not known of it.
struct Settled {
  std::string reason;
  const Evidence* evidence = nullptr;
};
std::optional<Settled> settled_as_native(const Situation& situation, const Settings& settings);

// By Collective: calls of up to so many bytes are native whatever else is known, while nobody knows
// the network or where somebody does; -1: not even those of none; the largest value: all. To be
// made once for settings, and compared with. policy: of the MPI beneath, as far as it is known.
using NativeSizes = std::array<std::int64_t, 10>;
NativeSizes native_up_to_bytes(const Settings& settings,
                               std::optional<std::string_view> native_policy = {},
                               bool network_known = false);

}  // namespace anabranch
