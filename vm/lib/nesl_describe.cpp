// describe NAME: interface, type, documentation and code of what a name stands for.
#include <ostream>
#include <vector>

#include "bytecode/base/read_file.h"
#include "frontend/nesl/examples.h"
#include "frontend/nesl/prims.h"
#include "vm/lib/nesl_commands.h"

namespace nvm::vm {

namespace {

using frontend::Binding;
using frontend::BindingKind;
using frontend::FormKind;

constexpr std::size_t kWhole = 12;  // lines of code that are shown if there are not more,
constexpr std::size_t kFirst = 6;   // and how many of more

// What is written as a call and is none.
constexpr const char* kTime =
    "INTERFACE:\n  time(a)\nTYPE:\n  a -> (a, float) :: (a in any)\nDOCUMENTATION:\n"
    "  The value of an expression and the seconds it took.\nCODE:\n  *Primitive*\n";

std::string interface(const Binding& b) {
  if (b.form && (b.form->kind == FormKind::kFunction || b.form->kind == FormKind::kForward)) {
    const std::string pattern = frontend::print_pattern(b.form->pattern);
    return b.name + (pattern.starts_with("(") ? pattern : "(" + pattern + ")");
  }
  if (b.kind == BindingKind::kConstructor) return b.name + "(components)";
  if (b.kind == BindingKind::kPrimitive)
    return b.name + "(" + frontend::primitive(static_cast<frontend::core::Prim>(b.prim)).parameters + ")";
  return b.name;
}

}  // namespace

void SessionCommands::describe(const Words& words) {
  std::string name = words.back().text;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (name == "time") {
    s_.out_ << kTime;
    return;
  }
  const Binding* b = s_.environment_.find(name);
  if (b == nullptr) {
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    s_.out_ << name << " not found.\n";
    return;
  }
  s_.out_ << "INTERFACE:\n  " << interface(*b) << "\nTYPE:\n  " << frontend::print_type(b->type)
          << (b->serial ? "  (callable in serial only)" : "") << "\n";
  if (const std::string doc = s_.documentation(*b); !doc.empty()) {
    s_.out_ << "DOCUMENTATION:\n";
    for (const std::string_view line : lines_of(doc)) s_.out_ << "  " << line << "\n";
  }
  if (const auto* example = b->builtin ? frontend::example_of(name) : nullptr; example != nullptr)
    s_.out_ << "EXAMPLE:\n  " << example->expression << ";\n  it = " << example->value << "\n";
  if (b->kind == BindingKind::kPrimitive) {
    s_.out_ << "CODE:\n  *Primitive*\n";
  } else if (b->form) {
    s_.out_ << "CODE:\n";
    const std::vector<std::string_view> code = lines_of(b->form->text);
    const std::size_t shown = code.size() <= kWhole ? code.size() : kFirst;
    for (std::size_t k = 0; k < shown; ++k) s_.out_ << "  " << code[k] << "\n";
    if (shown < code.size())
      s_.out_ << "  ... " << code.size() - shown << " more lines: show code " << name << "\n";
  }
}

}  // namespace nvm::vm
