#include "gpu/cuda_engine.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "bytecode/base/disk_cache.h"
#include "gpu/api/nvrtc.h"
#include "gpu/launch.h"
#include "gpu/memory/cuda_queue.h"

namespace nvm::gpu {

namespace {

using plan::RunStatus;

// A device that fails is not used again: its context is lost with all memory in it.
struct Health {
  std::mutex mutex;
  std::atomic<bool> lost{false};
  std::string words;
  void lose(const std::string& why) {
    const std::lock_guard lock(mutex);
    if (lost) return;
    words = why;
    lost = true;
    std::fprintf(stderr, "nvm: the GPU failed while %s; the program goes on without it\n", why.c_str());
  }
};

class CudaCode final : public plan::Code {
 public:
  CudaCode(gpu::Code code, std::shared_ptr<OpenDevice> device, std::shared_ptr<LoadedModule> module,
           std::shared_ptr<Health> health, std::size_t bytes)
      : code_(std::move(code)),
        device_(std::move(device)),
        module_(std::move(module)),
        health_(std::move(health)),
        bytes_(bytes) {}

  [[nodiscard]] RunStatus run(const plan::Run& run) const override {
    if (health_->lost) return RunStatus::kNoMemory;
    CudaQueue queue(device_, *module_);
    const RunStatus status = run_code(code_, run, queue);
    if (queue.error().empty()) return status;
    health_->lose(queue.error());
    return RunStatus::kNoMemory;
  }
  [[nodiscard]] std::string listing() const override { return code_.source; }
  [[nodiscard]] std::size_t code_bytes() const override { return bytes_; }

 private:
  gpu::Code code_;
  std::shared_ptr<OpenDevice> device_;
  std::shared_ptr<LoadedModule> module_;
  std::shared_ptr<Health> health_;
  std::size_t bytes_;
};

class CudaEngine final : public plan::Engine {
 public:
  explicit CudaEngine(std::shared_ptr<OpenDevice> device)
      : device_(std::move(device)), cache_(cache_folder(), "cubin 1"), health_(std::make_shared<Health>()) {}

  [[nodiscard]] std::string name() const override { return "cuda " + device_->name(); }

  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    if (health_->lost) {
      reason = "the GPU failed while " + health_->words;
      return nullptr;
    }
    auto code = generate(plan, "", reason);
    if (!code) return nullptr;
    const Entry* entry = module(prelude() + code->source, reason);
    if (entry == nullptr) return nullptr;
    return std::make_unique<CudaCode>(std::move(*code), device_, entry->module, health_, entry->bytes);
  }

 private:
  struct Entry {
    std::shared_ptr<LoadedModule> module;
    std::size_t bytes = 0;
  };

  // The source loaded on the device: as before, from disk, or compiled.
  const Entry* module(const std::string& source, std::string& reason) {
    const std::string key =
        "sm_" + std::to_string(device_->arch()) + " nvrtc " + nvrtc_version() + "\n" + source;
    const std::lock_guard lock(mutex_);
    if (const auto it = loaded_.find(key); it != loaded_.end()) return &it->second;
    std::vector<char> cubin = cache_.find(key).value_or(std::vector<char>{});
    const bool known = !cubin.empty();
    if (!known) {
      Compiled compiled = compile_cuda(source, "region.cu", device_->arch());
      if (compiled.cubin.empty()) {
        reason = "NVRTC: " + compiled.log;
        return nullptr;
      }
      cubin = std::move(compiled.cubin);
    }
    auto fresh = std::make_shared<LoadedModule>(device_, cubin.data(), reason);
    if (!fresh->ok()) return nullptr;
    if (!known) cache_.add(key, cubin);
    return &loaded_.emplace(key, Entry{std::move(fresh), cubin.size()}).first->second;
  }

  std::shared_ptr<OpenDevice> device_;
  DiskCache cache_;
  std::shared_ptr<Health> health_;
  std::mutex mutex_;
  std::map<std::string, Entry> loaded_;
};

}  // namespace

std::unique_ptr<plan::Engine> make_engine(std::string& reason) {
  std::string words;
  if (!nvrtc_available(words)) {
    reason = words;
    return nullptr;
  }
  // Opened once: making a context takes longer than most programs.
  static std::string problem;
  static const std::shared_ptr<OpenDevice> kDevice = OpenDevice::open(0, problem);
  reason = problem;
  return kDevice == nullptr ? nullptr : std::make_unique<CudaEngine>(kDevice);
}

}  // namespace nvm::gpu
