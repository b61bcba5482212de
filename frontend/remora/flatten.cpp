#include "frontend/remora/flatten.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/remora/flattener.h"

namespace nvm::remora {

namespace {

constexpr int kMostCalls = 100;  // inside of each other
constexpr std::int64_t kMostEvaluated = 200'000;

template <typename T>
class Kept {  // restores a member
 public:
  explicit Kept(T& at) : at_(at), before_(at) {}
  ~Kept() { at_ = std::move(before_); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

 private:
  T& at_;
  T before_;
};

Dims behind(const Dims& d, std::size_t n) { return {d.begin() + static_cast<std::ptrdiff_t>(n), d.end()}; }

bool is_constant(const Expr& e) {
  check_stack();
  if (e.kind == ExprKind::kNumbers) return true;
  return e.kind == ExprKind::kFrame && !e.kids.empty() &&
         std::all_of(e.kids.begin(), e.kids.end(), [](const ExprRef& kid) { return is_constant(*kid); });
}

// Digits that read back as the same number.
std::string real_text(double x) {
  if (x == 0 && std::signbit(x)) return "0.0 * (-1.0)";  // -0.0 is read as 0 - 0.0
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  std::string out = text;
  const std::size_t e = out.find('e');
  if (out.find('.') == std::string::npos) out.insert(std::min(e, out.size()), ".0");
  return out;
}

}  // namespace

void Flattener::refuse(const std::string& what) const {
  throw Error{"unsupported", here_, what + " cannot be run yet"};
}

Type Flattener::type(const Type& t) const { return known_.on(program_.variables.resolved(t)); }

Dims Flattener::dims(const Shape& s) const {
  Dims out;
  for (const Piece& p : known_.on(program_.variables.resolved(s))) {
    const auto n = p.shape == kNoVar ? p.dim.number() : std::nullopt;
    if (!n) refuse("arrays whose shape is not known before");
    out.push_back(*n);
  }
  return out;
}

FlatArray Flattener::literal(const Expr& e) {
  const AtomKind kind = type(e.type).atom->kind;
  const Dims shape = dims(type(e.type).shape);
  if (count_of(shape) == 0) return empty(kind, shape, 0);
  std::string text = "[";
  append_atoms(e, kind, text);
  return emit(kind, shape, 0, text + "]");
}

void Flattener::append_atoms(const Expr& e, AtomKind kind, std::string& text) const {
  check_stack();
  for (const ExprRef& kid : e.kids) append_atoms(*kid, kind, text);
  for (const double x : e.reals) {
    if (!std::isfinite(x)) refuse("infinite numbers");
    text += (text.size() > 1 ? ", " : "") + real_text(x);
  }
  for (const std::int64_t n : e.numbers) {
    text += text.size() > 1 ? ", " : "";
    if (kind == AtomKind::kBool)
      text += n != 0 ? "t" : "f";
    else
      text += n == INT64_MIN ? "(-9223372036854775807 - 1)" : std::to_string(n);
  }
}

FlatArray Flattener::array(const Expr& e) {
  FlatValue v = eval(e);
  here_ = e.pos;
  if (!v.array) refuse("functions as elements or results of this kind");
  return *v.array;
}

FlatValue Flattener::stacked(const Expr& e) {
  const Type t = type(e.type);
  const Dims shape = dims(t.shape);
  if (e.kids.empty()) {
    if (t.atom->kind > AtomKind::kChar) refuse("arrays of other than numbers, bools and characters");
    return {empty(t.atom->kind, shape, 0)};
  }
  if (is_constant(e)) return {literal(e)};
  std::vector<FlatArray> parts;
  for (const ExprRef& kid : e.kids) parts.push_back(array(*kid));
  // As items of one axis, which is then the axes of the frame.
  FlatArray all;
  for (FlatArray& p : parts) {
    p.shape = joined_dims({1}, p.shape);
    all = all.name.empty() ? p : appended(all, p);
  }
  return {FlatArray{all.name, all.kind, shape, all.depth}};
}

void Flattener::bind(ValueId id, FlatValue value) {
  scopes_.push_back({id, std::move(value), scope_});
  scope_ = &scopes_.back();
}

FlatValue Flattener::let(const Expr& e) {
  const Kept<FlatScopeRef> kept(scope_);
  for (std::size_t k = 0; k + 1 < e.kids.size(); ++k) {
    FlatValue v = eval(*e.kids[k]);
    bind(e.parameters[k], std::move(v));
  }
  return eval(*e.kids.back());
}

FlatValue Flattener::conditional(const Expr& e) {
  const FlatArray c = array(*e.kids[0]);
  const auto branch = [&](const Expr& b, const char* when) {
    const Kept<std::optional<FlatArray>> kept(mask_);
    std::vector<FlatArray> masks{c};
    if (mask_) masks.push_back(*mask_);
    mask_ = each(AtomKind::kBool, mask_ ? std::string(when) + " and q" : std::string(when), masks);
    return array(b);
  };
  FlatArray a = branch(*e.kids[1], "p"), b = branch(*e.kids[2], "not(p)");
  const std::size_t d = std::max({a.depth, b.depth, c.depth});
  a = expand(a, d);
  b = expand(b, d);
  const FlatArray flags = repeated(expand(c, d), count_of(a.shape), a.shape, d);
  return {each(a.kind, "if r then p else q", {a, b, flags})};
}

FlatValue Flattener::instantiate(const Expr& e) {
  FlatValue f = eval(*e.kids[0]);
  here_ = e.pos;
  if (f.array) refuse("arrays of polymorphic values");
  if (f.library >= 0) {
    for (const Shape& s : e.indices) f.indices.push_back(dims(s));
    if (f.library == static_cast<std::int32_t>(Library::kIota)) {
      const std::int64_t n = count_of(f.indices[0]);
      if (n == 0) return {empty(AtomKind::kInt, f.indices[0], 0)};
      (void)length({"", AtomKind::kInt, f.indices[0], 0});
      return {emit(AtomKind::kInt, f.indices[0], 0, "[0:" + std::to_string(n) + "]")};
    }
    return f;
  }
  const Substitution outer = known_;
  const auto given = [&](std::size_t k) { return outer.on(program_.variables.resolved(e.types[k])); };
  Substitution inner = f.known;
  for (std::size_t k = 0; k < f.code->bound.size(); ++k) {
    const Var v = f.code->bound[k];
    switch (program_.variables[v].sort) {
      case Sort::kDim: inner.dims[v] = Dim(dims(e.indices[k])[0]); break;
      case Sort::kShape: {
        Shape s;
        for (const std::int64_t n : dims(e.indices[k])) s.push_back(piece(n));
        inner.shapes[v] = std::move(s);
        break;
      }
      case Sort::kAtom: inner.atoms[v] = given(k).atom; break;
      case Sort::kArray: inner.arrays[v] = given(k); break;
    }
  }
  const Kept<Substitution> kept(known_);
  const Kept<FlatScopeRef> scope(scope_);
  known_ = std::move(inner);
  scope_ = f.scope;
  return eval(*f.code->kids[0]);
}

FlatValue Flattener::framed(const FlatValue& f, Values arguments, const std::vector<Dims>& frames,
                            const Dims& frame) {
  if (frame.empty()) return call(f, arguments);
  const std::size_t outer = depth();
  const std::int64_t n = count_of(frame);
  std::int64_t lanes = 0;
  if (__builtin_mul_overflow(lanes_[outer], n, &lanes)) refuse("frames of this size");
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (frames[k].empty()) continue;  // the same in all lanes
    if (!arguments[k].array) refuse("arrays of functions");
    FlatArray a = expand(*arguments[k].array, outer);
    const Dims cell = behind(a.shape, frames[k].size());
    const std::int64_t own = count_of(frames[k]);
    a.shape = cell;
    // Counted in cells from here on; the new context is entered below.
    lanes_.push_back(lanes);
    const std::size_t inner = depth();
    if (n == 0 || own == 0)
      a = empty(a.kind, cell, inner);
    else
      a = repeated(a, n / own, cell, inner);
    lanes_.pop_back();
    arguments[k].array = a;
  }
  lanes_.push_back(lanes);
  FlatValue v = call(f, arguments);
  if (!v.array) refuse("arrays of functions");
  FlatArray out = expand(*v.array, depth());
  lanes_.pop_back();
  out.shape = joined_dims(frame, out.shape);
  out.depth = outer;
  return {out};
}

FlatValue Flattener::apply(const Expr& e) {
  const FlatValue f = eval(*e.kids[0]);
  Values arguments;
  std::vector<Dims> frames;
  for (std::size_t k = 0; k < e.kids.size(); ++k) {
    if (k > 0) arguments.push_back(eval(*e.kids[k]));
    here_ = e.kids[k]->pos;
    const Type t = program_.variables.resolved(e.kids[k]->type);
    const Dims own =
        t.array != kNoVar
            ? Dims{}
            : dims(Shape(t.shape.begin(), t.shape.end() - static_cast<std::ptrdiff_t>(e.cells[k])));
    if (k > 0)
      frames.push_back(own);
    else if (!own.empty())
      refuse("arrays of functions");
  }
  here_ = e.pos;
  const Kept<SourcePos> kept(site_);
  site_ = e.pos;
  return framed(f, std::move(arguments), frames, dims(e.frame));
}

FlatValue Flattener::closure(const FlatValue& f, const Values& arguments) {
  const Kept<int> calls(calls_);
  if (++calls_ > kMostCalls) refuse("functions that call themselves");
  const Kept<Substitution> known(known_);
  const Kept<FlatScopeRef> scope(scope_);
  known_ = f.known;
  scope_ = f.scope;
  for (std::size_t k = 0; k < arguments.size(); ++k) bind(f.code->parameters[k], arguments[k]);
  return eval(*f.code->kids[0]);
}

FlatValue Flattener::call(const FlatValue& f, const Values& arguments) {
  check_stack();
  if (f.library >= 0) return library(f, arguments);
  if (f.code == nullptr) refuse("this function");
  if (f.code->kind == ExprKind::kLambda) return closure(f, arguments);
  if (f.code->kind != ExprKind::kIfFunction) refuse("this function");
  refuse("if as a function");
}

FlatValue Flattener::eval(const Expr& e) {
  check_stack();
  here_ = e.pos;
  if (++evaluated_ > kMostEvaluated) refuse("programs of this size, with all functions written out,");
  switch (e.kind) {
    case ExprKind::kNumbers: return {literal(e)};
    case ExprKind::kValue:
      for (const FlatScope* s = scope_; s != nullptr; s = s->next) {
        check_budget();
        if (s->id == e.value) return s->value;
      }
      refuse("functions that call themselves or later ones");
    case ExprKind::kLibrary: {
      FlatValue f;
      f.library = e.library;
      if (f.library == static_cast<std::int32_t>(Library::kPi))
        return {emit(AtomKind::kFloat, {}, 0, "[" + real_text(M_PI) + "]")};
      return f;
    }
    case ExprKind::kFrame: return stacked(e);
    case ExprKind::kApply: return apply(e);
    case ExprKind::kLambda:
    case ExprKind::kTypeLambda:
    case ExprKind::kIndexLambda:
    case ExprKind::kIfFunction: {
      FlatValue f;
      f.code = &e;
      f.scope = scope_;
      f.known = known_;
      return f;
    }
    case ExprKind::kInstantiate: return instantiate(e);
    case ExprKind::kLet: return let(e);
    case ExprKind::kIf: return conditional(e);
    case ExprKind::kReshape: {
      FlatArray a = array(*e.kids[0]);
      here_ = e.pos;
      const Dims to = dims(e.indices[0]);
      if (count_of(to) != count_of(a.shape)) refuse("a reshape to another number of atoms");
      a.shape = to;
      return {a};
    }
    case ExprKind::kReify: {
      if (type(e.type).atom->kind != AtomKind::kInt) refuse("boxes");
      const Dims n = dims(e.indices[0]);
      if (e.dimension) return {constant(n[0])};
      if (n.empty()) return {empty(AtomKind::kInt, {0}, 0)};
      std::string text;
      for (const std::int64_t d : n) text += (text.empty() ? "[" : ", ") + std::to_string(d);
      return {emit(AtomKind::kInt, {static_cast<std::int64_t>(n.size())}, 0, text + "]")};
    }
    case ExprKind::kBoxes:
    case ExprKind::kUnbox:
    case ExprKind::kLift: refuse("boxes");
    case ExprKind::kRecord:
    case ExprKind::kView:
    case ExprKind::kSet:
    case ExprKind::kOver: refuse("records");
  }
  refuse("this");
}

FlatProgram Flattener::all() try {
  FlatProgram out;
  std::string results;
  for (const Form& form : program_.forms) {
    FlatValue v = eval(*form.body);
    here_ = form.body->pos;
    if (form.defines >= 0) {
      bind(form.defines, std::move(v));
      continue;
    }
    const Type t = program_.variables.resolved(form.body->type);
    FlatResult r{AtomKind::kFunction, {}, print(t, program_.variables)};
    if (v.array) {
      r.kind = v.array->kind;
      r.shape = v.array->shape;
      results += ", " + (r.kind == AtomKind::kBool ? "{if p then 1 else 0 : p in " + v.array->name + "}"
                                                   : v.array->name);
    }
    out.results.push_back(std::move(r));
  }
  std::string flags;
  for (const std::string& f : flags_) flags += (flags.empty() ? "[" : ", ") + f;
  flags = flags.empty() ? "[f]" : flags + "]";
  out.checks = std::move(checks_);
  out.nesl = (text_.empty() ? "" : "let " + text_.substr(0, text_.size() - 2) + "\nin ") + "(" + flags +
             (results.empty() ? ", 0" : results) + ")";
  return out;
} catch (const TooLarge& e) {
  refuse(std::string("a ") + e.what + " of this size");
} catch (const TooDeep&) {
  refuse("what is nested so deeply");
}

FlatProgram flatten(const Program& program) { return Flattener(program).all(); }

}  // namespace nvm::remora
