// What one form of NESL says to an editor, in bytes from the beginning of its chunk of the text: kept as
// plain data, so that neither tree nor types need to live on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/edit/index.h"
#include "frontend/nesl/ast.h"

namespace nvm::frontend {
struct CompiledForm;
class TypeArena;
}  // namespace nvm::frontend

namespace nvm::edit {

struct NeslFacts {
  struct Local {
    std::string name, type;
    SymbolKind kind = SymbolKind::kLocal;
    Span defined;
  };
  struct Use {
    Span span;
    int local = -1;  // of `locals`; a name of the top level otherwise
    bool defines = false;
    std::string name;
    std::string type = {};   // of this use
    std::string owner = {};  // a keyword of a call: the function that is called
  };
  struct Defined {
    std::string name, type, documentation, parameters;
    SymbolKind kind = SymbolKind::kVariable;
    Span span;
    bool declared_only = false;
  };
  struct Hint {
    std::size_t at = 0;
    std::string type;
  };
  std::vector<Local> locals;
  std::vector<Use> uses;
  std::vector<Defined> defined;
  std::vector<Hint> hints;
};

// A form as the parser made it, and as it is after checking, whether that went well or not.
class NeslFactFinder {
 public:
  // `text` begins with the chunk, `column` is that of its first character.
  NeslFactFinder(std::string_view text, std::uint32_t column);

  // Before the form is checked, which takes the names of keyword arguments out of the tree.
  void read_keywords(const frontend::Form& form);
  // `compiled` is null for a faulty form: types are those that were found.
  [[nodiscard]] NeslFacts find(const frontend::Form& form, const frontend::CompiledForm* compiled);

  [[nodiscard]] std::size_t offset(SourcePos pos) const;

 private:
  struct Visible {
    std::string_view name;
    int local;
  };
  [[nodiscard]] Span word_at(SourcePos pos) const;
  [[nodiscard]] std::size_t parameters_end(SourcePos name) const;
  void keywords(const frontend::Expr& exp);
  void form_parts(const frontend::Form& form, const frontend::CompiledForm* compiled);
  void define(const std::string& name, SourcePos pos, SymbolKind kind, const frontend::Type* type);
  void define_pattern(const frontend::Pattern& pattern, const frontend::Type* type);
  void bind(const frontend::Pattern& pattern, const frontend::Type* type, SymbolKind kind, bool hint);
  void record(const frontend::Pattern& pattern);
  void signature(const frontend::TypeSig& sig);
  void type_names(const frontend::TypeExpr& type);
  void use(const frontend::Expr& name);
  void visit(const frontend::Expr& exp);
  void visit_each(const frontend::Expr& exp);

  std::string_view text_;
  std::uint32_t column_;
  std::vector<std::size_t> lines_;
  NeslFacts facts_;
  std::vector<Visible> visible_;
  std::vector<Visible> type_variables_;
  frontend::TypeArena* types_ = nullptr;
};

}  // namespace nvm::edit
