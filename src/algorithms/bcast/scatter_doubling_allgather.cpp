// Scatter of one chunk per rank down a binomial tree, then an allgather that doubles what each rank
// holds in every round.
//
// When: medium and long messages on switched networks. Cost: 2 q alpha + 2 (p - 1) / p beta m.
// How: with p a power of two, ranks exchange with the rank that differs in bit k (paper D). Paper D
// then repairs incomplete subtrees in extra rounds, up to 2 floor(log2 p) in all; here any other p
// doubles around the ring instead (receive from r + 2^k), which needs q rounds and no repair.
// Chunks that the receiver has from the scatter are left out.
// Source: paper D, sections 4.2 and 4.3.
#include <algorithm>
#include <array>

#include "algorithms/scatter_allgather.hpp"

namespace anabranch {
namespace {

// What a rank receives in one step of the allgather: chunks first .. first + count - 1, counted
// around the end of the ring.
struct Incoming {
  std::int64_t first;
  std::int64_t count;
};

class Doubling {
 public:
  explicit Doubling(std::int32_t ranks) : ranks_(ranks), in_pairs_((ranks & (ranks - 1)) == 0) {}

  std::int32_t from(std::int32_t rank, std::int32_t step) const {
    const std::int64_t held = std::int64_t{1} << step;
    return static_cast<std::int32_t>(in_pairs_ ? rank ^ held : around(rank + held));
  }
  std::int32_t to(std::int32_t rank, std::int32_t step) const {
    const std::int64_t held = std::int64_t{1} << step;
    return static_cast<std::int32_t>(in_pairs_ ? rank ^ held : around(rank - held + ranks_));
  }

  Incoming incoming(std::int32_t rank, std::int32_t step) const {
    const std::int64_t held = std::int64_t{1} << step;
    const std::int64_t scattered = scattered_chunks(ranks_, rank);
    if (in_pairs_) return {(rank ^ held) & -held, scattered > held ? 0 : held};
    const std::int64_t begin = std::max(held, scattered);
    const std::int64_t end = std::min<std::int64_t>(2 * held, ranks_);
    return {around(rank + begin), std::max<std::int64_t>(end - begin, 0)};
  }

 private:
  std::int64_t around(std::int64_t place) const { return place < ranks_ ? place : place - ranks_; }

  std::int32_t ranks_;
  bool in_pairs_;
};

// Up to two parts, the second one behind the end of the ring.
std::array<BlockSet, 2> parts_of(const Chunks& chunks, const Incoming& incoming) {
  const std::int64_t end = incoming.first + incoming.count;
  const std::int64_t ranks = chunks.ranks;
  return {chunks.range(incoming.first, std::min(end, ranks)),
          chunks.range(0, std::max<std::int64_t>(end - ranks, 0))};
}

Schedule generate(std::int32_t ranks, std::int32_t rank, std::int32_t block_count, Values) {
  const std::int32_t steps = ceil_log2(ranks);
  Builder builder(ranks, rank, 2 * steps, block_count);
  const Chunks chunks(ranks, block_count);
  builder.reserve(static_cast<std::size_t>(3 * steps + 1));
  add_binomial_scatter(builder, chunks, rank);
  const Doubling doubling(ranks);
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t to = doubling.to(rank, step);
    builder.send(steps + step, to, parts_of(chunks, doubling.incoming(to, step)));
    builder.receive(steps + step, doubling.from(rank, step),
                    parts_of(chunks, doubling.incoming(rank, step)));
  }
  return std::move(builder).finish();
}

double cost_s(const Problem& problem, Values) {
  if (problem.ranks == 1) return 0;
  return 2 * binomial_scatter_time_s(problem);
}

}  // namespace

extern const Algorithm bcast_scatter_doubling_allgather = {
    .id = "bcast/scatter_doubling_allgather",
    .summary = "binomial scatter, then an allgather by recursive doubling",
    .source = "paper D, sections 4.2 and 4.3",
    .cost = "2 q alpha + 2 (p - 1) / p beta m",
    .collective = Collective::bcast,
    .blocks = block_per_rank,
    .generate = generate,
    .cost_s = cost_s,
    // Unless p is a power of two, long messages of later rounds can keep short ones waiting.
    .cost_slack = 2,
};

}  // namespace anabranch
