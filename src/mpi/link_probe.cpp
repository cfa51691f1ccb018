#include "mpi/link_probe.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/functions.hpp"
#include "mpi/link_measurement.hpp"
#include "mpi/network_probe.hpp"
#include "mpi/plan_hosts.hpp"
#include "mpi/state.hpp"
#include "platform/measured_links.hpp"
#include "select/quantity.hpp"

namespace anabranch::mpi {
namespace {

using platform::MeasuredLinks;

// The nodes of a communicator in the order of their first ranks.
struct Nodes {
  std::vector<std::int64_t> names;
  std::vector<int> leaders;
  std::vector<std::int32_t> of_rank;
};

Nodes nodes_of(const Places& places) {
  Nodes nodes;
  std::map<std::int64_t, std::int32_t> index;
  const auto& node_of_rank = places.node_of_rank();
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto next = static_cast<std::int32_t>(index.size());
    const auto [found, is_new] = index.try_emplace(node_of_rank[rank], next);
    nodes.of_rank.push_back(found->second);
    if (!is_new) continue;
    nodes.names.push_back(node_of_rank[rank]);
    nodes.leaders.push_back(static_cast<int>(rank));
  }
  return nodes;
}

// What this process knows of sets of nodes, by their names.
class Known {
 public:
  std::shared_ptr<const MeasuredLinks> find(const std::vector<std::int64_t>& names) {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(names);
    return found == links_.end() ? nullptr : found->second;
  }
  void keep(const std::vector<std::int64_t>& names, std::shared_ptr<const MeasuredLinks> links) {
    constexpr std::size_t most = 64;
    const std::lock_guard lock(mutex_);
    if (links_.size() < most) links_.insert_or_assign(names, std::move(links));
  }

 private:
  std::mutex mutex_;
  std::map<std::vector<std::int64_t>, std::shared_ptr<const MeasuredLinks>> links_;
};

Known& known_links() {
  static auto* known = new Known;
  return *known;
}

std::uint64_t hash_of(const MeasuredLinks* links) {
  if (links == nullptr) return 0;
  const auto* bytes = reinterpret_cast<const char*>(links->time_per_byte_s.data());
  return hash_bytes({bytes, links->time_per_byte_s.size() * sizeof(double)});
}

// Whether all ranks remember the same.
int agree(const MeasuredLinks* links, MPI_Comm channel, bool& is_known) {
  const std::uint64_t hash = hash_of(links);
  std::array<std::uint64_t, 2> least = {hash, ~hash};
  const int error = agree_on_least(least.data(), 2, MPI_UINT64_T, channel);
  is_known = links != nullptr && least[0] == ~least[1];
  return error;
}

// A measurement on one communicator, of which all ranks learn the result.
class Probing {
 public:
  Probing(Communicator& communicator, const Nodes& nodes)
      : communicator_(communicator),
        nodes_(nodes),
        own_(static_cast<std::size_t>(nodes.of_rank[static_cast<std::size_t>(communicator.rank)])),
        is_leader_(nodes.leaders[own_] == communicator.rank),
        tag_(communicator.tags),
        measurement_(communicator.channel, nodes.leaders, static_cast<std::int32_t>(own_),
                     communicator.network.latency_s, tag_.get()) {
    links_.nodes = static_cast<std::int32_t>(nodes.leaders.size());
    links_.shifts = platform::shifts_to_measure(links_.nodes);
    links_.time_per_byte_s.assign(nodes.leaders.size() * links_.shifts.size(),
                                  std::numeric_limits<double>::infinity());
    apart_ = static_cast<std::int32_t>(links_.time_per_byte_s.size());
  }
  int run(std::int64_t further_bytes) {
    const Network& network = communicator_.network;
    const auto first_bytes =
        platform::first_probe_bytes(network.latency_s, network.time_per_byte_s);
    if (is_leader_) {
      if (const int error = measurement_.meet(links_.shifts)) return error;
    }
    if (const int error = look(first_bytes, 1, platform::most_first_looks)) return error;
    if (links_.differ_much()) return MPI_SUCCESS;
    return look(further_bytes, platform::further_repetitions, platform::most_further_looks);
  }

  const MeasuredLinks& links() const { return links_; }

 private:
  // Again where some links are apart, as noise slows links down, until that shows nothing new.
  int look(std::int64_t size_bytes, int repetitions, int most_looks) {
    for (int i = 0; i < most_looks; ++i) {
      if (const int error = measure(size_bytes, repetitions)) return error;
      links_.settle(std::exchange(apart_, links_.apart()));
      if (!links_.some_apart() || links_.is_settled) break;
    }
    return MPI_SUCCESS;
  }

  int measure(std::int64_t size_bytes, int repetitions) {
    for (int i = 0; is_leader_ && i < repetitions; ++i) {
      if (const int error = measurement_.measure(links_.shifts, size_bytes, row_of(own_))) {
        return error;
      }
    }
    if (const int error = is_leader_ ? collect() : MPI_SUCCESS) return error;
    auto& all = links_.time_per_byte_s;
    const auto bytes = static_cast<std::int64_t>(all.size() * sizeof(double));
    return tell_all(all.data(), bytes, communicator_);
  }

  // The first rank, which leads its node, takes in what the others have measured.
  int collect() {
    for (std::size_t node = 1; node < nodes_.leaders.size(); ++node) {
      if (own_ != 0 && own_ != node) continue;
      const auto row = row_of(node);
      const int count = static_cast<int>(row.size());
      MPI_Request request = MPI_REQUEST_NULL;
      const int error = own_ == 0
                            ? native.Irecv(row.data(), count, MPI_DOUBLE, nodes_.leaders[node],
                                           tag_.get(), communicator_.channel, &request)
                            : native.Isend(row.data(), count, MPI_DOUBLE, nodes_.leaders[0],
                                           tag_.get(), communicator_.channel, &request);
      if (error != MPI_SUCCESS) return error;
      if (const int of_wait = wait_for_one(request)) return of_wait;
    }
    return MPI_SUCCESS;
  }

  std::span<double> row_of(std::size_t node) {
    const std::size_t length = links_.shifts.size();
    return std::span(links_.time_per_byte_s).subspan(node * length, length);
  }

  Communicator& communicator_;
  const Nodes& nodes_;
  std::size_t own_;
  bool is_leader_;
  BorrowedTag tag_;
  LinkMeasurement measurement_;
  MeasuredLinks links_;
  std::int32_t apart_;  // after the last look; before the first any may be
};

void explain(const Communicator& communicator, const MeasuredLinks& links) {
  if (!settings().explain || communicator.rank != 0) return;
  std::fprintf(stderr, "anabranch: links among %d nodes, all busy at once: %s to %s, %s\n",
               links.nodes, format_bandwidth(1 / links.slowest_s()).c_str(),
               format_bandwidth(1 / links.fastest_s()).c_str(),
               links.differ() ? "so they differ" : "so they are alike");
}

// A plan, and its node for each of the communicator's.
struct Fitted {
  std::shared_ptr<const Plan> plan;
  std::vector<std::int32_t> node_of;
};

std::vector<std::int32_t> identity(std::int32_t count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Whether ports are as fast as it counts on, or nearly.
bool fits(const Fitted& fitted, const MeasuredLinks& links) {
  constexpr double far_slower = 2;
  const Plan& plan = *fitted.plan;
  const double period_bytes =
      static_cast<double>(plan.order.size()) * static_cast<double>(plan.slice_bytes);
  const double measured_s = platform::time_per_byte_of_ports(links, fit(plan, fitted.node_of, 0));
  return measured_s * period_bytes <= far_slower * plan.period_s;
}

// Of those that know all nodes the one for the fewest hosts, and the newest of these; not where
// what was measured contradicts it.
std::optional<Fitted> kept_plan(const Communicator& communicator, const Nodes& nodes,
                                const MeasuredLinks& links) {
  std::optional<Fitted> found;
  for (const auto& plan : settings().kept_plans) {
    auto node_of = plan_nodes_of(*plan, nodes.names);
    if (node_of.empty() || (found && found->plan->nodes.size() <= plan->nodes.size())) continue;
    found = {plan, std::move(node_of)};
  }
  if (!found) return std::nullopt;
  const bool is_taken = fits(*found, links);
  if (settings().explain && communicator.rank == 0) {
    std::fprintf(stderr, "anabranch: a plan is kept for these nodes, and %s what was measured\n",
                 is_taken ? "fits" : "is left out, as it contradicts");
  }
  return is_taken ? found : std::nullopt;
}

// By what decisions on the communicator go from now on.
void put_in_force(Communicator& communicator, const Nodes& nodes, const MeasuredLinks& links,
                  std::int64_t size_bytes) {
  communicator.links_known = true;
  communicator.links_differ = links.differ();
  explain(communicator, links);
  if (!links.differ()) return;
  Network& network = communicator.network;
  network.time_per_byte_s = links.slowest_s();
  if (communicator.places->plan() != nullptr) return;
  std::optional<Fitted> fitted = kept_plan(communicator, nodes, links);
  if (!fitted) {
    fitted = {
        std::make_shared<const Plan>(platform::tree_along(links, network.latency_s, size_bytes)),
        identity(links.nodes)};
  }
  std::vector<std::int32_t> host_of_rank;
  for (const std::int32_t node : nodes.of_rank) {
    host_of_rank.push_back(fitted->node_of[static_cast<std::size_t>(node)]);
  }
  communicator.places = std::make_shared<const Places>(
      communicator.places->node_of_rank(), std::move(fitted->plan), std::move(host_of_rank));
  communicator.planned = planned_trees(*communicator.places);
}

}  // namespace

int probe_links(Communicator& communicator, std::int64_t further_bytes, std::int64_t size_bytes) {
  const Nodes nodes = nodes_of(*communicator.places);
  std::shared_ptr<const MeasuredLinks> links = known_links().find(nodes.names);
  bool is_known = false;
  if (const int error = agree(links.get(), communicator.channel, is_known)) return error;
  if (!is_known) {
    Probing probing(communicator, nodes);
    if (const int error = probing.run(further_bytes)) return error;
    links = std::make_shared<const MeasuredLinks>(probing.links());
    known_links().keep(nodes.names, links);
  }
  put_in_force(communicator, nodes, *links, size_bytes);
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
