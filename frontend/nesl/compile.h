// The front end in one call: a top-level form, in a session's environment, to core code and result type.
//
//   Parser parser(source, diagnostics);
//   while (!parser.at_end())
//     if (auto form = parser.next_form())
//       if (auto compiled = compile_form(environment, std::move(*form), diagnostics)) {
//         ... flatten and run compiled->core, print the value by compiled->type ...
//         bind_result(environment, *compiled);
//       }
//
// Commands, file bindings, background jobs and defconfig are the session's: compile_form checks and compiles
// the expression of kFileBind, kBackground and kCommand (if there is one) and defines nothing.
#pragma once

#include <memory>
#include <optional>

#include "frontend/nesl/environment.h"
#include "frontend/nesl/parser.h"

namespace nvm::frontend {

namespace core {
struct Program;  // core.h
}

struct CompiledForm {
  std::shared_ptr<const Form> form;
  std::string name;                  // left of the result line: "it", "f", "(a, b)"
  const Type* type = nullptr;        // of the value, function or constructor; print_type() gives its text
  std::shared_ptr<TypeArena> types;  // where it lives, if not as long as the environment
  std::string notice;     // "Redefining F with a new type.  Old calls will not be modified.", or empty
  bool constant = false;  // built from literals only: floats print with all digits
  // The value's program, for forms that have an expression; its entry function takes no argument. A user's
  // variable of type T occurs in it by number (Binding::variable).
  std::shared_ptr<core::Program> core;
};

// Checks, defines (functions, datatypes) and compiles one form. Nothing, with diagnostics, if it is faulty;
// then the environment is unchanged.
std::optional<CompiledForm> compile_form(Environment& environment, Form form, Diagnostics& diagnostics);
// The same for a form that the caller keeps, with its types: of a faulty one, those that were found.
std::optional<CompiledForm> compile_form(Environment& environment, const std::shared_ptr<Form>& form,
                                         const std::shared_ptr<TypeArena>& types, Diagnostics& diagnostics);

// A variable that a form bound, and the slots of the form's value that are its value.
struct BoundVariable {
  std::string name;
  std::uint32_t number = 0;
  const Type* type = nullptr;
  int first_slot = 0;
  int slots = 0;
  Binding* binding = nullptr;
  Binding* before = nullptr;  // what the user meant by the name until then
};

// After a kExpr (binds `it`) or kBind form has run: makes its names known. File bindings too.
std::vector<BoundVariable> bind_result(Environment& environment, const CompiledForm& compiled);
// Binds a variable to a value of `type` that is made elsewhere; where functions are among its parts,
// `compiled` is the form that made it.
BoundVariable bind_variable(Environment& environment, const std::string& name, const Type* type,
                            const CompiledForm* compiled);
// The form did not run after all: its names mean again what they meant before. The last form bound comes
// first.
void unbind_result(Environment& environment, const std::vector<BoundVariable>& bound);

// At the end of a file: functions that were declared and never got a body are errors.
void check_bodies(const Environment& environment, Diagnostics& diagnostics);

}  // namespace nvm::frontend
