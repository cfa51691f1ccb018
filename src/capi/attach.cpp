// Where the dispatcher enters the library for one ABI.
#include "capi/capi.hpp"
#include "interpose/entries.hpp"

extern "C" __attribute__((visibility("default"))) const char* anabranch_attach(
    const anabranch::interpose::Beneath* beneath, anabranch::interpose::Offered* offered) {
  if (const char* missing = anabranch::interpose::offer(*beneath, offered->functions)) {
    return missing;
  }
  anabranch::capi::offer(*offered);
  return nullptr;
}
