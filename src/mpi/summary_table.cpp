#include "mpi/summary_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>
#include <tuple>

#include "select/quantity.hpp"

namespace anabranch::mpi {
namespace {

constexpr std::size_t column_count = 7;
using Cells = std::array<std::string, column_count>;

constexpr std::array<std::string_view, column_count> headings = {
    "function", "algorithm", "calls", "bytes", "time", "longest", "expected"};

constexpr std::string_view legend =
    "  time: in these calls, waiting included; mean of all ranks. longest: of one rank.\n"
    "  expected: the gain over native that the model expects (native's time / the algorithm's); it "
    "is\n  not measured. A call that all ranks of a communicator make counts once.\n";

std::string printed(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// To 4 digits.
std::string short_size(std::int64_t size_bytes) {
  auto size = static_cast<double>(size_bytes);
  for (const char* unit : {"B", "KiB", "MiB", "GiB", "TiB"}) {
    if (size < 1024) return printed("%.4g ", size) + unit;
    size /= 1024;
  }
  return printed("%.4g PiB", size);
}

Cells cells_of(const SummaryRow& row, int ranks) {
  return {row.function,
          row.algorithm,
          std::to_string(row.calls),
          short_size(row.bytes),
          format_duration(row.time_s / ranks),
          format_duration(row.longest_s),
          row.predicted_s > 0 ? printed("%.2f x", row.native_s / row.predicted_s) : "-"};
}

std::string lines_of(const std::vector<Cells>& table) {
  constexpr std::size_t texts = 2;  // to the left; numbers are to the right
  std::array<std::size_t, column_count> widths{};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string lines;
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < column_count; ++i) {
      const std::string blanks(widths[i] - cells[i].size(), ' ');
      lines += "  " + (i < texts ? cells[i] + blanks : blanks + cells[i]);
    }
    lines += '\n';
  }
  return lines;
}

std::string names_of(const std::vector<int>& ranks) {
  constexpr std::size_t most_named = 5;
  std::string names = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), most_named); ++i) {
    names += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  }
  return names + (ranks.size() > most_named ? ", .." : "");
}

std::string heading(const Summary& summary, double patience_s) {
  std::int64_t calls = 0;
  std::int64_t native_calls = 0;
  for (const SummaryRow& row : summary.rows) {
    calls += row.calls;
    if (std::string_view(row.algorithm) == "native") native_calls += row.calls;
  }
  std::string text = "anabranch: summary of " + std::to_string(summary.ranks) +
                     (summary.ranks == 1 ? " rank: " : " ranks: ");
  text += calls == 0 ? "no collective was called"
                     : std::to_string(calls) + (calls == 1 ? " collective, " : " collectives, ") +
                           std::to_string(native_calls) + " of them left to the MPI";
  if (summary.missing_ranks.empty()) return text + '\n';
  return text + "\n  without " + names_of(summary.missing_ranks) +
         ": nothing came from there for " + format_duration(patience_s) + " in MPI_Finalize\n";
}

}  // namespace

bool SummaryRow::is_of(const SummaryRow& other) const {
  return std::strcmp(function, other.function) == 0 && std::strcmp(algorithm, other.algorithm) == 0;
}

void SummaryRow::add(const SummaryRow& other) {
  calls += other.calls;
  bytes += other.bytes;
  predicted_s += other.predicted_s;
  native_s += other.native_s;
  time_s += other.time_s;
  longest_s = std::max(longest_s, other.longest_s);
}

void Summary::add(const SummaryRow& row) {
  const auto same =
      std::ranges::find_if(rows, [&](const SummaryRow& one) { return one.is_of(row); });
  if (same == rows.end()) {
    rows.push_back(row);
  } else {
    same->add(row);
  }
}

std::string text_of(Summary summary, double patience_s) {
  std::string text = heading(summary, patience_s);
  if (summary.rows.empty()) return text;
  std::ranges::sort(summary.rows, {}, [](const SummaryRow& row) {
    return std::tuple(std::string_view(row.function), std::string_view(row.algorithm));
  });
  const int came = summary.ranks - static_cast<int>(summary.missing_ranks.size());
  std::vector<Cells> table(1);
  std::ranges::copy(headings, table.front().begin());
  for (const SummaryRow& row : summary.rows) table.push_back(cells_of(row, came));
  return text + lines_of(table) + std::string(legend);
}

}  // namespace anabranch::mpi
