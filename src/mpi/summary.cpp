#include "mpi/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/fork.hpp"
#include "mpi/functions.hpp"
#include "mpi/start.hpp"
#include "mpi/state.hpp"
#include "mpi/summary_table.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

constinit std::atomic<bool> counts_calls{false};
constinit thread_local CountedCall* CountedCall::under_way = nullptr;

namespace {

// Of ranks that come to MPI_Finalize later than this after the one before them nothing is printed:
// they may have died, or have ended without it.
constexpr double patience_s = 30;

using Key = std::pair<std::string_view, const Algorithm*>;

std::mutex mutex;
MPI_Comm channel = MPI_COMM_NULL;  // of the same ranks as MPI_COMM_WORLD

// Never destroyed: a program may still call collectives while its statics go.
std::map<Key, SummaryRow>& counted_here() {
  static auto* rows = new std::map<Key, SummaryRow>;
  return *rows;
}

template <std::size_t size>
void copy_name(std::string_view name, char (&to)[size]) {
  std::memcpy(to, name.data(), std::min(name.size(), size - 1));
}

std::vector<SummaryRow> own_rows() {
  const std::lock_guard lock(mutex);
  std::vector<SummaryRow> rows;
  for (const auto& [key, counts] : counted_here()) {
    const auto& [function, algorithm] = key;
    SummaryRow& row = rows.emplace_back(counts);
    copy_name(function, row.function);
    // The function tells the collective.
    copy_name(algorithm != nullptr ? algorithm->name() : "native", row.algorithm);
    row.longest_s = row.time_s;
  }
  return rows;
}

Waiter patient_waiter() {
  Waiter waiter({settings().wait, patience_s});
  waiter.begin();
  return waiter;
}

void hand_in() {
  // Not destroyed while the message may be under way.
  static auto* rows = new std::vector<SummaryRow>(own_rows());
  MPI_Request request = MPI_REQUEST_NULL;
  native.Isend(rows->data(), static_cast<int>(rows->size() * sizeof(SummaryRow)), MPI_BYTE, 0, 0,
               channel, &request);
  Waiter waiter = patient_waiter();
  while (request != MPI_REQUEST_NULL) {
    int completed = 0;
    int index = 0;
    MPI_Status status;
    if (native.Testsome(1, &request, &completed, &index, &status) != MPI_SUCCESS) return;
    if (completed == 0 && waiter.wait()) {
      native.Request_free(&request);
      return;
    }
  }
}

// What one rank has sent.
void take_in(MPI_Message& message, const MPI_Status& found, Summary& summary) {
  int size_bytes = 0;
  native.Get_count(&found, MPI_BYTE, &size_bytes);
  std::vector<SummaryRow> rows(static_cast<std::size_t>(size_bytes) / sizeof(SummaryRow));
  MPI_Status status;
  native.Mrecv(rows.data(), size_bytes, MPI_BYTE, &message, &status);
  for (const SummaryRow& row : rows) summary.add(row);
  std::erase(summary.missing_ranks, found.MPI_SOURCE);
}

Summary collect() {
  Summary summary;
  native.Comm_size(channel, &summary.ranks);
  for (int rank = 1; rank < summary.ranks; ++rank) summary.missing_ranks.push_back(rank);
  for (const SummaryRow& row : own_rows()) summary.add(row);
  Waiter waiter = patient_waiter();
  while (!summary.missing_ranks.empty()) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    const int error = native.Improbe(MPI_ANY_SOURCE, 0, channel, &is_there, &message, &status);
    if (error != MPI_SUCCESS) break;
    if (is_there != 0) {
      take_in(message, status, summary);
      waiter.begin();
    } else if (waiter.wait()) {
      break;
    }
  }
  return summary;
}

// The attribute of MPI_COMM_SELF goes before anything else that MPI_Finalize does.
int at_finalize(MPI_Comm, int, void*, void*) {
  if (is_forked_child() || is_aborting()) return MPI_SUCCESS;
  counts_calls.store(false, std::memory_order_relaxed);
  int rank = 0;
  native.Comm_rank(channel, &rank);
  try {
    if (rank == 0) {
      std::fputs(text_of(collect(), patience_s).c_str(), stderr);
    } else {
      hand_in();
    }
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "anabranch: rank %d has no memory for the summary\n", rank);
  }
  return native.Comm_free(&channel);
}

int do_not_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

// One rank counts a call that all of them make: the root, which knows all sizes, or the first.
bool is_counted_by(const GroupOfCall& group, const Call& call) {
  return is_rooted(call.collective) ? is_root(group, call) : group.rank == 0;
}

}  // namespace

void start_summary() {
  if (!settings().summary) return;
  int rank = 0;
  int key = MPI_KEYVAL_INVALID;
  native.Comm_rank(MPI_COMM_WORLD, &rank);
  native.Comm_split(MPI_COMM_WORLD, 0, rank, &channel);
  native.Comm_set_errhandler(channel, MPI_ERRORS_RETURN);
  native.Comm_create_keyval(do_not_copy, at_finalize, &key, nullptr);
  native.Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  native.Comm_free_keyval(&key);  // takes effect when the attribute goes
  counts_calls.store(true, std::memory_order_relaxed);
}

CountedCall::CountedCall(const Call& call) : call_(call), begin_s_(now_s()) { under_way = this; }

CountedCall::~CountedCall() { under_way = nullptr; }

void CountedCall::note(const Decision& decision) {
  algorithm_ = decision.choice.algorithm;
  const std::optional<double> native_s = decision.native_s();
  if (!native_s || !decision.predicted_s) return;
  predicted_s_ = *decision.predicted_s;
  native_s_ = *native_s;
}

void CountedCall::end(int error) noexcept {
  if (error != MPI_SUCCESS || is_forked_child()) return;
  SummaryRow counts;
  counts.time_s = now_s() - begin_s_;
  const GroupOfCall group = group_of(call_);
  if (is_counted_by(group, call_)) {
    counts.calls = 1;
    counts.bytes = std::max<std::int64_t>(measure_own(call_, group.rank, group.size).size_bytes, 0);
    counts.predicted_s = predicted_s_;
    counts.native_s = native_s_;
  }
  try {
    const std::lock_guard lock(mutex);
    counted_here()[{call_.name, algorithm_}].add(counts);
  } catch (const std::bad_alloc&) {
    return;  // not counted
  }
}

}  // namespace anabranch::mpi
