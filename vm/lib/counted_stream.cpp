#include "vm/lib/counted_stream.h"

#include <cerrno>
#include <cstring>

#include "bytecode/base/budget.h"

namespace nvm::lib {

std::string CountedBuffer::why() const {
  return error_ == 0 ? "" : std::string(": ") + std::strerror(error_);
}

std::streamsize CountedBuffer::xsputn(const char* text, std::streamsize n) {
  if (!machine_.may_write(static_cast<std::uint64_t>(n))) throw OutputUsedUp();
  errno = 0;
  const std::streamsize put = to_->sputn(text, n);
  kept(put == n);
  return put;
}

int CountedBuffer::sync() {
  errno = 0;
  return kept(to_->pubsync() == 0) ? 0 : -1;
}

bool CountedBuffer::kept(bool good) {
  if (!good) error_ = errno;
  return good;
}

void CountedStream::report_lost(std::ostream& err) {
  clear();
  const bool late = Budget::seconds_left() < 0;  // nobody read them in time
  err << (late ? "nvm: time limit reached while a result was shown"
               : "nvm: cannot write the results" + buffer_.why())
      << "\n"
      << std::flush;
}

}  // namespace nvm::lib
