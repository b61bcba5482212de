// Inside of translate().
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/remora/calls.h"
#include "frontend/remora/library.h"
#include "frontend/remora/translate.h"
#include "frontend/remora/values.h"

namespace nvm::remora {

class Translator {
 public:
  explicit Translator(Program& program) : program_(program), code_(&line_), calls_(program) {}
  Translated run();
  // Where what is being made is from.
  [[nodiscard]] SourcePos here() const {
    return line_ != 0 ? SourcePos{origin_line_of(line_), origin_column_of(line_)} : SourcePos{1, 1};
  }

 private:
  friend class LibraryCall;
  friend class Places;
  friend class Dimensions;
  using Core = frontend::core::Type;

  // ---- translate.cpp: expressions
  Val eval(const Expr& e, const Environment& in);
  Val numbers(const Expr& e, const Environment& in);
  Val function_value(const Expr& e, const Environment& in);
  Val frame(const Expr& e, const Environment& in);
  Val let(const Expr& e, const Environment& in);
  Val conditional(const Expr& e, const Environment& in);
  void define(const std::vector<ValueId>& values, const std::vector<const Expr*>& bodies, Environment& in);

  // ---- translate_forms.cpp: boxes, records, shapes
  Val boxes(const Expr& e, const Environment& in);
  Val unbox(const Expr& e, const Environment& in);
  Val lift(const Expr& e, const Environment& in);
  Val reshape(const Expr& e, const Environment& in);
  Val reify(const Expr& e, const Environment& in);
  Val record(const Expr& e, const Environment& in);
  Val view(const Expr& e, const Environment& in);
  Val set(const Expr& e, const Environment& in);
  Val over(const Expr& e, const Environment& in);
  using Change = std::function<Val(const Val&)>;
  Val with_field(const Val& record, const std::vector<std::string>& path, std::size_t at,
                 const Change& change);
  Val box_of(const Type& type, std::vector<Code> witnesses, const Val& content);

  // ---- translate_apply.cpp: applications
  struct Argument {
    Val value;
    std::size_t frame = 0;  // pieces of its shape in front of the cell
    bool element = false;   // stands for each element of a sequence
  };
  using Cell = std::function<Val(std::vector<Val>)>;
  Val apply(const Expr& e, const Environment& in);
  // `inside` makes the result of one cell, for each cell of `frame`.
  Val lifted(std::vector<Argument> arguments, const Shape& frame, const Type& cell_result,
             const Cell& inside);
  void repeat_atoms(std::vector<Argument>& arguments, const Shape& frame);
  // The value that one of the candidates makes, of which the tag in the function's code tells which.
  using One = std::function<Val(const Candidate&, Code captured)>;
  Val dispatch(const Val& function, const Type& result, const One& one);
  Val call(const Val& function, const std::vector<Val>& arguments, const Type& result);
  Val call_one(const Candidate& c, Code captured, std::vector<Val> arguments, const Type& result);
  Val instantiate(const Expr& e, const Environment& in);
  Val instantiate_one(const Expr& e, const Environment& in, const Candidate& c, Code captured,
                      const Type& result);
  // The first alternative whose condition holds, the last if none does; there is one condition less.
  Val choose(const std::vector<Code>& conditions, const std::vector<std::function<Val()>>& alternatives,
             const Type& result);

  // ---- translate_recursive.cpp: functions that call themselves
  // What a function is made for once. Its index variables stand for those that it is instantiated with.
  struct Instance {
    const Environment* base = nullptr;  // where its definition stands
    Substitution bound = {};
    std::vector<Var> indices = {};
    std::vector<MeaningRef> meanings = {};  // of the arguments
    MeaningRef result = {};
    std::int32_t function = -1;
  };
  [[nodiscard]] bool fits(const Instance& a, const Instance& b) const;
  void make_instance(const Expr& lambda, std::size_t number, const std::vector<const Core*>& types);
  Val call_recursive(const Candidate& c, const Environment& scope, std::vector<Val> arguments,
                     const Type& result);
  // body(state) as a function of core code that can call itself. `result`: its type.
  using State = std::vector<Val>;
  using Self = std::function<Val(State)>;
  Val routine(const char* name, State state, const Type& result,
              const std::function<Val(const State&, const Self&)>& body);

  // ---- translate_closures.cpp: functions as values
  // With all that functions in it captured in its code, so that it can leave where it was made.
  Val packed(const Val& v);
  Candidate with_captures(const Candidate& c, std::vector<Code>& out);
  // In force where it is called.
  Candidate unpacked(const Candidate& c, Code captured);
  // In the representation of a meaning that includes its own.
  Val recast(const Val& v, const MeaningRef& as);
  // As a value of this type, which may know less of its shape.
  Val fitted(const Val& v, const Type& to);
  [[nodiscard]] const Core* captured_type(const Candidate& c);
  [[nodiscard]] const Core* core_of(const Type& t, const MeaningRef& m);
  [[nodiscard]] const Core* core_of(const AtomRef& a, const MeaningRef& m);

  // ---- indices
  Code number(const Dim& d);
  Code product(const Shape& s) { return number(program_.variables.product(s)); }
  Code dimensions(const Shape& s);  // as a sequence
  Code witness(Var bound, const Shape& s);
  Var fresh_index(Sort sort, const std::string& name, Code code);
  void bind_index(Substitution& in, Var bound, Var to) const;
  [[nodiscard]] bool is_dim(Var v) const { return program_.variables[v].sort == Sort::kDim; }
  [[nodiscard]] Type type_in(const Type& t, const Environment& in) const {
    return in.substitution.on(program_.variables.resolved(t));
  }
  [[nodiscard]] Shape shape_in(const Shape& s, const Environment& in) const {
    return in.substitution.on(program_.variables.resolved(s));
  }
  [[nodiscard]] const Type& declared(ValueId v) const {
    return program_.values[static_cast<std::size_t>(v)].type;
  }
  Environment& inner(const Environment& in);

  // ---- places and checks
  // Where code is from, for what is made while it lives.
  class At {
   public:
    At(Translator& t, SourcePos pos) : t_(t), before_(t.line_) { t.line_ = t.place(pos); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;
    ~At() {
      if (std::uncaught_exceptions() == 0) t_.line_ = before_;  // else it is where that happened
    }

   private:
    Translator& t_;
    Origin before_;
  };
  static Origin place(SourcePos pos);
  // The value if the flag is true, else the error ends the program.
  Code ensure(Code fine, const char* kind, const std::string& text, Code value) {
    return code_.checked(fine, std::string(kind) + ": " + text, value);
  }
  Code sequence_of(const Val& v) { return is_scalar(v.type) ? code_.sequence({&v.code, 1}) : v.code; }
  // A flat sequence as a value of the type.
  Val from_sequence(const Type& t, Code sequence, MeaningRef m = {}) {
    return {t, is_scalar(t) ? code_.element(sequence, code_.integer(0)) : sequence, std::move(m)};
  }

  Program& program_;
  Origin line_ = 0;
  Coder code_;
  std::map<Var, Code> numbers_;                            // of index variables; of shapes their products
  std::map<Var, Code> dimensions_;                         // of shape variables, sequences
  std::map<std::pair<Sort, std::size_t>, Var> stand_ins_;  // for the index variables that a function captured
  std::deque<Environment> environments_;
  Calls calls_;
  std::map<const Expr*, std::deque<Instance>> instances_;
  std::map<const Expr*, int> written_out_;
  int depth_ = 0;
  int frames_ = 0;  // around what is being made
};

}  // namespace nvm::remora
