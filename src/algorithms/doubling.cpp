#include "algorithms/doubling.hpp"

#include <algorithm>
#include <array>

namespace anabranch {
namespace {

// Up to two block sets, the second one behind the end of the ring.
std::array<BlockSet, 2> block_sets_of(const Chunks& chunks, const Run& run) {
  const std::int64_t end = run.first + run.count;
  const std::int64_t ranks = chunks.ranks;
  return {chunks.range(run.first, std::min(end, ranks)),
          chunks.range(0, std::max<std::int64_t>(end - ranks, 0))};
}

// Without what the receiver has from the start.
Run lacking(const Run& run, std::int32_t ranks, std::int32_t receiver, std::int32_t held) {
  const std::int64_t distance = (run.first - receiver + ranks) % ranks;
  const std::int64_t known = std::clamp<std::int64_t>(held - distance, 0, run.count);
  return {(run.first + known) % ranks, run.count - known};
}

// Rounds that a subtree of 2^level ranks takes to pass on what only some of it received.
std::int32_t correction_rounds(std::int32_t ranks, std::int32_t level) {
  const std::int32_t size = std::int32_t{1} << level;
  const std::int32_t partners = ranks & (size - 1);
  if ((ranks & size) == 0 || partners == 0) return 0;
  return level - floor_log2(partners);
}

// The subtree of `size` ranks that begins at `base` lacks partners: in each half as many ranks as
// can have what the `complete` first ones received, in the first half directly.
void add_correction(std::vector<Exchange>& exchanges, std::int32_t round, std::int32_t rank,
                    std::int32_t base, std::int32_t size, const Run& run) {
  std::int64_t complete = run.count;
  std::int32_t place = rank - base;  // within the half, quarter, .. that contains the rank
  for (std::int32_t half = size / 2; half > 0 && complete < 2 * half; half /= 2, ++round) {
    const bool upper = place >= half;
    if (upper) place -= half;
    // Those of the lower half that have it send to those of the upper half that have not.
    if (place < complete && place + half >= complete) {
      Exchange exchange{.round = round};
      (upper ? exchange.from : exchange.to) = upper ? rank - half : rank + half;
      (upper ? exchange.received : exchange.sent) = run;
      exchanges.push_back(exchange);
    }
    complete = std::min<std::int64_t>(complete, half);
  }
}

}  // namespace

std::vector<Exchange> recursive_doubling(std::int32_t ranks, std::int32_t rank) {
  std::vector<Exchange> exchanges;
  std::int32_t round = 0;
  for (std::int32_t level = 0; level < ceil_log2(ranks); ++level) {
    const std::int32_t size = std::int32_t{1} << level;
    const auto subtree = [&](std::int32_t member) {
      const std::int32_t first = member & -size;
      return Run{first, std::min(size, ranks - first)};
    };
    const std::int32_t partner = rank ^ size;
    const std::int32_t mine = rank & -size;
    if (partner < ranks) {
      exchanges.push_back({.round = round,
                           .to = partner,
                           .sent = subtree(rank),
                           .from = partner,
                           .received = subtree(partner)});
    }
    ++round;
    const std::int32_t other = mine ^ size;
    if (other > mine && other < ranks) {
      add_correction(exchanges, round, rank, mine, size, subtree(other));
    }
    round += correction_rounds(ranks, level);
  }
  return exchanges;
}

std::int32_t recursive_doubling_rounds(std::int32_t ranks) {
  std::int32_t rounds = ceil_log2(ranks);
  for (std::int32_t level = 0; level < ceil_log2(ranks); ++level) {
    rounds += correction_rounds(ranks, level);
  }
  return rounds;
}

double recursive_doubling_time_s(const Problem& problem, double chunk_bytes) {
  if (problem.ranks == 1) return 0;
  // By the mean message, as in the other prices of parts in rounds (parts_time_s).
  const double latency_s =
      problem.network.start_s((problem.ranks - 1) * chunk_bytes / ceil_log2(problem.ranks));
  const double chunk_s = chunk_bytes * problem.network.time_per_byte_s;
  double time_s = 0;  // of the last ranks, which the bits below `level` count
  for (std::int32_t level = 0; (problem.ranks >> level) > 0; ++level) {
    const std::int32_t size = std::int32_t{1} << level;
    if ((problem.ranks & size) == 0) continue;
    const std::int32_t partners = problem.ranks & (size - 1);
    const double whole_s = level * latency_s + (size - 1) * chunk_s;
    if (partners == 0) {
      time_s = whole_s;
      continue;
    }
    time_s = std::max(time_s, whole_s) + latency_s + size * chunk_s +
             correction_rounds(problem.ranks, level) * (latency_s + partners * chunk_s);
  }
  return time_s;
}

std::vector<Exchange> circulant_doubling(std::span<const std::int64_t> held, std::int32_t rank) {
  std::vector<Exchange> exchanges;
  const std::int64_t ranks = held.back();
  for (std::size_t k = 0; k + 1 < held.size(); ++k) {
    const std::int64_t from = (rank + held[k]) % ranks;
    const std::int64_t to = (rank - held[k] + ranks) % ranks;
    const std::int64_t count = held[k + 1] - held[k];
    exchanges.push_back({.round = static_cast<std::int32_t>(k),
                         .to = static_cast<std::int32_t>(to),
                         .sent = {rank, count},
                         .from = static_cast<std::int32_t>(from),
                         .received = {from, count}});
  }
  return exchanges;
}

std::vector<std::int64_t> doubled(std::int32_t ranks) {
  std::vector<std::int64_t> held = {1};
  while (held.back() < ranks) held.push_back(std::min<std::int64_t>(2 * held.back(), ranks));
  return held;
}

void add_exchanges(Builder& builder, const Chunks& chunks, std::int32_t first_round,
                   std::int32_t rank, std::span<const Exchange> exchanges, HeldChunks held) {
  const auto without_held = [&](const Run& run, std::int32_t receiver) {
    return block_sets_of(chunks,
                         lacking(run, chunks.ranks, receiver, held(chunks.ranks, receiver)));
  };
  for (const Exchange& exchange : exchanges) {
    const std::int32_t round = first_round + exchange.round;
    if (exchange.sent.count > 0) {
      builder.send(round, exchange.to, without_held(exchange.sent, exchange.to));
      // After a scatter ranks begin one after the other: those that are ahead would send longer
      // messages of later rounds beside this one.
      if (held != own_chunk) builder.go_alone();
    }
    if (exchange.received.count > 0) {
      builder.receive(round, exchange.from, without_held(exchange.received, rank));
    }
  }
}

}  // namespace anabranch
