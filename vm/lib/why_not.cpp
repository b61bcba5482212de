#include "vm/profile/why_not.h"

#include "vm/lib/guarded.h"

namespace nvm::lib {

struct WhyNot::Impl {
  vm::WhyNot observer;
};

Made<WhyNot> WhyNot::make() {
  return make_watcher<WhyNot>([] { return std::make_unique<Impl>(); });
}
WhyNot::WhyNot(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WhyNot::~WhyNot() = default;
vm::Observer& WhyNot::observer() { return impl_->observer; }
std::string WhyNot::text() const { return impl_->observer.text(); }

}  // namespace nvm::lib
