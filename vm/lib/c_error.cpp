// The last error of a thread, as C asks for it.
#include "bytecode/base/per_thread.h"
#include "vm/lib/c_handles.h"

namespace nvm::lib {

namespace {

// Of the calling thread; where there is no memory even for that, a text that needs none.
struct LastError {
  Failure failure;
};
using Errors = nvm::PerThread<LastError, LastError>;
enum : int { kNone, kKept, kWithoutMemory };
constinit thread_local int last_error = kNone;

// The first place of a text that the failure names.
struct Place {
  const char* file = "";
  std::uint32_t line = 0, column = 0;
};
Place place_of(const Failure& failure) {
  for (const Message& m : failure.messages)
    if (m.severity == Severity::kError) return {m.file.c_str(), m.line, m.column};
  if (failure.origin_line != 0)
    return {failure.origin_file.c_str(), failure.origin_line, failure.origin_column};
  return {"", failure.line, failure.column};
}

}  // namespace

void keep_error(Failure failure) noexcept {
  last_error = guarded(
      [&]() -> int {
        Errors::get().failure = std::move(failure);
        return kKept;
      },
      [](const Failure&) -> int { return kWithoutMemory; });
}

void refuse(std::string why) { throw nvm::vm::Fault{nvm::vm::Fault::Kind::kIo, std::move(why)}; }

namespace {

// What f() finds in the last error.
template <typename R, typename F>
R of_error(R none, R without_memory, F f) {
  if (last_error == kNone) return none;
  return last_error == kWithoutMemory ? without_memory : f(Errors::get().failure);
}
const char* reason_of(const Failure& failure) {
  if (!failure.reason.empty() || failure.messages.empty()) return failure.reason.c_str();
  return failure.messages.front().text.c_str();
}

}  // namespace

}  // namespace nvm::lib

using namespace nvm::lib;

const char* nvm_error(void) {
  return of_error("", "nvm: out of memory\n", [](const Failure& f) { return f.message.c_str(); });
}
const char* nvm_error_reason(void) { return of_error<const char*>("", kNoMemory, reason_of); }
const char* nvm_error_file(void) {
  return of_error("", "", [](const Failure& f) { return place_of(f).file; });
}
uint32_t nvm_error_line(void) {
  return of_error<uint32_t>(0, 0, [](const Failure& f) { return place_of(f).line; });
}
uint32_t nvm_error_column(void) {
  return of_error<uint32_t>(0, 0, [](const Failure& f) { return place_of(f).column; });
}
nvm_cause nvm_error_cause(void) {
  return of_error(NVM_OTHER, NVM_MEMORY, [](const Failure& f) { return static_cast<nvm_cause>(f.cause); });
}
static_assert(static_cast<int>(Failure::Cause::kOther) == NVM_OTHER);
