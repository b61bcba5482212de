#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vm/lib/watch.hpp"
#include "vm/profile/chrome_trace.h"

namespace nvm::lib {

struct Trace::Impl {
  std::string path, error;
  int file;
  vm::ChromeTrace trace;

  explicit Impl(const std::string& name)
      : path(name),
        file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)),
        trace([this](std::string_view text) { return write(text); }) {}
  ~Impl() { end(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool write(std::string_view text) {
    if (file < 0 && error.empty()) error = std::strerror(errno);
    while (file >= 0 && !text.empty()) {
      const ssize_t n = ::write(file, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        error = std::strerror(errno);
        return false;
      }
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return error.empty();
  }

  void end() {
    trace.close();
    if (file >= 0 && ::close(file) != 0 && error.empty()) error = std::strerror(errno);
    file = -1;
  }
};

Trace::Trace(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
Trace::~Trace() = default;
vm::Observer& Trace::observer() { return impl_->trace; }
void Trace::begin_phase(const std::string& name) { impl_->trace.begin_phase(name); }
void Trace::end_phase() { impl_->trace.end_phase(); }

std::string Trace::close() {
  impl_->end();
  return impl_->error.empty() ? "" : "cannot write the trace " + impl_->path + ": " + impl_->error;
}

}  // namespace nvm::lib
