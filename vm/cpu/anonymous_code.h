// Machine code in memory that is no file to the system: perf reads names for such memory only, and what two
// addresses show (asmjit's way to memory that is never writable and executable at once) is a file. Whole
// pages for each piece of code, written first and executable from then on.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <map>
#include <mutex>

namespace nvm::vm::cpu {

class AnonymousCode final : public asmjit::JitRuntime {
 public:
  AnonymousCode() = default;
  ~AnonymousCode() override;
  AnonymousCode(const AnonymousCode&) = delete;
  AnonymousCode& operator=(const AnonymousCode&) = delete;

  asmjit::Error _add(void** dst, asmjit::CodeHolder* code) noexcept override;
  asmjit::Error _release(void* p) noexcept override;

 private:
  std::mutex mutex_;
  std::map<void*, std::size_t> pages_;  // bytes, by where they begin
};

}  // namespace nvm::vm::cpu
