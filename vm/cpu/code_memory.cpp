#include "vm/cpu/code_memory.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "bytecode/base/out_file.h"
#include "vm/cpu/anonymous_code.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/nest.h"
#include "vm/cpu/codegen/stretches.h"
#include "vm/cpu/gdb_jit.h"

namespace nvm::vm::cpu {

namespace {

std::unique_ptr<asmjit::JitRuntime> runtime_for(Perf perf) {
  if (perf == Perf::kMap) return std::make_unique<AnonymousCode>();
  asmjit::JitAllocator::CreateParams twice{};
  twice.options = asmjit::JitAllocatorOptions::kUseDualMapping;
  auto runtime = std::make_unique<asmjit::JitRuntime>(&twice);
  if (runtime->allocator()->blockSize() == 0) throw std::bad_alloc();
  return runtime;
}

// What perf reads: start, size, name. One for the process.
class PerfMap {
 public:
  PerfMap() : path_("/tmp/perf-" + std::to_string(getpid()) + ".map"), file_(create_in_place(path_)) {
    if (file_ == nullptr) error_ = errno;
  }
  ~PerfMap() {
    if (file_ != nullptr) std::fclose(file_);
  }
  PerfMap(const PerfMap&) = delete;
  PerfMap& operator=(const PerfMap&) = delete;
  // False, with errno, once something could not be written.
  [[nodiscard]] bool add(const Stage& stage, const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (error_ == 0) {
      std::fprintf(file_, "%llx %zx nvm:%s\n",
                   static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(stage.function)),
                   stage.code_bytes, name.c_str());
      if (std::fflush(file_) != 0) error_ = errno;
    }
    errno = error_;
    return error_ == 0;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::mutex mutex_;
  std::string path_;
  std::FILE* file_;
  int error_ = 0;
};

}  // namespace

// A stage whose code is given back if what comes after it throws.
struct CodeMemory::Unfinished {
  CodeMemory& memory;
  Stage* stage;
  ~Unfinished() {
    if (stage != nullptr) memory.release(*stage);
  }
};

CodeMemory::CodeMemory(Isa isa, std::size_t limit, bool listings, Perf perf, std::FILE* complaints)
    : isa_(isa),
      limit_(limit),
      listings_(listings),
      perf_(perf),
      complaints_(complaints),
      runtime_(runtime_for(perf)) {}

CodeMemory::~CodeMemory() = default;

// compile() compiles it.
template <typename Compile>
bool CodeMemory::add(const std::string& name, Stage& stage, std::string& reason, Compile compile) {
  if (used() >= limit_) {
    reason = "the memory for machine code is full";
    return false;
  }
  if (!compile()) return false;
  used_.fetch_add(stage.code_bytes, std::memory_order_relaxed);
  Unfinished unfinished{*this, &stage};
  announce_to_gdb(reinterpret_cast<const void*>(stage.function), stage.code_bytes, "nvm:" + name);
  if (perf_ != Perf::kOff) announce(stage, name);
  unfinished.stage = nullptr;
  return true;
}

bool CodeMemory::compile(const StageSpec& spec, const std::string& name, Stage& stage, std::string& reason) {
  const auto compiled = [&] { return compile_stage(*runtime_, isa_, spec, listings_, stage, reason); };
  if (!add(name, stage, reason, compiled)) return false;
  Unfinished unfinished{*this, &stage};
  if (!spec.striped && spec.outer == nullptr && spec.repeat == nullptr && spec.straight.gathers.empty())
    compile_others(spec, name, stage);
  unfinished.stage = nullptr;
  return true;
}

bool CodeMemory::compile(const plan::Nest& nest, const plan::NestStorage& storage, const std::string& name,
                         Stage& stage, std::string& reason) {
  const auto emit = [&](asmjit::x86::Compiler& cc) { emit_nest(cc, isa_, nest, storage); };
  return add(name, stage, reason, [&] { return assemble(*runtime_, listings_, emit, stage, reason); });
}

// The second functions of a stage: a striped one, and one for stretches, where some gathers may have them. It
// does without if need be.
void CodeMemory::compile_others(const StageSpec& spec, const std::string& name, Stage& stage) {
  const auto other = [&](const StageSpec& same, const char* suffix, const char* title) {
    auto second = std::make_unique<Stage>();
    std::string reason;
    if (!compile(same, name + suffix, *second, reason)) return std::unique_ptr<Stage>();
    if (listings_) stage.listing += title + second->listing;
    return second;
  };
  if (spec.stripes) {
    StageSpec striped = spec;
    striped.striped = true;
    stage.striped = other(striped, ".striped", "; the same, each lane on its own part\n");
  }
  stage.indices = stretch_indices(spec);
  if (stage.indices.gathers.empty()) return;
  StageSpec straight = spec;
  straight.straight = stage.indices;
  stage.straight = other(straight, ".straight", "; the same where gathers are loads\n");
}

void CodeMemory::release(Stage& stage) {
  for (Stage* second : {stage.straight.get(), stage.striped.get()})
    if (second != nullptr) release(*second);
  if (stage.function == nullptr) return;
  forget_in_gdb(reinterpret_cast<const void*>(stage.function));
  runtime_->release(stage.function);
  used_.fetch_sub(stage.code_bytes, std::memory_order_relaxed);
  stage.function = nullptr;
}

void CodeMemory::announce(const Stage& stage, const std::string& name) {
  if (perf_ == Perf::kDump) {
    if (dump_ == nullptr) dump_ = std::make_unique<JitDump>(".");
    if (!dump_->add(reinterpret_cast<const void*>(stage.function), stage.code_bytes, "nvm:" + name))
      complain(dump_->path());
    return;
  }
  static PerfMap map;
  if (!map.add(stage, name)) complain(map.path());
}

void CodeMemory::complain(const std::string& path) {
  if (complaints_ == nullptr) return;
  std::fprintf(complaints_, "nvm: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
  complaints_ = nullptr;
}

}  // namespace nvm::vm::cpu

// What cmake/asmjit_pic.cmake makes asmjit's archive refer to in place of stderr. It stands here because this
// file is linked wherever asmjit is.
extern "C" {
[[gnu::visibility("hidden")]] extern std::FILE* nvm_asmjit_stderr;
std::FILE* nvm_asmjit_stderr = stderr;
}

// Debian's asmjit checks all tables of its register allocator at every instruction, a third of the time that
// compiling takes. The check is a weak symbol, which this definition replaces.
extern "C" [[gnu::visibility("hidden"), gnu::used]] bool nvm_asmjit_verified(const void*) __asm__(
    "_ZN6asmjit8_abi_1_912RAAssignment6verifyEv");
bool nvm_asmjit_verified(const void*) { return true; }
