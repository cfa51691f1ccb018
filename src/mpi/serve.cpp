#include "mpi/serve.hpp"

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

// Of a call that ends in the MPI before anything is known of the network.
void explain_native(const Call& call, const Measure& measure, const Settings& settings) {
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return;
  const Problem problem = problem_of(call, measure, *communicator);
  explain(call, problem, *communicator,
          *decide_once(call.collective, problem, *communicator, settings));
}

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

// The call's communicator if all its ranks may be served, null if the call is the MPI's to serve.
// Sets `error` when opening its channel failed.
Communicator* open_communicator(const Call& call, int& error) {
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter || communicator->size == 1) return nullptr;
  if (call.root < 0 || call.root >= communicator->size) return nullptr;
  if (communicator->state == Communicator::Channel::not_tried) {
    error = open_channel(call.comm, *communicator);
  }
  return communicator->state == Communicator::Channel::open ? communicator : nullptr;
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

std::shared_ptr<Request> start_or_throw(const Call& call, int& error) {
  last_choice.algorithm = nullptr;
  // The first test, before anything is asked of the MPI.
  if (world_started() && always_stays_native(call.collective, settings()) && !settings().explain) {
    return nullptr;
  }
  const std::optional<Measure> measured = measure_if_served(call);
  if (!measured || !is_ready(call)) return nullptr;
  const Settings& active = settings();
  if (stays_native(call.collective, measured->size_bytes, active)) {
    if (active.explain) explain_native(call, *measured, active);
    return nullptr;
  }
  Communicator* communicator = open_communicator(call, error);
  if (communicator == nullptr) return nullptr;
  const auto owner = communicator->shared_from_this();
  const Problem problem = problem_of(call, *measured, *communicator);
  std::optional<Working> working(*communicator);
  auto decision = decide_once(call.collective, problem, *communicator, active);
  if (active.explain && !decision->is_led) explain(call, problem, *communicator, *decision);
  if (decision->choice.algorithm->is_native()) return nullptr;
  error = wait_for_tag(*communicator, working);
  if (error != MPI_SUCCESS) return nullptr;
  auto request =
      std::make_shared<Request>(owner, call, problem, std::move(decision), settings_in_force());
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
