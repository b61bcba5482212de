// A program that is being edited: checked again after every change, as far as the change reaches, and asked
// what stands where. Nothing is run. One interface for all languages; offsets are bytes of the text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/edit/index.h"
#include "frontend/edit/text.h"

namespace nvm::edit {

// kMarkdown: a Markdown text whose blocks of NESL are the program.
enum class Language : std::uint8_t { kNesl, kRemora, kMarkdown };
// By the name that editors give a language, or else by how a file's name ends; nothing for others.
[[nodiscard]] std::optional<Language> language_of(std::string_view name, std::string_view file);

inline constexpr std::size_t kMostProblems = 500;  // of a document; of more the first ones

// A message, as `nvm check` gives it.
struct Problem {
  Severity severity = Severity::kError;
  Span span;
  std::string text;
  std::string kind;  // as the language names it, "" if it does not
};

struct Hover {
  Span span;
  std::string code;  // "sum : [a] -> a :: (a in number)"
  std::string text;  // documentation, and what it is
};

// What may stand at a place, or is called there.
struct Proposal {
  std::string name;
  enum class Kind : std::uint8_t { kFunction, kVariable, kDatatype, kType, kKeyword } kind = Kind::kVariable;
  std::string type;  // "" if it is not known, or only if described
  bool builtin = false;
};

struct Signature {
  std::string label;             // "f(a, b) : (int, int) -> int"
  std::vector<Span> parameters;  // of the label
  std::size_t active = 0;        // of the parameters
  std::string documentation;
};

struct Target {
  std::string file;  // "" for this text
  Span span;
};

struct Edit {
  Span span;
  std::string text;
};

struct Formatted {
  std::string text;
  // Parts that are left as they are, and why.
  std::vector<Problem> problems;
};

struct Refusal {
  std::string reason;
};

// The text of a file that a program loads, given by its name in the program; or nothing, and why.
using ReadFile = std::function<std::optional<std::string>(std::string& path, std::string& why)>;

class Document {
 public:
  virtual ~Document() = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] const Text& text() const { return text_; }
  // Another text, checked. Throws Cancelled or OutOfMemory where the thread's budget is spent: then it is to
  // be given again before anything is asked.
  void update(std::string text);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

  [[nodiscard]] std::optional<Hover> hover(std::size_t at);
  [[nodiscard]] std::optional<Target> definition(std::size_t at);
  [[nodiscard]] std::vector<Span> references(std::size_t at, bool with_definitions);
  // The name at a place that can be renamed, or why it cannot be.
  [[nodiscard]] std::optional<Span> renamed_word(std::size_t at, Refusal& refusal);
  // Every name keeps its meaning, or nothing is changed.
  [[nodiscard]] std::optional<std::vector<Edit>> rename(std::size_t at, const std::string& name,
                                                        Refusal& refusal);
  [[nodiscard]] std::vector<Proposal> complete(std::size_t at);
  // Type and documentation of a built-in name.
  [[nodiscard]] virtual std::optional<Hover> describe(const std::string& name) = 0;
  [[nodiscard]] std::optional<Signature> signature(std::size_t at);
  [[nodiscard]] std::vector<Inlay> inlays(Span part);
  // What the text defines, in order.
  [[nodiscard]] std::vector<Symbol> symbols();
  // The whole text in the layout of `nvm fmt`.
  [[nodiscard]] virtual Formatted formatted() const = 0;

  // Until the next update.
  [[nodiscard]] const Index& index();

 protected:
  Document() = default;
  // A call around a place: what stands before its arguments, and which of them it is.
  struct Call {
    std::string function;
    std::size_t argument = 0;
    std::size_t at = 0;  // of the function's name
  };

  virtual void analyse(std::vector<Problem>& problems) = 0;
  [[nodiscard]] virtual Index make_index() = 0;
  [[nodiscard]] virtual std::unique_ptr<Document> another() const = 0;
  // A word as the language reads it, and whether that may be defined.
  [[nodiscard]] virtual std::string word(std::string_view text) const = 0;
  [[nodiscard]] virtual bool in_word(char c) const = 0;
  [[nodiscard]] virtual std::optional<std::string> wrong_name(const std::string& name) const = 0;
  // In place of a word that defines one name and uses another: `{v}` with the one that it defines, then the
  // one that it uses.
  [[nodiscard]] virtual std::string apart(const std::string& defined, const std::string& used) const = 0;
  // Whether a place is inside of a comment or a literal.
  [[nodiscard]] virtual bool is_text(std::size_t at) const = 0;
  [[nodiscard]] virtual std::vector<Proposal> builtins() = 0;
  // Names that may be visible at a place and are not of the top level; the form may have mistakes.
  [[nodiscard]] virtual std::vector<Proposal> locals_at(std::size_t at) = 0;
  [[nodiscard]] virtual std::optional<Call> call_around(std::size_t at) const = 0;
  // "f(a, b)" with the places of the parameters in it, for a function that has them.
  [[nodiscard]] virtual std::optional<Signature> signature_of(const Symbol* symbol,
                                                              const std::string& name) = 0;

  [[nodiscard]] Span word_around(std::size_t at) const;
  // What a name of the top level means at a place; null if nothing.
  [[nodiscard]] const Symbol* top_level(std::string_view name, std::size_t at);

  Text text_;

 private:
  [[nodiscard]] std::optional<Hover> hover_of(const Symbol& symbol, Span span, std::string_view type);
  [[nodiscard]] bool same_meaning(const std::vector<Edit>& edits, const Index& before);

  std::vector<Problem> problems_;
  std::optional<Index> index_;
};

// `path` is the file's, "" if it has none.
[[nodiscard]] std::unique_ptr<Document> open_nesl(std::string path, bool markdown, ReadFile read);
[[nodiscard]] std::unique_ptr<Document> open_remora();
[[nodiscard]] std::unique_ptr<Document> open_document(Language language, std::string path, ReadFile read);

}  // namespace nvm::edit
