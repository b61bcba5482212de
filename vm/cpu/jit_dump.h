// Generated code in the format of Linux perf's jitdump: `perf inject --jit` turns it into objects that
// `perf report` and `perf annotate` understand, also after the process has gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace nvm::vm::cpu {

class JitDump {
 public:
  // jit-<pid>.dump in `folder`.
  explicit JitDump(const std::string& folder);
  ~JitDump();
  JitDump(const JitDump&) = delete;
  JitDump& operator=(const JitDump&) = delete;

  // False, with errno, once something could not be written.
  [[nodiscard]] bool add(const void* code, std::size_t bytes, const std::string& name);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::mutex mutex_;
  std::string path_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
  void* marker_ = nullptr;  // perf finds the file by this mapping of it
  std::uint64_t codes_ = 0;
};

}  // namespace nvm::vm::cpu
