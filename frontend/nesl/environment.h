// What names mean at top level: the primitives, the prelude (parsed and checked one definition at a time, on
// first use) and what the user defined. Extended form by form.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/nesl/types.h"

namespace nvm::frontend {

enum class BindingKind : std::uint8_t {
  kPrimitive,    // an instruction of the core (prims.def)
  kFunction,     // without a definition: declared only, or resolved by types (prelude.h)
  kConstructor,  // datatype
  kVariable,     // top-level variable of the user, or a constant of the prelude (form: its definition)
};

struct Binding {
  std::string name;
  BindingKind kind = BindingKind::kFunction;
  bool builtin = false;              // of the prelude or a primitive
  bool serial = false;               // not callable inside an apply-to-each
  bool constant = false;             // kVariable: bound to literals only, so its value prints with all digits
  SourcePos pos;                     // of the name in the form that defines or declares it
  const Type* type = nullptr;        // generalised: its unbound variables are quantified; null while unknown
  std::shared_ptr<const Form> form;  // its definition; what declares it if nothing defines it (type cases)
  const Datatype* datatype = nullptr;
  int prim = -1;               // kPrimitive: row of prims.def
  std::uint32_t variable = 0;  // kVariable of the user: its number, under which the session keeps the value
  Binding* replaced_by = nullptr;  // a later definition of the same type, which all uses mean from then on

  // Of a user's binding: what keeps it, and what it keeps (Environment::forget).
  OwnedType owned;                      // `type`, with all types of its form's tree
  std::uint64_t order = 0;              // in order of definition
  std::vector<Binding*> uses = {};      // the user's bindings that its definition means
  std::vector<Binding*> replaces = {};  // whose `replaced_by` it is
  std::int32_t users = 0;               // bindings that have it among their `uses`
  bool superseded = false;              // its name means something else
  bool plain = true;                    // no function occurs in its type, but itself
  bool escapes = false;                 // a value may be a function of its form
};

// The definition that a use of `binding` means now.
[[nodiscard]] const Binding* current(const Binding* binding);

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // The meaning of a name for a user's program (or for prelude text), or null. May parse and check prelude
  // text.
  Binding* find(std::string_view name, bool from_prelude = false);
  const Datatype* find_type(std::string_view name, bool from_prelude);
  // The form that defines a function, or null while it is only declared. Loads bodies of the prelude.
  std::shared_ptr<const Form> definition(const Binding* binding);
  // The user's functions that are declared and have no body.
  [[nodiscard]] std::vector<const Binding*> without_body() const;
  // All names a user can see, sorted; forces nothing.
  [[nodiscard]] std::vector<std::string> names() const;

  // Room for a binding; known to nobody before `publish`. What is never published is given to `discard`.
  Binding* make(Binding binding);
  void discard(Binding* binding);
  // Makes `binding` the meaning of its name. Uses already resolved keep the earlier one, unless that has the
  // same type and is replaced by this one. Gives what the name meant for the user, if he had defined it.
  Binding* publish(Binding* binding);
  // The name means again what it meant before `binding`, a variable, was published. If a module has it, that
  // is forgotten by Modules::drop_withdrawn.
  void withdraw(Binding* binding, Binding* before);
  // The user's bindings that the tree of `form`, its definition, and the functions in its type mean are kept
  // as long as `binding` is.
  void note_uses(Binding& binding, const Form& form);
  // The user's bindings that a later form can reach, as long as none is withdrawn.
  using Reachable = std::unordered_set<const Binding*>;
  [[nodiscard]] Reachable reachable() const;
  // Frees all bindings that no later form can reach, with their trees and types. No form may be under way
  // between being checked and having run. What they were:
  struct Forgotten {
    std::vector<std::uint32_t> variables;            // Binding::variable
    std::vector<std::shared_ptr<const Form>> forms;  // of functions
  };
  Forgotten forget();
  // Would it be the meaning of a name that has one of a different type?
  bool changes_type(const Binding& binding);
  // Until `drop_stand_in`, a user's uses of a built-in function mean `form`, which is checked like prelude
  // text; the prelude's own uses are not touched. False, with diagnostics, if the form is faulty.
  bool stand_in(const std::shared_ptr<Form>& form, Diagnostics& diagnostics);
  void drop_stand_in(const std::string& name);
  std::uint32_t next_variable() { return ++variables_; }

  // For a text that is edited, of which most stays as it is. These and forget() are not for one environment.
  //
  // What the user means by a name, or null. Loads nothing.
  [[nodiscard]] Binding* defined(const std::string& name) const;
  // No name means anything of the user's until its binding is published again. Frees bindings that are not
  // among `kept` and that those do not use.
  void start_over(const std::vector<Binding*>& kept);
  // `binding`, a function, has the definition of `newer` from now on, and whatever means one of them means
  // that. False if it cannot be: somebody may have looked at more than a type that stays the same.
  bool redefine(Binding& binding, Binding& newer);
  // Of the form that is being compiled; outside, those that last as long as the environment.
  [[nodiscard]] TypeArena& types() { return *types_in_use_; }
  // While it lives, new types go to another arena; by default to those that last.
  class Types {
   public:
    explicit Types(Environment& environment, TypeArena* arena = nullptr)
        : place_(environment.types_in_use_), before_(place_) {
      place_ = arena != nullptr ? arena : &environment.types_;
    }
    Types(const Types&) = delete;
    Types& operator=(const Types&) = delete;
    ~Types() { place_ = before_; }

   private:
    TypeArena*& place_;
    TypeArena* before_;
  };
  // A flag that compiling looks at between functions: where it is set, Cancelled is thrown.
  void stop_when(const std::atomic<bool>* cancelled) { cancelled_ = cancelled; }
  [[nodiscard]] const std::atomic<bool>* cancelled() const { return cancelled_; }
  // The text that the forms are read from: what it defines further on is known to messages.
  void set_text(std::string_view text) { text_ = text; }
  [[nodiscard]] std::string_view text() const { return text_; }

  // A user may not define this name: it was defined while protection was off.
  [[nodiscard]] bool is_protected(std::string_view name) const;
  // The name is built in, and nobody has defined it since. Definitions of the user's do not change what the
  // prelude means by it.
  [[nodiscard]] bool would_replace(std::string_view name) const;
  // While it is off, what users define is protected afterwards.
  void protect(bool on) { protecting_ = on; }
  [[nodiscard]] bool protects() const { return protecting_; }
  // Errors found in the prelude's own text, for its test; empty if there are none.
  [[nodiscard]] const std::string& prelude_errors() const { return prelude_errors_; }

 private:
  friend class Modules;

  Binding* load_primitive(const std::string& name);
  Binding* load_prelude(const std::string& name);
  bool check_prelude(Binding& binding, Form& form);
  std::shared_ptr<Form> parse_prelude(int entry);
  // A constant of the prelude that users may change for the prelude's own use; null for other names.
  Binding* setting(const std::string& name);

  // Forgets `binding` if nothing keeps it.
  void release(Binding* binding, Forgotten& forgotten);
  void drop_uses(Binding& binding);

  TypeArena types_;
  TypeArena* types_in_use_ = &types_;
  std::map<std::uint64_t, Binding> bindings_;  // by order
  std::uint64_t made_ = 0;
  std::set<std::uint64_t> superseded_;  // orders of what forget() looks at
  struct Names {
    std::unordered_map<std::string, Binding*> values;
    std::unordered_map<std::string, const Datatype*> types;
    std::map<std::string, std::string, std::less<>> prefixes;  // of modules: their files
  };
  Names names_;                           // of the user's text
  std::vector<Names> outer_;              // of those that import it
  std::map<std::string, Names> modules_;  // by file
  std::unordered_map<std::string, Binding*> builtin_;
  std::unordered_set<std::string> locked_;  // names defined while protection was off
  bool protecting_ = true;
  std::string prelude_errors_;
  std::uint32_t variables_ = 0;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::string_view text_;
};

}  // namespace nvm::frontend
