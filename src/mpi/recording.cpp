#include "mpi/recording.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "mpi/fork.hpp"

namespace anabranch::mpi {
namespace {

// By Action::Kind; those without a name are not recorded.
constexpr std::array<const char*, 10> names = {
    "send", "receive",      "receive",         nullptr, nullptr,
    "end",  "send_control", "receive_control", nullptr, nullptr};

std::string file_name() {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "-" + std::to_string(getpid()) + ".jsonl";
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// One file for all threads, open until the process ends. Without a buffer, which a process forked
// in between would write as well when it exits.
void write_line(const std::string& folder, const std::string& line) {
  static std::mutex mutex;
  static int file = -1;
  static bool failed = false;
  const std::lock_guard lock(mutex);
  if (failed) return;
  const std::string path = folder + "/" + file_name();
  if (file < 0) file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || !write_all(file, line)) {
    failed = true;
    std::fprintf(stderr, "anabranch: cannot write the trace %s: %s\n", path.c_str(),
                 std::strerror(errno));
  }
}

std::string microseconds(double seconds) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.1f", seconds * 1e6);
  return text.data();
}

}  // namespace

double wall_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Recording::Recording(std::string folder, const Subject& subject)
    : folder_(std::move(folder)),
      subject_(subject),
      begin_s_(subject.begin_s > 0 ? subject.begin_s : wall_s()) {}

Recording::~Recording() {
  if (is_forked_child()) return;
  try {
    write_line(folder_, line());
  } catch (...) {  // no memory for a line: the collective itself went well
  }
}

void Recording::add(Action::Kind kind, std::int32_t peer, double begin_s, std::int64_t size_bytes) {
  messages_.push_back({kind, peer, begin_s, wall_s(), size_bytes});
}

std::string Recording::line() const {
  const Subject& of = subject_;
  std::string text =
      "{\"communicator\":" + std::to_string(of.communicator) +
      ",\"number\":" + std::to_string(of.number) + ",\"algorithm\":\"" + std::string(of.algorithm) +
      "\",\"size_bytes\":" + std::to_string(of.size_bytes) +
      ",\"ranks\":" + std::to_string(of.ranks) + ",\"rank\":" + std::to_string(of.rank) +
      ",\"root\":" + std::to_string(of.root) + ",\"begin_us\":" + microseconds(begin_s_) +
      ",\"end_us\":" + microseconds(wall_s()) + ",\"messages\":[";
  for (const Message& message : messages_) {
    const char* name = names[static_cast<std::size_t>(message.kind)];
    if (name == nullptr) continue;
    if (text.back() != '[') text += ',';
    // Relative to the arrival, so that lines stay short.
    text += "[\"" + std::string(name) + "\"," + std::to_string(message.peer) + "," +
            std::to_string(message.size_bytes) + "," + microseconds(message.begin_s - begin_s_) +
            "," + microseconds(message.end_s - begin_s_) + "]";
  }
  return text + "]}\n";
}

}  // namespace anabranch::mpi
