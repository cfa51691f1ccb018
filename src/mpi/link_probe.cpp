#include "mpi/link_probe.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/functions.hpp"
#include "mpi/link_measurement.hpp"
#include "mpi/network_probe.hpp"
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
        tag_(communicator.tags.next()),
        measurement_(communicator.channel, nodes.leaders, static_cast<std::int32_t>(own_),
                     communicator.network.latency_s, tag_) {
    links_.nodes = static_cast<std::int32_t>(nodes.leaders.size());
    links_.shifts = platform::shifts_to_measure(links_.nodes);
    links_.time_per_byte_s.assign(nodes.leaders.size() * links_.shifts.size(),
                                  std::numeric_limits<double>::infinity());
  }
  ~Probing() { communicator_.tags.give_back(tag_); }
  Probing(const Probing&) = delete;
  Probing& operator=(const Probing&) = delete;

  int run(std::int64_t further_bytes) {
    const Network& network = communicator_.network;
    const auto first_bytes =
        platform::first_probe_bytes(network.latency_s, network.time_per_byte_s);
    if (is_leader_) {
      if (const int error = measurement_.meet(links_.shifts)) return error;
    }
    if (const int error = measure(first_bytes, 1)) return error;
    if (links_.differ_much()) return MPI_SUCCESS;
    return measure(further_bytes, platform::further_repetitions);
  }

  const MeasuredLinks& links() const { return links_; }

 private:
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
                                           tag_, communicator_.channel, &request)
                            : native.Isend(row.data(), count, MPI_DOUBLE, nodes_.leaders[0], tag_,
                                           communicator_.channel, &request);
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
  int tag_;
  LinkMeasurement measurement_;
  MeasuredLinks links_;
};

void explain(const Communicator& communicator, const MeasuredLinks& links) {
  if (!settings().explain || communicator.rank != 0) return;
  std::fprintf(stderr, "anabranch: links among %d nodes, all busy at once: %s to %s, %s\n",
               links.nodes, format_bandwidth(1 / links.slowest_s()).c_str(),
               format_bandwidth(1 / links.fastest_s()).c_str(),
               links.differ() ? "so they differ" : "so they are alike");
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
  auto plan =
      std::make_shared<const Plan>(platform::tree_along(links, network.latency_s, size_bytes));
  communicator.places = std::make_shared<const Places>(communicator.places->node_of_rank(),
                                                       std::move(plan), nodes.of_rank);
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
