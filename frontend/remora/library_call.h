// A call of a name of the library, of whole cells.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/remora/elements.h"
#include "frontend/remora/translator.h"

namespace nvm::remora {

class LibraryCall {
 public:
  LibraryCall(Translator& t, const Candidate& c, std::vector<Val> arguments, const Type& result)
      : t_(t),
        code_(t.code_),
        id_(static_cast<Library>(c.expr->library)),
        indices_(c.indices),
        arguments_(std::move(arguments)),
        result_(result) {}

  Val run();

 private:
  using Prim = frontend::core::Prim;
  using Core = frontend::core::Type;
  using State = Translator::State;
  using Self = Translator::Self;

  // ---- library_scalars.cpp
  [[nodiscard]] bool of_atoms(Code& value);
  [[nodiscard]] bool checked(Code& value);
  Code quotient(Code p, Code q);
  Code power(Code x, Code n);
  Code float_power(Code x, Code y);
  Code rounded();

  // ---- library_reductions.cpp
  struct Primitive {
    Prim reduce, scan;
    double start = 0;  // not 0: what the machine starts from; only right where no atom is beyond it
  };
  static constexpr Primitive kLeast{Prim::kMinVal, Prim::kMinScan, 1e36};
  static constexpr Primitive kGreatest{Prim::kMaxVal, Prim::kMaxScan, -1e36};
  using Combine = std::function<Val(const Val&, const Val&)>;
  [[nodiscard]] bool reduction(Val& value);
  Val reduced();
  Val scanned();
  Code total(Prim prim);
  [[nodiscard]] bool written_out(Code steps) const;
  Val folded(bool right);
  Val traced(bool right);
  Val iterated();
  // Items of shape pad_ and cell_, one after another; `n` of them.
  Val halved(const Combine& op, const Val& items, Code n);
  Val prefixes(const Combine& op, const Val& items, Code n);
  // The k-th of n items of each part with each other.
  Val combined(const Combine& op, const std::vector<Val>& parts, Code n);
  Val with_zero(const Val& zero, const Val& items);
  Code prefixes_of(const Primitive& p, const Combine& op, Code v);
  Code extremum(bool greatest, Code v);
  // What the machine's own reduction or scan gives, where it is right for these atoms and this zero, else
  // what items combined one with another give.
  Val where_right(const Primitive& p, const Type& type, Code atoms, std::optional<Code> zero,
                  const std::function<Val()>& own, const std::function<Val()>& combined);
  Code in_columns(Code items, Code n, Code columns);
  Code in_rows(const Combine& op, Code items, std::int64_t n, Code columns);
  [[nodiscard]] std::optional<Primitive> primitive() const;

  // ---- library_arrays.cpp
  [[nodiscard]] bool of_shape(Val& value);
  [[nodiscard]] bool rearranged(Val& value);
  [[nodiscard]] bool ordered(Val& value);
  [[nodiscard]] bool boxed(Val& value);
  Val scattered();
  Code chosen(Code m, Code n);
  Val rotated();
  Val equality();

  // ---- cells of a flat sequence of items
  Code items_at(Code v, Code places, const Shape& item);
  Code slice(Code v, Code from, Code to, const Shape& item);
  Val item(const Val& v, Code at, const Type& type);
  Code repeated(const Val& v, Code n) {
    const Code all = code_.dist(v.code, n);
    return is_scalar(v.type) ? all : code_.flatten(all);
  }
  Val appended(const Val& a, const Val& b);
  // Elements f(0), f(1), ..., f(n - 1).
  template <typename F>
  Code places(Code n, F&& f) {
    return code_.each({code_.iota(n)}, [&](const std::vector<Code>& i) { return f(i[0]); });
  }
  // A sequence of atoms of unknown length.
  [[nodiscard]] static Val vector_of(const Type& atom, Code c, MeaningRef m) {
    return {{kNoVar, atom.atom, {piece(0)}}, c, std::move(m)};
  }
  // The argument as a flat sequence.
  [[nodiscard]] Val flat(std::size_t k) {
    return vector_of(arguments_[k].type, sequence(k), arguments_[k].meaning);
  }

  [[nodiscard]] const Shape& index(std::size_t k) const { return indices_[k]; }
  [[nodiscard]] Code number(std::size_t k) { return t_.number(indices_[k][0].dim); }
  [[nodiscard]] Code product(const Shape& s) { return t_.product(s); }
  [[nodiscard]] Code sequence(std::size_t k) { return t_.sequence_of(arguments_[k]); }
  [[nodiscard]] Code code(std::size_t k) const { return arguments_[k].code; }
  [[nodiscard]] static Val integer(Code c) { return {remora::scalar(AtomKind::kInt), c}; }
  // A box of one dimension.
  Val box(Code witness, Code content, const MeaningRef& m = {}) {
    return out(code_.pair(witness, content), meaning_of_parts({m}));
  }
  [[nodiscard]] Code one_if(Code flag) { return code_.op(Prim::kBtoi, Coder::integer_type(), {flag}); }
  [[nodiscard]] Code less(Code a, Code b) { return code_.compare(Prim::kLt, a, b); }
  [[nodiscard]] Code in_bounds(Code i, Code n) {
    return code_.both(code_.compare(Prim::kGe, i, code_.integer(0)), less(i, n));
  }
  [[nodiscard]] Code all_of(Code flags) { return code_.op(Prim::kAll, Coder::boolean_type(), {flags}); }
  Code bounded(Code i, Code n) {
    return t_.ensure(in_bounds(i, n), "bounds", "an index is outside of the array", i);
  }
  Code natural(Code n, const char* what) {
    return t_.ensure(code_.compare(Prim::kGe, n, code_.integer(0)), "negative", what, n);
  }
  Val out(Code c, MeaningRef m = {}) { return {result_, c, std::move(m)}; }
  Val out_of(Code flat, MeaningRef m = {}) { return t_.from_sequence(result_, flat, std::move(m)); }

  Translator& t_;
  Coder& code_;
  Library id_;
  const std::vector<Shape>& indices_;
  std::vector<Val> arguments_;
  const Type& result_;
  Shape pad_ = {}, cell_ = {};
};

}  // namespace nvm::remora
