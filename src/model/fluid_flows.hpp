// The transfers that run until the next event: refuses what the model forbids, and finds for how
// long each of them goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/fluid.hpp"

namespace anabranch::fluid {

struct Flow {
  enum class Check : std::uint8_t { open, under_way, passed };
  Rank src;
  Rank dst;
  double position;
  double until;  // of the piece
  double time;   // that it can move on for, as far as its sender's data are known
  Check check;
};

class Flows {
 public:
  // The state must outlive them.
  explicit Flows(const State& state);

  // These instead of those before. Throws std::invalid_argument where the model forbids one.
  void replace(std::span<const Transfer> wanted);

  std::span<const Flow> all() const { return flows_; }

 private:
  void add(const Transfer& transfer);
  double first_missing(Rank dst, const Piece& wanted) const;
  void check_piece(const Flow& flow) const;
  void check_data(std::size_t index);
  void check_supply(Flow& flow, Rank source, double slack);
  [[noreturn]] void lacks_data(const Flow& flow) const;

  const State& state_;
  std::vector<Rank> sends_to_;
  std::vector<Rank> incoming_;  // index in flows_
  std::vector<Flow> flows_;
};

}  // namespace anabranch::fluid
