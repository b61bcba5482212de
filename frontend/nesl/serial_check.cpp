#include "frontend/nesl/serial_check.h"

#include <vector>

#include "bytecode/base/stack.h"
#include "bytecode/program/origin.h"

namespace nvm::frontend {
namespace {

class SerialCheck {
 public:
  explicit SerialCheck(const core::Program& program) : program_(program), serial_(program.functions.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < serial_.size(); ++i) {
        if (serial_[i] || !calls_serial(*program.functions[i].body)) continue;
        serial_[i] = changed = true;
      }
    }
  }

  void report(SourcePos pos, std::uint32_t source, Diagnostics& diagnostics) const {
    check_stack();
    for (const core::Function& function : program_.functions)
      report(*function.body, false, {pos, source}, diagnostics);
  }

 private:
  // The expression, for calls in other texts.
  struct Whole {
    SourcePos pos;
    std::uint32_t source;
  };

  [[nodiscard]] bool is_serial_call(const core::Expr& e) const {
    if (e.kind == core::ExprKind::kPrim) return core::prim_info(e.prim).place == core::Place::kSerial;
    return e.kind == core::ExprKind::kCall && serial_[static_cast<std::size_t>(e.id)];
  }

  // Outside of apply-to-each; the sources of one are outside of it.
  [[nodiscard]] bool calls_serial(const core::Expr& e) const {
    check_stack();
    if (is_serial_call(e)) return true;
    const std::size_t kids = e.kind == core::ExprKind::kEach ? e.vars.size() : e.kids.size();
    for (std::size_t i = 0; i < kids; ++i)
      if (calls_serial(*e.kids[i])) return true;
    return false;
  }

  void report(const core::Expr& e, bool parallel, Whole whole, Diagnostics& diagnostics) const {
    check_stack();
    if (parallel && is_serial_call(e)) {
      std::string name = e.kind == core::ExprKind::kPrim
                             ? core::prim_info(e.prim).name
                             : program_.functions[static_cast<std::size_t>(e.id)].name;
      for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      const bool here = e.line != 0 && origin_source_of(e.line) == whole.source;
      diagnostics.error(here ? SourcePos{origin_line_of(e.line), 1} : whole.pos,
                        "cannot call " + name + " in parallel");
      return;
    }
    for (std::size_t i = 0; i < e.kids.size(); ++i) {
      const bool inside = e.kind == core::ExprKind::kEach && i >= e.vars.size();
      report(*e.kids[i], parallel || inside, whole, diagnostics);
    }
  }

  const core::Program& program_;
  std::vector<bool> serial_;
};

}  // namespace

void check_serial(const core::Program& program, SourcePos pos, std::uint32_t source,
                  Diagnostics& diagnostics) {
  SerialCheck(program).report(pos, source, diagnostics);
}

}  // namespace nvm::frontend
