// Source of the format: tools/perf/Documentation/jitdump-specification.txt in the Linux kernel.
#include "vm/cpu/jit_dump.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "bytecode/base/out_file.h"

namespace nvm::vm::cpu {

namespace {

struct Head {
  std::uint32_t magic = 0x4A695444;  // "JiTD"
  std::uint32_t version = 1;
  std::uint32_t size = sizeof(Head);
  std::uint32_t machine = EM_X86_64;
  std::uint32_t padding = 0;
  std::uint32_t pid = static_cast<std::uint32_t>(::getpid());
  std::uint64_t time = 0;
  std::uint64_t flags = 0;
};

struct CodeLoad {
  std::uint32_t kind = 0;  // JIT_CODE_LOAD
  std::uint32_t size = 0;
  std::uint64_t time = 0;
  std::uint32_t pid = static_cast<std::uint32_t>(::getpid());
  std::uint32_t thread = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  std::uint64_t address = 0;
  std::uint64_t code_address = 0;
  std::uint64_t code_bytes = 0;
  std::uint64_t number = 0;
};
static_assert(sizeof(Head) == 40 && sizeof(CodeLoad) == 56);

// perf record -k mono uses this clock.
std::uint64_t now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

JitDump::JitDump(const std::string& folder)
    : path_(folder + "/jit-" + std::to_string(::getpid()) + ".dump"), file_(create_in_place(path_)) {
  if (file_ == nullptr) {
    error_ = errno;
    return;
  }
  Head head;
  head.time = now();
  std::fwrite(&head, sizeof head, 1, file_);
  if (std::fflush(file_) != 0) error_ = errno;
  marker_ = ::mmap(nullptr, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC,
                   MAP_PRIVATE, ::fileno(file_), 0);
}

JitDump::~JitDump() {
  if (marker_ != nullptr && marker_ != MAP_FAILED)
    ::munmap(marker_, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  if (file_ != nullptr) std::fclose(file_);
}

bool JitDump::add(const void* code, std::size_t bytes, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (error_ != 0) {
    errno = error_;
    return false;
  }
  CodeLoad load;
  load.size = static_cast<std::uint32_t>(sizeof load + name.size() + 1 + bytes);
  load.time = now();
  load.address = load.code_address = reinterpret_cast<std::uintptr_t>(code);
  load.code_bytes = bytes;
  load.number = ++codes_;
  std::fwrite(&load, sizeof load, 1, file_);
  std::fwrite(name.c_str(), name.size() + 1, 1, file_);
  std::fwrite(code, bytes, 1, file_);
  if (std::fflush(file_) != 0) error_ = errno;
  return error_ == 0;
}

}  // namespace nvm::vm::cpu
