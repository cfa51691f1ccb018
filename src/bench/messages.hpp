// What the ranks tell each other between the measurements: point-to-point messages on a
// communicator of their own, so that no collective under test is needed to test it. Whoever waits
// here sleeps.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/clock.hpp"

namespace anabranch::bench {

class Messages {
 public:
  Messages() {
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~Messages() { MPI_Comm_free(&comm_); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }

  void send(int dst, const void* data, std::size_t bytes) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, dst, 0, comm_, &request);
    wait_quietly(request);
  }
  void receive(int src, void* data, std::size_t bytes) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, src, 0, comm_, &request);
    wait_quietly(request);
  }
  // As fast as it can be, for what is timed.
  void send_now(int dst, const void* data, std::size_t bytes) const {
    MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, dst, 0, comm_);
  }
  void receive_now(int src, void* data, std::size_t bytes) const {
    MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, src, 0, comm_, MPI_STATUS_IGNORE);
  }

  // One message between any two ranks, so that no measurement pays for making a connection.
  void connect_all() const {
    for (int shift = 1; shift < size_; ++shift) {
      char sent = 0;
      char received = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(&received, 1, MPI_BYTE, (rank_ - shift + size_) % size_, 0, comm_, &request);
      send((rank_ + shift) % size_, &sent, 1);
      wait_quietly(request);
    }
  }

  // From rank 0 to all, along a binomial tree.
  void tell(void* data, std::size_t bytes) const {
    int bit = 1;
    while (bit < size_ && (rank_ & bit) == 0) bit <<= 1;
    if (rank_ != 0) receive(rank_ - bit, data, bytes);
    for (bit >>= 1; bit > 0; bit >>= 1) {
      if (rank_ + bit < size_) send(rank_ + bit, data, bytes);
    }
  }

  // Rank 0 returns when all have called it.
  void report_ready() const {
    char nothing = 0;
    for (int bit = 1; bit < size_; bit <<= 1) {
      if ((rank_ & bit) != 0) return send(rank_ - bit, &nothing, 1);
      if (rank_ + bit < size_) receive(rank_ + bit, &nothing, 1);
    }
  }

  // One value of each rank, in rank order; empty on ranks other than 0.
  template <typename Value>
  std::vector<Value> collect(const Value& own) const {
    if (rank_ != 0) {
      send(0, &own, sizeof(Value));
      return {};
    }
    std::vector<Value> all(static_cast<std::size_t>(size_), own);
    std::vector<MPI_Request> requests(all.size(), MPI_REQUEST_NULL);
    for (int src = 1; src < size_; ++src) {
      const auto i = static_cast<std::size_t>(src);
      MPI_Irecv(&all[i], sizeof(Value), MPI_BYTE, src, 0, comm_, &requests[i]);
    }
    for (MPI_Request& request : requests) wait_quietly(request);
    return all;
  }

 private:
  static void wait_quietly(MPI_Request& request) {
    constexpr int polls_at_first = 20;
    constexpr double shortest_s = 20e-6;
    constexpr double longest_s = 500e-6;
    double pause_s = shortest_s;
    for (int polls = 0;; ++polls) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (polls < polls_at_first) {
        sched_yield();
      } else {
        Clock::sleep_for(pause_s);
        pause_s = std::min(1.5 * pause_s, longest_s);
      }
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace anabranch::bench
