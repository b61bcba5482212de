#include "vm/lib/language.hpp"

#include "vm/lib/guarded.h"
#include "vm/lib/remora.hpp"

namespace nvm::lib {

namespace {

// NESL as one of the languages.
class NeslLanguage final : public Language {
 public:
  NeslLanguage(const LanguageOptions& options, std::ostream& out, std::ostream& err)
      : nesl_(options, out, err) {}

  const LanguageFacts& facts() const override {
    static constexpr LanguageFacts kFacts = {
        "NESL",
        ".nesl",
        "<Nesl> ",
        ";",
        "Forms end with ; or an empty line; help; lists the commands, exit leaves.",
        ".nesl",
        " \t\n\"'`@$#%^&*()+-={}[]|:;,<>/"};
    return kFacts;
  }
  LanguageStatus run_file(const std::string& path) override { return nesl_.run_file(path); }
  LanguageStatus load_file(const std::string& path) override { return nesl_.load_file(path); }
  LanguageStatus run_script(std::string text, const std::string& name) override {
    return nesl_.run_script(std::move(text), name);
  }
  LanguageStatus run_text(std::string_view text, const std::string& name) override {
    return nesl_.run_text(text, name);
  }
  LanguageStatus run_typed(std::string_view text, const std::string& name) override {
    return nesl_.run_typed(text, name);
  }
  LanguageStatus run_expression(const std::string& text) override { return nesl_.run_expression(text); }
  std::optional<std::string> bind_file(const std::string& name, const std::string& word) override {
    return nesl_.bind_file(name, word);
  }
  std::optional<std::int64_t> length(const std::string& name) const override { return nesl_.length(name); }
  std::optional<std::string> save_file(const std::string& name, ValueFile& file) override {
    return nesl_.save_file(name, file);
  }
  std::optional<std::string> refuses(const Texts& texts, const std::string& name,
                                     const ValueFile& file) override {
    return nesl_.refuses(texts, name, file);
  }
  LanguageStatus check_file(const std::string& path, std::vector<LanguageMessage>* messages) override {
    return checked(messages, [&](std::vector<Message>* to) { return nesl_.check_file(path, to); });
  }
  LanguageStatus check_script(std::string text, const std::string& name,
                              std::vector<LanguageMessage>* messages) override {
    return checked(messages,
                   [&](std::vector<Message>* to) { return nesl_.check_script(std::move(text), name, to); });
  }
  void compile_only() override { nesl_.compile_only(); }
  std::optional<std::string> compile(const std::string& text) override { return nesl_.compile(text); }
  std::optional<std::string> listing(const std::string& text, std::string_view stages) override {
    return nesl_.listing(text, stages);
  }
  void forbid_effects() override { nesl_.forbid_effects(); }
  std::optional<Nesl::Prepared> prepare(const std::string& text) override { return nesl_.prepare(text); }
  bool wants_more(std::string_view text) const override { return Nesl::incomplete(text); }
  bool is_whole(std::string_view text) const override { return Nesl::parses(text); }
  bool ends_in_command(std::string_view text) const override { return Nesl::parses(text, true); }
  std::vector<std::string> names() override { return nesl_.names(); }
  Vm& machine() override { return nesl_.machine(); }
  std::string explanation() const override { return nesl_.explanation(); }
  Counters counters() const override { return nesl_.counters(); }

 private:
  template <typename F>
  static LanguageStatus checked(std::vector<LanguageMessage>* to, F check) {
    if (to == nullptr) return check(nullptr);
    std::vector<Message> messages;
    const LanguageStatus status = check(&messages);
    for (Message& m : messages) to->push_back({std::move(m), ""});
    return status;
  }

  Nesl nesl_;
};

}  // namespace

Result<std::unique_ptr<Language>> open_language(LanguageKind kind, const LanguageOptions& options,
                                                std::ostream& out, std::ostream& err) {
  return guarded(
      [&]() -> Result<std::unique_ptr<Language>> {
        std::unique_ptr<Language> made;
        if (kind == LanguageKind::kRemora)
          made = std::make_unique<Remora>(options, out, err);
        else
          made = std::make_unique<NeslLanguage>(options, out, err);
        return made;
      },
      [](Failure failure) { return Result<std::unique_ptr<Language>>(std::move(failure)); });
}

}  // namespace nvm::lib
