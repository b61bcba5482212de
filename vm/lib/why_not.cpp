#include "vm/profile/why_not.h"

#include "vm/lib/watch.hpp"

namespace nvm::lib {

struct WhyNot::Impl {
  vm::WhyNot observer;
};

WhyNot::WhyNot() : impl_(std::make_unique<Impl>()) {}
WhyNot::~WhyNot() = default;
vm::Observer& WhyNot::observer() { return impl_->observer; }
std::string WhyNot::text() const { return impl_->observer.text(); }

}  // namespace nvm::lib
