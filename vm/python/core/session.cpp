#include "vm/python/core/session.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "vm/python/core/evaluate.h"

namespace nvm::python {

namespace nb = nanobind;

nb::object failure_tuple(const lib::Failure& failure) {
  std::string file = failure.origin_file;
  std::uint32_t line = failure.origin_line, column = failure.origin_column;
  std::string reason = failure.reason;
  for (const lib::Message& m : failure.messages)
    if (m.severity == lib::Severity::kError) {
      file = m.file, line = m.line, column = m.column, reason = m.text;
      break;
    }
  const bool compiled = failure.messages.empty();
  return nb::make_tuple(compiled ? static_cast<int>(failure.cause) : -1, reason, failure.message, file, line,
                        column);
}

namespace {

constexpr std::string_view kMark = "RUNTIME ERROR: ";

ssize_t write_to(void* stream, const char* text, std::size_t n) {
  static_cast<ErrorStream*>(stream)->write(std::string(text, n));
  return static_cast<ssize_t>(n);
}

}  // namespace

ErrorStream::ErrorStream() : file_(fopencookie(this, "w", {nullptr, write_to, nullptr, nullptr})) {
  if (file_ == nullptr) throw std::bad_alloc();
}
ErrorStream::~ErrorStream() { static_cast<void>(std::fclose(file_)); }

// Each instruction that writes is a call of this.
void ErrorStream::write(const std::string& text) {
  if (kept_.empty() && text.find(kMark) == text.npos)
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  else
    kept_ += text;
}

void ErrorStream::release() {
  static_cast<void>(std::fflush(file_));
  static_cast<void>(std::fwrite(kept_.data(), 1, kept_.size(), stderr));
  kept_.clear();
}

std::string ErrorStream::failed_check() {
  static_cast<void>(std::fflush(file_));
  const std::size_t mark = kept_.rfind(kMark);
  if (mark == kept_.npos) return "";
  const std::size_t line = kept_.rfind('\n', mark) + 1;
  const std::string place = kept_.substr(line, mark - line);
  std::string text = kept_.substr(mark + kMark.size());
  for (std::size_t at = 0; !place.empty() && (at = text.find("\n" + place, at)) != text.npos;)
    text.replace(at, 1 + place.size(), " ");
  text.erase(text.find_last_not_of(" \n") + 1);
  kept_.erase(line);
  if (kept_ == "\n") kept_.clear();
  release();
  return text;
}

lib::NeslOptions Session::of(const lib::Options& options) {
  lib::NeslOptions nesl;
  nesl.vm = options;
  nesl.vm.err = errors_.file();
  nesl.vm.cancelled = &cancelled_;
  return nesl;
}

void Session::run(const std::function<void()>& work) {
  cancelled_.store(false);
  until_interrupted(work, [&] {
    cancelled_.store(true);
    session_.machine().cancel();
  });
}

void Session::explain(lib::Failure& failure) {
  if (std::string said = errors_.failed_check(); !said.empty()) failure.reason = std::move(said);
}

nb::object Session::define(const std::string& text, const std::string& name) {
  std::optional<lib::Result<std::vector<std::string>>> defined;
  run([&] { defined.emplace(session_.define(text, name)); });
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (*defined) {
    errors_.release();
    return nb::cast(**defined);
  }
  lib::Failure failure = std::move(*defined).failure();
  explain(failure);
  return failure_tuple(failure);
}

lib::Result<lib::NeslValue> Session::call(const std::string& function,
                                          const std::vector<lib::NeslValue>& arguments) {
  std::optional<lib::Result<lib::NeslValue>> done;
  run([&] { done.emplace(session_.call(function, arguments)); });
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (*done) {
    errors_.release();
    return std::move(*done);
  }
  lib::Failure failure = std::move(*done).failure();
  explain(failure);
  return failure;
}

}  // namespace nvm::python
