// A command line, parsed by the option table (bytecode/base/options.def).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::cmd {

// One row of options.def.
struct OptionInfo {
  std::string_view flag;
  std::string_view argument;
  std::string_view fallback;
  std::string_view commands;
  std::string_view help;
  [[nodiscard]] std::string_view name() const { return flag.substr(0, flag.find(',')); }
  [[nodiscard]] bool belongs_to(std::string_view command) const;
  [[nodiscard]] std::string_view help_of(std::string_view command) const;  // what the command's help says
};

enum class Option : std::uint8_t {
#define OPTION(id, ...) id,
#include "bytecode/base/options.def"
};

[[nodiscard]] std::span<const OptionInfo> all_options();
[[nodiscard]] const OptionInfo& option_info(Option option);

// A command line that makes no sense; the message says what was expected.
struct UsageError {
  std::string message;
};

class Arguments {
 public:
  // Throws UsageError; an unknown option is answered with the nearest one.
  Arguments(std::string_view command, const std::vector<std::string>& words);

  [[nodiscard]] const std::string& command() const { return command_; }
  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }
  // The only operand; throws if there is none or more.
  [[nodiscard]] const std::string& operand(std::string_view what) const;
  // The words of a command line that says the same, but for some options.
  [[nodiscard]] std::vector<std::string> words_without(std::span<const Option> options) const;
  [[nodiscard]] bool given(Option option) const;  // or set in the environment
  [[nodiscard]] std::string text(Option option) const;
  [[nodiscard]] std::vector<std::string> all(Option option) const;  // of an option that may be repeated
  [[nodiscard]] std::int64_t integer(Option option, std::int64_t least, std::int64_t most = INT64_MAX) const;
  [[nodiscard]] std::int64_t count_or_all(Option option) const;
  [[nodiscard]] double number(Option option) const;
  [[nodiscard]] std::uint64_t size(Option option) const;  // with k, M, G as powers of 1024
  // Which of the words of the option's argument column it is.
  [[nodiscard]] std::size_t choice(Option option) const;

 private:
  std::string command_;
  std::vector<std::string> operands_;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

// The options of a command, aligned, for its help page.
[[nodiscard]] std::string describe_options(std::string_view command);

}  // namespace nvm::cmd
