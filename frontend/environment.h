// What names mean at top level: the primitives, the prelude (parsed and checked one definition at a time, on
// first use) and what the user defined. Extended form by form.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/types.h"

namespace nvm::frontend {

enum class BindingKind : std::uint8_t {
  kPrimitive,    // an instruction of the core (prims.def)
  kFunction,     // form: its definition; without one a forward declaration
  kConstructor,  // datatype
  kVariable,     // top-level variable of the user, or a constant of the prelude (form: its definition)
};

struct Binding {
  std::string name;
  BindingKind kind = BindingKind::kFunction;
  bool builtin = false;        // of the prelude or a primitive
  bool serial = false;         // not callable inside an apply-to-each
  bool constant = false;       // kVariable: bound to literals only, so its value prints with all digits
  const Type* type = nullptr;  // generalised: its unbound variables are quantified; null while unknown
  std::shared_ptr<const Form> form;
  const Datatype* datatype = nullptr;
  int prim = -1;               // kPrimitive: row of prims.def
  std::uint32_t variable = 0;  // kVariable of the user: its number, under which the session keeps the value
};

class Environment {
 public:
  Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // The meaning of a name for a user's program (or for prelude text), or null. May parse and check prelude
  // text.
  Binding* find(std::string_view name, bool from_prelude = false);
  // All names a user can see, sorted; forces nothing.
  [[nodiscard]] std::vector<std::string> names() const;

  // A new binding that hides earlier ones of its name; uses already resolved keep theirs.
  Binding* define(Binding binding);
  [[nodiscard]] TypeArena& types() { return types_; }
  std::uint32_t next_variable() { return ++variables_; }
  std::string fresh_name(std::string_view stem);
  // A redefinition may replace what the prelude defines under this name.
  [[nodiscard]] static bool redefinable(std::string_view name);

 private:
  void add_primitives();
  Binding* load_prelude(std::string_view name);
  TypeArena types_;
  std::deque<Binding> bindings_;
  std::unordered_map<std::string, Binding*> user_;
  std::unordered_map<std::string, Binding*> builtin_;
  std::uint32_t variables_ = 0;
  std::uint32_t fresh_ = 0;
};

}  // namespace nvm::frontend
