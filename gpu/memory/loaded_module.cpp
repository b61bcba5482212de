#include "gpu/memory/loaded_module.h"

namespace nvm::gpu {

namespace {
constexpr std::size_t kRoom = std::size_t{64} << 20;  // more than any module takes
}

LoadedModule::LoadedModule(std::shared_ptr<OpenDevice> device, const void* image, std::string& reason)
    : device_(std::move(device)), graphs_(std::make_unique<Graphs>()) {
  device_->enter();
  int code = device_->driver().module_load(&module_, image);
  if (code == OpenDevice::kOutOfMemory && device_->make_room(kRoom))
    code = device_->driver().module_load(&module_, image);
  if (code == 0) return;
  module_ = nullptr;
  reason = "the compiled kernels cannot be loaded: " + device_->driver().error(code);
}

LoadedModule::~LoadedModule() {
  if (module_ == nullptr) return;
  device_->enter();
  graphs_.reset();
  static_cast<void>(device_->driver().module_unload(module_));
}

Kernel LoadedModule::kernel(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = kernels_.try_emplace(name, nullptr);
  if (fresh && device_->driver().module_function(&it->second, module_, name.c_str()) != 0)
    it->second = nullptr;
  return it->second;
}

}  // namespace nvm::gpu
