#include "mpi/request.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <new>
#include <utility>

#include "algorithms/instantiate.hpp"
#include "execution/header.hpp"
#include "mpi/checks.hpp"
#include "mpi/deciding.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"

namespace anabranch::mpi {
namespace {

// No exception may leave a request: it may be advanced from any call of the program.
template <typename Work>
int error_of(Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

}  // namespace

Request::Request(std::shared_ptr<Communicator> communicator, const Call& call,
                 std::shared_ptr<const Decided> decided,
                 std::shared_ptr<const SettingsInForce> in_force, std::shared_ptr<Balance> balance,
                 std::shared_ptr<const RankOrder> order)
    : communicator_(std::move(communicator)),
      in_force_(std::move(in_force)),
      decided_(std::move(decided)),
      balance_(std::move(balance)),
      view_(call, {communicator_->channel, communicator_->size, call.root, std::move(order)},
            communicator_->rank),
      error_(describe(view_, elements_)),
      buffers_(view_, elements_) {}

bool Request::begin() {
  bool is_refused = false;
  const int error = error_of([&]() -> int {
    // Where the root announces a size, a rank whose arguments are wrong takes a tag like the
    // others, who may not know of it. What it is sent then lies in the MPI, and whom it should pass
    // it on to waits, as for any rank that does not call.
    if (decision().has_announced_size) tag_ = communicator_->tags.next();
    is_refused = error_ != MPI_SUCCESS || is_wrong(view_, elements_);
    if (is_refused) return MPI_SUCCESS;
    if (!decision().has_announced_size) tag_ = communicator_->tags.next();
    return begin_or_fail();
  });
  if (is_refused || error != MPI_SUCCESS) end(error);
  return !is_refused;
}

int Request::begin_or_fail() {
  if (!decision().has_announced_size) return run();
  announced_.begin_s = wall_s();
  if (view_.is_root()) {
    announced_.total_bytes = measure_own(view_.call(), view_.rank(), view_.group().size).size_bytes;
    return learn_size();
  }
  phase_ = Phase::awaits_size;
  return MPI_SUCCESS;
}

// All decide again, of a problem with the size that the root told.
int Request::learn_size() {
  const Measure told{.size_bytes = announced_.total_bytes,
                     .equal_parts = decided_->problem.equal_blocks};
  decided_ = decide_once(view_.call(), told, *communicator_, *in_force_).decided;
  if (settings().explain) explain(view_.call(), *decided_, *communicator_);
  return run();
}

int Request::run() {
  Communicator& communicator = *communicator_;
  if (const int error = communicator.pending_control.look(communicator.channel)) return error;
  if (const int error = buffers_.fetch(decision().blocks)) return error;
  const Group group{.ranks = view_.group().size,
                    .rank = view_.relative(),
                    .root = view_.group().root,
                    .keeps_operand_order = !decided_->problem.commutative,
                    .places = communicator.places};
  execution_ = instantiate(decision().choice, group, decision().blocks,
                           {.problem = decided_->problem,
                            .window = settings().window,
                            .tag = tag_,
                            .cache = &schedule_cache(),
                            .pushed_bytes = communicator.pending_control.pushed_bytes(),
                            .expected_spread_s = balance_ ? balance_->expected_spread_s() : 0});
  const Schedule* schedule = execution_->schedule();
  const bool carries_sizes =
      schedule != nullptr && std::ranges::any_of(schedule->operations, &Operation::carries_sizes);
  buffers_.make_scratch(execution_->scratch_blocks(), carries_sizes);
  if (!settings().trace.empty()) {
    recording_.emplace(settings().trace,
                       Recording::Subject{communicator.number, communicator.served,
                                          decision().choice.algorithm->id,
                                          decided_->problem.size_bytes, view_.group().size,
                                          view_.rank(), view_.group().root, announced_.begin_s});
  }
  ++communicator.served;
  driver_.emplace(Driven{.execution = *execution_,
                         .memory = buffers_.memory(),
                         .group = view_.group(),
                         .op = view_.call().op,
                         .announced = announced_.begin_s > 0 ? &announced_ : nullptr,
                         .recording = recording_ ? &*recording_ : nullptr});
  phase_ = Phase::running;
  if (const int error = driver_->start()) return error;
  return driver_->done() ? finish() : MPI_SUCCESS;
}

bool Request::advance() {
  std::atomic_flag& is_worked_on = communicator_->is_worked_on;
  if (done() || is_worked_on.test_and_set(std::memory_order_acquire)) return false;
  bool moved = false;
  const int error =
      error_of([&]() -> int { return done() ? MPI_SUCCESS : advance_or_fail(moved); });
  if (error != MPI_SUCCESS) end(error);
  is_worked_on.clear(std::memory_order_release);
  return moved || error != MPI_SUCCESS;
}

int Request::advance_or_fail(bool& moved) {
  if (phase_ == Phase::awaits_size) return await_size(moved);
  if (const int error = driver_->advance(moved)) return error;
  return driver_->done() ? finish() : MPI_SUCCESS;
}

int Request::await_size(bool& moved) {
  const MPI_Comm channel = view_.group().channel;
  if (first_.request == MPI_REQUEST_NULL) {
    const int error = receive_sized(buffers_.memory(), channel, MPI_ANY_SOURCE, tag_, first_);
    if (error != MPI_SUCCESS || first_.request == MPI_REQUEST_NULL) return error;
  }
  int completed = 0;
  int index = 0;
  MPI_Status status;
  const int error = native.Testsome(1, &first_.request, &completed, &index, &status);
  if (error != MPI_SUCCESS) return error == MPI_ERR_IN_STATUS ? status.MPI_ERROR : error;
  if (completed == 0) return MPI_SUCCESS;
  moved = true;
  const Iovec& message = first_.message;
  const auto header =
      read_header({message.address, static_cast<std::size_t>(message.count)}, true, 0);
  if (!header) return MPI_ERR_INTERN;
  announced_.total_bytes = *header->total_bytes;
  announced_.first = message;
  announced_.first_peer = first_.peer;
  return learn_size();
}

int Request::finish() {
  note_balance();
  driver_->hand_over(communicator_->pending_control, decided_->problem.size_bytes);
  const Algorithm* algorithm = decision().choice.algorithm;
  if (settings().explain && view_.is_root() && algorithm->is_protocol()) {
    communicator_->late_ranks[algorithm].explain(driver_->skew(), decision(), view_.rank());
  }
  const int error = buffers_.store();
  end(error);
  return error;
}

void Request::note_balance() {
  if (balance_ == nullptr) return;
  if (view_.relative() == 0) {
    balance_->note_spread(driver_->skew().arrival_s, decision().predicted_s.value_or(0));
  }
  const bool is_changed = balance_->saw(execution_->served_all_together());
  const auto changes = static_cast<std::uint64_t>(balance_->changes());
  // Ever more rarely, where it changes often: there and back.
  if (is_changed && std::has_single_bit((changes + 1) / 2) && settings().explain &&
      communicator_->rank == 0) {
    explain_balance(view_.call(), *decided_, *balance_, *communicator_);
  }
}

void Request::end(int error) {
  error_ = error;
  if (first_.request != MPI_REQUEST_NULL) {
    native.Request_free(&first_.request);
    buffers_.memory().temporary().keep_for_ever();
  }
  driver_.reset();
  recording_.reset();
  communicator_->tags.give_back(tag_);
  phase_ = Phase::done;
}

void Request::report_no_progress() const {
  const std::string what = driver_ ? driver_->waits_for() : " receives from any rank";
  const std::string name =
      driver_ ? std::string(decision().choice.algorithm->id) : std::string(view_.call().name);
  std::fprintf(stderr, "anabranch: watchdog: rank %d of %d makes no progress in %s, root %d:%s\n",
               view_.rank(), view_.group().size, name.c_str(), view_.group().root, what.c_str());
}

}  // namespace anabranch::mpi
