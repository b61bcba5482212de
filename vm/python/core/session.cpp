#include "vm/python/core/session.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

nb::object Session::define(const std::string& text, const std::string& name) {
  auto defined = session_.define(text, name);
  if (!defined) return failure_tuple(defined.failure());
  return nb::cast(*defined);
}

lib::Result<lib::NeslValue> Session::call(const std::string& function,
                                          const std::vector<lib::NeslValue>& arguments) {
  const nb::gil_scoped_release unlocked;
  return session_.call(function, arguments);
}

}  // namespace nvm::python
