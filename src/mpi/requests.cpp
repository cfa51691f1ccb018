#include "mpi/requests.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace anabranch::mpi {
namespace {

using Requests = std::vector<std::shared_ptr<Request>>;

std::mutex mutex;
std::atomic<std::size_t> count{0};

// Never destroyed: a program may still communicate while its statics go.
Requests& under_way() {
  static auto* requests = new Requests;
  return *requests;
}

// The lock is not held while they are advanced.
Requests snapshot() {
  const std::lock_guard lock(mutex);
  return under_way();
}

void forget_those_done() {
  Requests done;  // destroyed without the lock: the last one of a communicator frees its channel
  const std::lock_guard lock(mutex);
  const auto end =
      std::ranges::partition(under_way(), [](const auto& one) { return !one->done(); });
  done.assign(std::make_move_iterator(end.begin()), std::make_move_iterator(end.end()));
  under_way().erase(end.begin(), end.end());
  count.store(under_way().size(), std::memory_order_release);
}

}  // namespace

void keep_advancing(std::shared_ptr<Request> request) {
  const std::lock_guard lock(mutex);
  under_way().push_back(std::move(request));
  count.store(under_way().size(), std::memory_order_release);
}

bool advance_requests() {
  if (count.load(std::memory_order_acquire) == 0) return false;
  bool moved = false;
  bool some_are_done = false;
  for (const auto& request : snapshot()) {
    moved = request->advance() || moved;
    some_are_done = some_are_done || request->done();
  }
  if (some_are_done) forget_those_done();
  return moved;
}

int wait_for(Request& request) {
  const auto goes_on = [&] { return !request.done(); };
  const auto advance = [&] {
    const bool moved = request.advance();
    return advance_requests() || moved;
  };
  advance_while(request.waiting(), goes_on, advance, [&] { request.report_no_progress(); });
  return request.error();
}

}  // namespace anabranch::mpi
