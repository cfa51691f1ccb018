#include "mpi/serve.hpp"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/deciding.hpp"
#include "mpi/decision_check.hpp"
#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/guard.hpp"
#include "mpi/link_probe.hpp"
#include "mpi/requests.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"
#include "mpi/summary.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {
namespace {

// Before MPI_Init (there may be sessions), the ranks of a communicator compare their settings at
// their first call on it. Whether this process may decide then.
bool start_before_world(MPI_Comm comm) {
  Communicator* communicator = record_of(comm);
  if (communicator == nullptr || communicator->is_inter) return false;
  if (!communicator->settings_compared) {
    start_on(comm);
    communicator->settings_compared = true;
  }
  return true;
}

// Whether all ranks of the communicator may be served; its channel is open then. Sets `error` when
// opening it failed.
bool open_for(const Call& call, Communicator& communicator, int& error) {
  if (communicator.size == 1) return false;
  if (communicator.state == Communicator::Channel::not_tried) {
    error = open_channel(call.comm, communicator);
  }
  return communicator.state == Communicator::Channel::open;
}

// As long as that goes on, which the watchdog tells as `subject`. Others may work on the
// communicator meanwhile.
template <typename GoesOn>
void wait_while(GoesOn goes_on, const std::string& subject, Communicator& communicator,
                std::optional<Working>& working) {
  const auto looks = [&] {
    if (!working) working.emplace(communicator);
    const bool is_on = goes_on();
    if (is_on) working.reset();
    return is_on;
  };
  const auto tell = [&] {
    std::fprintf(stderr, "anabranch: watchdog: rank %d of %d waits for %s\n", communicator.rank,
                 communicator.size, subject.c_str());
  };
  advance_while({settings().wait, settings().watchdog_s}, looks, advance_requests, tell);
}

// Tags are used again: not while a collective that had them is under way, or control messages with
// them are still to come.
int wait_for_tag(Communicator& communicator, std::optional<Working>& working) {
  if (communicator.next_tag_is_free()) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  const auto goes_on = [&] {
    error = communicator.pending_control.look(communicator.channel);
    return error == MPI_SUCCESS && !communicator.next_tag_is_free();
  };
  wait_while(goes_on, "what is left of the collective that had the next tag", communicator,
             working);
  return error;
}

// A sum that began so many calls before.
void wait_for(SumBeside& sum, std::int64_t calls, const std::string& subject,
              Communicator& communicator, std::optional<Working>& working) {
  const auto goes_on = [&] { return sum.look() == MPI_SUCCESS && sum.is_under_way(); };
  wait_while(
      goes_on,
      "a rank that is more than " + std::to_string(calls) + " calls behind (" + subject + ")",
      communicator, working);
}

// Of the next call's time to that of the first one of the class.
double scale_of(const GuardedClass& guarded, const Decision& decision) {
  const std::size_t contender = guarded.trial.serving();
  const auto price_s = contender > 0 ? price_of(*guarded.rivals[contender - 1].algorithm, decision)
                                     : decision.predicted_s;
  return price_s && *price_s > 0 ? guarded.price_s[contender] / *price_s : 1;
}

// Which contender serves the next call. looks: where the choice would tell whether ranks come late.
std::size_t contender_of(Trial& trial, const Balance* looks) {
  // Of a favourite that waits for the late: they have come twice, which one call may do.
  constexpr std::int32_t late_until_anew = 2;
  if (looks == nullptr || trial.is_in_turn() || trial.favourite() == 0) return trial.serving();
  if (looks->late_in_a_row() >= late_until_anew && trial.is_between_rounds()) trial.begin_anew();
  return 0;
}

// Looks of a choice that lost a round cost what it lost by.
void note_verdict(const Trial::Verdict& verdict, Balance* balance) {
  const bool is_of_choice = verdict.winner == 0 || verdict.other == 0;
  if (balance == nullptr || verdict.pairs == 0 || !is_of_choice) return;
  balance->note_cost_of_looks(verdict.winner == 0 ? 0 : verdict.times_as_fast - 1);
}

// What serves the next call of the class: the choice, or a rival whose turn it is. looks: as above.
std::shared_ptr<const Decided> begin_turn(const Call& call, Communicator::Remembered& remembered,
                                          std::shared_ptr<const Decided> choice,
                                          const Balance* looks, Communicator& communicator,
                                          const Settings& settings,
                                          std::optional<Working>& working) {
  GuardedClass& guarded = *remembered.guarded;
  Trial& trial = guarded.trial;
  guarded.sum->look();
  if (trial.needs_sums()) {
    wait_for(*guarded.sum, Trial::calls_until_known, guarded.subject, communicator, working);
    const Trial::Verdict verdict = trial.conclude(guarded.sum->sums());
    note_verdict(verdict, remembered.balance.get());
    if (settings.explain) explain(guarded, verdict, communicator);
  }
  const std::size_t contender = contender_of(trial, looks);
  auto serving = contender > 0 ? decided_for(guarded.rivals[contender - 1], remembered) : choice;
  upcoming_turn.communicator = &communicator;
  upcoming_turn.guarded = &guarded;
  if (contender == 0) upcoming_turn.looks = looks;
  if (trial.is_timed()) {
    const bool is_root = communicator.rank == call.root;
    const double weight = weight_in_sums(call.collective, is_root, communicator.size);
    upcoming_turn.scale = serving != nullptr ? weight * scale_of(guarded, choice->decision) : 0;
    upcoming_turn.begin_s = now_s();
  }
  return serving != nullptr ? serving : std::move(choice);
}

// In which order ranks are expected to come to the next call; null while nobody knows.
std::shared_ptr<const RankOrder> expected_order(SortedClass& sorted, const Decision& decision,
                                                Communicator& communicator,
                                                std::optional<Working>& working) {
  upcoming_turn.communicator = &communicator;
  upcoming_turn.sorted = &sorted;
  upcoming_turn.came_s = now_s();
  if (sorted.order.needs_times()) {
    wait_for(*sorted.sum, ArrivalOrder::calls_until_known, text_of(decision.choice), communicator,
             working);
    sorted.order.learn(sorted.sum->sums());
  } else {
    sorted.sum->look();
  }
  return sorted.order.order();
}

// What serves the next call, and who is to be told whether all ranks came together: nobody where
// they are expected to. Held, as others may forget it while the call waits for a tag.
std::pair<std::shared_ptr<const Decided>, std::shared_ptr<Balance>> serving_now(
    const Communicator::Remembered& remembered, Communicator& communicator) {
  const auto& balance = remembered.balance;
  if (balance == nullptr || !balance->expects_all()) return {remembered.decided, balance};
  upcoming_turn.communicator = &communicator;
  upcoming_turn.passed = balance.get();
  return {remembered.while_balanced, nullptr};
}

// What is done with a call that is native while nobody knows the network.
enum class ShortCall : std::uint8_t { stays_native, is_decided, opens_channel };

// The network becomes known by a long call, or after so many short ones. Sums that began natively
// stay so, as their bits may change with the algorithm.
ShortCall short_call(const Call& call, Communicator& communicator) {
  if (call.sizes != SizeKnowledge::everywhere) return ShortCall::stays_native;
  const std::uint32_t kind = 1U << static_cast<unsigned>(call.collective);
  if (is_known(communicator.network)) {
    const bool stays = (communicator.native_sums & kind) != 0 && !is_exact(call);
    return stays ? ShortCall::stays_native : ShortCall::is_decided;
  }
  if (communicator.state != Communicator::Channel::not_tried || communicator.size <= 2) {
    return ShortCall::stays_native;
  }
  const std::uint32_t native_sum = is_exact(call) ? 0 : kind;
  const bool is_last = communicator.short_calls + 1 >= Communicator::short_calls_until_look;
  if (is_last && native_sum == 0) return ShortCall::opens_channel;
  upcoming_turn = {.communicator = &communicator, .is_short = true, .native_sum = native_sum};
  return ShortCall::stays_native;
}

// The links were measured. Where they differ, all is decided anew but sums whose bits would change.
void learn_links(Communicator& communicator, const Communicator::Known& before) {
  forget_decisions(communicator);
  if (!communicator.links_differ) return;
  if (communicator.has_decided_sums) communicator.known_to_sums = before;
  communicator.explained.clear();
  communicator.forget_trials();  // prices by which its classes compare calls have changed
}

// Serves the call unless it is to stay native, which is decided once all is known that it depends
// on. Sets `error` when that could not be found out.
std::shared_ptr<Request> start_unless_native(const Call& call, const Measure& measured,
                                             Communicator& communicator,
                                             const SettingsInForce& in_force, bool opens_channel,
                                             int& error) {
  if (call.root < 0 || call.root >= communicator.size) return nullptr;
  // This thread may look again below, after another one has changed them.
  const auto held = in_force.shared_from_this();
  std::optional<Working> working(communicator);
  const auto ask = [&]() -> auto& { return decide_once(call, measured, communicator, in_force); };
  const auto compare = [&](const Decided& decided) {
    working.reset();  // ranks wait for each other
    compare_decisions(call, decided);
    working.emplace(communicator);
  };
  Communicator::Remembered* remembered = &ask();
  const bool is_open = communicator.state == Communicator::Channel::open;
  if (in_force.settings.check_decisions && !is_open) {
    compare(*std::shared_ptr(remembered->decided));
    remembered = &ask();
  }
  const Decision& first = remembered->decided->decision;
  const bool is_final = first.is_native && !first.needs_network;
  if ((!is_final || opens_channel) && communicator.state != Communicator::Channel::open) {
    working.reset();  // ranks wait for each other
    if (!open_for(call, communicator, error)) return nullptr;
    working.emplace(communicator);
    forget_decisions(communicator);
    communicator.explained.clear();
    remembered = &ask();
  }
  if (const std::int64_t bytes = remembered->decided->decision.link_probe_bytes;
      bytes > 0 && !communicator.links_known && communicator.state == Communicator::Channel::open) {
    const Communicator::Known before{communicator.network, communicator.planned};
    working.reset();  // ranks wait for each other
    error = probe_links(communicator, bytes, measured.size_bytes);
    if (error != MPI_SUCCESS) return nullptr;
    working.emplace(communicator);
    learn_links(communicator, before);
    remembered = &ask();
  }
  auto [shared, balance] = serving_now(*remembered, communicator);
  if (in_force.settings.explain && !shared->decision.has_announced_size)
    explain(call, *shared, communicator);
  if (remembered->guarded != nullptr && communicator.state == Communicator::Channel::open) {
    shared = begin_turn(call, *remembered, std::move(shared), balance.get(), communicator,
                        in_force.settings, working);
    if (shared != remembered->decided) balance = nullptr;  // a rival's call tells nothing
  }
  SortedClass* const sorted =
      shared->decision.choice.algorithm->for_sorted_ranks ? remembered->sorted : nullptr;
  if (in_force.settings.check_decisions) compare(*shared);
  if (shared->decision.is_native) return nullptr;
  std::shared_ptr<const RankOrder> order;
  if (sorted != nullptr) order = expected_order(*sorted, shared->decision, communicator, working);
  error = wait_for_tag(communicator, working);
  if (error != MPI_SUCCESS) return nullptr;
  auto request = std::make_shared<Request>(communicator.shared_from_this(), call, shared, held,
                                           balance, std::move(order));
  return request->begin() ? request : nullptr;
}

std::shared_ptr<Request> start_or_throw(const Call& call, int& error) {
  last_choice.algorithm = nullptr;
  if (call.comm == MPI_COMM_NULL) return nullptr;
  if (!world_started() && !start_before_world(call.comm)) return nullptr;
  const SettingsInForce& in_force = settings_in_force();
  const auto collective = static_cast<std::size_t>(call.collective);
  const std::int64_t native_up_to = in_force.native_up_to[collective];
  const bool is_told = in_force.settings.explain || in_force.settings.check_decisions;
  if (native_up_to == std::numeric_limits<std::int64_t>::max() && !is_told) return nullptr;
  Communicator* communicator = record_of(call.comm);
  if (communicator == nullptr || communicator->is_inter) return nullptr;
  const Measure measured = measure(call, communicator->rank, communicator->size);
  const bool is_nothing = measured.size_bytes == 0 && call.sizes == SizeKnowledge::everywhere;
  if (measured.size_bytes < 0 || is_nothing) return nullptr;
  if (measured.size_bytes <= native_up_to && !is_told) return nullptr;
  bool opens_channel = false;
  bool is_for_all = measured.size_bytes > native_up_to;  // not one rank's, to explain it
  if (is_for_all && measured.size_bytes <= in_force.native_before[collective]) {
    const ShortCall what = short_call(call, *communicator);
    const bool is_explained = is_told && !is_known(communicator->network);
    if (what == ShortCall::stays_native) {
      if (!is_explained) return nullptr;
      is_for_all = false;
    }
    opens_channel = what == ShortCall::opens_channel;
  }
  auto request = start_unless_native(call, measured, *communicator, in_force, opens_channel, error);
  if (is_for_all && !is_exact(call)) communicator->has_decided_sums = true;
  return request;
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
    Turn turn = std::exchange(upcoming_turn, {});
    error = wait_for(*request);
    if (turn.communicator != nullptr) turn.end();
    if (error == MPI_SUCCESS) {
      last_choice.set(request->decision().choice);
      note_served(request->decision());
    }
  } else if (error == MPI_SUCCESS) {
    return Served::by_the_mpi;
  }
  if (error != MPI_SUCCESS) upcoming_turn = {};
  if (error != MPI_SUCCESS) native.Comm_call_errhandler(call.comm, error);
  return Served::here;
}

}  // namespace anabranch::mpi
