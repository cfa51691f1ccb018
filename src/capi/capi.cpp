#include "capi/capi.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "anabranch.h"
#include "mpi/state.hpp"

namespace anabranch::capi {
namespace {

// What a function returned last to this thread. Not a std::string, which would be gone when a
// static of the program asks while the process exits.
template <std::size_t capacity>
class Text {
 public:
  const char* hold(std::string_view text) {
    const std::size_t length = std::min(text.size(), sizeof(characters_) - 1);
    std::memcpy(characters_, text.data(), length);
    characters_[length] = '\0';
    return characters_;
  }
  const char* get() const { return characters_; }

 private:
  char characters_[capacity] = {};
};

thread_local Text<2048> error_text;
thread_local Text<512> choice_text;

int set(const char* name, const char* value) {
  try {
    const std::string problem = name == nullptr || value == nullptr
                                    ? "anabranch_set needs a name and a value"
                                    : mpi::change_setting(name, value);
    error_text.hold(problem);
    return problem.empty() ? 0 : 1;
  } catch (const std::exception& problem) {
    error_text.hold(problem.what());
    return 1;
  }
}

const char* last_error() { return error_text.get(); }

const char* last_choice() {
  try {
    return choice_text.hold(mpi::last_choice.text());
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

void offer(interpose::Offered& offered) {
  offered.set = reinterpret_cast<interpose::Address>(set);
  offered.last_error = reinterpret_cast<interpose::Address>(last_error);
  offered.last_choice = reinterpret_cast<interpose::Address>(last_choice);
}

}  // namespace anabranch::capi
