// What it costs to build schedules, and what a long message's schedules hold.
//
// For every algorithm of the registry and some counts of ranks: operations of all ranks, the
// messages they stand for (a repeat is one operation), time per operation with its dependencies
// (the best of some passes over the ranks), and the largest schedule of a 4 GiB message in 16 KiB
// segments. Then the ring as one operation per message, which shows the cost of the builder by
// itself.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/instantiate.hpp"
#include "algorithms/size.hpp"
#include "schedule/builder.hpp"

namespace {

using anabranch::Algorithm;
using anabranch::Schedule;

constexpr std::int64_t message_bytes = std::int64_t{4} << 30;
constexpr std::int64_t segment_bytes = std::int64_t{16} << 10;
constexpr int passes = 200;

struct Built {
  std::int64_t operations = 0;
  std::int64_t messages = 0;
  std::size_t largest_bytes = 0;
  double time_ns = 0;
};

// At most 64 ranks, spread over all.
std::vector<std::int32_t> sample(std::int32_t ranks) {
  std::vector<std::int32_t> found;
  const std::int32_t step = std::max(1, ranks / 64);
  for (std::int32_t rank = 0; rank < ranks; rank += step) found.push_back(rank);
  return found;
}

template <typename Generate>
Built build(std::int32_t ranks, Generate generate) {
  const std::vector<std::int32_t> chosen = sample(ranks);
  std::vector<Schedule> schedules(chosen.size());
  Built best;
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < chosen.size(); ++i) schedules[i] = generate(chosen[i]);
    const auto end = std::chrono::steady_clock::now();
    const double time_ns = std::chrono::duration<double, std::nano>(end - start).count();
    best.time_ns = pass == 0 ? time_ns : std::min(best.time_ns, time_ns);
  }
  for (const Schedule& schedule : schedules) {
    best.operations += static_cast<std::int64_t>(schedule.operations.size());
    for (const auto& operation : schedule.operations) best.messages += operation.repeat.count;
    best.largest_bytes = std::max(best.largest_bytes, schedule.size_bytes());
  }
  return best;
}

void print(const std::string& name, std::int32_t ranks, std::int32_t blocks, const Built& built) {
  const auto operations = static_cast<double>(std::max<std::int64_t>(built.operations, 1));
  const auto messages = static_cast<double>(std::max<std::int64_t>(built.messages, 1));
  std::printf("%-32s %5d %7d %11lld %13lld %10.1f %11.4f %12zu\n", name.c_str(), ranks, blocks,
              static_cast<long long>(built.operations), static_cast<long long>(built.messages),
              built.time_ns / operations, built.time_ns / messages, built.largest_bytes);
}

// Every message of the ring as an operation of its own.
Schedule plain_ring(std::int32_t ranks, std::int32_t rank) {
  anabranch::Builder builder(ranks, rank, ranks - 1, ranks);
  builder.reserve(2 * static_cast<std::size_t>(ranks));
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (rank - step + ranks) % ranks;
    const std::int32_t in = (rank - step - 1 + ranks) % ranks;
    builder.send(step, (rank + 1) % ranks, anabranch::block(out));
    builder.receive(step, (rank - 1 + ranks) % ranks, anabranch::block(in));
  }
  return std::move(builder).finish();
}

std::int32_t blocks_for(const Algorithm& algorithm, std::int32_t ranks) {
  const anabranch::Problem problem{.ranks = ranks, .size_bytes = message_bytes, .network = {}};
  anabranch::Choice choice = anabranch::with_defaults(algorithm, problem);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    if (algorithm.parameters[i].name == "segment") choice.values[i] = segment_bytes;
  }
  return algorithm.blocks(problem, choice.values);
}

}  // namespace

int main() {
  std::printf("%-32s %5s %7s %11s %13s %10s %11s %12s\n", "algorithm", "ranks", "blocks",
              "operations", "messages", "ns each", "ns/message", "bytes at most");
  for (const Algorithm* algorithm : anabranch::all_algorithms()) {
    if (!algorithm->serves_any_group()) continue;
    for (const std::int32_t ranks : {16, 1024}) {
      const std::int32_t blocks = blocks_for(*algorithm, ranks);
      const anabranch::Problem problem{.ranks = ranks, .size_bytes = 0, .network = {}};
      const auto values = anabranch::with_defaults(*algorithm, problem).values;
      print(std::string(algorithm->id), ranks, blocks, build(ranks, [&](std::int32_t rank) {
              return anabranch::make_schedule(*algorithm, {.ranks = ranks, .rank = rank}, blocks,
                                              values);
            }));
    }
  }
  for (const std::int32_t ranks : {16, 1024}) {
    print("(ring without repeats)", ranks, ranks,
          build(ranks, [&](std::int32_t rank) { return plain_ring(ranks, rank); }));
  }
}
