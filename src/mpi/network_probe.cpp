#include "mpi/network_probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

constexpr int short_round_trips = 32;
constexpr int long_round_trips = 3;
constexpr int long_bytes = 32 * 1024;

// One end of the measurement. Remembers the first error; after it nothing is sent.
class Pair {
 public:
  Pair(MPI_Comm channel, int peer, int tag, bool begins)
      : channel_(channel), peer_(peer), tag_(tag), begins_(begins), buffer_(long_bytes) {}

  // Half of the shortest round trip, s. Counts at the end that begins.
  double one_way_s(int bytes, int repetitions) {
    double best_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= repetitions; ++i) {  // one more, which makes the connection
      const auto start = std::chrono::steady_clock::now();
      transfer(bytes, begins_);
      transfer(bytes, !begins_);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (i > 0) best_s = std::min(best_s, took.count() / 2);
    }
    return best_s;
  }

  int error() const { return error_; }

 private:
  void transfer(int bytes, bool sends) {
    if (error_ != MPI_SUCCESS) return;
    MPI_Request request = MPI_REQUEST_NULL;
    error_ = sends ? native.Isend(buffer_.data(), bytes, MPI_BYTE, peer_, tag_, channel_, &request)
                   : native.Irecv(buffer_.data(), bytes, MPI_BYTE, peer_, tag_, channel_, &request);
    Waiter waiter({});
    for (int completed = 0; error_ == MPI_SUCCESS && completed == 0;) {
      int index = 0;
      error_ = native.Testsome(1, &request, &completed, &index, MPI_STATUSES_IGNORE);
      if (completed == 0) waiter.wait();
    }
  }

  MPI_Comm channel_;
  int peer_;
  int tag_;
  bool begins_;
  std::vector<char> buffer_;
  int error_ = MPI_SUCCESS;
};

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
  const int first = 0;
  const int last = communicator.size - 1;
  const int tag = communicator.tags.next();
  std::array<double, 2> measured = {0, 0};
  if (communicator.rank == first || communicator.rank == last) {
    const bool begins = communicator.rank == first;
    Pair pair(communicator.channel, begins ? last : first, tag, begins);
    const double short_s = pair.one_way_s(1, short_round_trips);
    const double long_s = pair.one_way_s(long_bytes, long_round_trips);
    measured = {short_s, std::max(long_s - short_s, 1e-9) / long_bytes};
    if (pair.error() != MPI_SUCCESS) return pair.error();
  }
  if (const int error = tell_all(measured.data(), sizeof(measured), communicator)) return error;
  communicator.network.latency_s = measured[0];
  communicator.network.time_per_byte_s = measured[1];
  learn_network(communicator.network);
  return MPI_SUCCESS;
}

}  // namespace anabranch::mpi
