#include "mpi/probe_pair.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "execution/tags.hpp"
#include "mpi/functions.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {
namespace {

constexpr int trains = 3;
constexpr std::size_t messages_of_a_train = 32;

}  // namespace

double ProbePair::one_way_s(int bytes, int repetitions) {
  double best_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {  // one more, which makes the connection
    const double begin_s = now_s();
    transfer(bytes, begins_);
    transfer(bytes, !begins_);
    if (i > 0) best_s = std::min(best_s, (now_s() - begin_s) / 2);
  }
  return best_s;
}

double ProbePair::overhead_s(double latency_s) {
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

std::int64_t ProbePair::eager_limit_bytes(double latency_s, double time_per_byte_s,
                                          int most_bytes) {
  constexpr int shortest_bytes = 2048;
  std::int64_t limit_bytes = 0;
  char is_last = 0;
  for (int bytes = shortest_bytes; is_last == 0 && error_ == MPI_SUCCESS; bytes *= 2) {
    const double patience_s = 10 * latency_s + 2 * bytes * time_per_byte_s;
    if (begins_ ? left_unasked(bytes, most_bytes, patience_s, is_last) : ask_late(bytes, is_last)) {
      limit_bytes = bytes;
    }
  }
  return limit_bytes;
}

void ProbePair::tell(std::span<double> values) {
  const int bytes = static_cast<int>(values.size_bytes());
  MPI_Request request = begin(bytes, !begins_, tag_, values.data());
  wait_for({&request, 1});
}

bool ProbePair::is_done(Requests requests) {
  std::array<int, messages_of_a_train> which{};
  int completed = 0;
  check(native.Testsome(static_cast<int>(requests.size()), requests.data(), &completed,
                        which.data(), MPI_STATUSES_IGNORE));
  return std::ranges::all_of(requests, [](MPI_Request one) { return one == MPI_REQUEST_NULL; });
}

void ProbePair::wait_for(Requests requests) {
  Waiter waiter({});
  while (error_ == MPI_SUCCESS && !is_done(requests)) waiter.wait();
}

MPI_Request ProbePair::begin(int bytes, bool sends, int tag, void* place) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (error_ != MPI_SUCCESS) return request;
  check(sends ? native.Isend(place, bytes, MPI_BYTE, peer_, tag, channel_, &request)
              : native.Irecv(place, bytes, MPI_BYTE, peer_, tag, channel_, &request));
  return request;
}

void ProbePair::transfer(int bytes, bool sends) {
  MPI_Request request = begin(bytes, sends, tag_, buffer_.data());
  wait_for({&request, 1});
}

void ProbePair::send_train() {
  std::array<MPI_Request, messages_of_a_train> under_way;
  for (std::size_t i = 0; i < under_way.size(); ++i) {
    under_way[i] = begin(1, begins_, tag_, buffer_.data() + i);
  }
  wait_for(under_way);
}

bool ProbePair::left_unasked(int bytes, int most_bytes, double patience_s, char& is_last) {
  std::array<MPI_Request, 2> both = {begin(bytes, true, tag_, buffer_.data()), MPI_REQUEST_NULL};
  Waiter waiter({});
  const double begin_s = now_s();
  bool has_left = is_done(Requests(both).first(1));
  while (!has_left && error_ == MPI_SUCCESS && now_s() - begin_s < patience_s) {
    waiter.wait();
    has_left = is_done(Requests(both).first(1));
  }
  is_last = !has_left || bytes == most_bytes ? 1 : 0;
  both[1] = begin(1, true, TagSequence::of_control(tag_), &is_last);
  wait_for(both);
  return has_left;
}

bool ProbePair::ask_late(int bytes, char& is_last) {
  MPI_Request control = begin(1, false, TagSequence::of_control(tag_), &is_last);
  wait_for({&control, 1});
  transfer(bytes, false);
  return false;
}

}  // namespace anabranch::mpi
