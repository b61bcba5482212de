// What a user is told about a program: located messages, several in one go, printed with the source line and
// a caret. Shared by the VCODE reader and verifier and by the NESL front end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nvm {

// A place in a source text. Lines and columns count from 1, columns in bytes; line 0 means "no place".
struct SourcePos {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const SourcePos&, const SourcePos&) = default;
};

enum class Severity : std::uint8_t { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  SourcePos pos;
  std::string message;  // what is wrong, and what was expected
};

// Collects diagnostics for one source text. Not thread-safe.
class Diagnostics {
 public:
  Diagnostics(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  void error(SourcePos pos, std::string message) { add({Severity::kError, pos, std::move(message)}); }
  void warning(SourcePos pos, std::string message) { add({Severity::kWarning, pos, std::move(message)}); }
  void note(SourcePos pos, std::string message) { add({Severity::kNote, pos, std::move(message)}); }
  void add(Diagnostic d);

  [[nodiscard]] bool failed() const { return errors_ > 0; }
  [[nodiscard]] int errors() const { return errors_; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  // "file:line:col: error: message", the source line, and a caret under the column with the rest of its word
  // underlined; all of them, in order.
  [[nodiscard]] std::string render() const;

  // A name whose definition in this text is at fault: uses of it need no message of their own.
  void blame(const std::string& name) { blamed_.insert(name); }
  [[nodiscard]] bool blamed(const std::string& name) const { return blamed_.contains(name); }

  // Errors after this many are counted but not kept, so that a broken file stays readable.
  static constexpr int kMaxKept = 50;
  // No message that is still to come will be kept: no need to look for what would help.
  [[nodiscard]] bool full() const { return static_cast<int>(all_.size()) >= kMaxKept; }

 private:
  std::string file_;
  std::string text_;  // a copy, so that diagnostics may outlive the reader
  std::vector<Diagnostic> all_;
  std::set<std::string> blamed_;
  int errors_ = 0;
  int dropped_ = 0;
};

}  // namespace nvm
