// Applications: instantiation, cells, frames (sections 6 and 13).
#include <algorithm>
#include <utility>

#include "frontend/remora/checker.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

namespace {

constexpr Var kLeftOpen = -2;  // in place of an index argument: `_`

using Kind = Tree::Kind;

bool is_polymorphic(const Type& t) {
  return t.array == kNoVar && (t.atom->kind == AtomKind::kPi || t.atom->kind == AtomKind::kForall);
}

bool is_equal(const Expr* f) {
  while (f->kind == ExprKind::kInstantiate) f = f->kids[0].get();
  return f->kind == ExprKind::kLibrary && static_cast<Library>(f->library) == Library::kEqual;
}

}  // namespace

// A lambda that leaves out a parameter's type.
bool Checker::lacks_types(const Tree& t) const {
  if (!t.is(Kind::kRound) || t.kids.size() < 3 || !is_word(t.kids[0], "fn λ lambda") ||
      scope_.value(t.kids[0].text) != nullptr)
    return false;
  const auto& parameters = t.kids[1].kids;
  return std::any_of(parameters.begin(), parameters.end(), [](const Tree& p) { return p.is(Kind::kName); });
}

// One layer of a polymorphic value, instantiated: with what is given, unknowns for the rest.
ExprRef Checker::open_layer(ExprRef e, const std::vector<Type>& types, const std::vector<Shape>& indices,
                            SourcePos position) {
  const Type t = resolved(e->type);
  const Atom& b = *t.atom;
  ExprRef out = made(ExprKind::kInstantiate, e->pos, {});
  Substitution s;
  const bool of_types = b.kind == AtomKind::kForall;
  std::vector<Var> stands(b.bound.size(), kNoVar);
  for (std::size_t k = 0; k < b.bound.size(); ++k) {
    const Variable& v = program_.variables[b.bound[k]];
    const bool given =
        of_types ? k < types.size() && (types[k].atom != nullptr || types[k].array != kNoVar)
                 : k < indices.size() && !(indices[k].size() == 1 && indices[k][0].shape == kLeftOpen);
    const Sort sort = v.sort;
    const std::string name = v.name;
    if (!given) stands[k] = program_.variables.fresh(sort, name, true);
    switch (sort) {
      case Sort::kDim: {
        const Dim d = given ? indices[k][0].dim : Dim::of(stands[k]);
        s.dims[b.bound[k]] = d;
        out->indices.push_back({piece(d)});
        break;
      }
      case Sort::kShape: {
        const Shape shape = given ? indices[k] : Shape{{stands[k], {}}};
        s.shapes[b.bound[k]] = shape;
        out->indices.push_back(shape);
        break;
      }
      case Sort::kAtom: {
        const AtomRef a = given ? types[k].atom : variable_type(stands[k]);
        s.atoms[b.bound[k]] = a;
        out->types.push_back(scalar(a));
        break;
      }
      case Sort::kArray: {
        const Type a = given ? types[k] : Type{stands[k], {}, {}};
        s.arrays[b.bound[k]] = a;
        out->types.push_back(a);
        break;
      }
    }
  }
  for (const Var shape : b.bound) {
    const Var axes = library_.axes(shape);
    if (axes == kNoVar) continue;
    const auto at = [&](Var v) {
      return static_cast<std::size_t>(std::find(b.bound.begin(), b.bound.end(), v) - b.bound.begin());
    };
    ranks_.push_back({out->indices[at(shape)], out->indices[at(axes)][0].dim, e->pos});
  }
  const Type inner = s.on(b.types[0]);
  if (inner.array != kNoVar && !t.shape.empty())
    fault("kind", position, "a value of type " + shown(inner) + " cannot be lifted");
  out->type = inner.array != kNoVar ? inner : Type{kNoVar, inner.atom, joined(t.shape, inner.shape)};
  out->kids = {std::move(e)};
  return out;
}

ExprRef Checker::opened(ExprRef e) {
  const SourcePos at = e->pos;
  while (is_polymorphic(resolved(e->type))) e = open_layer(std::move(e), {}, {}, at);
  return e;
}

ExprRef Checker::instantiated(ExprRef e, const Tree& whole, Trees types, Trees indices) {
  const auto open = [](const Tree& t) { return t.is_name("_"); };
  const auto layer = [&](AtomKind kind, Trees arguments) {
    const Type t = resolved(e->type);
    if (t.array != kNoVar || t.atom->kind != kind) {
      if (arguments.empty()) return;
      fault("not-polymorphic", whole.pos,
            "this has type " + shown(t) + " and takes no " + (kind == AtomKind::kPi ? "indices" : "types"));
    }
    const Atom& b = *t.atom;
    if (arguments.size() > b.bound.size())
      fault("arity", whole.pos,
            "at most " + std::to_string(b.bound.size()) +
                " arguments are expected in the braces, there are " + std::to_string(arguments.size()));
    std::vector<Type> ts;
    std::vector<Shape> is;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Sort sort = program_.variables[b.bound[k]].sort;
      if (kind == AtomKind::kForall) {
        if (open(arguments[k]))
          ts.emplace_back();
        else if (sort == Sort::kAtom)
          ts.push_back(scalar(reader_.atom(arguments[k])));
        else
          ts.push_back(reader_.type(arguments[k]));
      } else {
        if (open(arguments[k]))
          is.push_back({{kLeftOpen, {}}});
        else if (sort == Sort::kDim)
          is.push_back({piece(reader_.dim(arguments[k]))});
        else
          is.push_back(reader_.shape(arguments[k]));
      }
    }
    e = open_layer(std::move(e), ts, is, whole.pos);
  };
  layer(AtomKind::kPi, indices);
  layer(AtomKind::kForall, types);
  return e;
}

ExprRef Checker::instance(const Tree& t) {
  const Trees arguments = Trees(t.kids).subspan(1);
  const Trees types = arguments.first(t.bar - 1), indices = arguments.subspan(t.bar - 1);
  if (t.kids[0].is_name("if") && scope_.value("if") == nullptr) {
    if (types.size() != 1 || !indices.empty())
      fault("arity", t.pos, "one type is expected in the braces: if{type | }");
    const Type of = reader_.type(types[0]);
    return made(ExprKind::kIfFunction, t.pos, scalar(function_type({scalar(AtomKind::kBool), of, of}, of)));
  }
  return instantiated(expression(t.kids[0]), t, types, indices);
}

ExprRef Checker::type_application(const Tree& t, const Type*) {
  if (t.kids.size() < 2) fault("syntax", t.pos, "expected (t-app expression type ...)");
  ExprRef e = expression(t.kids[1]);
  const Type of = resolved(e->type);
  const Trees types = Trees(t.kids).subspan(2);
  if (of.array != kNoVar || of.atom->kind != AtomKind::kForall)
    fault("not-polymorphic", t.pos, "this has type " + shown(of) + " and takes no types");
  if (types.size() != of.atom->bound.size())
    fault("arity", t.pos, std::to_string(of.atom->bound.size()) + " types are expected");
  return instantiated(std::move(e), t, types, {});
}

ExprRef Checker::index_application(const Tree& t, const Type*) {
  if (t.kids.size() < 2) fault("syntax", t.pos, "expected (i-app expression index ...)");
  ExprRef e = expression(t.kids[1]);
  const Type of = resolved(e->type);
  const Trees indices = Trees(t.kids).subspan(2);
  if (of.array != kNoVar || of.atom->kind != AtomKind::kPi)
    fault("not-polymorphic", t.pos, "this has type " + shown(of) + " and takes no indices");
  if (indices.size() != of.atom->bound.size())
    fault("arity", t.pos, std::to_string(of.atom->bound.size()) + " indices are expected");
  const Atom binder = *of.atom;
  std::vector<Shape> is;
  for (std::size_t k = 0; k < indices.size(); ++k)
    is.push_back(program_.variables[binder.bound[k]].sort == Sort::kDim
                     ? Shape{piece(reader_.dim(indices[k]))}
                     : reader_.shape(indices[k]));
  return open_layer(std::move(e), {}, is, t.pos);
}

// One application, step by step.
class Application {
 public:
  Application(Checker& c, const Tree& t)
      : c_(c), v_(c.program_.variables), t_(t), ranks_at_(c.ranks_.size()) {}

  ExprRef check(const Type* context) {
    ExprRef f = c_.opened(c_.expression(t_.kids[0]));
    const Type of = c_.resolved(f->type);
    if (of.array != kNoVar || of.atom->kind != AtomKind::kFunction)
      fault("not-a-function", t_.kids[0].pos, "this has type " + c_.shown(of) + " and is no function");
    function_ = of.atom;
    frames_.push_back(of.shape);
    const std::size_t n = t_.kids.size() - 1;
    if (n != function_->arity())
      fault("arity", t_.pos,
            std::to_string(function_->arity()) + " arguments are expected, there are " + std::to_string(n));
    arguments_.resize(n);
    frames_.resize(n + 1);
    for (std::size_t k = 0; k < n; ++k)
      if (!(c_.lacks_types(tree(k)) && takes_function(k))) argument(k, nullptr);
    for (std::size_t k = 0; k < n; ++k)
      if (takes_function(k) && arguments_[k]) match(k);
    for (std::size_t k = 0; k < n; ++k)
      if (!takes_function(k)) match(k);
    std::sort(waiting_.begin(), waiting_.end());
    shapes();
    for (std::size_t k = 0; k < n; ++k)
      if (!arguments_[k]) late_lambda(k);
    return result(std::move(f), context);
  }

 private:
  [[nodiscard]] const Tree& tree(std::size_t k) const { return t_.kids[k + 1]; }
  [[nodiscard]] Type parameter(std::size_t k) const { return c_.resolved(function_->types[k]); }
  // Before anything is matched: a type variable that a function is found for takes elements.
  [[nodiscard]] bool takes_function(std::size_t k) const {
    const Type& t = function_->types[k];
    return t.array == kNoVar && t.atom->kind == AtomKind::kFunction;
  }

  void argument(std::size_t k, const Type* context) {
    ExprRef e = c_.expression(tree(k), context);
    if (is_polymorphic(c_.resolved(e->type)) && !is_polymorphic(parameter(k))) e = c_.opened(std::move(e));
    arguments_[k] = std::move(e);
  }

  // Equations of dimensions that lack more than one unknown wait.
  template <typename F>
  auto deferring(std::size_t k, F&& f) {
    Unifier::Equations later;
    const Unifier::Deferral deferral(c_.unify_, later);
    auto found = f();
    for (auto& equation : later) pending_.emplace_back(k, std::move(equation));
    return found;
  }

  // The argument's type as far as the cell goes; its frame is noted.
  void split(std::size_t k, const Type& cell) {
    const Type a = c_.resolved(arguments_[k]->type);
    const auto front = a.array == kNoVar && cell.array == kNoVar
                           ? deferring(k, [&] { return c_.unify_.end(a.shape, cell.shape); })
                           : std::nullopt;
    if (!front)
      fault("cell-shape", tree(k).pos,
            "this has type " + c_.shown(a) + ", whose shape does not end with that of " + c_.shown(cell) +
                why(k, a));
    const Shape now = v_.resolved(a.shape);
    frames_[k + 1].assign(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(*front));
  }

  // What waits once more; whether it became less.
  bool again() {
    const auto waiting = std::exchange(pending_, {});
    for (const auto& [k, equation] : waiting)
      if (!deferring(k, [&, &e = equation] { return c_.unify_.exact(e.first, e.second); }))
        fault("cell-shape", tree(k).pos,
              "this has type " + c_.shown(arguments_[k]->type) + ", whose shape does not end with that of " +
                  c_.shown(parameter(k)));
    return pending_.size() < waiting.size();
  }

  // What would help: an empty or unknown length where one item is needed.
  [[nodiscard]] std::string why(std::size_t k, const Type& a) const {
    const Tree& f = t_.kids[0];
    if (k + 1 != arguments_.size() ||
        !is_word(f, "reduce scan iscan minimum maximum minimum. maximum. head last"))
      return "";
    if (a.array != kNoVar || a.shape.empty()) return "";
    return is_word(f, "reduce scan iscan") ? "; use " + f.text + "/zero: the length may be 0"
                                           : "; the length may be 0";
  }

  // The element's type; the shape waits.
  void match(std::size_t k) {
    const Type p = parameter(k), a = c_.resolved(arguments_[k]->type);
    if (p.array != kNoVar) {
      // An unknown takes the whole argument; a type that is given has to be it.
      if (!c_.unify_.exact(p, a))
        fault("argument-type", tree(k).pos,
              "this has type " + c_.shown(a) + ", " + c_.shown(p) + " is expected");
      return;
    }
    if (a.array != kNoVar || !deferring(k, [&] { return c_.unify_.exact(p.atom, a.atom); }))
      fault("argument-type", tree(k).pos,
            "this has type " + c_.shown(a) + ", " + c_.shown(p) + " is expected");
    waiting_.push_back(k);
  }

  // Parameters of known rank first; then the first of unknown rank takes its argument whole; and again.
  void shapes() {
    while (!waiting_.empty()) {
      bool some = false;
      for (std::size_t i = 0; i < waiting_.size();) {
        const Type p = parameter(waiting_[i]);
        if (c_.unify_.has_open_shape(p.shape)) {
          ++i;
          continue;
        }
        split(waiting_[i], p);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        some = true;
      }
      if (ranks() || again() || some || waiting_.empty()) continue;
      const std::size_t k = waiting_.front();
      for (std::size_t r = ranks_at_; r < c_.ranks_.size(); ++r)
        if (mentions(parameter(k), c_.ranks_[r].shape) && !v_.resolved(c_.ranks_[r].axes).number())
          fault("ambiguous", tree(k).pos, "how many axes are indexed is not known here");
      const Type a = c_.resolved(arguments_[k]->type), p = parameter(k);
      if (!deferring(k, [&] { return c_.unify_.exact(p.shape, a.shape); }))
        fault("cell-shape", tree(k).pos,
              "this has type " + print(a, v_) + ", " + print(p, v_) + " is expected" + why(k, a));
      waiting_.erase(waiting_.begin());
    }
    while (ranks() || again()) {
    }
  }

  [[nodiscard]] bool mentions(const Type& t, const Shape& shape) const {
    bool found = false;
    for (const Piece& p : v_.resolved(shape))
      if (p.shape != kNoVar) visit(t, [&](Var v) { found |= v == p.shape; });
    return found;
  }

  // Shapes whose number of axes has become known. Whether anything was solved.
  bool ranks() {
    bool some = false;
    for (std::size_t r = ranks_at_; r < c_.ranks_.size(); ++r) {
      const Checker::Rank rank = c_.ranks_[r];
      const auto axes = v_.resolved(rank.axes).number();
      const Shape shape = v_.resolved(rank.shape);
      if (!axes) continue;
      if (shape.size() == 1 && shape[0].shape != kNoVar && v_.is_open(shape[0].shape)) {
        if (*axes > static_cast<std::int64_t>(kMostAxes)) throw TooLarge{"shape"};
        Shape unknown;
        for (std::int64_t k = 0; k < *axes; ++k)
          unknown.push_back(piece(Dim::of(v_.fresh(Sort::kDim, "d", true))));
        v_.solve(shape[0].shape, unknown);
        some = true;
      } else if (!c_.unify_.has_open_shape(shape) && static_cast<std::int64_t>(shape.size()) != *axes) {
        fault("cell-shape", rank.pos,
              "the shape " + print(shape, v_) + " has other than " + std::to_string(*axes) + " axes");
      }
    }
    return some;
  }

  void late_lambda(std::size_t k) {
    const Type p = parameter(k);
    argument(k, &p);
    match(k);
    shapes();
  }

  ExprRef result(ExprRef f, const Type* context) {
    // The longest frame, the first of those as long; the function's first.
    std::size_t principal = 0;
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      frames_[k] = v_.resolved(frames_[k]);
      if (frames_[k].size() > frames_[principal].size()) principal = k;
    }
    for (const Shape& f : frames_)
      if (c_.unify_.has_open({kNoVar, base(AtomKind::kInt), f}))
        fault("ambiguous", t_.kids[0].pos, "the shape " + print(f, v_) + " of an argument is not determined");
    const Shape& frame = frames_[principal];
    for (std::size_t k = 1; k <= frames_.size(); ++k) {  // the function last
      const std::size_t i = k % frames_.size();
      if (!std::equal(frames_[i].begin(), frames_[i].end(), frame.begin()))
        fault("frame", t_.kids[i].pos,
              "the frame of this is " + print(frames_[i], v_) + ", no beginning of the longest one, " +
                  print(frame, v_));
    }
    Type r = c_.resolved(function_->result());
    ExprRef e = c_.made(ExprKind::kApply, t_.pos, {});
    if (context != nullptr && c_.unify_.has_open(r)) ask(*context, r, frame.size());
    while (again()) {
    }
    r = c_.resolved(r);
    if (c_.unify_.has_open(r))
      fault("ambiguous", t_.kids[0].pos, "the type of the result is not determined: " + c_.shown(r));
    if (!pending_.empty())
      fault("ambiguous", t_.kids[0].pos,
            "the dimensions of a parameter are not determined: " + c_.shown(parameter(pending_[0].first)));
    if (r.array != kNoVar && !frame.empty())
      fault("kind", t_.pos, "a result of type " + c_.shown(r) + " cannot be lifted");
    e->type = r.array != kNoVar ? r : Type{kNoVar, r.atom, joined(frame, r.shape)};
    e->frame = frame;
    const std::vector<Shape> frames = frames_;
    e->kids.push_back(std::move(f));
    for (ExprRef& a : arguments_) e->kids.push_back(std::move(a));
    const bool compares = is_equal(e->kids[0].get());
    for (std::size_t k = 0; k < e->kids.size(); ++k) {
      const Type type = c_.resolved(e->kids[k]->type);
      if (compares && k > 0 && has_function(type)) fault("argument-type", t_.kids[k].pos, kNoEquality);
      e->cells.push_back(type.shape.size() - frames[k].size());
      close(type);
      close_instance(*e->kids[k]);
    }
    c_.ranks_.resize(ranks_at_);
    return e;
  }

  void ask(const Type& context, const Type& r, std::size_t frame) {
    Type wanted = c_.resolved(context);
    if (wanted.array == kNoVar) {
      if (wanted.shape.size() < frame) return;
      wanted.shape.erase(wanted.shape.begin(), wanted.shape.begin() + static_cast<std::ptrdiff_t>(frame));
    }
    c_.unify_.exact(r, wanted);
  }

  // Unknowns that nothing needs: 0, [], int.
  void close(const Type& t) {
    visit(t, [&](Var v) { close(v); });
  }
  void close(Var v) {
    if (!v_.is_open(v)) return;
    switch (v_[v].sort) {
      case Sort::kDim: v_.solve(v, Dim(0)); break;
      case Sort::kShape: v_.solve(v, Shape{}); break;
      case Sort::kAtom: v_.solve(v, base(AtomKind::kInt)); break;
      case Sort::kArray: v_.solve(v, scalar(AtomKind::kInt)); break;
    }
  }
  void close_instance(const Expr& e) {
    if (e.kind != ExprKind::kInstantiate) return;
    for (const Shape& s : e.indices) visit(v_.resolved(s), [&](Var v) { close(v); });
    for (const Type& t : e.types) close(v_.resolved(t));
    close_instance(*e.kids[0]);
  }

  Checker& c_;
  Variables& v_;
  const Tree& t_;
  std::size_t ranks_at_;
  AtomRef function_;
  std::vector<ExprRef> arguments_;
  std::vector<Shape> frames_;  // of the function and the arguments
  std::vector<std::size_t> waiting_;
  std::vector<std::pair<std::size_t, std::pair<Dim, Dim>>> pending_;  // of an argument
};

ExprRef Checker::application(const Tree& t, const Type* context) {
  return Application(*this, t).check(context);
}

}  // namespace nvm::remora
