// Schedules made so far, by relative rank: most serve every root. Those not used for longest go
// first.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace anabranch {

class ScheduleCache {
 public:
  struct Key {
    const Algorithm* algorithm = nullptr;
    std::int32_t ranks = 1;
    std::int32_t rank = 0;  // relative to the root
    std::int32_t blocks = 1;
    std::vector<std::int64_t> values;
    // Of schedules that depend on more than the number of ranks (instantiate.cpp); else as here.
    std::int32_t root = 0;
    bool keeps_operand_order = false;
    Places::Fingerprint places = {};
    auto operator<=>(const Key&) const = default;
  };

  explicit ScheduleCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // The schedule, which make() makes now if need be. Valid as long as it is held, also when dropped
  // meanwhile. May be called from several threads; making one happens outside the lock.
  template <typename Make>
  std::shared_ptr<const Schedule> find_or_make(const Key& key, Make make) {
    if (auto found = find(key)) return found;
    return keep(key, std::make_shared<const Schedule>(make()));
  }

  void limit(std::size_t bytes);
  std::size_t size_bytes() const;
  std::size_t count() const;

 private:
  struct Entry {
    std::shared_ptr<const Schedule> schedule;
    std::list<Key>::iterator place;  // in recent_
  };
  std::shared_ptr<const Schedule> find(const Key& key);
  // Another thread may have been faster: then its own.
  std::shared_ptr<const Schedule> keep(const Key& key, std::shared_ptr<const Schedule> made);
  void drop_oldest();

  mutable std::mutex mutex_;
  std::size_t limit_bytes_;
  std::size_t size_bytes_ = 0;
  std::map<Key, Entry> entries_;
  std::list<Key> recent_;  // most recent first
};

}  // namespace anabranch
