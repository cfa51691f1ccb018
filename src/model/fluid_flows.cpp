#include "model/fluid_flows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/fluid_refusals.hpp"

namespace anabranch::fluid {
namespace {

constexpr Rank nobody = -1;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

Flows::Flows(const State& state)
    : state_(state), sends_to_(at(state.ranks()), nobody), incoming_(at(state.ranks()), nobody) {}

void Flows::replace(std::span<const Transfer> wanted) {
  for (const Flow& flow : flows_) {
    sends_to_[at(flow.src)] = nobody;
    incoming_[at(flow.dst)] = nobody;
  }
  flows_.clear();
  for (const Transfer& transfer : wanted) add(transfer);
  for (std::size_t i = 0; i < flows_.size(); ++i) check_data(i);
}

void Flows::add(const Transfer& transfer) {
  const auto [src, dst, piece] = transfer;
  for (const Rank rank : {src, dst}) {
    if (rank < 0 || rank >= state_.ranks()) refuse(state_, "there is no " + process(rank));
  }
  if (src == dst) refuse(state_, process(src) + " sends to itself");
  if (!state_.arrived(src)) refuse(state_, process(src) + " sends before it has arrived");
  if (state_.left(src)) refuse(state_, process(src) + " sends after it has left");
  if (state_.left(dst)) {
    refuse(state_, process(src) + " sends to " + process(dst) + ", which has left");
  }
  if (!state_.reachable(dst)) {
    refuse(state_, process(src) + " sends to " + process(dst) + ", which has not arrived");
  }
  if (sends_to_[at(src)] != nobody) {
    refuse(state_, process(src) + " sends to " + std::to_string(sends_to_[at(src)]) + " and " +
                       std::to_string(dst) + " at once");
  }
  if (incoming_[at(dst)] != nobody) {
    refuse(state_, process(dst) + " receives from " +
                       std::to_string(flows_[at(incoming_[at(dst)])].src) + " and " +
                       std::to_string(src) + " at once");
  }
  const Piece wanted = piece.first < 0 ? Piece{state_.prefix(dst), 1} : piece;
  sends_to_[at(src)] = dst;
  incoming_[at(dst)] = static_cast<Rank>(flows_.size());
  flows_.push_back({src, dst, first_missing(dst, wanted), wanted.last, 0, Flow::Check::open});
  check_piece(flows_.back());
}

// Where the receiver's data end that begin no later than the piece does: it may hold some of it
// already, since a policy names the same piece until it is through.
double Flows::first_missing(Rank dst, const Piece& wanted) const {
  for (const Piece& held : state_.pieces(dst)) {
    if (held.first > wanted.first + state_.tolerance()) break;
    if (held.last >= wanted.first - state_.tolerance()) return std::max(held.last, wanted.first);
  }
  return wanted.first;
}

void Flows::check_piece(const Flow& flow) const {
  const double slack = state_.tolerance();
  bool is_new = flow.until > flow.position;
  for (const Piece& held : state_.pieces(flow.dst)) {
    if (held.first > flow.position + slack && held.first < flow.until - slack) is_new = false;
  }
  if (!is_new) {
    refuse(state_, process(flow.src) + " sends to " + process(flow.dst) + " what that has already");
  }
  if (!(flow.position >= 0 && flow.until <= 1)) {
    refuse(state_, process(flow.src) + " sends from " + shown(flow.position) + " to " +
                       shown(flow.until) + ", and the message ends at 1");
  }
}

// Finds for how long the sender's data last: those it holds, or those that it is receiving at
// this very place, if these come from somewhere.
void Flows::check_data(std::size_t index) {
  Flow& flow = flows_[index];
  if (flow.check == Flow::Check::passed) return;
  if (flow.check == Flow::Check::under_way) lacks_data(flow);  // a circle: nobody has it
  flow.check = Flow::Check::under_way;
  flow.time = flow.until - flow.position;
  const double slack = state_.tolerance();
  if (flow.time > slack) check_supply(flow, incoming_[at(flow.src)], slack);
  flow.check = Flow::Check::passed;
}

void Flows::check_supply(Flow& flow, Rank source, double slack) {
  double end = flow.position;
  for (const Piece& held : state_.pieces(flow.src)) {
    if (held.first <= flow.position + slack && held.last >= flow.position - slack) {
      end = std::max(end, held.last);
    }
  }
  const bool follows = source != nobody && std::abs(flows_[at(source)].position - end) <= slack;
  if (end <= flow.position + slack) {
    if (!follows) lacks_data(flow);
    check_data(at(source));
  }
  // Where the sender's own data grow, the end of their flow is an event of its own.
  if (!follows) flow.time = std::min(flow.time, end - flow.position);
}

void Flows::lacks_data(const Flow& flow) const {
  refuse(state_, process(flow.src) + " sends to " + process(flow.dst) + " from " +
                     shown(flow.position) + " on, which it neither has nor is receiving");
}

}  // namespace anabranch::fluid
