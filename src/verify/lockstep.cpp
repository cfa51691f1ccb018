#include "verify/lockstep.hpp"

#include <algorithm>

#include "verify/memory.hpp"
#include "verify/violation.hpp"

namespace anabranch::verify {
namespace {

std::string in_round(std::int32_t round) { return " in round " + std::to_string(round); }

class Lockstep {
 public:
  Lockstep(const Program& program, Operands& operands, std::vector<Message>* messages)
      : program_(program), messages_(messages) {
    const auto ranks = static_cast<std::size_t>(program.ranks());
    counts_.rounds = program.rounds();
    counts_.sends.resize(ranks);
    counts_.receives.resize(ranks);
    payloads_.resize(program.size());
    state_.reserve(ranks);
    for (std::int32_t rank = 0; rank < program.ranks(); ++rank) {
      const std::int32_t scratch =
          program.schedule(rank).block_count[static_cast<std::size_t>(Buffer::scratch)];
      counts_.scratch_blocks = std::max(counts_.scratch_blocks, scratch);
      state_.push_back({Memory(program.semantics(), rank, scratch, operands),
                        program.first_of(rank),
                        program.first_of(rank),
                        {},
                        {}});
      state_.back().written_in.resize(state_.back().memory.cells(), -1);
    }
  }

  Counts run() {
    for (round_ = 0; round_ < program_.rounds(); ++round_) {
      for (std::int32_t rank = 0; rank < program_.ranks(); ++rank) begin_round(rank);
      for (std::int32_t rank = 0; rank < program_.ranks(); ++rank) check_messages(rank);
      for (std::int32_t rank = 0; rank < program_.ranks(); ++rank) end_round(rank);
    }
    for (const RankState& state : state_) state.memory.check_result();
    return std::move(counts_);
  }

 private:
  struct RankState {
    Memory memory;
    std::uint32_t begin;  // instances of this round
    std::uint32_t end;
    std::vector<std::int32_t> written_in;  // by cell: the last round so far that receives it
    std::vector<std::uint32_t> put_off;    // copies that wait for the messages of this round
  };
  // Where the blocks of a message are in values_.
  struct Payload {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  RankState& state(std::int32_t rank) { return state_[static_cast<std::size_t>(rank)]; }

  const Operation& operation(std::int32_t rank, const Instance& instance) const {
    return program_.schedule(rank).operations[instance.operation];
  }

  std::span<const Value> payload(std::uint32_t receive) const {
    const Payload& message = payloads_[program_.partner(receive)];
    return {values_.data() + message.first, message.count};
  }

  void expand(std::int32_t rank, const Instance& instance, std::vector<Cell>& cells) {
    const Operation& what = operation(rank, instance);
    cells.clear();
    state(rank).memory.expand(program_.schedule(rank).block_sets_of(what),
                              instance.iteration * what.repeat.block_step, cells);
  }

  void expand_sources(std::int32_t rank, const Operation& copy) {
    sources_.clear();
    state(rank).memory.expand(program_.schedule(rank).sources_of(copy), 0, sources_);
  }

  // Sends take what there was before the round; what is received is only marked.
  void begin_round(std::int32_t rank) {
    RankState& mine = state(rank);
    if (rank == 0) values_.clear();
    std::int32_t sends = 0;
    std::int32_t receives = 0;
    mine.begin = mine.end;
    mine.put_off.clear();
    for (; mine.end < program_.end_of(rank); ++mine.end) {
      const Instance& instance = program_.instance(mine.end);
      if (instance.round != round_) break;
      const Operation& what = operation(rank, instance);
      if (what.kind == Kind::send) {
        ++sends;
        take(rank, instance, payloads_[mine.end]);
      } else if (what.kind == Kind::copy) {
        begin_copy(rank, mine.end);
      } else {
        ++receives;
        expand(rank, instance, cells_);
        mark(rank, what.kind);
      }
    }
    counts_.sends[static_cast<std::size_t>(rank)] += sends;
    counts_.receives[static_cast<std::size_t>(rank)] += receives;
    counts_.transfers += sends;
    counts_.sends_in_a_round = std::max(counts_.sends_in_a_round, sends);
    counts_.receives_in_a_round = std::max(counts_.receives_in_a_round, receives);
  }

  void take(std::int32_t rank, const Instance& instance, Payload& message) {
    expand(rank, instance, cells_);
    message = {values_.size(), cells_.size()};
    counts_.blocks_moved += static_cast<std::int64_t>(cells_.size());
    for (const Cell cell : cells_) values_.push_back(readable(rank, cell, "sends "));
  }

  Value readable(std::int32_t rank, Cell cell, const std::string& verb) {
    RankState& mine = state(rank);
    const Cell cells[1] = {cell};
    if (mine.written_in[static_cast<std::size_t>(cell)] == round_) {
      throw Violation(Fault::not_held, rank_text(rank) + " " + verb + mine.memory.text(cells) +
                                           in_round(round_) +
                                           ", the round in which it is received");
    }
    const Value value = mine.memory.value(cell);
    if (!value.defined()) {
      throw Violation(Fault::not_held, rank_text(rank) + " " + verb + mine.memory.text(cells) +
                                           in_round(round_) + " before it is there");
    }
    return value;
  }

  void mark(std::int32_t rank, Kind kind) {
    RankState& mine = state(rank);
    for (const Cell cell : cells_) {
      auto& written_in = mine.written_in[static_cast<std::size_t>(cell)];
      if (written_in == round_ && kind == Kind::receive) {
        const Cell cells[1] = {cell};
        throw Violation(Fault::overwritten, rank_text(rank) + " writes " + mine.memory.text(cells) +
                                                " twice" + in_round(round_));
      }
      written_in = round_;
    }
  }

  // A copy that touches what is received in this round takes place at its end, like the messages.
  void begin_copy(std::int32_t rank, std::uint32_t index) {
    RankState& mine = state(rank);
    const Instance& instance = program_.instance(index);
    expand(rank, instance, cells_);
    expand_sources(rank, operation(rank, instance));
    const auto is_due_later = [&](Cell cell) {
      return mine.written_in[static_cast<std::size_t>(cell)] == round_;
    };
    if (std::ranges::any_of(cells_, is_due_later) || std::ranges::any_of(sources_, is_due_later)) {
      for (const Cell cell : cells_) mine.written_in[static_cast<std::size_t>(cell)] = round_;
      mine.put_off.push_back(index);
      return;
    }
    copy(rank, operation(rank, instance));
  }

  // Values of sources_ into cells_.
  void copy(std::int32_t rank, const Operation& what) {
    Memory& memory = state(rank).memory;
    std::vector<Value> held;
    for (const Cell cell : sources_) {
      const Cell cells[1] = {cell};
      if (!memory.value(cell).defined()) {
        throw Violation(Fault::not_held, rank_text(rank) + " copies " + memory.text(cells) +
                                             in_round(round_) + " before it is there");
      }
      held.push_back(memory.value(cell));
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (what.combines) {
        memory.set(cells_[i], memory.combined(cells_[i], held[i], OperandOrder::theirs_first,
                                              in_round(round_)));
      } else {
        place(rank, cells_[i], held[i]);
      }
    }
  }

  void place(std::int32_t rank, Cell cell, Value value) {
    Memory& memory = state(rank).memory;
    const std::int32_t room_for = memory.piece_at(cell);
    if (room_for >= 0 && room_for != value.piece) {
      const Cell cells[1] = {cell};
      throw Violation(Fault::mismatch, rank_text(rank) + " puts " + memory.text(value) + " into " +
                                           memory.text(cells) + in_round(round_) +
                                           ", which is for piece " + std::to_string(room_for));
    }
    memory.set(cell, value);
  }

  // Both ends of each message must agree on its blocks, and sizes be known before the round.
  void check_messages(std::int32_t rank) {
    RankState& mine = state(rank);
    for (std::uint32_t index = mine.begin; index < mine.end; ++index) {
      const Instance& instance = program_.instance(index);
      const Operation& what = operation(rank, instance);
      if (!what.receives()) continue;
      const std::uint32_t sender_index = program_.partner(index);
      const std::int32_t sender = program_.peer(what);
      const Instance& sending = program_.instance(sender_index);
      const auto values = payload(index);
      expand(rank, instance, cells_);
      const std::string misfit = mine.memory.misfit(cells_, values);
      const bool same_form = what.carries_sizes == operation(sender, sending).carries_sizes;
      if (!misfit.empty() || !same_form) {
        const std::string mine_text = mine.memory.text(cells_);
        const std::string sizes_text = " and their sizes";
        expand(sender, sending, cells_);
        throw Violation(Fault::mismatch,
                        rank_text(rank) + " receives " + mine_text +
                            (what.carries_sizes ? sizes_text : "") + " from rank " +
                            std::to_string(sender) + in_round(round_) + " but rank " +
                            std::to_string(sender) + " sends " + state(sender).memory.text(cells_) +
                            (same_form || what.carries_sizes ? "" : sizes_text) +
                            (misfit.empty() ? "" : ": " + misfit));
      }
      if (!what.carries_sizes) check_sizes(rank, values);
      if (messages_ != nullptr) record(rank, what, values);
    }
  }

  void record(std::int32_t rank, const Operation& what, std::span<const Value> values) {
    auto& message = messages_->emplace_back();
    message = {round_, program_.peer(what), rank, what.kind == Kind::reduce, {}};
    for (const Value value : values) message.pieces.push_back(value.piece);
  }

  void check_sizes(std::int32_t rank, std::span<const Value> values) {
    for (const Value value : values) {
      if (state(rank).memory.knew_size(value.piece, round_ - 1)) continue;
      throw Violation(Fault::size_unknown,
                      rank_text(rank) + " receives " + state(rank).memory.text(value) +
                          in_round(round_) +
                          ", whose size it does not know and which comes without it");
    }
  }

  void end_round(std::int32_t rank) {
    RankState& mine = state(rank);
    for (std::uint32_t index = mine.begin; index < mine.end; ++index) {
      const Instance& instance = program_.instance(index);
      const Operation& what = operation(rank, instance);
      if (what.kind == Kind::send) continue;
      expand(rank, instance, cells_);
      if (what.kind == Kind::copy) {
        if (std::ranges::find(mine.put_off, index) == mine.put_off.end()) continue;
        expand_sources(rank, what);
        copy(rank, what);
        continue;
      }
      const auto values = payload(index);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Cell cell = cells_[i];
        mine.memory.learn_size(values[i].piece, round_);
        if (what.kind == Kind::reduce) {
          mine.memory.set(cell,
                          mine.memory.combined(cell, values[i], what.order, in_round(round_)));
          continue;
        }
        counts_.redundant_blocks += mine.memory.value(cell) == values[i];
        place(rank, cell, values[i]);
      }
    }
  }

  const Program& program_;
  std::vector<Message>* messages_;
  Counts counts_;
  std::int32_t round_ = 0;
  std::vector<RankState> state_;
  std::vector<Payload> payloads_;  // by instance, of sends
  std::vector<Value> values_;      // of all messages of the round
  std::vector<Cell> cells_;
  std::vector<Cell> sources_;
};

}  // namespace

Counts run_in_lockstep(const Program& program, Operands& operands, std::vector<Message>* messages) {
  return Lockstep(program, operands, messages).run();
}

}  // namespace anabranch::verify
