#include "algorithms/bine_butterfly.hpp"

#include <array>
#include <bit>

#include "algorithms/logarithm.hpp"
#include "algorithms/parts.hpp"

namespace anabranch {
namespace {

// The weights of negabinary digits that are negative.
constexpr std::uint64_t negative_digits = 0xAAAA'AAAA'AAAA'AAAA;

std::uint64_t negabinary(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) + negative_digits) ^ negative_digits;
}

// Parts in the messages of the first rank of a pair, of which those straight to where its own group
// goes have two.
std::int32_t exchanged_parts(const Folding& folding) {
  const BineButterfly butterfly(folding.groups());
  std::int32_t parts = folding.groups() - 1;
  for (std::int32_t level = 1; level <= butterfly.levels(); ++level) {
    if (butterfly.last_level(0, butterfly.partner_of(0, level)) == level) ++parts;
  }
  return parts;
}

}  // namespace

BineButterfly::BineButterfly(std::int32_t ranks) : ranks_(ranks), levels_(ceil_log2(ranks)) {}

std::int32_t BineButterfly::partner_of(std::int32_t rank, std::int32_t level) const {
  const std::int64_t power = std::int64_t{1} << level;
  const std::int64_t distance = (1 - (level % 2 == 0 ? power : -power)) / 3;
  const std::int64_t place = rank % 2 == 0 ? rank + distance : rank - distance;
  return static_cast<std::int32_t>((place % ranks_ + ranks_) % ranks_);
}

// A path over levels a > b > .. ends at the sum of their distances with alternating signs: as a
// negabinary number ones in places b .. a - 1, and so on, of which a Gray code makes bits a - 1,
// b - 1, .. Where two of these numbers are one place of the ring, they differ in the bit of
// the largest power of two in its length. Those that have it are left out, and so are all that
// begin with them.
std::uint64_t BineButterfly::path(std::int32_t from, std::int32_t to) const {
  const std::int64_t ahead = from % 2 == 0 ? std::int64_t{to} - from : std::int64_t{from} - to;
  const std::int64_t place = (ahead % ranks_ + ranks_) % ranks_;
  const std::uint64_t left_out = static_cast<std::uint64_t>(ranks_ & -ranks_) / 2;
  const std::uint64_t limit = std::uint64_t{1} << levels_;
  std::uint64_t found = 0;
  for (const std::int64_t end : {place, place - ranks_}) {
    const std::uint64_t digits = negabinary(end);
    const std::uint64_t levels = digits ^ (digits >> 1);
    if (digits >= limit) continue;
    found = levels;
    if ((levels & left_out) == 0) break;
  }
  return found;
}

std::int32_t BineButterfly::last_level(std::int32_t from, std::int32_t to) const {
  const std::uint64_t levels = path(from, to);
  return levels == 0 ? 0 : std::countr_zero(levels) + 1;
}

void append(std::vector<BlockSet>& sets, const BlockSet& next) {
  if (next.count == 0) return;
  if (!sets.empty() && sets.back().buffer == next.buffer) {
    BlockSet& last = sets.back();
    if (last.count == 1 && next.count == 1 && next.first > last.first) {
      last.stride = next.first - last.first;
    }
    if (next.first == last.at(last.count) && (next.count == 1 || last.stride == 1)) {
      last.count += next.count;
      return;
    }
  }
  sets.push_back(next);
}

std::vector<BlockSet> bine_chunks(const Chunks& chunks, const Folding& folding,
                                  const BineButterfly& butterfly, std::int32_t group,
                                  std::int32_t level, const RankRange& without) {
  std::vector<BlockSet> sets;
  for (const std::int32_t parity : {0, 1}) {
    for (std::int32_t from = parity; from < folding.groups(); from += 2) {
      if (butterfly.last_level(from, group) != level) continue;
      for (std::int32_t rank = folding.first(from); rank < folding.first(from + 1); ++rank) {
        if (!without.has(rank)) append(sets, chunks.range(rank, rank + 1));
      }
    }
  }
  return sets;
}

std::int32_t bine_allgather_rounds(std::int32_t ranks) { return Folding::to_even(ranks).rounds(); }

void add_bine_allgather(Builder& builder, const Chunks& chunks, std::int32_t first_round,
                        std::int32_t rank, const HeldRange& held) {
  const Folding folding = Folding::to_even(chunks.ranks);
  const BineButterfly butterfly(folding.groups());
  const std::int32_t last_round = first_round + folding.rounds() - 1;
  // Between the two of a pair: the second one's chunk, and in the end all that it lacks.
  const BlockSet added = held(0).has(1) ? BlockSet{.count = 0} : chunks.range(1, 2);
  const auto lacking = [&] {
    const RankRange has = held(1);
    return std::array{chunks.range(0, has.first), chunks.range(has.end(), chunks.ranks)};
  };
  if (!folding.acts(rank)) {
    builder.send(first_round, rank - 1, added);
    builder.receive(last_round, rank - 1, lacking());
    return;
  }
  const bool is_paired = folding.is_paired(rank);
  if (is_paired) builder.receive(first_round, rank + 1, added);
  const std::int32_t group = folding.group(rank);
  std::int32_t round = first_round + folding.pairs();
  for (std::int32_t level = butterfly.levels(); level > 0; --level, ++round) {
    const std::int32_t partner = butterfly.partner_of(group, level);
    const std::int32_t peer = folding.first(partner);
    builder.send(round, peer, bine_chunks(chunks, folding, butterfly, partner, level, held(peer)));
    builder.receive(round, peer, bine_chunks(chunks, folding, butterfly, group, level, held(rank)));
  }
  if (is_paired) builder.send(last_round, rank + 1, lacking());
}

double bine_allgather_time_s(const Problem& problem, bool root_has_all) {
  const Folding folding = Folding::to_even(problem.ranks);
  if (folding.pairs() == 0) return parts_time_s(problem, folding.steps(), problem.ranks - 1);
  const std::int32_t before = root_has_all ? 0 : 1;
  return parts_time_s(problem, folding.rounds() - 1 + before,
                      before + exchanged_parts(folding) + problem.ranks - 1);
}

double bine_reduce_scatter_time_s(const Problem& problem) {
  const Folding folding = Folding::to_even(problem.ranks);
  if (folding.pairs() == 0) return parts_time_s(problem, folding.steps(), problem.ranks - 1);
  return parts_time_s(problem, folding.rounds(), problem.ranks + exchanged_parts(folding) + 1);
}

}  // namespace anabranch
