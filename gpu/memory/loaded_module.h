// A cubin on the device: its kernels, and the graphs that have been made of their launches.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/memory/graphs.h"
#include "gpu/memory/open_device.h"

namespace nvm::gpu {

// Thread-safe.
class LoadedModule {
 public:
  LoadedModule(std::shared_ptr<OpenDevice> device, const void* image, std::string& reason);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  [[nodiscard]] bool ok() const { return module_ != nullptr; }
  // 0 or the driver's error: its code may be loaded only now.
  [[nodiscard]] int find(const std::string& name, Kernel& kernel) const;
  [[nodiscard]] Graphs& graphs() const { return *graphs_; }

 private:
  std::shared_ptr<OpenDevice> device_;
  Module module_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Kernel> kernels_;
  std::unique_ptr<Graphs> graphs_;
};

}  // namespace nvm::gpu
