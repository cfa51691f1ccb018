// The library under test, found in the running process: without it only native can be measured.
#pragma once

#include <dlfcn.h>

#include <string>

namespace anabranch::bench {

class Library {
 public:
  Library()
      : set_(reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "anabranch_set"))),
        last_error_(reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "anabranch_last_error"))),
        last_choice_(reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "anabranch_last_choice"))),
        version_(reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "anabranch_version"))) {}

  bool present() const { return set_ != nullptr && last_error_ != nullptr; }
  std::string version() const { return version_ != nullptr ? version_() : ""; }
  // The file that it was loaded from; empty where there is none.
  std::string file() const {
    Dl_info found{};
    const bool is_there =
        version_ != nullptr && dladdr(reinterpret_cast<void*>(version_), &found) != 0;
    return is_there ? found.dli_fname : "";
  }

  // For this collective, by the name of its setting. Empty, or why it cannot be.
  std::string choose(const std::string& collective, const std::string& algorithm) {
    if (!present()) return algorithm == "native" ? "" : "the Anabranch library is not preloaded";
    if (algorithm == chosen_) return "";
    if (set_(collective.c_str(), algorithm.c_str()) != 0) return last_error_();
    chosen_ = algorithm;
    return "";
  }

  // Whether the default is compared with native and others in its first calls.
  void guard(bool is_on) {
    if (!present() || is_on == is_guarded_) return;
    set_("guard", is_on ? "1" : "0");
    is_guarded_ = is_on;
  }

  // What served the last collective of this rank.
  std::string last_choice() const { return last_choice_ != nullptr ? last_choice_() : "native"; }

 private:
  using Set = int (*)(const char*, const char*);
  using Text = const char* (*)();

  Set set_;
  Text last_error_;
  Text last_choice_;
  Text version_;
  std::string chosen_;
  bool is_guarded_ = false;  // until then as the environment says: `anabranch bench` turns it off
};

}  // namespace anabranch::bench
