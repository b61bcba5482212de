// The primitives as bindings: their types are written in NESL (prims.def).
#include "frontend/core.h"
#include "frontend/environment.h"
#include "frontend/infer.h"
#include "frontend/parser.h"

namespace nvm::frontend {

void Environment::add_primitives() {
  for (const core::PrimInfo& info : core::all_prims()) {
    Binding* binding = make({});
    binding->name = info.name;
    binding->kind = BindingKind::kPrimitive;
    binding->builtin = true;
    binding->serial = info.place == core::Place::kSerial;
    binding->prim = static_cast<int>(info.prim);
    const std::string text = std::string("function ") + info.name + " x : " + info.type + ";";
    const Source source{"prims.def", text, 1, true};
    Diagnostics diagnostics(source.file, text);
    Parser parser(source, diagnostics);
    const auto form = parser.next_form();
    Checker checker(*this, diagnostics, true);
    if (form) binding->type = checker.signature(*form->sig, *binding);
    prelude_errors_ += diagnostics.render();
    builtin_[binding->name] = binding;
  }
}

}  // namespace nvm::frontend
