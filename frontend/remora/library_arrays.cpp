// Shapes, rearranging, indexing, boxes of unknown length, order.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "frontend/remora/dimensions.h"
#include "frontend/remora/library_call.h"
#include "frontend/remora/places.h"

namespace nvm::remora {

namespace core = frontend::core;
using Prim = core::Prim;

namespace {

using L = Library;

bool has_no_zero(const AtomRef& a) {
  check_stack();
  switch (a->kind) {
    case AtomKind::kInt:
    case AtomKind::kFloat:
    case AtomKind::kBool:
    case AtomKind::kChar: return false;
    case AtomKind::kRecord:
      return std::any_of(a->types.begin(), a->types.end(),
                         [](const Type& t) { return t.array != kNoVar || has_no_zero(t.atom); });
    default: return true;
  }
}

bool plain(const AtomRef& a) { return a->kind <= AtomKind::kChar; }

bool one_atom(const Variables& variables, const Shape& s) {
  return s.empty() || variables.product(s).number() == 1;
}

}  // namespace

Val LibraryCall::run() {
  for (Val& v : arguments_)
    if (!has_function(v.type) || v.type.atom->kind == AtomKind::kSigma ||
        v.type.atom->kind == AtomKind::kRecord)
      v = t_.packed(v);
  Code value = {};
  Val made;
  if (of_atoms(value) || checked(value)) return out(value);
  if (reduction(made) || of_shape(made) || rearranged(made) || ordered(made) || boxed(made)) return made;
  if (id_ == L::kSelect)
    return t_.choose({code(0)}, {[&] { return arguments_[1]; }, [&] { return arguments_[2]; }}, result_);
  throw Error{"unsupported", t_.here(),
              std::string(library()[static_cast<std::size_t>(id_)].name) + " cannot be run yet"};
}

// ---- cells

Code LibraryCall::items_at(Code v, Code at, const Shape& item) {
  if (one_atom(t_.program_.variables, item)) return code_.get(v, at);
  const Code size = product(item);
  const Code all = code_.each({at}, [&](const auto& i) {
    const Code first = code_.times(i[0], size);
    return places(size, [&](Code k) { return code_.plus(first, k); });
  });
  return code_.get(v, code_.flatten(all));
}

Code LibraryCall::slice(Code v, Code from, Code to, const Shape& item) {
  const Code size = product(item);
  return code_.get(v, code_.range(code_.times(from, size), code_.times(to, size)));
}

Val LibraryCall::item(const Val& v, Code at, const Type& type) {
  if (is_scalar(type)) return {type, code_.element(v.code, at), v.meaning};
  const Code size = product(type.shape), first = code_.times(at, size);
  return {type, code_.get(v.code, places(size, [&](Code k) { return code_.plus(first, k); })), v.meaning};
}

Val LibraryCall::appended(const Val& a, const Val& b) {
  const MeaningRef all = united(a.meaning, b.meaning);
  return {a.type, code_.append(t_.recast(a, all).code, t_.recast(b, all).code), all};
}

bool LibraryCall::of_shape(Val& value) {
  const auto one = [&] { return code_.integer(1); };
  switch (id_) {
    case L::kLength: value = out(number(0)); return true;
    case L::kSize: value = out(product(index(0))); return true;
    case L::kRank: {
      const Shape& s = index(0);
      value = out(has_known_rank(s) ? code_.integer(static_cast<std::int64_t>(s.size()))
                                    : code_.length(t_.dimensions(s)));
      return true;
    }
    case L::kReplicate:
      value = out_of(repeated(t_.packed(arguments_[0]), product(index(0))), t_.packed(arguments_[0]).meaning);
      return true;
    case L::kWithShape: {
      const Val x = t_.packed(arguments_[1]);
      value = out_of(repeated(x, product(index(0))), x.meaning);
      return true;
    }
    case L::kFlatten:
    case L::kRavel:
    case L::kItemize: {
      const Val x = t_.packed(arguments_[0]);
      value = out_of(t_.sequence_of(x), x.meaning);
      return true;
    }
    case L::kHead: value = item(flat(0), code_.integer(0), result_); return true;
    case L::kLast: value = item(flat(0), number(0), result_); return true;
    case L::kTail:
      value = out(slice(code(0), one(), code_.plus(number(0), one()), index(1)), arguments_[0].meaning);
      return true;
    case L::kCurtail:
      value = out(slice(code(0), code_.integer(0), number(0), index(1)), arguments_[0].meaning);
      return true;
    case L::kTake:
      value = out(slice(code(0), code_.integer(0), number(0), index(2)), arguments_[0].meaning);
      return true;
    case L::kDrop:
      value =
          out(slice(code(0), number(0), code_.plus(number(0), number(1)), index(2)), arguments_[0].meaning);
      return true;
    default: return false;
  }
}

bool LibraryCall::rearranged(Val& value) {
  const auto done = [&](Val v) {
    value = std::move(v);
    return true;
  };
  switch (id_) {
    case L::kSubvector: {
      const Code i = code(1), e = number(1);
      const Code fine = code_.both(code_.compare(Prim::kGe, i, code_.integer(0)),
                                   code_.compare(Prim::kLe, i, code_.minus(number(0), e)));
      const Code from = t_.ensure(fine, "bounds", "the part is not inside of the array", i);
      return done(out(slice(code(0), from, code_.plus(from, e), index(2)), arguments_[0].meaning));
    }
    case L::kItem: return done(item(flat(0), bounded(code(1), number(0)), result_));
    case L::kGather: {
      const Code d = number(0);
      const Code at = code_.each({code(1)}, [&](const auto& i) { return bounded(i[0], d); });
      return done(out(items_at(code(0), at, index(2)), arguments_[0].meaning));
    }
    case L::kAppend: {
      const Code m = number(0), n = number(1), size = product(index(2));
      if (plain(result_.atom) && m.known > 0 && n.known > 0 && size.known > 0)
        return done(out(chosen(code_.times(m, size), code_.times(n, size))));
      const Val all = appended(arguments_[0], arguments_[1]);
      return done(out(all.code, all.meaning));
    }
    case L::kReverse: {
      const Code last = code_.minus(number(0), code_.integer(1));
      const Code at = places(number(0), [&](Code i) { return code_.minus(last, i); });
      return done(out(items_at(code(0), at, index(1)), arguments_[0].meaning));
    }
    case L::kRotate: return done(rotated());
    case L::kTranspose: {
      const Code m = number(0), n = number(1);
      const Code at = places(
          n, [&](Code j) { return places(m, [&](Code i) { return code_.plus(j, code_.times(i, n)); }); });
      return done(out(items_at(code(0), code_.flatten(at), index(2)), arguments_[0].meaning));
    }
    case L::kIndex: return done(item(flat(0), Places(t_, code(1)).item(index(0)), result_));
    case L::kSubarray: {
      const Code at = Places(t_, code(1)).part(index(0), index(1));
      return done(out_of(items_at(t_.sequence_of(arguments_[0]), at, index(2)), arguments_[0].meaning));
    }
    case L::kScatter:
    case L::kScatterInto: return done(scattered());
    default: return false;
  }
}

// Each atom of m of one vector, then n of another one, neither empty, is read where it is: nothing is moved
// before it is wanted.
Code LibraryCall::chosen(Code m, Code n) {
  const Code last = code_.minus(m, code_.integer(1));
  return places(code_.plus(m, n), [&](Code i) {
    const Code in_first = less(i, m), behind = code_.minus(i, m);
    const Code a = code_.element(code(0), code_.select(in_first, i, last));
    return code_.select(in_first, a,
                        code_.element(code(1), code_.select(in_first, code_.integer(0), behind)));
  });
}

Val LibraryCall::rotated() {
  const Code d = number(0), some = code_.select(less(d, code_.integer(1)), code_.integer(1), d);
  const Code rest = code_.remainder(code(1), d.known && *d.known > 0 ? d : some);
  const Code by = code_.select(less(rest, code_.integer(0)), code_.plus(rest, d), rest);
  const Code size = product(index(1)), shift = code_.times(by, size), all = code_.times(d, size);
  const Code at = places(all, [&](Code i) {
    const Code there = code_.plus(i, shift);
    return code_.select(less(there, all), there, code_.minus(there, all));
  });
  return out(code_.get(code(0), at), arguments_[0].meaning);
}

// Negative places are dropped; of equal ones the last wins.
Val LibraryCall::scattered() {
  const bool into = id_ == L::kScatterInto;
  const Val items = flat(into ? 2 : 0);
  const Code n = into ? number(0) : number(1), size = product(index(2));
  const Code at = code_.each({code(1)}, [&](const auto& i) {
    return t_.ensure(less(i[0], n), "bounds", "an index is outside of the array", i[0]);
  });
  const Code kept =
      code_.each({at}, [&](const auto& i) { return code_.compare(Prim::kGe, i[0], code_.integer(0)); });
  const Code from = code_.pack(code_.iota(code_.length(at)), kept), to = code_.pack(at, kept);
  const auto put = [&](Code base, Code where, Code what) {
    const core::Type* pair = core::pair_type(Coder::integer_type(), what.type->a);
    return code_.op(Prim::kPut, base.type, {base, code_.op(Prim::kZip, core::seq_type(pair), {where, what})});
  };
  const auto spread = [&](Code cells) {
    if (one_atom(t_.program_.variables, index(2))) return cells;
    return code_.flatten(code_.each({cells}, [&](const auto& i) {
      const Code first = code_.times(i[0], size);
      return code_.range(first, code_.plus(first, size));
    }));
  };
  // Fields of records have as many atoms as their types say.
  const std::function<Code(const Type&, const MeaningRef&)> zero = [&](const Type& t, const MeaningRef& m) {
    check_stack();
    if (t.array == kNoVar && !is_scalar(t))
      return code_.dist(zero(remora::scalar(t.atom), m), product(t.shape));
    if (t.array != kNoVar || t.atom->kind != AtomKind::kRecord) return code_.zero(t_.core_of(t, m));
    std::vector<Code> fields;
    for (std::size_t k = 0; k < t.atom->types.size(); ++k)
      fields.push_back(zero(t.atom->types[k], part_of(m, k)));
    return code_.tuple(fields);
  };
  MeaningRef m = items.meaning;
  Code base = {}, what = items.code;
  if (into) {
    m = united(m, arguments_[0].meaning);
    base = t_.recast(flat(0), m).code;
    what = t_.recast(items, m).code;
  } else {
    base = code_.dist(zero(remora::scalar(result_.atom), m), code_.times(n, size));
    if (has_no_zero(result_.atom)) {
      const Code written = put(code_.dist(code_.boolean(false), n), to,
                               code_.each({to}, [&](const auto&) { return code_.boolean(true); }));
      base = t_.ensure(all_of(written), "domain",
                       "nothing is written to a place, and there is no zero of this type", base);
    }
  }
  return out(put(base, spread(to), code_.get(what, spread(from))), m);
}

bool LibraryCall::boxed(Val& value) {
  const auto done = [&](Code witness, Code content) {
    value = box(witness, content, arguments_[0].meaning);
    return true;
  };
  const auto sum = [&](Code v) { return code_.op(Prim::kSum, Coder::integer_type(), {v}); };
  const auto dim = [&](std::size_t k) {
    return Dimensions(t_).one(code_.element(code(0), code_.integer(static_cast<std::int64_t>(k))));
  };
  switch (id_) {
    case L::kIota1: {
      const Code n = dim(0);
      return done(n, code_.iota(n));
    }
    case L::kIota2: {
      const Dim m = Dim::of(t_.fresh_index(Sort::kDim, "d", dim(0)));
      const Dim n = Dim::of(t_.fresh_index(Sort::kDim, "e", dim(1)));
      const Code all[] = {t_.number(m), t_.number(n), code_.iota(t_.number(times(m, n)))};
      value = out(code_.tuple(all));
      return true;
    }
    case L::kIotaAny: {
      const Code dims = Dimensions(t_).several(code(0));
      return done(dims, code_.iota(code_.op(Prim::kProduct, Coder::integer_type(), {dims})));
    }
    case L::kFilter: {
      const Code count = sum(code_.each({code(1)}, [&](const auto& b) { return one_if(b[0]); }));
      if (index(1).empty()) return done(count, code_.pack(code(0), code(1)));
      return done(count, items_at(code(0), code_.pack(code_.iota(number(0)), code(1)), index(1)));
    }
    case L::kWhere: {
      const Code count = sum(code_.each({code(0)}, [&](const auto& b) { return one_if(b[0]); }));
      return done(count, code_.pack(code_.iota(number(0)), code(0)));
    }
    case L::kReplicateAny: {
      const Code counts =
          code_.each({code(1)}, [&](const auto& n) { return natural(n[0], "a count is negative"); });
      const Code at =
          code_.each({code_.iota(number(0)), counts}, [&](const auto& x) { return code_.dist(x[0], x[1]); });
      return done(sum(counts), items_at(code(0), code_.flatten(at), index(1)));
    }
    case L::kTakeAny:
    case L::kDropAny: {
      const Code d = number(0), n = code(1);
      const Code fine =
          code_.both(code_.compare(Prim::kGe, n, code_.integer(0)), code_.compare(Prim::kLe, n, d));
      const Code many = t_.ensure(fine, "bounds", "there are not so many items", n);
      if (id_ == L::kTakeAny) return done(many, slice(code(0), code_.integer(0), many, index(1)));
      return done(code_.minus(d, many), slice(code(0), many, d, index(1)));
    }
    default: return false;
  }
}

bool LibraryCall::ordered(Val& value) {
  const auto ranks = [&] { return code_.op(Prim::kRank, core::seq_type(Coder::integer_type()), {code(0)}); };
  const auto permuted = [&](Code v) { return code_.op(Prim::kPermute, v.type, {v, ranks()}); };
  switch (id_) {
    case L::kSort:
    case L::kFSort: value = out(permuted(code(0))); return true;
    case L::kGrade:
    case L::kFGrade: value = out(permuted(code_.iota(number(0)))); return true;
    case L::kEqual: value = equality(); return true;
    case L::kBase: value = out(Places::dot(code_, code(1), Places::weights(code_, code(0)))); return true;
    default: return false;
  }
}

Val LibraryCall::equality() {
  if (has_function(arguments_[0].type))  // in place of a type variable, which the checker knows nothing about
    throw Error{"argument-type", t_.here(), kNoEquality};
  const Shape &a = index(0), &b = index(1);
  if (has_known_rank(a) && has_known_rank(b) && a.size() != b.size()) return out(code_.boolean(false));
  const auto equal = [&](Code x, Code y) { return code_.op(Prim::kEql, Coder::boolean_type(), {x, y}); };
  const auto atoms = [&] { return out(equal(sequence(0), sequence(1))); };
  if (a == b) return atoms();
  return t_.choose({equal(t_.dimensions(a), t_.dimensions(b))},
                   {atoms, [&] { return out(code_.boolean(false)); }}, result_);
}

}  // namespace nvm::remora
