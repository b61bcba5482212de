#pragma once

#include <utility>

namespace nvm::vm {

// Gives a place another value for as long as it lives.
template <typename T>
class Meanwhile {
 public:
  Meanwhile(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;
  ~Meanwhile() { place_ = std::move(before_); }

 private:
  T& place_;
  T before_;
};

}  // namespace nvm::vm
