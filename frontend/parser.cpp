#include "frontend/parser.h"

#include "frontend/form_parser.h"

namespace nvm::frontend {

Parser::Parser(const Source& source, Diagnostics& diagnostics)
    : source_(source), diagnostics_(diagnostics), lexer_(source, diagnostics) {
  token_ = lexer_.next();
  ahead_ = lexer_.next();
}

bool Parser::at_end() const { return token_.kind == Tok::kEnd; }

std::optional<Form> Parser::next_form() {
  incomplete_ = false;
  if (at_end()) return std::nullopt;
  FormParser parser(*this);
  const int errors = diagnostics_.errors();
  try {
    Form form = parser.form();
    if (diagnostics_.errors() == errors) return form;
  } catch (const Failure&) {
    incomplete_ = at_end() || lexer_.unfinished();
    parser.recover();
  }
  return std::nullopt;
}

}  // namespace nvm::frontend
