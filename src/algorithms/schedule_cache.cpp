#include "algorithms/schedule_cache.hpp"

namespace anabranch {

std::shared_ptr<const Schedule> ScheduleCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second.place);
  return found->second.schedule;
}

std::shared_ptr<const Schedule> ScheduleCache::keep(const Key& key,
                                                    std::shared_ptr<const Schedule> made) {
  const std::lock_guard lock(mutex_);
  if (limit_bytes_ == 0) return made;
  const auto [entry, is_new] = entries_.try_emplace(key);
  if (!is_new) return entry->second.schedule;
  recent_.push_front(key);
  entry->second = {made, recent_.begin()};
  size_bytes_ += made->size_bytes();
  drop_oldest();
  return made;
}

void ScheduleCache::drop_oldest() {
  const std::size_t least = limit_bytes_ > 0 ? 1 : 0;  // the last one however long it is
  while (size_bytes_ > limit_bytes_ && recent_.size() > least) {
    const auto oldest = entries_.find(recent_.back());
    size_bytes_ -= oldest->second.schedule->size_bytes();
    entries_.erase(oldest);
    recent_.pop_back();
  }
}

void ScheduleCache::limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_bytes_ = bytes;
  drop_oldest();
}

std::size_t ScheduleCache::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return size_bytes_;
}

std::size_t ScheduleCache::count() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace anabranch
