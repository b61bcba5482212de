// Nested to flat: core code to flat code (flat.h). Every function is translated on demand in the flavours in
// which it is called: serial, or lifted for any number of instances, with those arguments apart that all
// instances share.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/analysis.h"
#include "frontend/emit.h"
#include "frontend/lanes.h"
#include "frontend/scoped_map.h"

namespace nvm::frontend {

// One flavour of a function.
struct Flavour {
  std::int32_t function = 0;
  bool lifted = false;
  std::vector<bool> shared;  // lifted: by leaf of the argument
  bool operator<(const Flavour& o) const {
    return std::tie(function, lifted, shared) < std::tie(o.function, o.lifted, o.shared);
  }
};

class Flattener {
 public:
  Flattener(const core::Program& program, const EmitOptions& options);
  // All flavours that the entry needs; the entry comes first.
  flat::Program run();

  [[nodiscard]] const core::Program& source() const { return source_; }
  [[nodiscard]] const Analysis& facts() const { return facts_; }
  [[nodiscard]] const EmitOptions& options() const { return options_; }
  // Do primitives make sure that they get what they take?
  [[nodiscard]] bool checks_arguments() const { return options_.arg_check && !source_.sound; }
  std::int32_t flavour(const Flavour& flavour);
  // Is serial code to call the function as lifted for one instance? So do levels of tail-parallel recursion:
  // then the outermost call is one, too, and the function need not be compiled twice.
  bool starts_lifted(std::int32_t function);
  std::int32_t input(std::uint32_t variable, int slot);
  [[nodiscard]] const std::vector<VariableSlot>& inputs() const { return inputs_; }

 private:
  flat::Function translate(const Flavour& flavour);

  const core::Program& source_;
  EmitOptions options_;
  Analysis facts_;
  flat::Program out_;
  std::map<Flavour, std::int32_t> flavours_;
  std::vector<Flavour> todo_;
  std::vector<VariableSlot> inputs_;
  std::map<std::int32_t, bool> starts_lifted_;
};

// Translates the body of one flavour.
class Body {
 public:
  Body(Flattener& all, flat::Builder& builder) : all_(all), b_(builder), ops_(builder) {}
  void run(const Flavour& flavour);

 private:
  // The variables of the function whose text is being translated (an inlined one has its own).
  struct Scope {
    const core::Function* function = nullptr;
    ScopedMap<std::int32_t, Val> vars = {};
    Origin line = 0;                       // for text without lines: that of the call
    std::set<std::int32_t> doubtful = {};  // variables that may be of no length where no instance is
    // What may fail, and what is made of it, is nothing where it was not computed for want of instances.
    [[nodiscard]] bool doubts(const ExprFacts& f) const {
      const auto in_doubt = [&](std::int32_t v) { return doubtful.contains(v); };
      return f.fails || (!doubtful.empty() && std::any_of(f.free.begin(), f.free.end(), in_doubt));
    }
  };
  // One flag per instance, or the opposite of one.
  struct Flags {
    const Lanes* lanes = nullptr;
    flat::Atom flags = -1;  // not inverted
    bool inverted = false;
    [[nodiscard]] Flags inverse() const { return {lanes, flags, !inverted}; }
  };
  using Arm = std::function<flat::Atoms()>;
  // What the instances that take a branch made of it.
  struct Taken {
    flat::Atoms results;  // slots of the value on the chosen lanes
    const Lanes* lanes = nullptr;
  };

  // flatten.cpp: expressions
  Val eval(const core::Expr& e, const Lanes* lanes);
  Val evaluated(const core::Expr& e, const Lanes* lanes);
  Val eval_here(const core::Expr& e, const Lanes* lanes);
  Val placed(const core::Expr& e, const Lanes* lanes);
  Val guarded(const core::Expr& e, const Lanes* level, const Lanes* lanes);
  Val constant_string(const std::string& text);
  Val input(const core::Expr& e);
  Val let(const core::Expr& e, const Lanes* lanes);
  Val call(const core::Expr& e, const Lanes* lanes);
  Val inlined(const core::Expr& e, Val argument, const Lanes* lanes);
  Val time(const core::Expr& e, const Lanes* lanes);
  const Lanes* level_of_free(const core::Expr& e);
  static void leaves(const Val& value, std::vector<Val>& out);

  // flatten_control.cpp: conditionals and apply-to-each
  Val conditional(const core::Expr& e, const Lanes* lanes);
  Val host_if(const core::Expr& e, flat::Atom condition, const Lanes* lanes);
  Val split(const core::Expr& e, const Val& condition, const Lanes* lanes);
  flat::Atom here(const Flags& flags);
  // Do all, or some, instances have the flag? If there are none, all and not some.
  flat::Atoms if_all(const Flags& flags, const Arm& yes, const Arm& no);
  flat::Atoms if_some(const Flags& flags, const Arm& yes, const Arm& no);
  flat::Atom leave_all(const Flags& flags);
  [[nodiscard]] bool may_be_first(const core::Expr& e) const;
  Val split_one(const core::Expr& e, const Flags& flags, const Val& other);
  Val split_first(const core::Expr& first, const core::Expr& second, const Flags& flags);
  // Without `b`, the zero value where the flag is false.
  Val split_both(const core::Expr& a, const core::Expr* b, const Flags& flags);
  enum class Share : std::uint8_t { kUnknown, kSome };  // all instances may be flagged; not all are
  Taken take(const core::Expr* e, const core::Type* type, const Flags& flags, Share share);
  flat::Atom chosen_segments(const std::vector<Val>& values, flat::Atom chosen, const Lanes* lanes);
  LaneOps::Source source(const core::Type* type, const Taken& part, const Flags& flags);
  flat::Atoms settled_slots(const Val& value, const Lanes* lanes);
  Val choose(const Val& condition, const Val& a, const Val& b);
  Val choose_flat(const Val& condition, const Val& a, const Val& b, const Lanes* lanes);
  [[nodiscard]] bool is_cheap(const core::Expr& e, const Lanes* lanes) const;
  Val each(const core::Expr& e, const Lanes* lanes);
  Val filtered(const core::Expr& e, const Lanes* outer, const Lanes* inner);

  // flatten_prims.cpp: primitives
  Val prim(const core::Expr& e, const Lanes* lanes);
  Val scalar_prim(const core::Expr& e, const Val& x, const Lanes* lanes);
  Val sequence_prim(const core::Expr& e, const Val& x, const Lanes* lanes);
  Val map1(Op op, TypeWord word, core::TypeKind result, const Val& x);
  std::optional<Val> shifted(Op op, TypeWord word, const Val& x, const Val& y);
  std::optional<Val> known_result(Op op, TypeWord word, const Val& x, const Val& y);
  Val map2(Op op, TypeWord word, core::TypeKind result, const Val& x, const Val& y);
  Val quotient(Op op, const Val& x, const Val& y, const Lanes* lanes, const char* message);
  Val random(const Val& bound, const Lanes* lanes);
  Val equal(const Val& a, const Val& b);
  Val equal_sequences(const Val& a, const Val& b);
  void check(const Val& bad, const Lanes* lanes, const std::string& message);
  void check_lengths(const Val& a, const Val& b, const Lanes* lanes, const std::string& message);
  void check_numbers(const Val& bad, const Lanes* lanes, const std::string& message, const std::string& what,
                     const std::vector<Val>& numbers);
  Val checked(const core::Expr& e, const Val& x, const Lanes* lanes);
  Val checked_numbers(const core::Expr& e, const Val& x, const Lanes* lanes);
  void check_with(const Val& bad, const Lanes* lanes, const std::function<void()>& report);
  void write_text(const std::string& text);
  [[nodiscard]] std::string place() const;
  [[nodiscard]] bool divides(const Val& x) const;

  // flatten_sequences.cpp
  Val distribute(const Val& x, const Val& n, const Lanes* lanes);
  Val element(const Val& v, const Val& i, const Lanes* lanes);
  bool runs_inside(const Val& indices, const Val& v);
  Val replace(const Val& v, const Val& x, const Val& i, const Lanes* lanes);
  Val get(const Val& v, const Val& indices, const Lanes* lanes);
  Val put(Op op, const Val& v, const Val& pairs);
  Val put_nested(const Val& v, const Val& values, flat::Atom winner, const Lanes* values_at);
  flat::Atom nobody(const Lanes* lanes) { return ops_.at(ops_.integer(-1), lanes); }
  Val permute(const Val& v, const Val& indices, const Lanes* lanes);
  Val pack(const Val& pairs);
  // A sequence, or the element at `place` of the sequence of sequences that the variable is.
  struct Part {
    Val value;
    std::int32_t variable = -1, place = -1;
  };
  Val chain(const std::vector<const core::Expr*>& operands, const Lanes* lanes);
  Val concatenate(const std::vector<Val>& values);
  Val concatenate(const std::vector<Part>& parts);
  std::optional<Val> runs_of_one(const std::vector<Part>& parts);
  flat::Atom listed(const std::vector<Val>& parts, const Lanes* outer, flat::Atom segments);
  [[nodiscard]] std::optional<std::int32_t> fixed_place(const Val& v, const Val& i) const;
  Val flattened(const Val& v);
  Val partition(const Val& v, const Val& counts, const Lanes* lanes);
  Val zip(const Val& a, const Val& b, const Lanes* lanes);
  Val literal(const core::Expr& e, const Lanes* lanes);
  Val same_lanes(const Val& v, const Lanes* to, const Lanes* lanes, const char* message);
  void check_range(const Val& i, const Val& length, const Lanes* lanes, const char* message);
  void keep_first(const Val& value, const Lanes* lanes);
  Val lengths(const Val& v);

  // flatten_ranges.cpp
  Val range(const core::Expr& e, const Val& start, const Val& step, const Val& end, const Lanes* lanes);
  Val rounded_up(const Val& x, const Val& y);
  Val steps_between(const Val& start, const Val& end, const Val& step);

  // flatten_constants.cpp
  std::optional<flat::Atoms> constant_slots(const Val& value);
  static bool own_slots(const Val& value, const Lanes* lanes, flat::Atoms& out);
  std::vector<Val> with_constants_joined(const std::vector<Val>& values);

  // flatten_split.cpp
  struct Split {
    Val groups;        // what it gave
    Val values;        // settled
    flat::Atom flags;  // of their elements
  };
  Val split_by(const Val& v, const Val& flags, const Lanes* lanes);
  std::optional<Val> group_of_split(const Val& v, std::int32_t place);
  Val permuted(const Val& values, flat::Atom places);

  // flatten_io.cpp
  flat::Atom shared(const Val& number);
  Val plot_command(const Val& x, const Lanes* lanes);
  Val effect_prim(const core::Expr& e, const Val& x, const Lanes* lanes);
  Val text(flat::Atom codes);
  flat::Atom codes(const Val& string, const Lanes* lanes);
  Val print(const Val& string, const Lanes* lanes);
  Val read_vector(const core::Expr& e, TypeWord word, flat::Atom stream);
  Val status(const flat::Atoms& results, std::size_t first);
  Val spawn(const Val& x);
  Val read_char(const Val& x);

  Val integer(const Lanes* lanes, flat::Atom atom) {
    return ops_.scalar(core::base_type(core::TypeKind::kInt), lanes, atom);
  }
  Val boolean(const Lanes* lanes, flat::Atom atom) {
    return ops_.scalar(core::base_type(core::TypeKind::kBool), lanes, atom);
  }
  const Lanes* level(const Val& value) { return level_of(value, ops_.root()); }
  const ExprFacts& facts(const core::Expr& e) const { return all_.facts().of(e); }

  Flattener& all_;
  flat::Builder& b_;
  LaneOps ops_;
  Scope scope_;
  std::unordered_map<const Lanes*, Split> splits_;  // by the lanes of their two groups
  Origin line_ = 0;
  bool shares_ = false;  // arguments with all instances of its frame
  bool apart_ = false;   // in code of a loop for some instances, which stands there once more
  bool taken_ = false;   // in a branch, which runs only if an instance takes it
};

}  // namespace nvm::frontend
