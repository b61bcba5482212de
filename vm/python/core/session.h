// A NESL session as Python uses it.
#pragma once

#include <nanobind/nanobind.h>

#include <ostream>
#include <string>
#include <vector>

#include "vm/lib/nesl.hpp"

namespace nvm::python {

// Cause, reason, message, and file, line and column of the first place; six of them.
[[nodiscard]] nanobind::object failure_tuple(const lib::Failure& failure);

class Session {
 public:
  explicit Session(const lib::Options& options)
      : messages_(nullptr), session_(of(options), messages_, messages_) {}
  // The names of the functions defined, or a failure_tuple().
  nanobind::object define(const std::string& text, const std::string& name);
  // Without Python's lock; one call at a time.
  lib::Result<lib::NeslValue> call(const std::string& function, const std::vector<lib::NeslValue>& arguments);

 private:
  static lib::NeslOptions of(const lib::Options& options) {
    lib::NeslOptions nesl;
    nesl.vm = options;
    return nesl;
  }
  std::ostream messages_;  // nowhere: failures say it
  lib::Nesl session_;
};

}  // namespace nvm::python
