// How long a protocol waits for more ranks before it serves the first of a group: some time, and
// again while somebody comes each time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace anabranch {

class Gathering {
 public:
  // 0: it waits for nobody.
  explicit Gathering(double seconds) : seconds_(seconds) {}

  void somebody_came() { came_ = true; }
  // Where somebody came meanwhile others may be close behind.
  void time_is_over() {
    is_on_ = false;
    is_over_ = !came_ || ++times_ == max_times;
  }

  bool is_over(bool all_arrived) const { return seconds_ <= 0 || all_arrived || is_over_; }
  // How long to wait from now on; nothing where that is under way.
  std::optional<double> begin() {
    if (is_on_) return std::nullopt;
    is_on_ = true;
    came_ = false;
    return seconds_;
  }
  // Those who were there are served.
  void forget() {
    is_on_ = is_over_ = false;
    times_ = 0;
  }

  void describe_state(std::vector<std::int32_t>& state) const {
    state.insert(state.end(), {is_on_, is_over_, came_, times_});
  }

 private:
  static constexpr std::int32_t max_times = 4;
  double seconds_;
  bool is_on_ = false;
  bool is_over_ = false;
  bool came_ = false;
  std::int32_t times_ = 0;
};

}  // namespace anabranch
