// A NESL session as Python uses it.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "vm/lib/nesl.hpp"

namespace nvm::python {

// Cause, reason, message, and file, line and column of the first place; six of them.
[[nodiscard]] nanobind::object failure_tuple(const lib::Failure& failure);

// Standard error of programs: what they print goes on to the process's, but what a check says that fails is
// kept for the exception.
class ErrorStream {
 public:
  ErrorStream();
  ~ErrorStream();
  ErrorStream(const ErrorStream&) = delete;
  ErrorStream& operator=(const ErrorStream&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  void write(const std::string& text);
  // What the check of a program that has ended by one says, without its place; "" if none has failed.
  [[nodiscard]] std::string failed_check();
  // No check has failed: what looks like it is of the program's own.
  void release();

 private:
  std::string kept_;
  std::FILE* file_;
};

class Session {
 public:
  explicit Session(const lib::Options& options)
      : messages_(nullptr), session_(of(options), messages_, messages_) {}
  // The names of the functions defined, or a failure_tuple().
  nanobind::object define(const std::string& text, const std::string& name);
  // Without Python's lock; one call at a time. An interrupt ends it; then Python's exception is thrown.
  lib::Result<lib::NeslValue> call(const std::string& function, const std::vector<lib::NeslValue>& arguments);

 private:
  lib::NeslOptions of(const lib::Options& options);
  void run(const std::function<void()>& work);
  void explain(lib::Failure& failure);

  std::atomic<bool> cancelled_{false};
  ErrorStream errors_;
  std::ostream messages_;  // nowhere: failures say it
  lib::Nesl session_;
};

}  // namespace nvm::python
