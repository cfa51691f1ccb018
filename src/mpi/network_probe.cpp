#include "mpi/network_probe.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "execution/tags.hpp"
#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/state.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {
namespace {

constexpr int short_round_trips = 32;
constexpr int long_round_trips = 3;
constexpr int long_bytes = 32 * 1024;
constexpr int trains = 3;
constexpr std::size_t messages_of_a_train = 32;

using Requests = std::span<MPI_Request>;

// One end of the measurement. Remembers the first error; after it nothing is sent. Results count at
// the end that begins.
class Pair {
 public:
  Pair(MPI_Comm channel, int peer, int tag, bool begins)
      : channel_(channel), peer_(peer), tag_(tag), begins_(begins), buffer_(long_bytes) {}

  // Half of the shortest round trip, s.
  double one_way_s(int bytes, int repetitions) {
    double best_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= repetitions; ++i) {  // one more, which makes the connection
      const double begin_s = now_s();
      transfer(bytes, begins_);
      transfer(bytes, !begins_);
      if (i > 0) best_s = std::min(best_s, (now_s() - begin_s) / 2);
    }
    return best_s;
  }

  // How long a rank is busy with each of many messages that wait for nothing, s.
  double overhead_s(double latency_s) {
    double best_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < trains; ++i) {
      const double begin_s = now_s();
      send_train();
      transfer(1, !begins_);
      const double of_messages_s = now_s() - begin_s - 2 * latency_s;
      best_s = std::min(best_s, of_messages_s / (messages_of_a_train - 1));
    }
    return std::max(best_s, 1e-9);
  }

  // The longest message that leaves before its receiver asks for it; 0: none of those.
  std::int64_t eager_limit_bytes(double latency_s, double time_per_byte_s) {
    constexpr int shortest_bytes = 2048;
    std::int64_t limit_bytes = 0;
    char is_last = 0;
    for (int bytes = shortest_bytes; is_last == 0 && error_ == MPI_SUCCESS; bytes *= 2) {
      const double patience_s = 10 * latency_s + 2 * bytes * time_per_byte_s;
      if (begins_ ? left_unasked(bytes, patience_s, is_last) : ask_late(bytes, is_last)) {
        limit_bytes = bytes;
      }
    }
    return limit_bytes;
  }

  // The other end may say what it has found.
  void tell(std::span<double> values) {
    const int bytes = static_cast<int>(values.size_bytes());
    MPI_Request request = begin(bytes, !begins_, tag_, values.data());
    wait_for({&request, 1});
  }

  int error() const { return error_; }

 private:
  void check(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }

  bool is_done(Requests requests) {
    std::array<int, messages_of_a_train> which{};
    int completed = 0;
    check(native.Testsome(static_cast<int>(requests.size()), requests.data(), &completed,
                          which.data(), MPI_STATUSES_IGNORE));
    return std::ranges::all_of(requests, [](MPI_Request one) { return one == MPI_REQUEST_NULL; });
  }

  void wait_for(Requests requests) {
    Waiter waiter({});
    while (error_ == MPI_SUCCESS && !is_done(requests)) waiter.wait();
  }

  MPI_Request begin(int bytes, bool sends, int tag, void* place) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (error_ != MPI_SUCCESS) return request;
    check(sends ? native.Isend(place, bytes, MPI_BYTE, peer_, tag, channel_, &request)
                : native.Irecv(place, bytes, MPI_BYTE, peer_, tag, channel_, &request));
    return request;
  }

  void transfer(int bytes, bool sends) {
    MPI_Request request = begin(bytes, sends, tag_, buffer_.data());
    wait_for({&request, 1});
  }

  void send_train() {
    std::array<MPI_Request, messages_of_a_train> under_way;
    for (std::size_t i = 0; i < under_way.size(); ++i) {
      under_way[i] = begin(1, begins_, tag_, buffer_.data() + i);
    }
    wait_for(under_way);
  }

  bool left_unasked(int bytes, double patience_s, char& is_last) {
    std::array<MPI_Request, 2> both = {begin(bytes, true, tag_, buffer_.data()), MPI_REQUEST_NULL};
    Waiter waiter({});
    const double begin_s = now_s();
    bool has_left = is_done(Requests(both).first(1));
    while (!has_left && error_ == MPI_SUCCESS && now_s() - begin_s < patience_s) {
      waiter.wait();
      has_left = is_done(Requests(both).first(1));
    }
    is_last = !has_left || bytes == long_bytes ? 1 : 0;
    both[1] = begin(1, true, TagSequence::of_control(tag_), &is_last);
    wait_for(both);
    return has_left;
  }

  // Once the other end has seen whether the message left.
  bool ask_late(int bytes, char& is_last) {
    MPI_Request control = begin(1, false, TagSequence::of_control(tag_), &is_last);
    wait_for({&control, 1});
    transfer(bytes, false);
    return false;
  }

  MPI_Comm channel_;
  int peer_;
  int tag_;
  bool begins_;
  std::vector<char> buffer_;
  int error_ = MPI_SUCCESS;
};

struct Ends {
  int first = 0;
  int second = 0;  // the same: there is no such pair
};

Ends on_two_nodes(const std::vector<std::int64_t>& node_of_rank) {
  int other = static_cast<int>(node_of_rank.size()) - 1;
  while (other > 0 && node_of_rank[static_cast<std::size_t>(other)] == node_of_rank[0]) --other;
  return {0, other};
}

Ends on_one_node(const std::vector<std::int64_t>& node_of_rank) {
  for (auto first = node_of_rank.begin(); first != node_of_rank.end(); ++first) {
    const auto second = std::find(first + 1, node_of_rank.end(), *first);
    if (second == node_of_rank.end()) continue;
    return {static_cast<int>(first - node_of_rank.begin()),
            static_cast<int>(second - node_of_rank.begin())};
  }
  return {};
}

double time_per_byte(double long_s, double short_s) {
  return std::max(long_s - short_s, 1e-9) / long_bytes;
}

// All that is told to the other ranks; 0: not known.
struct ProbeResult {
  double latency_s, time_per_byte_s, overhead_s, eager_limit_bytes;
  std::array<double, 2> within;  // a node: latency and time per byte
};

// Where this rank is one of the ends. These return MPI error codes.
int measure_between(const Ends& ends, int tag, const Communicator& communicator,
                    ProbeResult& found) {
  const bool begins = communicator.rank == ends.first;
  if (!begins && communicator.rank != ends.second) return MPI_SUCCESS;
  Pair pair(communicator.channel, begins ? ends.second : ends.first, tag, begins);
  found.latency_s = pair.one_way_s(1, short_round_trips);
  found.time_per_byte_s =
      time_per_byte(pair.one_way_s(long_bytes, long_round_trips), found.latency_s);
  found.overhead_s = pair.overhead_s(found.latency_s);
  found.eager_limit_bytes =
      static_cast<double>(pair.eager_limit_bytes(found.latency_s, found.time_per_byte_s));
  return pair.error();
}

int measure_within(const Ends& ends, int tag, const Communicator& communicator,
                   ProbeResult& found) {
  if (ends.first == ends.second) return MPI_SUCCESS;
  const bool begins = communicator.rank == ends.first;
  if (begins || communicator.rank == ends.second) {
    Pair pair(communicator.channel, begins ? ends.second : ends.first, tag, begins);
    const double short_s = pair.one_way_s(1, short_round_trips);
    found.within = {short_s, time_per_byte(pair.one_way_s(long_bytes, long_round_trips), short_s)};
    if (pair.error() != MPI_SUCCESS) return pair.error();
  }
  const bool is_told = communicator.rank == 0;
  if (ends.first == 0 || (!is_told && !begins)) return MPI_SUCCESS;
  Pair pair(communicator.channel, is_told ? ends.first : 0, tag, is_told);
  pair.tell(found.within);
  return pair.error();
}

}  // namespace

int tell_all(void* values, std::int64_t size_bytes, Communicator& communicator) {
  Problem problem;
  problem.ranks = communicator.size;
  problem.size_bytes = size_bytes;
  const Call call{
      .name = "bcast", .collective = Collective::bcast, .output = {values, size_bytes, MPI_BYTE}};
  Decision decision;
  decision.choice = with_defaults(*find_algorithm("bcast/binomial"), problem);
  auto decided = std::make_shared<const Decided>(Decided{problem, std::move(decision)});
  std::optional<Working> working(communicator);
  Request request(communicator.shared_from_this(), call, std::move(decided),
                  std::make_shared<const SettingsInForce>(Settings{}, 0));
  request.begin();
  working.reset();
  return wait_for(request);
}

int probe_network(Communicator& communicator) {
  const std::vector<std::int64_t>& node_of_rank = communicator.places->node_of_rank();
  const int tag = communicator.tags.next();
  ProbeResult found{};
  int error = measure_between(on_two_nodes(node_of_rank), tag, communicator, found);
  if (error != MPI_SUCCESS) return error;
  error = measure_within(on_one_node(node_of_rank), tag, communicator, found);
  if (error != MPI_SUCCESS) return error;
  error = tell_all(&found, sizeof(found), communicator);
  if (error != MPI_SUCCESS) return error;
  Network& network = communicator.network;
  network.latency_s = found.latency_s;
  network.time_per_byte_s = found.time_per_byte_s;
  network.measured_overhead_s = found.overhead_s;
  if (!settings().eager_limit_bytes && found.eager_limit_bytes > 0) {
    network.eager_limit_bytes = static_cast<std::int64_t>(found.eager_limit_bytes);
  }
  if (found.within[0] > 0) {
    network.latency_within_nodes_s = found.within[0];
    network.time_per_byte_within_nodes_s = found.within[1];
  }
  learn_network(network);
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
