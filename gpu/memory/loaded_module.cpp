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

int LoadedModule::find(const std::string& name, Kernel& kernel) const {
  const std::lock_guard lock(mutex_);
  const auto it = kernels_.find(name);
  if (it != kernels_.end()) {
    kernel = it->second;
    return 0;
  }
  const int code = device_->driver().module_function(&kernel, module_, name.c_str());
  if (code == 0) kernels_[name] = kernel;
  return code;
}

}  // namespace nvm::gpu
