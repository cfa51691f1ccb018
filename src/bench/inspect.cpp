// Says what each rank finds where it runs: host, MPI, the library in front of it, settings, network
// devices; and how fast rank 0 reaches another host. `anabranch doctor` starts it and reads the
// lines of JSON that rank 0 prints; it judges nothing.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/clock.hpp"
#include "bench/json_line.hpp"
#include "bench/library.hpp"
#include "bench/median.hpp"
#include "bench/messages.hpp"
#include "bench/places.hpp"

namespace anabranch::bench {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// NAME=VALUE of the environment, in order, whose names begin with one of these.
std::vector<std::string> variables(const std::vector<std::string_view>& prefixes) {
  std::vector<std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
    if (std::any_of(prefixes.begin(), prefixes.end(), begins)) found.emplace_back(text);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What must be alike on all ranks; of the file with settings what is in it, too.
std::vector<std::string> settings() {
  std::vector<std::string> found = variables({"ANABRANCH_"});
  for (const std::string& setting : std::vector<std::string>(found)) {
    constexpr std::string_view config = "ANABRANCH_CONFIG=";
    if (!setting.starts_with(config)) continue;
    const std::string text = content(setting.substr(config.size()));
    found.push_back("content of that file: " + std::to_string(std::hash<std::string>()(text)));
  }
  return found;
}

std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "eth0 1000" in Mbit/s, as the kernel tells it, which may be nothing; "mlx5_0 100 Gb/sec (4X
// EDR)".
std::vector<std::string> devices() {
  std::vector<std::string> found;
  const std::filesystem::path network = "/sys/class/net";
  for (const std::string& name : names_in(network.c_str())) {
    const std::string state = first_line(network / name / "operstate");
    if (name == "lo" || state == "down") continue;
    const std::string speed = first_line(network / name / "speed");
    found.push_back(speed.empty() || speed[0] == '-' ? name : name + " " + speed);
  }
  const std::filesystem::path adapters = "/sys/class/infiniband";
  for (const std::string& name : names_in(adapters.c_str())) {
    const std::string rate = first_line(adapters / name / "ports/1/rate");
    found.push_back(rate.empty() ? name : name + " " + rate);
  }
  return found;
}

// What served a broadcast, as the library in front says.
std::string served(const Library& library) {
  std::vector<char> data(65536);
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  return library.present() ? library.last_choice() : "";
}

std::string own_line(int rank, const Place& place) {
  const Library library;
  return JsonLine("rank")
      .integer("rank", rank)
      .text("host", place.host.data())
      .text("mpi_version", mpi_version())
      .text("library_version", library.version())
      .text("library_file", library.file())
      .text("served_by", served(library))
      .texts("settings", settings())
      .texts("variables", variables({"UCX_", "FI_", "OMPI_MCA_", "MPIR_CVAR_", "I_MPI_"}))
      .texts("devices", devices())
      .take();
}

void print_all(const Messages& messages, const std::string& own) {
  const auto sizes = messages.collect(own.size());
  if (messages.rank() != 0) return messages.send(0, own.data(), own.size());
  std::fputs(own.c_str(), stdout);
  for (int rank = 1; rank < messages.size(); ++rank) {
    std::string line(sizes[static_cast<std::size_t>(rank)], ' ');
    messages.receive(rank, line.data(), line.size());
    std::fputs(line.c_str(), stdout);
  }
}

// Half of the median round trip of a byte between rank 0 and the peer.
double latency(const Messages& messages, int peer) {
  constexpr int trips = 60;
  const bool leads = messages.rank() == 0;
  std::vector<double> half_s;
  const Clock clock;
  char byte = 0;
  for (int trip = 0; trip < trips; ++trip) {
    const double begin_s = clock.now_s();
    if (!leads) messages.receive_now(0, &byte, 1);
    messages.send_now(leads ? peer : 0, &byte, 1);
    if (leads) messages.receive_now(peer, &byte, 1);
    half_s.push_back((clock.now_s() - begin_s) / 2);
  }
  return median(half_s);
}

// Bytes per second from rank 0 to the peer, of a message that is long enough to tell.
double bandwidth(const Messages& messages, int peer) {
  constexpr double long_enough_s = 0.25;
  constexpr std::size_t first_bytes = 65536;
  constexpr std::size_t most_bytes = 64 << 20;
  const bool leads = messages.rank() == 0;
  const Clock clock;
  for (std::size_t bytes = first_bytes;; bytes *= 4) {
    std::vector<char> data(bytes);
    char goes_on = 0;
    const double begin_s = clock.now_s();
    if (leads) {
      messages.send_now(peer, data.data(), bytes);
      messages.receive_now(peer, &goes_on, 1);
      const double took_s = clock.now_s() - begin_s;
      goes_on = took_s < long_enough_s && bytes < most_bytes ? 1 : 0;
      messages.send_now(peer, &goes_on, 1);
      if (goes_on == 0) return static_cast<double>(bytes) / took_s;
    } else {
      messages.receive_now(0, data.data(), bytes);
      messages.send_now(0, &goes_on, 1);
      messages.receive_now(0, &goes_on, 1);
      if (goes_on == 0) return 0;
    }
  }
}

void inspect() {
  const Messages messages;
  const Place place = own_place();
  const auto places = messages.collect(place);
  int peer = messages.rank() == 0 ? choose_peer(places) : 0;
  messages.tell(&peer, sizeof(peer));
  print_all(messages, own_line(messages.rank(), place));
  const bool takes_part = messages.rank() == 0 || messages.rank() == peer;
  const double latency_s = peer > 0 && takes_part ? latency(messages, peer) : 0;
  const double rate = peer > 0 && takes_part ? bandwidth(messages, peer) : 0;
  if (messages.rank() != 0) return;
  JsonLine("done")
      .integer("ranks", messages.size())
      .integer("peer_rank", peer)
      .numbers("latency_s", {latency_s})
      .numbers("bytes_per_s", {rate})
      .write(stdout);
}

}  // namespace
}  // namespace anabranch::bench

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the launcher is killed nothing must go on
  MPI_Init(&argc, &argv);
  anabranch::bench::inspect();
  MPI_Finalize();
  return 0;
}
