#include "tests/support/emu_engine.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "gpu/launch.h"
#include "tests/support/emu_build.h"

namespace nvm::testing {

namespace {

// Device memory is host memory with a guard behind it.
class EmuQueue final : public gpu::Queue {
 public:
  EmuQueue(void* library, std::size_t offset) : library_(library), offset_(offset) {}
  ~EmuQueue() override {
    while (!blocks_.empty()) free(blocks_.begin()->first);
  }
  EmuQueue(const EmuQueue&) = delete;
  EmuQueue& operator=(const EmuQueue&) = delete;

  gpu::Address allocate(std::size_t bytes) override {
    auto* p =
        static_cast<unsigned char*>(std::aligned_alloc(256, (offset_ + bytes + kGuard + 255) / 256 * 256));
    p += offset_;
    std::memset(p, 0xA5, bytes);
    std::memset(p + bytes, 0xC3, kGuard);
    const auto a = reinterpret_cast<gpu::Address>(p);
    blocks_[a] = bytes;
    return a;
  }
  void free(gpu::Address memory) override {
    const auto it = blocks_.find(memory);
    if (it == blocks_.end()) throw std::logic_error("device memory freed twice");
    const auto* p = reinterpret_cast<const unsigned char*>(memory);
    for (std::size_t i = 0; i < kGuard; ++i)
      if (p[it->second + i] != 0xC3) throw std::logic_error("a kernel wrote behind its memory");
    std::free(reinterpret_cast<void*>(memory - offset_));
    blocks_.erase(it);
  }
  void upload(gpu::Address to, const void* from, std::size_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  }
  void download(void* to, gpu::Address from, std::size_t bytes) override {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  }
  void copy(gpu::Address to, gpu::Address from, std::size_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void clear(gpu::Address memory, std::size_t bytes) override {
    std::memset(reinterpret_cast<void*>(memory), 0, bytes);
  }
  void launch(const std::string& entry, std::int64_t blocks, int threads,
              std::span<const std::uint64_t> words, unsigned) override {
    using Entry = void (*)(const void*, unsigned, unsigned);
    const auto f = reinterpret_cast<Entry>(dlsym(library_, ("emu_" + entry).c_str()));
    if (f == nullptr) throw std::logic_error("no kernel " + entry);
    f(words.data(), static_cast<unsigned>(blocks), static_cast<unsigned>(threads));
  }
  bool wait() override { return true; }

 private:
  static constexpr std::size_t kGuard = 64;
  void* library_;
  std::size_t offset_;
  std::map<gpu::Address, std::size_t> blocks_;
};

class EmuCode final : public plan::Code {
 public:
  EmuCode(std::shared_ptr<const gpu::Code> code, void* library, std::size_t offset)
      : code_(std::move(code)), library_(library), offset_(offset) {}
  [[nodiscard]] plan::RunStatus run(const plan::Run& run) const override {
    EmuQueue queue(library_, offset_);
    return gpu::run_code(*code_, run, queue);
  }
  [[nodiscard]] std::string listing() const override { return code_->source; }
  [[nodiscard]] std::size_t code_bytes() const override { return code_->source.size(); }

 private:
  std::shared_ptr<const gpu::Code> code_;
  void* library_;
  std::size_t offset_;
};

}  // namespace

void* load_emulated(const std::string& source) {
  std::string log;
  const std::string library = build_emulated(source, log);
  if (library.empty()) throw std::runtime_error(log);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}

void EmuEngine::prepare(const std::vector<plan::Plan>& plans) {
  std::string source = gpu::prelude();
  std::vector<std::string> keys;
  for (const plan::Plan& plan : plans) {
    const std::string key = plan::print(plan);
    if (built_.contains(key)) continue;
    gpu::Code code = gpu::generate(plan, "p" + std::to_string(keys.size()) + "_");
    source += code.source;
    built_[key].code = std::make_shared<const gpu::Code>(std::move(code));
    keys.push_back(key);
  }
  if (keys.empty()) return;
  void* library = load_emulated(source);
  for (const std::string& key : keys) built_[key].library = library;
}

std::unique_ptr<plan::Code> EmuEngine::compile(const plan::Plan& plan, std::string& /*reason*/) {
  const std::string key = plan::print(plan);
  if (!built_.contains(key)) prepare({plan});
  const auto it = built_.find(key);
  return std::make_unique<EmuCode>(it->second.code, it->second.library, offset_);
}

}  // namespace nvm::testing
