#include "schedule/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace anabranch {
namespace {

std::string text_of(std::span<const BlockSet> block_sets) {
  std::string text;
  for (const BlockSet& set : block_sets) {
    if (!text.empty()) text += ", ";
    text += text_of(set);
  }
  return text;
}

std::string verb_of(const Operation& operation) {
  const std::string peer = std::to_string(operation.peer);
  switch (operation.kind) {
    case Kind::send:
      return "send to " + peer;
    case Kind::receive:
      return "receive from " + peer;
    case Kind::reduce:
      return "reduce from " + peer +
             (operation.order == OperandOrder::theirs_first ? ", theirs first" : "");
    case Kind::copy:
      return operation.combines ? "combine" : "copy";
  }
  return {};
}

std::string blocks_of(const Schedule& schedule, const Operation& operation) {
  std::string text = text_of(schedule.block_sets_of(operation));
  if (operation.kind == Kind::copy) text += " from " + text_of(schedule.sources_of(operation));
  if (operation.carries_sizes) text += " with sizes";
  if (operation.is_exclusive) text += ", alone";
  if (operation.max_ahead > 0) {
    text += ", at most " + std::to_string(operation.max_ahead) + " rounds ahead";
  }
  return text;
}

std::string signed_number(std::int32_t value) {
  std::string text = value < 0 ? "" : "+";
  return text.append(std::to_string(value));
}

std::string round_of(const Operation& operation) {
  return std::string("round ").append(std::to_string(operation.round));
}

std::string repeat_of(const Operation& operation) {
  const Repeat& repeat = operation.repeat;
  if (repeat.count == 1) return {};
  return std::to_string(repeat.count) + " times: block " + signed_number(repeat.block_step) +
         ", round " + signed_number(repeat.round_step);
}

std::string after(std::span<const std::uint32_t> dependencies) {
  std::string text;
  for (const std::uint32_t dependency : dependencies) {
    text += text.empty() ? "after " : ", ";
    text += std::to_string(dependency);
  }
  return text;
}

std::string heading(const Schedule& schedule) {
  std::string text = "rank ";
  text += std::to_string(schedule.rank) + " of " + std::to_string(schedule.ranks) + ": " +
          std::to_string(schedule.rounds) + " rounds";
  for (const Buffer buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
    const std::int32_t count = schedule.block_count[static_cast<std::size_t>(buffer)];
    if (count == 0) continue;
    text.append(", ").append(std::to_string(count)).append(" ");
    text += name_of(buffer);
    text += count == 1 ? " block" : " blocks";
  }
  return text + "\n";
}

}  // namespace

std::string_view name_of(Buffer buffer) {
  constexpr std::array<std::string_view, 3> names = {"input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

std::string text_of(const BlockSet& set) {
  std::string text(name_of(set.buffer));
  text.append(" ").append(std::to_string(set.first));
  if (set.count == 1) return text;
  text.append("..").append(std::to_string(set.at(set.count - 1)));
  if (set.stride != 1) text.append(" step ").append(std::to_string(set.stride));
  return text;
}

std::string text_of(const Schedule& schedule) {
  // Columns are as wide as their widest entry.
  constexpr std::size_t columns = 6;
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows;
  std::array<std::size_t, columns> widths{};
  for (const Operation& operation : schedule.operations) {
    rows.push_back({std::to_string(rows.size()), round_of(operation), verb_of(operation),
                    blocks_of(schedule, operation), repeat_of(operation),
                    after(schedule.dependencies_of(operation))});
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], rows.back()[i].size());
    }
  }
  std::string text = heading(schedule);
  for (const Row& row : rows) {
    std::string line(widths[0] - row[0].size() + 2, ' ');
    line += row[0];
    for (std::size_t i = 1; i < columns; ++i) {
      if (widths[i] == 0) continue;
      line.append("  ").append(row[i]).append(widths[i] - row[i].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace anabranch
