// Feeds a fuzz target with the cases that come through standard input, each after its length in
// four bytes, and answers each with a byte on standard output once it is through.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main() {
  constexpr unsigned longest_s = 60;  // then SIGALRM ends it
  std::uint32_t size = 0;
  while (std::fread(&size, sizeof(size), 1, stdin) == 1) {
    std::vector<std::uint8_t> data(size);  // of just this length, for the address sanitizer
    if (std::fread(data.data(), 1, size, stdin) != size) return 1;
    alarm(longest_s);
    LLVMFuzzerTestOneInput(data.data(), data.size());
    if (write(STDOUT_FILENO, "", 1) != 1) return 1;
  }
  return 0;
}
