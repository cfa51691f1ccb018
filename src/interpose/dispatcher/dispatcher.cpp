// The one library that is preloaded, whatever the program's MPI is. It has no MPI of its own: at
// the first call it looks which MPI the process has loaded and hands all calls to the build for
// that ABI, which lies beside this file. Every argument of an MPI function fits a machine word, so
// one forwarder of words serves all ABIs. Uses the C library only.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "interpose/table.hpp"

#define ANABRANCH_EXPORT extern "C" __attribute__((visibility("default")))

namespace anabranch::interpose {
namespace {

using Word = std::intptr_t;

struct Abi {
  const char* soname;
  const char* library;
};

// In this order: a process may hold the standard ABI's library beside the one it wraps.
constexpr Abi abis[] = {
    {"libmpi_abi.so.1", "libanabranch-abi.so"},
    {"libmpi.so.12", "libanabranch-mpich.so"},
    {"libmpich.so.12", "libanabranch-mpich.so"},
    {"libmpi.so.40", "libanabranch-openmpi.so"},
};
constexpr int abi_count = sizeof(abis) / sizeof(abis[0]);

struct Found {
  int abi = abi_count;
  char path[4096] = {};
  char other[256] = {};  // an MPI that is not served
};

Offered called;  // what each call goes to
pthread_once_t once = PTHREAD_ONCE_INIT;
bool attached = false;

int look_at_object(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* name = slash != nullptr ? slash + 1 : info->dlpi_name;
  for (int i = 0; i < found.abi; ++i) {
    const std::size_t length = std::strlen(abis[i].soname);
    if (std::strncmp(name, abis[i].soname, length) != 0) continue;
    if (name[length] != '\0' && name[length] != '.') continue;
    if (std::strlen(info->dlpi_name) >= sizeof(found.path)) continue;
    found.abi = i;
    std::strcpy(found.path, info->dlpi_name);
    return 0;
  }
  if (std::strncmp(name, "libmpi.so", 9) == 0 || std::strncmp(name, "libmpich.so", 11) == 0) {
    std::snprintf(found.other, sizeof(found.other), "%s", name);
  }
  return 0;
}

// The symbol behind this library in the search order (another tool, or the MPI), else the MPI's
// own.
Address beneath_us(void* mpi_handle, const char* name, const char* profiling_name) {
  Address address = dlsym(RTLD_NEXT, name);
  if (address == nullptr && mpi_handle != nullptr) address = dlsym(mpi_handle, profiling_name);
  return address;
}

// Who calls the PMPI_ name has had his turn, so it leads to the MPI and to no other tool.
Address of_the_mpi(void* mpi_handle, const char* profiling_name) {
  return dlsym(mpi_handle != nullptr ? mpi_handle : RTLD_NEXT, profiling_name);
}

void look_up_beneath(Beneath& beneath) {
  void* mpi = beneath.mpi_handle;
  Functions& next = beneath.next;
#define ANABRANCH_START_OR_END(name, arguments)                 \
  next.mpi.name = beneath_us(mpi, "MPI_" #name, "PMPI_" #name); \
  next.pmpi.name = of_the_mpi(mpi, "PMPI_" #name);
#define ANABRANCH_COLLECTIVE(name, arguments) \
  ANABRANCH_START_OR_END(name, arguments)     \
  ANABRANCH_START_OR_END(name##_c, arguments)
#include "interpose/functions.inc"
#undef ANABRANCH_COLLECTIVE
#undef ANABRANCH_START_OR_END
}

// The library for the ABI, from the folder that is set, or that this one was loaded from.
Attach load(const char* library) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&load), &here) == 0) return nullptr;
  char path[4096];
  const char* slash = std::strrchr(here.dli_fname, '/');
  const int own_folder = slash != nullptr ? static_cast<int>(slash - here.dli_fname) : 0;
  const char* folder = std::getenv("ANABRANCH_LIBRARY_DIR");
  if (folder != nullptr && *folder != '\0') {
    std::snprintf(path, sizeof(path), "%s/%s", folder, library);
  } else {
    std::snprintf(path, sizeof(path), "%.*s/%s", own_folder, here.dli_fname, library);
  }
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "anabranch: cannot load %s: %s\n", library, dlerror());
    return nullptr;
  }
  return reinterpret_cast<Attach>(dlsym(handle, "anabranch_attach"));
}

// What keeps the calls of this process from being served, or null.
const char* attach_to(const Found& found) {
  Beneath beneath;
  if (found.abi < abi_count) beneath.mpi_handle = dlopen(found.path, RTLD_NOLOAD | RTLD_LAZY);
  look_up_beneath(beneath);
  called.functions = beneath.next;
  if (found.abi == abi_count) {
    return "it has none of libmpi.so.12 (MPICH and its kin), libmpi.so.40 (Open MPI), "
           "libmpi_abi.so.1 (MPI-5)";
  }
  const Attach attach_library = load(abis[found.abi].library);
  if (attach_library == nullptr) return "see the line above";
  return attach_library(&beneath, &called);
}

void attach() {
  Found found;
  dl_iterate_phdr(look_at_object, &found);
  if (const char* problem = attach_to(found)) {
    std::fprintf(stderr, "anabranch: this process keeps its own collectives: %s%s%s\n", problem,
                 found.other[0] != '\0' ? ", but " : "", found.other);
  }
  __atomic_store_n(&attached, true, __ATOMIC_RELEASE);
}

inline void ensure_attached() {
  if (!__atomic_load_n(&attached, __ATOMIC_ACQUIRE)) pthread_once(&once, attach);
}

Address required(Address address, const char* name) {
  if (address != nullptr) return address;
  std::fprintf(stderr, "anabranch: the MPI of this process has no %s\n", name);
  std::abort();
}

}  // namespace
}  // namespace anabranch::interpose

using anabranch::interpose::Word;

#define WORDS_1 Word a
#define WORDS_2 WORDS_1, Word b
#define WORDS_3 WORDS_2, Word c
#define WORDS_4 WORDS_3, Word d
#define WORDS_5 WORDS_4, Word e
#define WORDS_6 WORDS_5, Word f
#define WORDS_7 WORDS_6, Word g
#define WORDS_8 WORDS_7, Word h
#define WORDS_9 WORDS_8, Word i
#define WORDS_10 WORDS_9, Word j
#define PASSED_1 a
#define PASSED_2 PASSED_1, b
#define PASSED_3 PASSED_2, c
#define PASSED_4 PASSED_3, d
#define PASSED_5 PASSED_4, e
#define PASSED_6 PASSED_5, f
#define PASSED_7 PASSED_6, g
#define PASSED_8 PASSED_7, h
#define PASSED_9 PASSED_8, i
#define PASSED_10 PASSED_9, j

#define FORWARD(symbol, slot, arguments)                                              \
  ANABRANCH_EXPORT Word symbol(WORDS_##arguments) {                                   \
    using namespace anabranch::interpose;                                             \
    ensure_attached();                                                                \
    Address target = called.functions.slot;                                           \
    if (__builtin_expect(target == nullptr, 0)) target = required(target, #symbol);   \
    return reinterpret_cast<Word (*)(WORDS_##arguments)>(target)(PASSED_##arguments); \
  }

#define ANABRANCH_START_OR_END(name, arguments) \
  FORWARD(MPI_##name, mpi.name, arguments)      \
  FORWARD(PMPI_##name, pmpi.name, arguments)
#define ANABRANCH_COLLECTIVE(name, arguments) \
  ANABRANCH_START_OR_END(name, arguments)     \
  ANABRANCH_START_OR_END(name##_c, arguments)
#include "interpose/functions.inc"

// ---- the functions of anabranch.h

#ifndef ANABRANCH_VERSION  // comes from the build
#define ANABRANCH_VERSION "unknown"
#endif

ANABRANCH_EXPORT const char* anabranch_version(void) { return ANABRANCH_VERSION; }

ANABRANCH_EXPORT int anabranch_set(const char* name, const char* value) {
  const auto target = anabranch::interpose::called.set;
  if (target == nullptr) return 1;
  return reinterpret_cast<int (*)(const char*, const char*)>(target)(name, value);
}

ANABRANCH_EXPORT const char* anabranch_last_error(void) {
  const auto target = anabranch::interpose::called.last_error;
  if (target == nullptr) return "no collective library is active: MPI_Init has not been called";
  return reinterpret_cast<const char* (*)()>(target)();
}

ANABRANCH_EXPORT const char* anabranch_last_choice(void) {
  const auto target = anabranch::interpose::called.last_choice;
  return target == nullptr ? "native" : reinterpret_cast<const char* (*)()>(target)();
}
