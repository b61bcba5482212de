// Elements on a device. A buffer's remote is attached once, by whoever comes first, and leaves with the
// buffer or before the first write; so a reader that sees it may use it.
#include "vm/data/value.h"

namespace nvm::vm {

void fetch_remote(const Buffer& b) {
  const std::shared_ptr<Remote>* remote = b.remote.load(std::memory_order_acquire);
  std::string why;
  if (!(*remote)->fetch(why)) throw Fault{Fault::Kind::kDevice, std::move(why)};
}

std::shared_ptr<Remote> remote_of(const Buffer& b) {
  const std::shared_ptr<Remote>* remote = b.remote.load(std::memory_order_acquire);
  return remote == nullptr ? nullptr : *remote;
}

void attach_remote(Buffer& b, std::shared_ptr<Remote> remote) {
  if (b.remote.load(std::memory_order_relaxed) != nullptr) return;
  auto cell = std::make_unique<std::shared_ptr<Remote>>(std::move(remote));
  std::shared_ptr<Remote>* none = nullptr;
  if (b.remote.compare_exchange_strong(none, cell.get(), std::memory_order_release))
    static_cast<void>(cell.release());
}

void drop_remote(Buffer& b) {
  const std::unique_ptr<std::shared_ptr<Remote>> cell(b.remote.exchange(nullptr, std::memory_order_acquire));
  if (cell != nullptr) (*cell)->leave();
}

}  // namespace nvm::vm
