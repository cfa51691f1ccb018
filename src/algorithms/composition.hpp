// Algorithms made of two others, of which the second one goes on with the blocks that the first one
// leaves: block by block, not after a barrier.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/backwards.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/parts.hpp"
#include "algorithms/scatter_allgather.hpp"
#include "schedule/builder.hpp"

namespace anabranch {

// An algorithm with its parameters at their defaults, as a component of others.
struct Component {
  const Algorithm& algorithm;

  Schedule generate(const Group& group, std::int32_t blocks) const {
    return make_schedule(algorithm, group, blocks,
                         with_defaults(algorithm, of(group.ranks)).values);
  }
  std::int32_t blocks(const Problem& problem) const {
    return algorithm.blocks(problem, with_defaults(algorithm, problem).values);
  }
  double cost_s(const Problem& problem) const {
    return algorithm.cost_s(problem, with_defaults(algorithm, problem).values);
  }
  // As `generate` makes it, in segments that suit the problem.
  Choice choice_for(const Problem& problem) const {
    Choice choice = with_defaults(algorithm, of(problem.ranks));
    const Choice suited = with_defaults(algorithm, problem);
    const bool is_in_segments =
        segment_for(algorithm, problem, algorithm.blocks(problem, suited.values)).has_value();
    if (is_in_segments) choice.values[0] = suited.values[0];
    return choice;
  }
  // Of what `generate` makes with so many blocks. Where each rank takes care of some of them, or
  // they are cut in halves, as if all had as many as the first one.
  double cost_in_blocks_s(Problem problem, std::int32_t blocks) const {
    const bool is_by_rank =
        algorithm.blocks == block_per_rank || algorithm.blocks == segmented_blocks_of_parts;
    if (is_by_rank || algorithm.blocks == two_blocks) {
      const std::int32_t chunks = is_by_rank ? problem.ranks : 2;
      const std::int32_t chunk = (blocks + chunks - 1) / chunks;
      const std::int64_t block_bytes = (problem.size_bytes + blocks - 1) / blocks;
      problem.size_bytes = chunks * chunk * block_bytes;
    }
    auto values = with_defaults(algorithm, of(problem.ranks)).values;
    if (const auto segment = segment_for(algorithm, problem, blocks)) values[0] = *segment;
    return algorithm.cost_s(problem, values);
  }

 private:
  static Problem of(std::int32_t ranks) {
    Problem problem;
    problem.ranks = ranks;
    return problem;
  }
};

// Where a rank's chunk of the result and all of it are held, of so many blocks.
inline Relocation in_chunks(const Chunks& chunks, std::int32_t rank, Buffer held) {
  const Place whole{.buffer = held, .limit = chunks.blocks};
  const Place own{.buffer = held, .first = rank * chunks.per_chunk, .limit = chunks.blocks};
  const Place given{.buffer = Buffer::input, .limit = chunks.blocks};
  return {.input = given, .output = own, .scratch = whole};
}

// allreduce: each rank gets its chunk of the result; then the chunks go the way back.
template <const Algorithm& reduce_scatter>
struct ReduceScatterAllgather {
  static Schedule generate(const Group& group, std::int32_t block_count, Values) {
    const Chunks chunks(group.ranks, block_count);
    const Schedule first = Component{reduce_scatter}.generate(group, chunks.per_chunk);
    Builder builder(group.ranks, group.rank, group.ranks > 1 ? 2 * first.rounds : 1, block_count);
    builder.input(block_count);
    Relocation places = in_chunks(chunks, group.rank, Buffer::output);
    builder.append(first, 0, {}, places);
    places.input = places.scratch;
    builder.append(retraced(first), first.rounds, {}, places);
    return std::move(builder).finish();
  }
  static double cost_s(const Problem& problem, Values values) {
    if (values.empty()) return 2 * Component{reduce_scatter}.cost_s(problem);
    return 2 * reduce_scatter.cost_s(problem, values);  // which has the same parameters
  }
};

// reduce: each rank gets its chunk of the result, and the root gathers them up the tree down which
// `add_scatter` scatters.
template <const Algorithm& reduce_scatter, auto add_scatter = add_binomial_scatter>
struct ReduceScatterGather {
  static Schedule generate(const Group& group, std::int32_t block_count, Values) {
    const Chunks chunks(group.ranks, block_count);
    const Schedule first = Component{reduce_scatter}.generate(group, chunks.per_chunk);
    Builder scatter(group.ranks, group.rank, ceil_log2(group.ranks), block_count);
    add_scatter(scatter, chunks, group.rank);
    const Buffer held = group.rank == 0 ? Buffer::output : Buffer::scratch;
    Builder builder(group.ranks, group.rank, first.rounds + ceil_log2(group.ranks),
                    group.rank == 0 ? block_count : 0);
    builder.input(block_count);
    builder.append(first, 0, {}, in_chunks(chunks, group.rank, held));
    builder.append(retraced(std::move(scatter).finish()), first.rounds, {}, {.output = {held}});
    return std::move(builder).finish();
  }
  static double cost_s(const Problem& problem, Values) {
    if (problem.ranks == 1) return 0;
    return Component{reduce_scatter}.cost_s(problem) + parts_in_rounds_time_s(problem, {});
  }
};

// allreduce: the first rank gets the result and broadcasts it.
inline Schedule reduced_and_broadcast(const Schedule& reduced, const Schedule& broadcast,
                                      std::int32_t blocks) {
  Builder builder(broadcast.ranks, broadcast.rank, reduced.rounds + broadcast.rounds, blocks);
  builder.input(blocks);
  builder.append(reduced, 0, {}, {.scratch = {Buffer::output}});
  builder.append(broadcast, reduced.rounds, {}, {});
  return std::move(builder).finish();
}
template <const Algorithm& reduce, const Algorithm& bcast>
struct ReduceBcast {
  static Schedule generate(const Group& group, std::int32_t block_count, Values) {
    return reduced_and_broadcast(Component{reduce}.generate(group, block_count),
                                 Component{bcast}.generate(group, block_count), block_count);
  }
  static double cost_s(const Problem& problem, Values) {
    return Component{reduce}.cost_s(problem) + Component{bcast}.cost_s(problem);
  }
};

// The problem whose parts have one size, as those of algorithms of parts in the model.
inline Problem in_whole_parts(const Problem& problem) {
  Problem whole_parts = problem;
  whole_parts.size_bytes = problem.ranks * problem.part_bytes();
  return whole_parts;
}

// allgather: the first rank gets all parts and broadcasts them.
template <const Algorithm& gather, const Algorithm& bcast>
struct GatherBcast {
  static Schedule generate(const Group& group, std::int32_t block_count, Values) {
    const Schedule first = Component{gather}.generate(group, block_count);
    const Schedule second = Component{bcast}.generate(group, group.ranks * block_count);
    Builder builder(group.ranks, group.rank, first.rounds + second.rounds,
                    group.ranks * block_count);
    builder.input(block_count);
    builder.append(first, 0);
    builder.append(second, first.rounds);
    return std::move(builder).finish();
  }
  static double cost_s(const Problem& problem, Values) {
    return Component{gather}.cost_s(problem) + Component{bcast}.cost_s(in_whole_parts(problem));
  }
};

// reduce_scatter: the first rank gets the result and scatters it.
template <const Algorithm& reduce, const Algorithm& scatter>
struct ReduceScatter {
  static Schedule generate(const Group& group, std::int32_t block_count, Values) {
    const std::int32_t all = group.ranks * block_count;
    const Schedule first = Component{reduce}.generate(group, all);
    const Schedule second = Component{scatter}.generate(group, block_count);
    Builder builder(group.ranks, group.rank, first.rounds + second.rounds, block_count);
    builder.input(all);
    const Place held{.buffer = Buffer::scratch};
    builder.append(first, 0, {}, {.output = held});
    builder.append(second, first.rounds, {}, {.input = held});
    return std::move(builder).finish();
  }
  static double cost_s(const Problem& problem, Values) {
    return Component{reduce}.cost_s(in_whole_parts(problem)) + Component{scatter}.cost_s(problem);
  }
};

}  // namespace anabranch
