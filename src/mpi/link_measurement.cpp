#include "mpi/link_measurement.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "execution/tags.hpp"
#include "mpi/functions.hpp"
#include "mpi/state.hpp"
#include "mpi/waiting.hpp"

namespace anabranch::mpi {

LinkMeasurement::LinkMeasurement(MPI_Comm channel, std::vector<int> leaders, std::int32_t own,
                                 double latency_s, int tag)
    : channel_(channel),
      leaders_(std::move(leaders)),
      own_(own),
      latency_s_(latency_s),
      tag_(tag) {}

int LinkMeasurement::leader(std::int32_t shift) const {
  const auto nodes = static_cast<std::int32_t>(leaders_.size());
  return leaders_[static_cast<std::size_t>((own_ + shift + nodes) % nodes)];
}

int LinkMeasurement::meet(std::span<const std::int32_t> shifts) {
  for (const std::int32_t shift : shifts) {
    double took_s = 0;
    if (const int error = shift_by(shift, 1, took_s)) return error;
  }
  return MPI_SUCCESS;
}

int LinkMeasurement::measure(std::span<const std::int32_t> shifts, std::int64_t size_bytes,
                             std::span<double> row) {
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    double took_s = 0;
    if (const int error = shift_by(shifts[k], size_bytes, took_s)) return error;
    // It asked for the message first. What is left is at least an eighth, whatever latencies do.
    const double on_wire_s = std::max(took_s - 2 * latency_s_, took_s / 8);
    row[k] = std::min(row[k], on_wire_s / static_cast<double>(size_bytes));
  }
  return MPI_SUCCESS;
}

// Each node asks the one before it for a message, and takes the time until it has it.
int LinkMeasurement::shift_by(std::int32_t shift, std::int64_t size_bytes, double& took_s) {
  enum { coming, asked, asking, sending, all };
  const int from = leader(-shift);
  const int to = leader(shift);
  const int bytes = static_cast<int>(size_bytes);
  const int asking_tag = TagSequence::of_control(tag_);
  sent_.resize(std::max(sent_.size(), static_cast<std::size_t>(size_bytes)));
  received_.resize(sent_.size());
  char ask = 0;
  char is_asked = 0;
  std::array<MPI_Request, all> under_way;
  under_way.fill(MPI_REQUEST_NULL);
  const double begin_s = now_s();
  int error =
      native.Irecv(received_.data(), bytes, MPI_BYTE, from, tag_, channel_, &under_way[coming]);
  if (error == MPI_SUCCESS) {
    error = native.Irecv(&is_asked, 1, MPI_BYTE, to, asking_tag, channel_, &under_way[asked]);
  }
  if (error == MPI_SUCCESS) {
    error = native.Isend(&ask, 1, MPI_BYTE, from, asking_tag, channel_, &under_way[asking]);
  }
  Waiter waiter({settings().wait, 0});  // all ranks are there
  while (error == MPI_SUCCESS) {
    int completed = 0;
    std::array<int, all> which{};
    error = native.Testsome(all, under_way.data(), &completed, which.data(), MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS || completed == MPI_UNDEFINED) break;
    if (completed == 0) waiter.wait();
    for (const int one : std::span(which).first(static_cast<std::size_t>(completed))) {
      if (one == coming) took_s = now_s() - begin_s;
      if (one != asked) continue;
      error = native.Isend(sent_.data(), bytes, MPI_BYTE, to, tag_, channel_, &under_way[sending]);
    }
  }
  return error;
}

int wait_for_one(MPI_Request& request) {
  Waiter waiter({settings().wait, 0});  // all ranks are there
  while (true) {
    int completed = 0;
    int index = 0;
    const int error = native.Testsome(1, &request, &completed, &index, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS || completed != 0) return error;
    waiter.wait();
  }
}

}  // namespace anabranch::mpi
