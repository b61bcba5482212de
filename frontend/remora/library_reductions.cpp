// Reductions, scans, folds.
#include <algorithm>

#include "frontend/remora/library_call.h"

namespace nvm::remora {

namespace core = frontend::core;
using Prim = core::Prim;

namespace {

using L = Library;

// Functions that grow at each step have no type that all steps share: so few steps are written out.
constexpr std::int64_t kMostWritten = 64;

// The library's function that a lambda only hands its two parameters to; else -1.
std::int32_t library_of(const Expr& f) {
  if (f.kind == ExprKind::kLibrary) return f.library;
  if (f.kind != ExprKind::kLambda || f.parameters.size() != 2) return -1;
  const Expr& e = *f.kids[0];
  if (e.kind != ExprKind::kApply || e.kids.size() != 3 || e.kids[0]->kind != ExprKind::kLibrary ||
      !e.frame.empty())
    return -1;
  for (std::size_t k = 0; k < 2; ++k)
    if (e.kids[k + 1]->kind != ExprKind::kValue || e.kids[k + 1]->value != f.parameters[k]) return -1;
  return e.kids[0]->library;
}

}  // namespace

std::optional<LibraryCall::Primitive> LibraryCall::primitive() const {
  const MeaningRef& m = arguments_[0].meaning;
  if (m == nullptr || m->candidates.size() != 1 || !cell_.empty()) return std::nullopt;
  const std::int32_t row = library_of(*m->candidates[0].expr);
  if (row < 0) return std::nullopt;
  switch (static_cast<Library>(row)) {
    case L::kAdd:
    case L::kFAdd: return Primitive{Prim::kSum, Prim::kPlusScan};
    case L::kMul:
    case L::kFMul: return Primitive{Prim::kProduct, Prim::kMultScan};
    case L::kMin: return Primitive{Prim::kMinVal, Prim::kMinScan};
    case L::kMax: return Primitive{Prim::kMaxVal, Prim::kMaxScan};
    case L::kFMin: return kLeast;
    case L::kFMax: return kGreatest;
    case L::kAnd: return Primitive{Prim::kAll, Prim::kAndScan};
    case L::kOr: return Primitive{Prim::kAny, Prim::kOrScan};
    case L::kXor: return Primitive{Prim::kParity, Prim::kXorScan};
    default: return std::nullopt;
  }
}

bool LibraryCall::reduction(Val& value) {
  const auto of = [&](Code c) {
    value = out(c);
    return true;
  };
  switch (id_) {
    case L::kReduce:
    case L::kReduceZero: value = reduced(); return true;
    case L::kScan:
    case L::kScanZero:
    case L::kOpenScanZero:
    case L::kExscanZero: value = scanned(); return true;
    case L::kFold: value = folded(false); return true;
    case L::kFoldR: value = folded(true); return true;
    case L::kTrace: value = traced(false); return true;
    case L::kTraceRight: value = traced(true); return true;
    case L::kIterate: value = iterated(); return true;
    case L::kSum:
    case L::kFSum: return of(total(Prim::kSum));
    case L::kProduct:
    case L::kFProduct: return of(total(Prim::kProduct));
    case L::kAny: return of(total(Prim::kAny));
    case L::kAll: return of(total(Prim::kAll));
    case L::kMinimum: return of(total(Prim::kMinVal));
    case L::kMaximum: return of(total(Prim::kMaxVal));
    case L::kFMinimum: return of(extremum(false, sequence(0)));
    case L::kFMaximum: return of(extremum(true, sequence(0)));
    case L::kCount: {
      const Code ones = code_.each({sequence(0)}, [&](const auto& b) { return one_if(b[0]); });
      return of(code_.op(Prim::kSum, Coder::integer_type(), {ones}));
    }
    default: return false;
  }
}

Code LibraryCall::total(Prim prim) {
  const Code v = sequence(0);
  return code_.op(prim, v.type->a, {v});
}

Val LibraryCall::where_right(const Primitive& p, const Type& type, Code atoms, std::optional<Code> zero,
                             const std::function<Val()>& own, const std::function<Val()>& combined) {
  if (p.start == 0) return own();
  const auto fine = [&](Code x) {  // false for what is no number
    return code_.compare(p.start < 0 ? Prim::kGe : Prim::kLe, x, code_.real(p.start));
  };
  Code usual = all_of(code_.each({atoms}, [&](const auto& x) { return fine(x[0]); }));
  if (zero) usual = code_.both(usual, fine(*zero));
  return t_.choose({usual}, {own, combined}, type);
}

Code LibraryCall::extremum(bool greatest, Code v) {
  const Type type = remora::scalar(AtomKind::kFloat);
  const Primitive p = greatest ? kGreatest : kLeast;
  const auto quick = [&] { return Val{type, code_.op(p.reduce, v.type->a, {v})}; };
  const auto slow = [&] {
    const Combine op = [&](const Val& a, const Val& b) {
      return Val{type, code_.select(greatest ? less(a.code, b.code) : less(b.code, a.code), b.code, a.code)};
    };
    const Val all = halved(op, vector_of(type, v, nullptr), code_.length(v));
    return Val{type, code_.element(all.code, code_.integer(0))};
  };
  return where_right(p, type, v, std::nullopt, quick, slow).code;
}

// n cells of `columns` atoms, column by column.
Code LibraryCall::in_columns(Code items, Code n, Code columns) {
  const Code at = places(columns, [&](Code j) {
    return places(n, [&](Code i) { return code_.plus(j, code_.times(i, columns)); });
  });
  return code_.get(items, code_.flatten(at));
}

// The cells' atoms, those of each column combined in any order: blocks of rows are combined atom by atom,
// which reads them as they lie, until one row is left.
Code LibraryCall::in_rows(const Combine& op, Code items, std::int64_t n, Code columns) {
  constexpr std::int64_t kAtOnce = 16, kMost = 8;  // rows: if that is all, and else
  const Type atom = remora::scalar(result_.atom);
  const auto both = [&](Code a, Code b) { return op({atom, a}, {atom, b}).code; };
  while (n > 1) {
    std::int64_t blocks = n <= kAtOnce ? n : kMost;
    while (n % blocks > n / blocks) --blocks;
    const Code some = code_.times(columns, code_.integer(n / blocks));
    const Code over =
        code_.times(columns, code_.integer(n % blocks));  // atoms behind the blocks, at most a block
    items = places(some, [&](Code i) {
      const auto of_block = [&](std::int64_t b, Code at) {
        return code_.element(items, code_.plus(at, code_.times(some, code_.integer(b))));
      };
      Code all = code_.element(items, i);
      for (std::int64_t b = 1; b < blocks; ++b) all = both(all, of_block(b, i));
      if (n % blocks == 0) return all;
      const Code more = less(i, over);
      const Code last = of_block(blocks, code_.select(more, i, code_.integer(0)));
      return code_.select(more, both(all, last), all);
    });
    n /= blocks;
  }
  return items;
}

Val LibraryCall::reduced() {
  const bool with = id_ == L::kReduceZero;
  pad_ = index(1);
  cell_ = index(2);
  const Code d = with ? number(0) : code_.plus(number(0), code_.integer(1));
  const Val& f = arguments_[0];
  Type cell = result_;
  cell.shape = cell_;
  const Combine op = [&](const Val& a, const Val& b) { return t_.call(f, {a, b}, cell); };
  const Val items = flat(with ? 2 : 1);
  const auto combined = [&] {
    const auto of_items = [&] { return halved(op, items, d); };
    Val all;
    if (with) {  // behind a zero that they need not have
      const Val z = t_.packed(arguments_[1]), zero = vector_of(z.type, repeated(z, product(pad_)), z.meaning);
      const auto both = [&] { return this->combined(op, {zero, of_items()}, code_.integer(1)); };
      all = d.known == 0 ? zero
            : d.known    ? both()
                         : t_.choose({code_.compare(Prim::kEq, d, code_.integer(0))},
                                     {[&] { return zero; }, both}, items.type);
    } else {
      all = of_items();
    }
    return out_of(all.code, all.meaning);
  };
  if (const auto p = primitive()) {
    const auto column = [&](Code v) {
      const Code all = code_.op(p->reduce, v.type->a, {v});
      return with ? op(arguments_[1], {cell, all}).code : all;
    };
    const Code columns = product(pad_);
    if (d.known > 0 && columns.known != 1 && t_.frames_ == 0) {
      const Code all = in_rows(op, items.code, *d.known, columns);
      if (!with) return out(all);
      return out(code_.each({all}, [&](const auto& x) { return op(arguments_[1], {cell, x[0]}).code; }));
    }
    Elements atoms(code_, items.code);
    const auto own = [&] {
      if (is_scalar(result_)) return out(column(items.code));
      return out(code_.each({atoms.columns(d, columns)}, [&](const auto& v) { return column(v[0]); }));
    };
    return where_right(*p, result_, items.code, with ? std::optional(code(1)) : std::nullopt, own, combined);
  }
  if (is_scalar(result_) && written_out(d)) {
    Val all = with ? arguments_[1] : item(items, code_.integer(0), cell);
    for (std::int64_t k = with ? 0 : 1; k < *d.known; ++k) all = op(all, item(items, code_.integer(k), cell));
    return all;
  }
  return combined();
}

Val LibraryCall::with_zero(const Val& zero, const Val& items) {
  const Val z = t_.packed(zero);
  return appended(vector_of(z.type, repeated(z, product(pad_)), z.meaning), items);
}

Val LibraryCall::combined(const Combine& op, const std::vector<Val>& parts, Code n) {
  const Var cells = t_.fresh_index(Sort::kDim, "n", code_.times(n, product(pad_)));
  const Shape frame{piece(Dim::of(cells))};
  const AtomRef& atom = parts[0].type.atom;
  const Type all{kNoVar, atom, joined(frame, cell_)}, cell{kNoVar, atom, cell_};
  std::vector<Translator::Argument> arguments;
  for (const Val& v : parts) arguments.push_back({{all, v.code, v.meaning}, 1});
  return t_.lifted(std::move(arguments), frame, cell, [&](std::vector<Val> v) {
    for (; v.size() > 1; v.resize((v.size() + 1) / 2)) {
      for (std::size_t k = 0; k < v.size() / 2; ++k) v[k] = op(v[2 * k], v[2 * k + 1]);
      if (v.size() % 2 == 1) v[v.size() / 2] = v.back();
    }
    return v[0];
  });
}

// Items are combined by eights, and what comes of them again, while there are many. Those behind the last
// group are kept, so that no item moves. Few are combined by twos.
Val LibraryCall::halved(const Combine& op, const Val& items, Code n) {
  constexpr std::int64_t kFew = 64, kAtOnce = 16;
  const Shape item = joined(pad_, cell_);
  if (n.known > 0 && n.known <= kAtOnce) {
    std::vector<Val> parts;
    for (std::int64_t k = 0; k < *n.known; ++k)
      parts.push_back(
          {items.type, slice(items.code, code_.integer(k), code_.integer(k + 1), item), items.meaning});
    return combined(op, parts, code_.integer(1));
  }
  const auto by = [&](std::int64_t size, const Val& v, Code groups) {
    std::vector<Val> parts;
    for (std::int64_t k = 0; k < size; ++k) {
      const Code at = places(
          groups, [&](Code i) { return code_.plus(code_.times(i, code_.integer(size)), code_.integer(k)); });
      parts.push_back({v.type, items_at(v.code, at, item), v.meaning});
    }
    return combined(op, parts, groups);
  };
  const auto behind = [&](std::int64_t size, const Val& v, Code groups, Code count) {
    return Val{v.type, slice(v.code, code_.times(groups, code_.integer(size)), count, item), v.meaning};
  };
  const auto below = [&](Code count, std::int64_t k) { return less(count, code_.integer(k)); };
  const auto few = [&](const Val& some, Code count) {
    return t_.routine("reduce", {some, integer(count)}, items.type, [&](const State& s, const Self& self) {
      const auto next = [&] {
        const Code half = code_.quotient(s[1].code, code_.integer(2));
        const Val all = appended(by(2, s[0], half), behind(2, s[0], half, s[1].code));
        return self({all, integer(code_.minus(s[1].code, half))});
      };
      return t_.choose({below(s[1].code, 2)}, {[&] { return s[0]; }, next}, items.type);
    });
  };
  if (n.known && *n.known < kFew) return few(items, n);
  const Val nothing{items.type, code_.empty(t_.core_of(items.type.atom, items.meaning)), items.meaning};
  const std::vector<Val> start{items, integer(n), nothing, integer(code_.integer(0))};
  return t_.routine("reduce_many", start, items.type, [&](const State& s, const Self& self) {
    const Code count = s[1].code, kept = s[3].code;
    const auto next = [&] {
      const Code groups = code_.quotient(count, code_.integer(8));
      const Code others = code_.minus(count, code_.times(groups, code_.integer(8)));
      const Val waiting = appended(behind(8, s[0], groups, count), s[2]);
      return self({by(8, s[0], groups), integer(groups), waiting, integer(code_.plus(others, kept))});
    };
    const auto rest = [&] { return few(appended(s[0], s[2]), code_.plus(count, kept)); };
    return t_.choose({below(count, kFew)}, {rest, next}, items.type);
  });
}

// Pairs are combined, their prefixes are those of odd places; at even places an item is combined with the
// prefix before it.
Val LibraryCall::prefixes(const Combine& op, const Val& items, Code n) {
  const Shape item = joined(pad_, cell_);
  const auto one = [&] { return code_.integer(1); };
  const auto two = [&] { return code_.integer(2); };
  return t_.routine("scan", {items, integer(n)}, items.type, [&](const State& s, const Self& self) {
    const Val& v = s[0];
    const Code count = s[1].code;
    const auto next = [&] {
      const Code half = code_.quotient(count, two()), others = code_.minus(count, half);
      const auto every = [&](Code m, int first) {
        const Code at =
            places(m, [&](Code i) { return code_.plus(code_.times(i, two()), code_.integer(first)); });
        return Val{v.type, items_at(v.code, at, item), v.meaning};
      };
      const Val odd = self({combined(op, {every(half, 0), every(half, 1)}, half), integer(half)});
      const Code later = code_.minus(others, one());
      const Val before{v.type, slice(odd.code, code_.integer(0), later, item), odd.meaning};
      const Val even = combined(op, {before, every(later, 2)}, later);
      const Val first{v.type, slice(v.code, code_.integer(0), one(), item), v.meaning};
      const Val all = appended(appended(first, even), odd);
      const Code at = places(count, [&](Code i) {
        const Code h = code_.quotient(i, two());
        const Code is_odd = code_.compare(Prim::kNe, code_.remainder(i, two()), code_.integer(0));
        return code_.select(is_odd, code_.plus(others, h), h);
      });
      return Val{v.type, items_at(all.code, at, item), all.meaning};
    };
    return t_.choose({code_.compare(Prim::kLe, count, one())}, {[&] { return v; }, next}, v.type);
  });
}

// Of one column.
Code LibraryCall::prefixes_of(const Primitive& p, const Combine& op, Code v) {
  const Type atom = remora::scalar(result_.atom);
  const auto both = [&](Code a, Code b) { return op({atom, a}, {atom, b}).code; };
  const Code before = code_.op(p.scan, v.type, {v});
  const bool open = id_ == L::kOpenScanZero;
  if (open || id_ == L::kExscanZero) {
    const Code all = code_.each({before}, [&](const auto& x) { return both(code(1), x[0]); });
    if (!open) return all;
    const Code last = both(code(1), code_.op(p.reduce, v.type->a, {v}));
    return code_.append(all, code_.sequence({&last, 1}));
  }
  return code_.each({before, v}, [&](const auto& x) {
    const Code now = both(x[0], x[1]);
    return id_ == L::kScanZero ? both(code(1), now) : now;
  });
}

Val LibraryCall::scanned() {
  const bool with = id_ != L::kScan, open = id_ == L::kOpenScanZero;
  pad_ = index(1);
  cell_ = index(2);
  const auto one = [&] { return code_.integer(1); };
  const Code d = with ? number(0) : code_.plus(number(0), one());
  const Val& f = arguments_[0];
  Type cell = result_;
  cell.shape = cell_;
  const Combine op = [&](const Val& a, const Val& b) { return t_.call(f, {a, b}, cell); };
  const Val items = flat(with ? 2 : 1);
  const auto combined = [&] {
    if (!with) {
      const Val all = prefixes(op, items, d);
      return out(all.code, all.meaning);
    }
    const Val all = prefixes(op, with_zero(arguments_[1], items), code_.plus(d, one()));
    const Shape item = joined(pad_, cell_);
    if (open) return out(all.code, all.meaning);
    if (id_ == L::kExscanZero) return out(slice(all.code, code_.integer(0), d, item), all.meaning);
    return out(slice(all.code, one(), code_.plus(d, one()), item), all.meaning);
  };
  const auto p = primitive();
  if (!p) return combined();
  Elements atoms(code_, items.code);
  const auto own = [&] {
    if (pad_.empty()) return out(prefixes_of(*p, op, items.code));
    const Code columns = product(pad_);
    const Code all = code_.flatten(
        code_.each({atoms.columns(d, columns)}, [&](const auto& v) { return prefixes_of(*p, op, v[0]); }));
    return out(in_columns(all, columns, open ? code_.plus(d, one()) : d));
  };
  return where_right(*p, result_, items.code, with ? std::optional(code(1)) : std::nullopt, own, combined);
}

// ---- one item after another

bool LibraryCall::written_out(Code steps) const {
  return has_function(result_) && steps.known && *steps.known <= kMostWritten;
}

Val LibraryCall::folded(bool right) {
  const Code d = number(0);
  const Val& f = arguments_[0];
  const Val items = flat(2);
  const Type cell{kNoVar, items.type.atom, index(1)};
  const Code first = right ? code_.minus(d, code_.integer(1)) : code_.integer(0);
  const Val start = t_.fitted(arguments_[1], result_);
  const auto step = [&](const Val& so_far, Code i) {
    const Val x = item(items, i, cell);
    return right ? t_.call(f, {x, so_far}, result_) : t_.call(f, {so_far, x}, result_);
  };
  if (written_out(d)) {
    Val so_far = start;
    for (std::int64_t k = 0; k < *d.known; ++k)
      so_far = step(so_far, code_.integer(right ? *d.known - 1 - k : k));
    return so_far;
  }
  return t_.routine("fold", {integer(first), start}, result_, [&](const State& s, const Self& self) {
    const Code i = s[0].code;
    const Code done = right ? less(i, code_.integer(0)) : code_.compare(Prim::kGe, i, d);
    const auto next = [&] {
      return self({integer(code_.plus(i, code_.integer(right ? -1 : 1))), step(s[1], i)});
    };
    return t_.choose({done}, {[&] { return s[1]; }, next}, result_);
  });
}

// States of the first half, then those of the second, which begin with the last of the first: each state is
// copied once a level, not once a step.
Val LibraryCall::traced(bool right) {
  const Code d = number(0), one = code_.integer(1);
  const Val& f = arguments_[0];
  const Val items = flat(2);
  const Type cell{kNoVar, items.type.atom, index(1)};
  const Type state = arguments_[1].type;
  const Val start = t_.packed(arguments_[1]);
  const auto vector = [&](const Val& v) { return vector_of(state, t_.sequence_of(v), v.meaning); };
  const Type all = vector(start).type;
  const Code size = product(state.shape);
  const Val later = t_.routine(
      "trace", {integer(code_.integer(0)), integer(d), start}, all, [&](const State& s, const Self& self) {
        const Code first = s[0].code, n = s[1].code;
        const auto step = [&] {
          const Code i = right ? code_.minus(code_.minus(d, one), first) : first;
          const Val x = item(items, i, cell);
          return vector(t_.packed(right ? t_.call(f, {x, s[2]}, state) : t_.call(f, {s[2], x}, state)));
        };
        const auto halves = [&] {
          const Code half = code_.quotient(n, code_.integer(2)), rest = code_.minus(n, half);
          const Val a = self({integer(first), integer(half), s[2]});
          const Code end = code_.times(half, size);
          const Code last = code_.get(a.code, code_.range(code_.minus(end, size), end));
          const Val b = self(
              {integer(code_.plus(first, half)), integer(rest), t_.from_sequence(state, last, a.meaning)});
          return appended(a, b);
        };
        const auto nothing = [&] {
          return Val{all, code_.empty(t_.core_of(all.atom, s[2].meaning)), s[2].meaning};
        };
        return t_.choose({code_.compare(Prim::kEq, n, one), code_.compare(Prim::kEq, n, code_.integer(0))},
                         {step, nothing, halves}, all);
      });
  if (!right) {
    const Val states = appended(vector(start), later);
    return out(states.code, states.meaning);
  }
  const Code last = code_.minus(d, one);
  const Code back = places(d, [&](Code i) { return code_.minus(last, i); });
  const Val states = appended({all, items_at(later.code, back, state.shape), later.meaning}, vector(start));
  return out(states.code, states.meaning);
}

Val LibraryCall::iterated() {
  const Val& f = arguments_[0];
  const Code n = natural(code(2), "the number of turns is negative");
  const Val start = t_.fitted(arguments_[1], result_);
  if (written_out(code(2))) {
    Val x = start;
    for (std::int64_t k = 0; k < *code(2).known; ++k) x = t_.call(f, {x}, result_);
    return x;
  }
  return t_.routine("iterate", {integer(n), start}, result_, [&](const State& s, const Self& self) {
    const auto next = [&] {
      return self({integer(code_.minus(s[0].code, code_.integer(1))), t_.call(f, {s[1]}, result_)});
    };
    return t_.choose({code_.compare(Prim::kEq, s[0].code, code_.integer(0))}, {[&] { return s[1]; }, next},
                     result_);
  });
}

}  // namespace nvm::remora
