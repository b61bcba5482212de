// Functions that call themselves are functions of core code, made once for each combination of types and of
// functions among the arguments. Dimensions are arguments.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/remora/translator.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

constexpr std::size_t kMostInstances = 50;  // of one function
constexpr int kMostRounds = 8;              // until all is known of functions that come out of a function

}  // namespace

bool Translator::fits(const Instance& a, const Instance& b) const {
  const auto same_sort = [&](Var x, Var y) { return is_dim(x) == is_dim(y); };
  const auto is_same = [](const MeaningRef& x, const MeaningRef& y) { return same(x, y); };
  if (a.base != b.base ||
      !std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(), same_sort) ||
      !std::equal(a.meanings.begin(), a.meanings.end(), b.meanings.begin(), b.meanings.end(), is_same))
    return false;
  Substitution names;
  for (std::size_t k = 0; k < a.indices.size(); ++k) bind_index(names, b.indices[k], a.indices[k]);
  const auto all = [](const auto& x, const auto& y, const auto& equals) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const auto& p, const auto& q) {
      return p.first == q.first && equals(p.second, q.second);
    });
  };
  return all(a.bound.dims, b.bound.dims, [&](const Dim& x, const Dim& y) { return x == names.on(y); }) &&
         all(a.bound.shapes, b.bound.shapes,
             [&](const Shape& x, const Shape& y) { return x == names.on(y); }) &&
         all(a.bound.atoms, b.bound.atoms,
             [&](const AtomRef& x, const AtomRef& y) { return equal(x, names.on(y)); }) &&
         all(a.bound.arrays, b.bound.arrays,
             [&](const Type& x, const Type& y) { return equal(x, names.on(y)); });
}

Val Translator::call_recursive(const Candidate& c, const Environment& scope, std::vector<Val> arguments,
                               const Type& result) {
  check_stack();
  Instance wanted;
  std::vector<Code> codes;
  std::vector<const Core*> types;
  const auto index = [&](Sort sort, Code code) {
    const Var v = program_.variables.fresh(sort, "d");
    wanted.indices.push_back(v);
    codes.push_back(code);
    return v;
  };
  Substitution renamed;  // of index variables inside of types
  const SeeVar rename = [&](Var v) {
    if (renamed.dims.count(v) != 0 || renamed.shapes.count(v) != 0 || numbers_.count(v) == 0) return;
    bind_index(renamed, v, index(program_.variables[v].sort, is_dim(v) ? numbers_.at(v) : dimensions_.at(v)));
  };
  const Environment* base = &scope;
  for (; base->instantiates(); base = base->outer)
    for (const Var b : base->bound) switch (program_.variables[b].sort) {
        case Sort::kDim:
          wanted.bound.dims[b] = Dim::of(index(Sort::kDim, number(scope.substitution.dims.at(b))));
          break;
        case Sort::kShape: {
          Shape to;
          for (const Piece& p : scope.substitution.shapes.at(b))
            if (p.shape == kNoVar)
              to.push_back(piece(Dim::of(index(Sort::kDim, number(p.dim)))));
            else
              to.push_back({index(Sort::kShape, dimensions_.at(p.shape)), {}});
          wanted.bound.shapes[b] = to;
          break;
        }
        case Sort::kAtom:
          visit(scalar(scope.substitution.atoms.at(b)), rename);
          wanted.bound.atoms[b] = renamed.on(scope.substitution.atoms.at(b));
          break;
        case Sort::kArray:
          visit(scope.substitution.arrays.at(b), rename);
          wanted.bound.arrays[b] = renamed.on(scope.substitution.arrays.at(b));
          break;
      }
  wanted.base = base;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Val v = packed(fitted(arguments[k], type_in(declared(c.expr->parameters[k]), scope)));
    codes.push_back(v.code);
    wanted.meanings.push_back(v.meaning);
  }
  for (const Code& x : codes) types.push_back(x.type);
  std::size_t number = 0;
  while (number < instances_[c.expr].size() && !fits(instances_[c.expr][number], wanted)) ++number;
  if (number == instances_[c.expr].size()) {
    if (number == kMostInstances)
      throw Error{"unsupported", here(), "this function calls itself for ever other types or functions"};
    wanted.function = code_.reserve();
    instances_[c.expr].push_back(std::move(wanted));
    make_instance(*c.expr, number, types);
  }
  const Instance& made = instances_[c.expr][number];
  return {result, code_.call(made.function, code_.tuple(codes), core_of(result, made.result)), made.result};
}

void Translator::make_instance(const Expr& lambda, std::size_t number,
                               const std::vector<const Core*>& types) {
  const At at(*this, lambda.pos);
  for (int round = 0;; ++round) {
    if (round == kMostRounds)
      throw Error{"unsupported", lambda.pos,
                  "a function grows from call to call; pass what it is made of instead"};
    const Instance made = instances_[&lambda][number];
    const Code parameter = code_.begin_function(*calls_.name(lambda), Coder::tuple_type(types));
    const std::vector<Code> parts = code_.parts(parameter, types.size());
    Environment& with = inner(*made.base);
    const auto add = [](auto& to, const auto& from) {
      for (const auto& [v, x] : from) to.insert_or_assign(v, x);
    };
    add(with.substitution.dims, made.bound.dims);
    add(with.substitution.shapes, made.bound.shapes);
    add(with.substitution.atoms, made.bound.atoms);
    add(with.substitution.arrays, made.bound.arrays);
    for (const auto& [v, x] : made.bound.dims) with.bound.push_back(v);
    for (const auto& [v, x] : made.bound.shapes) with.bound.push_back(v);
    for (const auto& [v, x] : made.bound.atoms) with.bound.push_back(v);
    for (const auto& [v, x] : made.bound.arrays) with.bound.push_back(v);
    for (std::size_t k = 0; k < made.indices.size(); ++k) {
      const Var v = made.indices[k];
      numbers_[v] = parts[k];
      if (is_dim(v)) continue;
      dimensions_[v] = parts[k];
      numbers_[v] = code_.op(Prim::kProduct, Coder::integer_type(), {parts[k]});
    }
    Environment& inside = inner(with);
    for (std::size_t k = 0; k < lambda.parameters.size(); ++k)
      inside.values[lambda.parameters[k]] = {type_in(declared(lambda.parameters[k]), with),
                                             parts[made.indices.size() + k], made.meanings[k]};
    const Type result = type_in(lambda.type, with).atom->result();
    const auto before = has_function(result) ? instances_ : decltype(instances_)();
    const Val v = packed(fitted(eval(*lambda.kids[0], inside), result));
    const MeaningRef all = united(made.result, v.meaning);
    if (same(all, made.result)) return code_.end_function(recast(v, all).code, made.function);
    code_.abandon_function();
    instances_ = before;
    instances_[&lambda][number].result = all;
  }
}

Val Translator::routine(const char* name, State state, const Type& result,
                        const std::function<Val(const State&, const Self&)>& body) {
  check_stack();
  std::vector<MeaningRef> assumed;
  for (Val& v : state) {
    v = packed(v);
    assumed.push_back(v.meaning);
  }
  MeaningRef gives;
  const std::int32_t function = code_.reserve();
  const auto call = [&](const State& v) -> Val {
    std::vector<Code> codes;
    for (std::size_t k = 0; k < v.size(); ++k) codes.push_back(recast(v[k], assumed[k]).code);
    return {result, code_.call(function, code_.tuple(codes), core_of(result, gives)), gives};
  };
  for (int round = 0;; ++round) {
    if (round == kMostRounds)
      throw Error{"unsupported", here(),
                  "a function grows from step to step; pass what it is made of instead"};
    const auto before = instances_;
    std::vector<MeaningRef> grown = assumed;
    bool stable = true;
    std::vector<const Core*> types;
    for (std::size_t k = 0; k < state.size(); ++k) types.push_back(core_of(state[k].type, assumed[k]));
    const std::vector<Code> parts =
        code_.parts(code_.begin_function(name, Coder::tuple_type(types)), state.size());
    State now;
    for (std::size_t k = 0; k < state.size(); ++k) now.push_back({state[k].type, parts[k], assumed[k]});
    const Self self = [&](State v) -> Val {
      for (std::size_t k = 0; k < v.size(); ++k) {
        v[k] = packed(fitted(v[k], state[k].type));
        grown[k] = united(grown[k], v[k].meaning);
        stable = stable && same(grown[k], assumed[k]);
      }
      if (!stable) return {result, code_.zero(core_of(result, gives)), gives};
      return call(v);
    };
    const Val out = packed(fitted(body(now, self), result));
    const MeaningRef all = united(gives, out.meaning);
    if (stable && same(all, gives)) {
      code_.end_function(recast(out, gives).code, function);
      return call(state);
    }
    code_.abandon_function();
    instances_ = before;
    assumed = grown;
    gives = all;
  }
}

}  // namespace nvm::remora
