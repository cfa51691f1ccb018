#include "mpi/serve.hpp"

#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "mpi/communicator.hpp"
#include "mpi/deciding.hpp"
#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

// Whether this process may decide: its settings are read and agreed on.
bool is_ready(const Call& call) {
  if (world_started()) return true;
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return false;
  if (!communicator->settings_compared) {
    start_on(call.comm);
    communicator->settings_compared = true;
  }
  return true;
}

// Whether all ranks of the communicator may be served; its channel is open then. Sets `error` when
// opening it failed.
bool is_open(const Call& call, Communicator& communicator, int& error) {
  if (communicator.size == 1 || call.root < 0 || call.root >= communicator.size) return false;
  if (communicator.state == Communicator::Channel::not_tried) {
    error = open_channel(call.comm, communicator);
  }
  return communicator.state == Communicator::Channel::open;
}

// The sizes that all ranks know, where the call may be served at all.
std::optional<Measure> measure_if_served(const Call& call) {
  if (call.comm == MPI_COMM_NULL) return std::nullopt;
  Measure measured;
  if (has_parts(call.collective)) {
    const Communicator* communicator = record_of(call.comm);
    if (communicator == nullptr || communicator->is_inter) return std::nullopt;
    measured = measure(call, communicator->rank, communicator->size);
  } else {
    measured = measure(call, 0, 1);
  }
  const bool is_nothing = measured.size_bytes == 0 && call.sizes == SizeKnowledge::everywhere;
  if (measured.size_bytes < 0 || is_nothing) return std::nullopt;
  return measured;
}

// Tags are used again: not while an operation that had them is under way, or words with them are
// still to come.
int wait_for_tag(Communicator& communicator, std::optional<Working>& working) {
  while (!communicator.next_tag_is_free()) {
    working.reset();
    if (!advance_requests()) sched_yield();
    working.emplace(communicator);
    if (const int error = communicator.mail.look(communicator.channel)) return error;
  }
  return MPI_SUCCESS;
}

// What is decided of a call, and what for.
struct Question {
  const Call& call;
  Measure measure;
  Communicator& communicator;
  const Settings& settings;
  Problem problem = {};

  std::shared_ptr<const Decision> ask() {
    problem = problem_of(call, measure, communicator);
    const Working working(communicator);
    return decide_once(call.collective, problem, communicator, settings);
  }
};

// The decision on the call, once all is known that it depends on; null where nobody here may serve
// it. Sets `error` when that could not be found out.
std::shared_ptr<const Decision> decide_on(Question& question, int& error) {
  Communicator& communicator = question.communicator;
  auto decision = question.ask();
  if (decision->is_native && !decision->needs_network) return decision;
  const bool was_open = communicator.state == Communicator::Channel::open;
  if (!is_open(question.call, communicator, error)) return nullptr;
  return was_open ? decision : question.ask();
}

std::shared_ptr<Request> start_or_throw(const Call& call, int& error) {
  last_choice.algorithm = nullptr;
  // The first test, before anything is asked of the MPI.
  const std::int64_t native_up_to = native_up_to_bytes(call.collective);
  const bool is_never_served = native_up_to == std::numeric_limits<std::int64_t>::max();
  if (world_started() && is_never_served && !settings().explain) return nullptr;
  const std::optional<Measure> measured = measure_if_served(call);
  if (!measured || !is_ready(call)) return nullptr;
  const Settings& active = settings();
  if (measured->size_bytes <= native_up_to_bytes(call.collective) && !active.explain) {
    return nullptr;
  }
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return nullptr;
  const auto owner = communicator->shared_from_this();
  Question question{call, *measured, *communicator, active};
  auto decision = decide_on(question, error);
  if (decision == nullptr) return nullptr;
  std::optional<Working> working(*communicator);
  if (active.explain && !decision->is_led)
    explain(call, question.problem, *communicator, *decision);
  if (decision->is_native) return nullptr;
  error = wait_for_tag(*communicator, working);
  if (error != MPI_SUCCESS) return nullptr;
  auto request = std::make_shared<Request>(owner, call, question.problem, std::move(decision),
                                           settings_in_force());
  return request->begin() ? request : nullptr;
}

}  // namespace

std::shared_ptr<Request> start(const Call& call, int& error) noexcept {
  if (is_forked_child()) return nullptr;
  try {
    return start_or_throw(call, error);
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  return nullptr;
}

Served serve(const Call& call, int& error) noexcept {
  if (const auto request = start(call, error)) {
    error = wait_for(*request);
    if (error == MPI_SUCCESS) last_choice.set(request->choice());
  } else if (error == MPI_SUCCESS) {
    return Served::by_the_mpi;
  }
  if (error != MPI_SUCCESS) native.Comm_call_errhandler(call.comm, error);
  return Served::here;
}

}  // namespace anabranch::mpi
