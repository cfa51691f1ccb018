#include "verify/protocol_campaign.hpp"

#include "verify/cases.hpp"
#include "verify/places.hpp"
#include "verify/protocols.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

class ProtocolCampaign {
 public:
  ProtocolCampaign(const Algorithm& algorithm, std::int32_t ranks, const Campaign& campaign)
      : algorithm_(algorithm), ranks_(ranks), campaign_(campaign) {}

  CampaignReport carry_out() {
    const std::vector<std::int32_t> usual = {1, 2, 3, 17};
    const auto& counts = campaign_.block_counts.empty() ? usual : campaign_.block_counts;
    for (const std::int32_t blocks : counts) {
      for (const auto& places : places_for(algorithm_, ranks_)) {
        for (const auto& values : protocol_values()) {
          if (!try_roots(blocks, values, places)) return std::move(report_);
        }
      }
    }
    return std::move(report_);
  }

 private:
  static constexpr std::int32_t explored_ranks = 3;
  static constexpr std::int32_t explored_blocks = 2;
  static constexpr std::int64_t max_states = 100'000;

  // The defaults, and no waiting for more ranks where the algorithm can.
  std::vector<std::vector<std::int64_t>> protocol_values() const {
    std::vector<std::vector<std::int64_t>> sets;
    auto values = with_defaults(algorithm_, problem_of(ranks_, 1 << 20)).values;
    sets.push_back(values);
    for (std::size_t i = 0; i < algorithm_.parameters.size(); ++i) {
      if (algorithm_.parameters[i].name == "gather") values[i] = values[i] == 0 ? 1 : 0;
    }
    add_once(sets, values);
    return sets;
  }

  bool try_roots(std::int32_t blocks, const std::vector<std::int64_t>& values,
                 const std::shared_ptr<const Places>& places) {
    report_.cases.push_back({ranks_, blocks, {}, values, {}});
    const std::int32_t other_root = is_rooted(algorithm_.collective) ? ranks_ - 1 : 0;
    for (const std::int32_t second_root : {0, other_root}) {
      ProtocolCase what{algorithm_, values, ranks_, blocks, {0, second_root}};
      what.places = places;
      if (!try_behaviours(std::move(what))) return false;
      if (other_root == 0) break;
    }
    return true;
  }

  bool try_behaviours(ProtocolCase what) {
    const bool thorough = ranks_ <= campaign_.thorough_ranks;
    try {
      for (const Behaviour& behaviour : turns_.take(thorough ? every_behaviour : some_behaviours)) {
        ++report_.runs;
        what.window = behaviour.window;
        what.sends = behaviour.sends;
        run_protocol(what, *make_order(behaviour, ranks_));
      }
      if (ranks_ > explored_ranks || what.blocks > explored_blocks) return true;
      what.window = {2, 2};
      report_.runs += explore_protocol(what, {max_states}).ends;
      return true;
    } catch (const Violation& violation) {
      report_.fail(
          report_.cases.back(),
          ", roots 0 and " + std::to_string(what.roots.back()) + text_of(what.places.get()),
          violation);
      return false;
    }
  }

  const Algorithm& algorithm_;
  std::int32_t ranks_;
  const Campaign& campaign_;
  CampaignReport report_;
  BehaviourTurns turns_;
};

}  // namespace

CampaignReport verify_protocol(const Algorithm& algorithm, std::int32_t ranks,
                               const Campaign& campaign) {
  return ProtocolCampaign(algorithm, ranks, campaign).carry_out();
}

}  // namespace anabranch::verify
