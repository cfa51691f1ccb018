// The network that a collective is priced on.
//
// Hockney's model with ports: a message of m bytes occupies a sending port of one rank and a
// receiving port of the other, both for latency_s + m * time_per_byte_s. With one port of each kind
// this is the one-port full-duplex model of papers A, B and D.
//
// Where nodes are given, the ports are those of the nodes, shared by their ranks. A message within
// a node occupies no port but both ranks and the memory: a rank sends one and receives one such
// message at a time, beside what the ports carry, and the memory carries `memory_messages`. So one
// rank a node is the machine without nodes; with one port, so is one node with enough memory.
//
// Messages wait for all that they occupy and then travel at full speed; they never share a rate.
// So times are exact, without steps. Of several that real memory would serve at once, each more
// slowly, the first are over sooner here, and the last at about the same time.
//
// A port that is busy for the bytes alone is LogGP's (Alexandrov et al. 1995): a message is with
// the receiver latency_s after it has left the port, which the next one has by then.
//
// With flows (flows.hpp) it is the links of a whole network that messages share, at rates that
// change as others come and go; ports are links like others, and so is the memory of a node. Then
// one rank's messages to another go one after the other, as on a connection, and between nodes
// beside those to and from others.
//
// With overhead_s, o of LogP (Culler et al. 1993), each rank is also busy that long with each
// message: the sender before the message can have a port, the receiver from when it has both the
// message and a receive for it; with one message after the other, in the order in which that
// happens. No port is held meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch {

class Flows;

struct Link {
  double latency_s = 0;
  double time_per_byte_s = 0;

  double duration_s(std::int64_t size_bytes) const {
    return latency_s + static_cast<double>(size_bytes) * time_per_byte_s;
  }
};

// When a message may travel, besides what it occupies being free and the sender having it; and when
// its send is complete. A synchronous send, and a long one that goes alone
// (Action::completes_at_peer), is complete once the peer's receive is, whatever the delivery.
enum class Delivery : std::uint8_t {
  // Once the receiver has arrived and posted its receive (paper A: blocking). A send is complete
  // when the message has left the port: with the receive, or overhead_s before it.
  synchronous,
  // At once; it waits at the receiver (paper A: non-blocking). A send is complete when the message
  // has left the port, though nobody may have received it yet. Synchronous sends travel at once as
  // well: it is their completion that waits. The sender knows of it without delay.
  buffered,
};

struct Machine {
  Link link;                // of every pair of ranks of two nodes, unless `links` is given
  std::vector<Link> links;  // empty, or one per ordered pair: src * ranks + dst
  std::int32_t ports = 1;   // messages that a node sends at once, and as many that it receives
  Delivery delivery = Delivery::synchronous;

  // By rank relative to the root, any numbers that tell nodes apart; empty: a node for each rank.
  std::vector<std::int64_t> node_of_rank = {};
  Link link_within_nodes = {};       // of two ranks of one node, unless `links` is given
  std::int32_t memory_messages = 0;  // within a node at once, at full speed; 0: any number
  double overhead_s = 0;             // that either rank is busy with a message
  bool occupies_for_latency = true;  // ports, besides for the bytes; never with flows
  Flows* flows = nullptr;            // none: messages have what they occupy for themselves
  double resolution_s = 0;           // events closer than this happen at one moment
  // If buffered: longer messages travel once their receive is posted. Asking for it takes no time.
  std::int64_t eager_limit_bytes = INT64_MAX;

  bool share_node(std::int32_t a, std::int32_t b) const {
    return !node_of_rank.empty() &&
           node_of_rank[static_cast<std::size_t>(a)] == node_of_rank[static_cast<std::size_t>(b)];
  }

  const Link& between(std::int32_t src, std::int32_t dst, std::int32_t ranks) const {
    if (links.empty()) return share_node(src, dst) ? link_within_nodes : link;
    return links[static_cast<std::size_t>(src) * static_cast<std::size_t>(ranks) +
                 static_cast<std::size_t>(dst)];
  }
};

// Throws std::invalid_argument where the machine is none for so many ranks.
void check(const Machine& machine, std::int32_t ranks);

inline Machine machine_of(const Network& network) {
  Machine machine;
  machine.link = {network.latency_s, network.time_per_byte_s};
  return machine;
}

// With the problem's networks between and within the nodes that hold the ranks (of the root 0).
inline Machine machine_of(const Problem& problem, const Places& places) {
  Machine machine = machine_of(problem.network);
  machine.ports = static_cast<std::int32_t>(problem.network.ports_a_node);
  machine.node_of_rank = places.node_of_rank();
  machine.link_within_nodes = {problem.network.latency_within_nodes_s,
                               problem.network.time_per_byte_within_nodes_s};
  return machine;
}

}  // namespace anabranch
