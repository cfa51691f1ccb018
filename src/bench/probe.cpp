// Measures latency and bandwidth between pairs of ranks, of one pair alone and of several at once.
// `anabranch probe` starts it and says, line by line in a file that grows, what to measure next;
// the answers are lines of JSON in another; `-` stands for standard input and output.
// docs/guides/probing.md says what is made of them.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/json_line.hpp"
#include "bench/messages.hpp"
#include "bench/places.hpp"
#include "bench/sharing.hpp"
#include "bench/transfers.hpp"

namespace anabranch::bench {
namespace {

struct Request {
  enum class Kind : std::uint8_t { streams, round_trips, finish };
  Kind kind = Kind::finish;
  double duration_s = 0;    // of streams
  std::int32_t count = 0;   // of round trips
  std::int32_t length = 0;  // number of transfers
};

// The lines of a file to which another process appends, or of standard input.
class Lines {
 public:
  explicit Lines(const std::string& path) : file_(path), is_input_(path == "-") {}

  // Empty at the end of standard input.
  std::string next() {
    if (is_input_) {
      std::getline(std::cin, line_);
      return std::cin ? line_ : "";
    }
    constexpr double look_s = 1e-3;
    for (;; Clock::sleep_for(look_s)) {
      std::string text;
      std::getline(file_, text);
      line_ += text;
      if (!file_.eof()) return std::exchange(line_, "");
      file_.clear();
    }
  }

 private:
  std::ifstream file_;
  bool is_input_;
  std::string line_;
};

// `streams SECONDS N` or `round_trips COUNT N`, then N times `SRC DST BYTES`; anything else ends
// it.
Request parse(const std::string& line, int ranks, std::vector<Transfer>& transfers) {
  std::istringstream words(line);
  std::string kind;
  Request request;
  words >> kind;
  if (kind == "streams") words >> request.duration_s;
  if (kind == "round_trips") words >> request.count;
  words >> request.length;
  transfers.clear();
  for (int i = 0; i < request.length && !words.fail(); ++i) {
    Transfer transfer;
    words >> transfer.src >> transfer.dst >> transfer.chunk_bytes;
    const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
    if (!is_rank(transfer.src) || !is_rank(transfer.dst) || transfer.chunk_bytes < 1) return {};
    transfers.push_back(transfer);
  }
  if (words.fail()) return {};
  if (kind == "streams") request.kind = Request::Kind::streams;
  if (kind == "round_trips") request.kind = Request::Kind::round_trips;
  return request;
}

class Probe {
 public:
  Probe() {
    const auto places = messages_.collect(own_place());
    if (messages_.rank() == 0) {
      for (const Place& place : places) hosts_.emplace_back(place.host.data());
      cores_are_shared_ = share_cores(places);
    }
    messages_.tell(&cores_are_shared_, sizeof(cores_are_shared_));
    if (cores_are_shared_) ask_for_short_slices();
  }

  void lead(const std::string& input, std::FILE* output) {
    JsonLine("start")
        .integer("ranks", messages_.size())
        .text("mpi_version", mpi_version())
        .texts("hosts", hosts_)
        .write(output);
    Lines lines(input);
    std::vector<Transfer> transfers;
    while (true) {
      Request request = parse(lines.next(), messages_.size(), transfers);
      announce(request, transfers);
      if (request.kind == Request::Kind::finish) break;
      answer(request, transfers, output);
    }
    JsonLine("done").write(output);
  }

  void obey() {
    while (true) {
      Request request;
      std::vector<Transfer> transfers;
      announce(request, transfers);
      if (request.kind == Request::Kind::finish) return;
      answer(request, transfers, nullptr);
    }
  }

  int rank() const { return messages_.rank(); }

 private:
  void announce(Request& request, std::vector<Transfer>& transfers) {
    messages_.tell(&request, sizeof(request));
    transfers.resize(static_cast<std::size_t>(request.length));
    if (!transfers.empty()) messages_.tell(transfers.data(), transfers.size() * sizeof(Transfer));
  }

  void answer(const Request& request, const std::vector<Transfer>& transfers, std::FILE* output) {
    if (request.kind == Request::Kind::streams) {
      answer_streams(request, transfers, output);
    } else {
      answer_round_trips(request, transfers, output);
    }
    messages_.report_ready();
  }

  void answer_streams(const Request& request, const std::vector<Transfer>& transfers,
                      std::FILE* output) {
    auto found = stream(messages_, clock_, transfers, request.duration_s, cores_are_shared_);
    std::vector<double> bytes;
    std::vector<double> span_s;
    std::vector<double> chunks;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      bring(transfers[i].dst, &found[i], sizeof(Arrived));
      bytes.push_back(found[i].bytes);
      span_s.push_back(found[i].span_s);
      chunks.push_back(found[i].chunks);
    }
    if (output == nullptr) return;
    JsonLine("streams")
        .numbers("bytes", bytes)
        .seconds("span_s", span_s)
        .numbers("chunks", chunks)
        .write(output);
  }

  void answer_round_trips(const Request& request, const std::vector<Transfer>& transfers,
                          std::FILE* output) {
    auto found = half_round_trips(messages_, clock_, transfers, request.count);
    std::vector<double> all;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      found[i].resize(static_cast<std::size_t>(request.count));
      bring(transfers[i].src, found[i].data(), found[i].size() * sizeof(double));
      all.insert(all.end(), found[i].begin(), found[i].end());
    }
    if (output == nullptr) return;
    JsonLine("round_trips").integer("count", request.count).seconds("half_s", all).write(output);
  }

  // From a rank to rank 0.
  void bring(int src, void* data, std::size_t bytes) {
    if (src == 0) return;
    if (messages_.rank() == src) messages_.send(0, data, bytes);
    if (messages_.rank() == 0) messages_.receive(src, data, bytes);
  }

  Messages messages_;
  Clock clock_;
  std::vector<std::string> hosts_;
  bool cores_are_shared_ = false;
};

int run(int argc, char** argv) {
  Probe probe;
  if (probe.rank() != 0) {
    probe.obey();
    return 0;
  }
  const bool prints = argc == 3 && std::string(argv[2]) == "-";
  std::FILE* output = prints ? stdout : argc == 3 ? std::fopen(argv[2], "w") : nullptr;
  if (output == nullptr) {
    std::fprintf(stderr, "probe: give a file of requests and one for the answers\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  probe.lead(argv[1], output);
  std::fclose(output);
  return 0;
}

}  // namespace
}  // namespace anabranch::bench

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the launcher is killed nothing must go on
  MPI_Init(&argc, &argv);
  const int status = anabranch::bench::run(argc, argv);
  MPI_Finalize();
  return status;
}
