// Transfers between pairs of ranks, several at once: streams of messages for a given time, and
// round trips. Every rank takes part in those that begin or end at it.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <array>
#include <cstdint>
#include <vector>

#include "bench/clock.hpp"
#include "bench/messages.hpp"

namespace anabranch::bench {

// A stream of messages of chunk_bytes each, or round trips of one byte.
struct Transfer {
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int64_t chunk_bytes = 1;
};

// What came in of a stream, from its last chunk before it had settled to the last in time.
struct Arrived {
  double bytes = 0;
  double span_s = 0;
  double chunks = 0;
};

// Lets others run between polls; where cores are shared it sleeps, for at most a fraction of what a
// message takes.
class Pause {
 public:
  explicit Pause(bool cores_are_shared) : cores_are_shared_(cores_are_shared) {}
  void moved() { polls_ = 0; }
  void take() {
    constexpr int polls_at_first = 20;
    constexpr double sleep_s = 50e-6;
    if (++polls_ > polls_at_first && cores_are_shared_) {
      Clock::sleep_for(sleep_s);
    } else {
      sched_yield();
    }
  }

 private:
  bool cores_are_shared_;
  int polls_ = 0;
};

// Messages under way at once. More than the way holds, few enough that a slow stream ends soon.
constexpr int stream_window = 6;

// A chunk counts as sent when it has been received (MPI_Issend): neither the MPI nor the system can
// hoard any. Behind the last chunk goes an empty message for each receive that is still posted.
class SendingEnd {
 public:
  SendingEnd(const Transfer& transfer, int tag, MPI_Comm comm)
      : transfer_(transfer), tag_(tag), comm_(comm) {
    requests_.fill(MPI_REQUEST_NULL);
    data_.resize(static_cast<std::size_t>(transfer.chunk_bytes));
  }

  // True where something moved.
  bool advance(bool is_over) {
    bool moved = false;
    for (int i = 0; i < stream_window && !is_closed_; ++i) {
      MPI_Request& request = requests_[static_cast<std::size_t>(next_)];
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0) break;
      if (is_over) return close();
      MPI_Issend(data_.data(), static_cast<int>(transfer_.chunk_bytes), MPI_BYTE, transfer_.dst,
                 tag_, comm_, &request);
      next_ = (next_ + 1) % stream_window;
      moved = true;
    }
    return moved;
  }

  bool is_finished() {
    int done = 0;
    if (is_closed_) MPI_Testall(stream_window, requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) MPI_Testall(stream_window, empty_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }

 private:
  bool close() {
    for (MPI_Request& request : empty_) {
      MPI_Isend(data_.data(), 0, MPI_BYTE, transfer_.dst, tag_, comm_, &request);
    }
    is_closed_ = true;
    return true;
  }

  Transfer transfer_;
  int tag_;
  MPI_Comm comm_;
  std::vector<char> data_;
  std::array<MPI_Request, stream_window> requests_{};
  std::array<MPI_Request, stream_window> empty_{};
  int next_ = 0;  // the oldest request
  bool is_closed_ = false;
};

class ReceivingEnd {
 public:
  ReceivingEnd(const Transfer& transfer, int tag, MPI_Comm comm)
      : transfer_(transfer), tag_(tag), comm_(comm) {
    data_.resize(static_cast<std::size_t>(transfer.chunk_bytes) * stream_window);
    for (int i = 0; i < stream_window; ++i) post(i);
  }

  // settled_s, end_s: which chunks count, by the time that they come.
  bool advance(double now_s, double settled_s, double end_s) {
    std::array<int, stream_window> indices{};
    std::array<MPI_Status, stream_window> statuses{};
    int count = 0;
    MPI_Testsome(stream_window, requests_.data(), &count, indices.data(), statuses.data());
    if (count == MPI_UNDEFINED) count = 0;
    for (int i = 0; i < count; ++i) {
      int bytes = 0;
      MPI_Get_count(&statuses[static_cast<std::size_t>(i)], MPI_BYTE, &bytes);
      if (bytes == 0) {
        ++empty_messages_;
        continue;
      }
      take(bytes, now_s, settled_s, end_s);
      post(indices[static_cast<std::size_t>(i)]);
    }
    return count > 0;
  }

  bool is_finished() const { return empty_messages_ == stream_window; }
  const Arrived& arrived() const { return arrived_; }

 private:
  void post(int index) {
    const auto i = static_cast<std::size_t>(index);
    MPI_Irecv(data_.data() + i * static_cast<std::size_t>(transfer_.chunk_bytes),
              static_cast<int>(transfer_.chunk_bytes), MPI_BYTE, transfer_.src, tag_, comm_,
              &requests_[i]);
  }

  void take(int bytes, double now_s, double settled_s, double end_s) {
    if (now_s > end_s) return;
    if (now_s <= settled_s || first_s_ == 0) {
      first_s_ = now_s;
      return;
    }
    arrived_.bytes += bytes;
    arrived_.chunks += 1;
    arrived_.span_s = now_s - first_s_;
  }

  Transfer transfer_;
  int tag_;
  MPI_Comm comm_;
  std::vector<char> data_;
  std::array<MPI_Request, stream_window> requests_{};
  int empty_messages_ = 0;
  double first_s_ = 0;
  Arrived arrived_;
};

// All streams of this rank, for duration_s and until the last of them is empty. Returns what came
// in, by transfer; nothing for those that end elsewhere.
inline std::vector<Arrived> stream(const Messages& messages, const Clock& clock,
                                   const std::vector<Transfer>& transfers, double duration_s,
                                   bool cores_are_shared) {
  constexpr double settling_share = 0.25;
  std::vector<SendingEnd> sending;
  std::vector<ReceivingEnd> receiving;
  std::vector<std::size_t> received;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const int tag = static_cast<int>(i) + 1;
    if (transfers[i].dst == messages.rank()) {
      receiving.emplace_back(transfers[i], tag, messages.comm());
      received.push_back(i);
    }
    if (transfers[i].src == messages.rank()) {
      sending.emplace_back(transfers[i], tag, messages.comm());
    }
  }
  const double start_s = clock.now_s();
  Pause pause(cores_are_shared);
  for (bool is_finished = false; !is_finished;) {
    const double now_s = clock.now_s();
    bool moved = false;
    is_finished = true;
    for (SendingEnd& end : sending) {
      moved = end.advance(now_s > start_s + duration_s) || moved;
      is_finished = end.is_finished() && is_finished;
    }
    for (ReceivingEnd& end : receiving) {
      moved =
          end.advance(now_s, start_s + settling_share * duration_s, start_s + duration_s) || moved;
      is_finished = end.is_finished() && is_finished;
    }
    if (moved) pause.moved();
    if (!is_finished) pause.take();
  }
  std::vector<Arrived> found(transfers.size());
  for (std::size_t i = 0; i < received.size(); ++i) found[received[i]] = receiving[i].arrived();
  return found;
}

// Round trips of a byte over all transfers at once, `count` of each. Returns half of each, by
// transfer; nothing for those that begin elsewhere.
inline std::vector<std::vector<double>> half_round_trips(const Messages& messages,
                                                         const Clock& clock,
                                                         const std::vector<Transfer>& transfers,
                                                         int count) {
  struct Side {
    std::size_t transfer = 0;
    bool is_first = false;
    int peer = 0;
    int left = 0;
    double sent_s = 0;
    char byte = 0;
    MPI_Request coming = MPI_REQUEST_NULL;
  };
  std::vector<Side> sides;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& transfer = transfers[i];
    if (transfer.dst == messages.rank()) sides.push_back({i, false, transfer.src, count});
    if (transfer.src == messages.rank()) sides.push_back({i, true, transfer.dst, count});
  }
  std::vector<std::vector<double>> found(transfers.size());
  // A transfer has two tags: for its first messages, for the answers.
  const auto tag = [](const Side& side, bool is_answer) {
    return 2 * static_cast<int>(side.transfer) + (is_answer ? 2 : 1);
  };
  const auto listen = [&](Side& side) {
    MPI_Irecv(&side.byte, 1, MPI_BYTE, side.peer, tag(side, side.is_first), messages.comm(),
              &side.coming);
  };
  const auto speak = [&](Side& side) {
    const char byte = 1;
    side.sent_s = clock.now_s();
    MPI_Send(&byte, 1, MPI_BYTE, side.peer, tag(side, !side.is_first), messages.comm());
  };
  for (Side& side : sides) {
    listen(side);
    if (side.is_first) speak(side);
  }
  for (std::size_t active = sides.size(); active > 0;) {
    for (Side& side : sides) {
      int done = 0;
      if (side.left > 0) MPI_Test(&side.coming, &done, MPI_STATUS_IGNORE);
      if (done == 0) continue;
      if (side.is_first) found[side.transfer].push_back((clock.now_s() - side.sent_s) / 2);
      --side.left;
      if (side.left > 0) listen(side);
      if (!side.is_first || side.left > 0) speak(side);
      if (side.left == 0) --active;
    }
    sched_yield();
  }
  return found;
}

}  // namespace anabranch::bench
