// A top level of NESL whose output is text, for kernels of notebooks.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "vm/lib/nesl.hpp"

namespace nvm::python {

// What is written to a FILE or a stream, in order.
class Written : private std::streambuf {
 public:
  Written();
  ~Written() override;
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::ostream& stream() { return stream_; }
  // What was written since the last call.
  [[nodiscard]] std::string take();

 private:
  int overflow(int c) override;
  std::streamsize xsputn(const char* text, std::streamsize n) override;

  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
  std::ostream stream_;
};

class TopLevel {
 public:
  explicit TopLevel(const lib::Options& options);
  ~TopLevel();
  // Runs forms as if they were typed: status, output and messages. An interrupt ends it; then Python's
  // exception is thrown. One call at a time: another one is told "busy".
  nanobind::tuple run(const std::string& text);
  // What programs have printed in the last one.
  [[nodiscard]] std::string printed();
  // The parts of a variable's value (lib::NeslValue), or None.
  nanobind::object value(const std::string& name);
  [[nodiscard]] std::vector<std::string> names() { return session_->names(); }
  [[nodiscard]] static bool incomplete(const std::string& text) { return lib::Nesl::incomplete(text); }

 private:
  // Calls work, which an interrupt ends; then Python's exception is thrown.
  void interruptibly(const std::function<void()>& work);

  std::atomic<bool> cancelled_{false}, busy_{false};
  Written out_, err_, printed_;
  std::string last_printed_;
  char no_text_[1] = {0};
  std::FILE* nothing_;  // to be read
  std::unique_ptr<lib::Nesl> session_;
};

void bind_top_level(nanobind::module_& m);

}  // namespace nvm::python
