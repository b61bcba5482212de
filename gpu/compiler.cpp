#include "gpu/compiler.h"

#include "gpu/api/nvrtc.h"
#include "gpu/codegen/code.h"

namespace nvm::gpu {

std::shared_ptr<OpenDevice> shared_device(std::string& reason) {
  static std::string problem;
  static const std::shared_ptr<OpenDevice> kDevice = OpenDevice::open(0, problem);
  reason = problem;
  // Without a device it is of no use to install NVRTC.
  return kDevice != nullptr && nvrtc_available(reason) ? kDevice : nullptr;
}

Compiler::Compiler(std::shared_ptr<OpenDevice> device, bool background)
    : device_(std::move(device)), cache_(cache_folder(), "cubin 1") {
  if (background) worker_.start([this] { work(); });
}

Compiler::~Compiler() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  wake_.notify_one();
}

std::shared_ptr<const Compilation> Compiler::compile(const std::string& source) {
  std::shared_ptr<Compilation> c;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Compilation>& known = known_[source];
    if (known != nullptr) return known;
    known = c = std::make_shared<Compilation>();
  }
  c->source_ = prelude() + source;
  if (find_cubin(*c)) return c;
  if (!worker_.running() || worker_.failed()) {
    make_cubin(*c);
    return c;
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(c);
  }
  wake_.notify_one();
  return c;
}

void Compiler::work() {
  for (;;) {
    std::shared_ptr<Compilation> next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      make_cubin(*next);
    } catch (...) {  // nobody is to wait for it
      next->state_.store(Compilation::State::kFailed, std::memory_order_release);
    }
  }
}

std::string Compiler::key(const Compilation& c) const {
  return "sm_" + std::to_string(device_->arch()) + " nvrtc " + nvrtc_version() + "\n" + c.source_;
}

bool Compiler::find_cubin(Compilation& c) const {
  const auto cubin = cache_.find(key(c));
  return cubin && load(c, *cubin);
}

void Compiler::make_cubin(Compilation& c) const {
  const Compiled compiled = compile_cuda(c.source_, "region.cu", device_->arch());
  if (compiled.cubin.empty())
    c.reason_ = "NVRTC: " + compiled.log;
  else if (load(c, compiled.cubin))
    return cache_.add(key(c), compiled.cubin);
  c.state_.store(Compilation::State::kFailed, std::memory_order_release);
}

// A cubin from disk that the driver refuses is made again.
bool Compiler::load(Compilation& c, const std::vector<char>& cubin) const {
  auto fresh = std::make_unique<LoadedModule>(device_, cubin.data(), c.reason_);
  if (!fresh->ok()) return false;
  c.module_ = std::move(fresh);
  c.bytes_ = cubin.size();
  c.state_.store(Compilation::State::kLoaded, std::memory_order_release);
  return true;
}

}  // namespace nvm::gpu
