// Schedules made so far, by relative rank: one serves every root. Those not used for longest go
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
    auto operator<=>(const Key&) const = default;
  };

  explicit ScheduleCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // The schedule, made now if need be. Valid as long as it is held, also when dropped meanwhile.
  // May be called from several threads; making one happens outside the lock.
  std::shared_ptr<const Schedule> find_or_make(const Key& key);

  void limit(std::size_t bytes);
  std::size_t size_bytes() const;
  std::size_t count() const;

 private:
  struct Entry {
    std::shared_ptr<const Schedule> schedule;
    std::list<Key>::iterator place;  // in recent_
  };
  void drop_oldest();

  mutable std::mutex mutex_;
  std::size_t limit_bytes_;
  std::size_t size_bytes_ = 0;
  std::map<Key, Entry> entries_;
  std::list<Key> recent_;  // most recent first
};

}  // namespace anabranch
