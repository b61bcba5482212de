#include <cstring>

#include "bytecode/base/out_file.h"
#include "vm/lib/guarded.h"
#include "vm/lib/watch.hpp"
#include "vm/profile/chrome_trace.h"

namespace nvm::lib {

struct Trace::Impl {
  OutFile file;
  bool ended = false, whole = false;  // whole: all of it stands in the file
  vm::ChromeTrace trace;              // ended first: its thread writes the file

  explicit Impl(const std::string& name)
      : file(name, OutFile::Kind::kLog), trace([this](std::string_view text) {
          file.write(text);
          return file.error() == 0;
        }) {}
  [[nodiscard]] std::string error() const {
    const int error = file.error();
    return "cannot write the trace " + file.path() + ": " + (error != 0 ? std::strerror(error) : kNoMemory);
  }
};

Made<Trace> Trace::open(const std::string& path) {
  return make_watcher<Trace>([&] {
    auto impl = std::make_unique<Impl>(path);
    if (!impl->file.opened()) throw refusal(impl->error());
    return impl;
  });
}
Trace::Trace(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Trace::~Trace() = default;
vm::Observer& Trace::observer() { return impl_->trace; }
void Trace::begin_phase(const std::string& name) { impl_->trace.begin_phase(name); }
void Trace::end_phase() { impl_->trace.end_phase(); }

std::string Trace::close() {
  if (!impl_->ended) {
    impl_->ended = true;
    impl_->whole = impl_->trace.close() && impl_->file.finish();
  }
  return impl_->whole ? "" : impl_->error();
}

}  // namespace nvm::lib
