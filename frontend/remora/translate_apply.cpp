// Applications: frames become apply-to-eaches, functions are inlined or, if they call themselves, functions
// of core code.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/remora/library_call.h"
#include "frontend/remora/translator.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

constexpr int kMostInlined = 1000;  // calls inlined into each other
constexpr int kDeep = 500;          // of them, behind which named functions are called
constexpr int kMostCopies = 8;      // of a named function

Type with_frame(const Shape& frame, const Type& cell) {
  return cell.array != kNoVar ? cell : Type{kNoVar, cell.atom, joined(frame, cell.shape)};
}

}  // namespace

Val Translator::apply(const Expr& e, const Environment& in) {
  std::vector<Argument> arguments;
  for (std::size_t k = 0; k < e.kids.size(); ++k) {
    Val v = eval(*e.kids[k], in);
    Shape front = program_.variables.resolved(e.kids[k]->type).shape;
    front.resize(front.size() - e.cells[k]);
    arguments.push_back({std::move(v), shape_in(front, in).size()});
  }
  const At at(*this, e.pos);
  const Shape frame = shape_in(e.frame, in);
  Type result = type_in(e.type, in);
  if (result.array == kNoVar)
    result.shape.erase(result.shape.begin(),
                       result.shape.begin() + static_cast<std::ptrdiff_t>(frame.size()));
  return lifted(std::move(arguments), frame, result, [&](std::vector<Val> v) {
    const Val function = std::move(v[0]);
    v.erase(v.begin());
    return call(function, v, result);
  });
}

// Numbers, flags and characters in frames of several lengths: those of shorter ones are repeated, so that one
// apply-to-each over the whole frame does. Its lengths are one number, where those of a nest that is repeated
// for each instance around it are as many as it has rows.
void Translator::repeat_atoms(std::vector<Argument>& arguments, const Shape& frame) {
  for (const Argument& a : arguments)
    if (a.frame > 0 && (a.value.type.shape.size() != a.frame || a.value.type.atom->kind > AtomKind::kChar))
      return;
  for (Argument& a : arguments) {
    if (a.frame == 0 || a.frame == frame.size()) continue;
    const Code times = product(Shape(frame.begin() + static_cast<std::ptrdiff_t>(a.frame), frame.end()));
    a.value.code = code_.flatten(
        code_.each({a.value.code}, [&](const std::vector<Code>& x) { return code_.dist(x[0], times); }));
    a.value.type.shape = frame;
    a.frame = frame.size();
  }
}

Val Translator::lifted(std::vector<Argument> arguments, const Shape& frame, const Type& cell_result,
                       const Cell& inside) {
  check_stack();
  repeat_atoms(arguments, frame);
  std::size_t level = 0;
  for (const Argument& a : arguments)
    if (a.frame > 0 && (level == 0 || a.frame < level)) level = a.frame;
  if (level == 0) {
    std::vector<Val> values;
    for (Argument& a : arguments) values.push_back(std::move(a.value));
    return inside(std::move(values));
  }
  const auto split = static_cast<std::ptrdiff_t>(level);
  const Shape here(frame.begin(), frame.begin() + split), deeper(frame.begin() + split, frame.end());
  std::vector<Code> sequences;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Argument& a = arguments[k];
    if (a.frame == 0) continue;
    Shape& s = a.value.type.shape;
    s.erase(s.begin(), s.begin() + split);
    a.frame -= level;
    const Code all = a.value.code;
    sequences.push_back(s.empty() ? all : code_.groups(all, product(here), product(s)));
    which.push_back(k);
  }
  const Type cell = with_frame(deeper, cell_result);
  MeaningRef meaning;
  ++frames_;
  const Code out = code_.each(sequences, [&](const std::vector<Code>& elements) {
    std::vector<Argument> now = arguments;
    for (std::size_t k = 0; k < which.size(); ++k) now[which[k]].value.code = elements[k];
    const Val v = packed(fitted(lifted(std::move(now), deeper, cell_result, inside), cell));
    meaning = v.meaning;
    return v.code;
  });
  --frames_;
  return {with_frame(here, cell), is_scalar(cell) ? out : code_.flatten(out), meaning};
}

Val Translator::choose(const std::vector<Code>& conditions,
                       const std::vector<std::function<Val()>>& alternatives, const Type& result) {
  if (conditions.empty()) return alternatives[0]();
  MeaningRef all;  // functions in the results of any, before they are joined
  std::vector<Coder::Part> parts;
  std::vector<Val> values;
  for (const auto& alternative : alternatives) {
    parts.push_back(code_.aside(
        [&] {
          values.push_back(packed(fitted(alternative(), result)));
          return values.back().code;
        },
        {}));
    all = united(all, values.back().meaning);
  }
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k] = code_.aside([&] { return recast(values[k], all).code; }, std::move(parts[k]));
  const auto first_of = [&](std::size_t k) {
    return code_.branch(conditions[k], std::move(parts[k]), std::move(parts[k + 1]));
  };
  for (std::size_t k = conditions.size() - 1; k > 0; --k)
    parts[k] = code_.aside([&] { return first_of(k); }, {});
  return {result, first_of(0), all};
}

Val Translator::dispatch(const Val& function, const Type& result, const One& one) {
  if (function.meaning == nullptr || function.meaning->candidates.empty())
    return {result, code_.zero(core_of(result, nullptr))};  // no cell is ever computed
  const std::vector<Candidate>& all = function.meaning->candidates;
  if (all.size() == 1) return one(all[0], function.code);
  const std::vector<Code> parts = code_.parts(function.code, all.size() + 1);
  std::vector<Code> conditions;
  std::vector<std::function<Val()>> alternatives;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k + 1 < all.size())
      conditions.push_back(code_.compare(Prim::kEq, parts[0], code_.integer(static_cast<std::int64_t>(k))));
    alternatives.emplace_back([&, k] { return one(all[k], parts[k + 1]); });
  }
  return choose(conditions, alternatives, result);
}

Val Translator::call(const Val& function, const std::vector<Val>& arguments, const Type& result) {
  return dispatch(function, result, [&](const Candidate& c, Code captured) {
    return call_one(c, captured, arguments, result);
  });
}

Val Translator::call_one(const Candidate& c, Code captured, std::vector<Val> arguments, const Type& result) {
  check_stack();
  const Candidate f = unpacked(c, captured);
  if (c.expr->kind == ExprKind::kLibrary) return LibraryCall(*this, f, std::move(arguments), result).run();
  if (c.expr->kind == ExprKind::kIfFunction)
    return choose({arguments[0].code}, {[&] { return arguments[1]; }, [&] { return arguments[2]; }},
                  arguments[1].type);
  const Environment& scope = *f.scope;
  // Written out at a few places; beyond, or if it calls itself, a function of core code.
  const bool named = calls_.name(*c.expr) != nullptr;
  const bool written = named && (++written_out_[c.expr] > kMostCopies || depth_ >= kDeep);
  if (calls_.recursive(*c.expr) || written) return call_recursive(c, scope, std::move(arguments), result);
  if (depth_ >= kMostInlined)
    throw Error{
        "unsupported", here(),
        "functions that recursion makes apply each other without end; pass what they are made of instead"};
  Environment& with = inner(scope);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const ValueId parameter = c.expr->parameters[k];
    with.values[parameter] = fitted(arguments[k], type_in(declared(parameter), scope));
  }
  ++depth_;
  Val v = fitted(eval(*c.expr->kids[0], with), result);
  --depth_;
  return v;
}

// ---- instantiation

Val Translator::instantiate(const Expr& e, const Environment& in) {
  const Val f = eval(*e.kids[0], in);
  const Type type = type_in(e.type, in);
  const std::size_t frame = f.type.shape.size();
  Type cell = type;
  cell.shape.erase(cell.shape.begin(), cell.shape.begin() + static_cast<std::ptrdiff_t>(frame));
  return lifted({{f, frame}}, f.type.shape, cell, [&](std::vector<Val> v) {
    return dispatch(v[0], cell, [&](const Candidate& c, Code captured) {
      return instantiate_one(e, in, c, captured, cell);
    });
  });
}

Val Translator::instantiate_one(const Expr& e, const Environment& in, const Candidate& c, Code captured,
                                const Type& result) {
  Candidate made = unpacked(c, captured);
  if (c.expr->kind == ExprKind::kLibrary) {
    for (const Shape& s : e.indices) made.indices.push_back(shape_in(s, in));
    for (const Type& t : e.types) made.types.push_back(type_in(t, in));
    if (static_cast<Library>(c.expr->library) == Library::kIota)
      return {result, is_scalar(result) ? code_.integer(0) : code_.iota(product(made.indices[0]))};
    return {result, {}, meaning_of(std::move(made))};
  }
  Environment& with = inner(*made.scope);
  with.bound = c.expr->bound;
  for (std::size_t k = 0; k < c.expr->bound.size(); ++k) {
    const Var b = c.expr->bound[k];
    switch (program_.variables[b].sort) {
      case Sort::kDim: with.substitution.dims[b] = shape_in(e.indices[k], in)[0].dim; break;
      case Sort::kShape: with.substitution.shapes[b] = shape_in(e.indices[k], in); break;
      case Sort::kAtom: with.substitution.atoms[b] = type_in(e.types[k], in).atom; break;
      case Sort::kArray: with.substitution.arrays[b] = type_in(e.types[k], in); break;
    }
  }
  return fitted(eval(*c.expr->kids[0], with), result);
}

}  // namespace nvm::remora
