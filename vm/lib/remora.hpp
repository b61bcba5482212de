// libnvm, Remora part: a top level in this process, type checks, and compilation to VCODE.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/lib/language.hpp"

namespace nvm::lib {

// A session in Remora. Messages have a kind; their columns count code points.
class Remora final : public Language {
 public:
  Remora(const LanguageOptions& options, std::ostream& out, std::ostream& err);
  ~Remora() override;

  [[nodiscard]] const LanguageFacts& facts() const override;
  // A line "VALUE : TYPE" of each expression; interactive "NAME : TYPE" of each definition. `describe NAME`,
  // `?NAME` and `help` on a line of their own say what a name stands for.
  LanguageStatus run_file(const std::string& path) override;
  LanguageStatus run_script(std::string text, const std::string& name) override;
  LanguageStatus run_text(std::string_view text, const std::string& name) override;
  LanguageStatus load_file(const std::string& path) override;
  LanguageStatus run_typed(std::string_view text, const std::string& name) override;
  LanguageStatus run_expression(const std::string& text) override;
  // .npy of any rank and tables of numbers as boxes, (Sigma (d1 d2) [float d1 d2]); text as a boxed string;
  // what has no axes as it is. "[float 3 3]:FILE" is of this type, and checked.
  std::optional<std::string> bind_file(const std::string& name, const std::string& word) override;
  // Binds a name to an array of the type, "[float 3 4]", or to a number: `atoms` are its atoms in row-major
  // order. The answer is what is wrong, or nothing.
  std::optional<std::string> bind(const std::string& name, const std::string& type, const Value& atoms);
  [[nodiscard]] std::optional<std::int64_t> length(const std::string& name) const override;
  // Arrays of numbers, flags or characters of any rank to .npy, of up to two axes to tables, strings to text;
  // also in a box.
  std::optional<std::string> save_file(const std::string& name, ValueFile& file) override;
  [[nodiscard]] std::optional<std::string> refuses(const Texts& texts, const std::string& name,
                                                   const ValueFile& file) override;

  LanguageStatus check_file(const std::string& path, std::vector<LanguageMessage>* messages) override;
  LanguageStatus check_script(std::string text, const std::string& name,
                              std::vector<LanguageMessage>* messages) override;
  void compile_only() override;
  [[nodiscard]] std::optional<std::string> compile(const std::string& text) override;
  // a is the expression with all that inference found written out.
  [[nodiscard]] std::optional<std::string> listing(const std::string& text, std::string_view stages) override;
  void forbid_effects() override {}  // there are none
  [[nodiscard]] std::optional<Nesl::Prepared> prepare(const std::string& text) override;

  [[nodiscard]] bool wants_more(std::string_view text) const override;
  [[nodiscard]] bool is_whole(std::string_view text) const override { return !wants_more(text); }
  [[nodiscard]] bool ends_in_command(std::string_view) const override { return false; }
  [[nodiscard]] std::vector<std::string> names() override;
  [[nodiscard]] Vm& machine() override;
  [[nodiscard]] std::string explanation() const override;
  [[nodiscard]] Counters counters() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace nvm::lib
