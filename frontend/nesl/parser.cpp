#include "frontend/nesl/parser.h"

#include "bytecode/base/stack.h"
#include "frontend/nesl/form_parser.h"

namespace nvm::frontend {

Parser::Parser(const Source& source, Diagnostics& diagnostics, IntBits bits)
    : source_(source), diagnostics_(diagnostics), lexer_(source, diagnostics, bits) {
  token_ = lexer_.next();
  ahead_ = lexer_.next();
}

bool Parser::at_end() const { return token_.kind == Tok::kEnd; }

// Two tokens are read ahead: what was wrong with them is the next form's fault.
int Parser::errors_ahead() const { return token_.errors + ahead_.errors; }

std::optional<Form> Parser::next_form() {
  incomplete_ = false;
  if (at_end()) return std::nullopt;
  FormParser parser(*this);
  const int errors = lexer_.errors() - errors_ahead();
  Form form;
  try {
    parser.read(form);
    if (lexer_.errors() - errors_ahead() == errors) return form;
  } catch (const TooDeep& e) {
    diagnostics_.error(token_.pos, e.what());
    parser.recover(form);
  } catch (const Failure&) {
    incomplete_ = at_end() || lexer_.unfinished();
    parser.recover(form);
  }
  blame(form, diagnostics_);
  return std::nullopt;
}

namespace {
void blame(const Pattern& pattern, Diagnostics& diagnostics) {
  check_stack();
  const bool named = pattern.kind == Pattern::Kind::kName || pattern.kind == Pattern::Kind::kRecord;
  if (named) diagnostics.blame(pattern.name);  // name(x) = ..., without FUNCTION, is read as a record
  for (const Pattern& item : pattern.items) blame(item, diagnostics);
}
}  // namespace

void blame(const Form& form, Diagnostics& diagnostics) {
  const bool binds =
      form.kind == FormKind::kExpr || form.kind == FormKind::kBind || form.kind == FormKind::kFileBind;
  if (binds)
    blame(form.pattern, diagnostics);
  else if (form.kind != FormKind::kCommand)
    diagnostics.blame(form.name);
}

}  // namespace nvm::frontend
