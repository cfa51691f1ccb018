// Measures a collective as an ordinary MPI program does: calls it, on all ranks at an agreed
// moment, with one algorithm after the other, and writes what happened as lines of JSON. `anabranch
// bench` starts it and reads them; docs/guides/measuring.md says how it measures and what the lines
// mean.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/function.hpp"
#include "bench/json_line.hpp"
#include "bench/measurement.hpp"
#include "bench/options.hpp"
#include "bench/places.hpp"
#include "bench/points.hpp"
#include "bench/steps.hpp"

namespace anabranch::bench {
namespace {

bool share_clock(const std::vector<Place>& places, ClockMode mode) {
  if (mode != ClockMode::automatic) return mode == ClockMode::shared;
  for (const Place& place : places) {
    if (place.kernel != places[0].kernel) return false;
  }
  return true;
}

void write_start(std::FILE* events, const std::vector<Place>& places, const Library& library,
                 int peer, bool clocks_are_shared) {
  std::vector<std::string> hosts;
  for (const Place& place : places) hosts.emplace_back(place.host.data());
  JsonLine("start")
      .integer("ranks", static_cast<std::int64_t>(places.size()))
      .text("mpi_version", mpi_version())
      .text("library_version", library.version())
      .text("compiler", __VERSION__)
      .text("clock", clocks_are_shared ? "shared" : "estimated")
      .integer("peer_rank", peer)
      .texts("hosts", hosts)
      .write(events);
}

// What rank 0 tells the others of where they all run.
struct Arrangement {
  int peer = 0;
  bool cores_are_shared = false;
};

// Empty, or why the algorithms asked for cannot be measured; the same on all ranks.
std::string problem_of(const Options& options, Steps& steps, int ranks) {
  if (options.root < 0 || options.root >= ranks) return "there is no rank for the root";
  for (const std::string& algorithm : options.algorithms) {
    if (const std::string problem = steps.choose(algorithm); !problem.empty()) return problem;
  }
  return "";
}

// What rank 0 does. Returns 0, or 1 where something is wrong, which the events tell.
int lead(const Options& options, std::string problem, Steps& steps,
         const std::vector<Place>& places, int peer) {
  std::FILE* events = options.output == "-" ? stdout : std::fopen(options.output.c_str(), "w");
  if (events == nullptr) {
    std::fprintf(stderr, "bench: cannot write %s\n", options.output.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::vector<Point> points;
  try {
    if (problem.empty()) points = points_of(options, steps.messages().size());
  } catch (const std::exception& error) {  // the others do not know of it
    problem = error.what();
    steps.finish();
  }
  bool is_right = false;
  if (problem.empty()) {
    const bool clocks_are_shared = share_clock(places, options.clock);
    write_start(events, places, steps.library(), peer, clocks_are_shared);
    is_right = Measurement(options, points, steps, peer, clocks_are_shared, events).carry_out();
  } else {
    JsonLine("error").text("message", problem).write(events);
  }
  std::fclose(events);
  return is_right ? 0 : 1;
}

int measure(const Options& options, const Function& function, std::string problem) {
  Steps steps(options, function);
  const Messages& messages = steps.messages();
  const auto places = messages.collect(own_place());
  messages.connect_all();
  Arrangement arrangement;
  if (messages.rank() == 0) arrangement = {choose_peer(places), share_cores(places)};
  messages.tell(&arrangement, sizeof(arrangement));
  if (arrangement.cores_are_shared) steps.share_cores();
  if (problem.empty()) problem = problem_of(options, steps, messages.size());
  if (messages.rank() == 0) return lead(options, problem, steps, places, arrangement.peer);
  if (problem.empty()) steps.obey(arrangement.peer);
  return 0;
}

}  // namespace
}  // namespace anabranch::bench

int main(int argc, char** argv) {
  using namespace anabranch::bench;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the launcher is killed nothing must go on
  MPI_Init(&argc, &argv);
  Options options;
  const Function* function = functions.data();
  std::string problem;
  try {
    parse_options(argc, argv, options);
    function = &function_named(options.function);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const int status = measure(options, *function, problem);
  MPI_Finalize();
  return status;
}
