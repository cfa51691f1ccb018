#include "collectives/buffer_use.hpp"

#include "collectives/semantics.hpp"

namespace anabranch {
namespace {

// So many that one part, one for each rank and one for each other rank are told apart.
constexpr std::int32_t ranks = 3;

PartCount part_count(std::int32_t blocks) {
  if (blocks == 0) return PartCount::none;
  return blocks == ranks ? PartCount::one_per_rank : PartCount::one;
}

BufferUses find_uses(Collective collective, std::int32_t rank) {
  const Semantics semantics(collective, ranks, 1);
  BufferUses uses{
      .buffers = {}, .has_parts = has_parts(collective), .is_combined = combines(collective)};
  for (const Buffer buffer : {Buffer::input, Buffer::output}) {
    BufferUse& use = uses.buffers[static_cast<std::size_t>(buffer)];
    use.parts = part_count(semantics.blocks_in(rank, buffer));
    if (use.parts == PartCount::none) continue;
    use.is_given = semantics.before(rank, buffer, 0).has_value();
    use.is_filled = !use.is_given && semantics.after(rank, buffer, 0).has_value();
  }
  const bool input_is_larger = uses.of(Buffer::input).parts > uses.of(Buffer::output).parts;
  uses.size_source = uses.is_combined || input_is_larger ? Buffer::input : Buffer::output;
  return uses;
}

using Table = std::array<std::array<BufferUses, 2>, 10>;

Table find_all() {
  Table table;
  for (const Collective collective : all_collectives()) {
    auto& [other, first] = table[static_cast<std::size_t>(collective)];
    other = find_uses(collective, 1);
    first = find_uses(collective, 0);
  }
  return table;
}

}  // namespace

const BufferUses& uses_of(Collective collective, bool is_first) {
  static const Table table = find_all();
  return table[static_cast<std::size_t>(collective)][is_first ? 1 : 0];
}

}  // namespace anabranch
