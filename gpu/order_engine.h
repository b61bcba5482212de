// Ranking and sorting on a CUDA device (codegen/order.cuh).
#pragma once

#include <memory>

#include "bytecode/base/orderer.h"
#include "gpu/compiler.h"

namespace nvm::gpu {

class DeviceOrderer final : public Orderer {
 public:
  // Fewer than `least` elements are left to the processor. `compiler` must outlive this.
  DeviceOrderer(std::shared_ptr<OpenDevice> device, Compiler& compiler, std::int64_t least)
      : device_(std::move(device)), compiler_(compiler), least_(least) {}
  [[nodiscard]] bool order(OrderTask& task) override;

 private:
  const std::shared_ptr<OpenDevice> device_;
  Compiler& compiler_;
  const std::int64_t least_;
};

// The source of its kernels, without the prelude.
[[nodiscard]] const std::string& order_source();

}  // namespace nvm::gpu
