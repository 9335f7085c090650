#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace decider {

// Objects that the threads of the process share while any of them uses them, by key. Threads that want the same object
// wait until one of them has made it; different objects are made at the same time.
template <typename Object>
class Shared {
 public:
  template <typename Make>
  std::shared_ptr<Object> get(const std::string & key, const Make & make) {
    const auto place = place_of(key);
    std::lock_guard<std::mutex> lock(place->mutex);
    if (auto object = place->object.lock()) return object;
    const auto object = make();
    place->object = object;
    return object;
  }

 private:
  struct Place {
    std::mutex mutex;
    std::weak_ptr<Object> object;
  };

  std::shared_ptr<Place> place_of(const std::string & key) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto & place = places_[key];
    if (place == nullptr) place = std::make_shared<Place>();
    return place;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Place>> places_;
};

}  // namespace decider
