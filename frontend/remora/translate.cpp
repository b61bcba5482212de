#include "frontend/remora/translate.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/remora/dimensions.h"
#include "frontend/remora/translator.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

bool is_abstraction(const Expr& e) {
  return e.kind == ExprKind::kLambda || e.kind == ExprKind::kTypeLambda || e.kind == ExprKind::kIndexLambda;
}

// The atoms of an array of literals; false if it is none.
bool literal(const Expr& e, std::vector<std::int64_t>& ints, std::vector<double>& reals) {
  check_stack();
  if (e.kind == ExprKind::kNumbers) {
    ints.insert(ints.end(), e.numbers.begin(), e.numbers.end());
    reals.insert(reals.end(), e.reals.begin(), e.reals.end());
    return true;
  }
  return e.kind == ExprKind::kFrame && !e.kids.empty() &&
         std::all_of(e.kids.begin(), e.kids.end(),
                     [&](const ExprRef& k) { return literal(*k, ints, reals); });
}

}  // namespace

Translated translate(Program& program) {
  Translator translator(program);
  try {
    return translator.run();
  } catch (const TooLarge& e) {
    throw Error{"unsupported", translator.here(), std::string("a ") + e.what + " is too large to be run"};
  } catch (const TooDeep&) {
    throw Error{"unsupported", translator.here(), "this is nested too deeply to be run"};
  }
}

Translated Translator::run() {
  Translated out;
  const std::int32_t entry = code_.reserve();
  code_.begin_function("main", core::base_type(core::TypeKind::kUnit));
  Environment& top = environments_.emplace_back();
  top.top = true;
  std::vector<Code> results;
  for (std::size_t k = 0; k < program_.forms.size(); ++k) {
    const Form& form = program_.forms[k];
    if (form.use == Form::Use::kSkip) continue;
    if (form.use == Form::Use::kGiven) {
      const Type type = type_of(program_, form);
      top.values[form.defines] = {type, code_.input(core_of(type, nullptr), k)};
      continue;
    }
    const At at(*this, form.body->pos);
    const auto leave = [&](const Val& v) {
      out.results.push_back({k, v.type, v.code.type});
      results.push_back(v.code);
    };
    if (form.defines < 0) {
      leave(packed(eval(*form.body, top)));
      continue;
    }
    std::vector<ValueId> values{form.defines};
    std::vector<const Expr*> bodies{form.body.get()};
    while (k + 1 < program_.forms.size() && program_.forms[k + 1].continues) {
      values.push_back(program_.forms[++k].defines);
      bodies.push_back(program_.forms[k].body.get());
    }
    define(values, bodies, top);
    if (form.use == Form::Use::kKept) leave(top.values.at(form.defines));
  }
  // Pairs of about as many results each: their height is limited.
  const std::function<Code(std::size_t, std::size_t)> all = [&](std::size_t from, std::size_t to) {
    if (from == to) return code_.integer(0);
    if (from + 1 == to) return results[from];
    const std::size_t middle = from + (to - from) / 2;
    const Code a = all(from, middle);
    return code_.pair(a, all(middle, to));
  };
  code_.end_function(all(0, results.size()), entry);
  out.program = code_.take(entry);
  return out;
}

Origin Translator::place(SourcePos pos) {
  if (pos.line > kMostOriginLine) throw Error{"unsupported", pos, "the program is too long"};
  return origin_number(0, pos.line, pos.column);
}

Environment& Translator::inner(const Environment& in) {
  return environments_.emplace_back(Environment{&in, in.substitution, {}, {}, false});
}

// Functions see each other; a value is computed now.
void Translator::define(const std::vector<ValueId>& values, const std::vector<const Expr*>& bodies,
                        Environment& in) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (is_abstraction(*bodies[k])) in.values[values[k]] = function_value(*bodies[k], in);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!is_abstraction(*bodies[k])) in.values[values[k]] = eval(*bodies[k], in);
}

Val Translator::eval(const Expr& e, const Environment& in) {
  check_stack();
  check_budget();
  switch (e.kind) {
    case ExprKind::kNumbers: return numbers(e, in);
    case ExprKind::kValue: {
      const Environment* where = in.where(e.value);
      if (where == nullptr) throw Error{"unsupported", e.pos, "this name has no value here"};
      return where->values.at(e.value);
    }
    case ExprKind::kLibrary:
    case ExprKind::kLambda:
    case ExprKind::kTypeLambda:
    case ExprKind::kIndexLambda:
    case ExprKind::kIfFunction: return function_value(e, in);
    case ExprKind::kFrame: return frame(e, in);
    case ExprKind::kApply: return apply(e, in);
    case ExprKind::kInstantiate: return instantiate(e, in);
    case ExprKind::kLet: return let(e, in);
    case ExprKind::kIf: return conditional(e, in);
    case ExprKind::kBoxes: return boxes(e, in);
    case ExprKind::kUnbox: return unbox(e, in);
    case ExprKind::kLift: return lift(e, in);
    case ExprKind::kReshape: return reshape(e, in);
    case ExprKind::kReify: return reify(e, in);
    case ExprKind::kRecord: return record(e, in);
    case ExprKind::kView: return view(e, in);
    case ExprKind::kSet: return set(e, in);
    case ExprKind::kOver: return over(e, in);
  }
  return {};
}

Val Translator::numbers(const Expr& e, const Environment& in) {
  const Type type = type_in(e.type, in);
  const bool one = is_scalar(type);
  switch (type.atom->kind) {
    case AtomKind::kFloat: return {type, one ? code_.real(e.reals[0]) : code_.reals(e.reals)};
    case AtomKind::kBool: return {type, one ? code_.boolean(e.numbers[0] != 0) : code_.booleans(e.numbers)};
    default: return {type, one ? code_.integer(e.numbers[0]) : code_.integers(e.numbers)};
  }
}

// pi and iota are values; other names of the library are functions.
Val Translator::function_value(const Expr& e, const Environment& in) {
  if (e.kind == ExprKind::kLibrary && static_cast<Library>(e.library) == Library::kPi)
    return {scalar(AtomKind::kFloat), code_.real(3.14159265358979323846)};
  Candidate c;
  c.expr = &e;
  if (is_abstraction(e)) c.scope = &in;
  return {type_in(e.type, in), {}, meaning_of(std::move(c))};
}

Val Translator::frame(const Expr& e, const Environment& in) {
  const Type type = type_in(e.type, in);
  if (e.kids.empty()) return {type, code_.empty(core_of(type.atom, nullptr))};
  std::vector<std::int64_t> ints;
  std::vector<double> reals;
  if (!e.counts.empty() && literal(e, ints, reals)) {  // a constant in one piece
    if (type.atom->kind == AtomKind::kFloat) return {type, code_.reals(reals)};
    return {type, type.atom->kind == AtomKind::kBool ? code_.booleans(ints) : code_.integers(ints)};
  }
  std::vector<Val> cells;
  MeaningRef all;
  for (const ExprRef& k : e.kids) {
    cells.push_back(packed(eval(*k, in)));
    all = united(all, cells.back().meaning);
  }
  for (Val& v : cells) v = recast(v, all);
  if (e.counts.empty()) return cells[0];
  std::vector<Code> codes;
  for (const Val& v : cells) codes.push_back(v.code);
  Code stacked = {};
  if (is_scalar(cells[0].type)) {
    stacked = code_.sequence(codes);
  } else {
    stacked = codes[0];
    for (std::size_t k = 1; k < codes.size(); ++k) stacked = code_.append(stacked, codes[k]);
  }
  return {type, stacked, all};
}

Val Translator::let(const Expr& e, const Environment& in) {
  Environment& with = inner(in);
  if (e.recursive) {
    std::vector<const Expr*> bodies;
    for (std::size_t k = 0; k + 1 < e.kids.size(); ++k) bodies.push_back(e.kids[k].get());
    define(e.parameters, bodies, with);
  } else {
    for (std::size_t k = 0; k + 1 < e.kids.size(); ++k) with.values[e.parameters[k]] = eval(*e.kids[k], with);
  }
  return eval(*e.kids.back(), with);
}

Val Translator::conditional(const Expr& e, const Environment& in) {
  const Val c = eval(*e.kids[0], in);
  return choose({c.code}, {[&] { return eval(*e.kids[1], in); }, [&] { return eval(*e.kids[2], in); }},
                type_in(e.type, in));
}

// ---- indices

Code Translator::number(const Dim& d) { return Dimensions(*this).number(d); }

Code Translator::dimensions(const Shape& s) {
  Code out = {};
  std::vector<Code> run;
  const auto add = [&](Code more) { out = out.type == nullptr ? more : code_.append(out, more); };
  const auto flush = [&] {
    if (!run.empty()) add(code_.sequence(run));
    run.clear();
  };
  for (const Piece& p : s) {
    if (p.shape == kNoVar) {
      run.push_back(number(p.dim));
    } else {
      flush();
      add(dimensions_.at(p.shape));
    }
  }
  flush();
  return out.type == nullptr ? code_.empty(Coder::integer_type()) : out;
}

Code Translator::witness(Var bound, const Shape& s) {
  return is_dim(bound) ? number(s[0].dim) : dimensions(s);
}

Var Translator::fresh_index(Sort sort, const std::string& name, Code code) {
  const Var v = program_.variables.fresh(sort, name);
  if (sort == Sort::kDim) {
    numbers_[v] = code;
  } else {
    dimensions_[v] = code;
    numbers_[v] = code_.op(Prim::kProduct, Coder::integer_type(), {code});
  }
  return v;
}

void Translator::bind_index(Substitution& in, Var bound, Var to) const {
  if (is_dim(bound))
    in.dims[bound] = Dim::of(to);
  else
    in.shapes[bound] = {{to, {}}};
}

}  // namespace nvm::remora
