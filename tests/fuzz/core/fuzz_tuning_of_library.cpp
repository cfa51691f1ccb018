// Tuning files as the library reads them; by those that it takes calls are decided.
#include "contract.hpp"
#include "select/decision.hpp"

using namespace anabranch;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  Settings settings;
  const bool is_taken = fuzz::read_or_refuse([&] {
    settings.tuning = std::make_shared<const Tuning>(parse_tuning(text, "tuning.json"));
    without_measurements(text, "tuning.json");
  });
  if (!is_taken) return 0;
  Problem problem{.ranks = 16, .network = {.latency_s = 5e-5, .time_per_byte_s = 2e-7}};
  problem.nodes = {16, 1};
  problem.native_policy = settings.tuning->native_policy;
  for (const Collective collective : {Collective::bcast, Collective::allreduce}) {
    for (problem.size_bytes = 1; problem.size_bytes < 1 << 20; problem.size_bytes *= 8) {
      decide(collective, problem, settings);
    }
  }
  return 0;
}
