#include "vm/cpu/anonymous_code.h"

#include <sys/mman.h>

#include <new>

namespace nvm::vm::cpu {

AnonymousCode::~AnonymousCode() {
  for (const auto& [at, bytes] : pages_) ::munmap(at, bytes);
}

asmjit::Error AnonymousCode::_add(void** dst, asmjit::CodeHolder* code) noexcept {
  *dst = nullptr;
  ASMJIT_PROPAGATE(code->flatten());
  ASMJIT_PROPAGATE(code->resolveUnresolvedLinks());
  const std::size_t bytes = code->codeSize();
  if (bytes == 0) return asmjit::kErrorNoCodeGenerated;
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return asmjit::kErrorOutOfMemory;
  asmjit::Error error = code->relocateToBase(reinterpret_cast<std::uintptr_t>(at));
  if (error == asmjit::kErrorOk) error = code->copyFlattenedData(at, bytes);
  if (error == asmjit::kErrorOk && ::mprotect(at, bytes, PROT_READ | PROT_EXEC) != 0)
    error = asmjit::kErrorOutOfMemory;
  try {
    const std::lock_guard lock(mutex_);
    if (error == asmjit::kErrorOk) pages_.emplace(at, bytes);
  } catch (const std::bad_alloc&) {
    error = asmjit::kErrorOutOfMemory;
  }
  if (error != asmjit::kErrorOk)
    ::munmap(at, bytes);
  else
    *dst = at;
  return error;
}

asmjit::Error AnonymousCode::_release(void* p) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(p);
  if (found == pages_.end()) return asmjit::kErrorInvalidArgument;
  ::munmap(p, found->second);
  pages_.erase(found);
  return asmjit::kErrorOk;
}

}  // namespace nvm::vm::cpu
