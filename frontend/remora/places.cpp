#include "frontend/remora/places.h"

#include <algorithm>

namespace nvm::remora {

bool has_known_rank(const Shape& s) {
  return std::all_of(s.begin(), s.end(), [](const Piece& p) { return p.shape == kNoVar; });
}

Code Places::item(const Shape& all) {
  if (!has_known_rank(all)) {
    const Code dims = t_.dimensions(all), i = as_long_as(dims, index_);
    const Code each = code_.each({i, dims}, [&](const auto& x) { return in_bounds(x[0], x[1]); });
    const Code fine = code_.op(Prim::kAll, Coder::boolean_type(), {each});
    return dot(code_, inside(fine, i), weights(code_, dims));
  }
  Code place = code_.integer(0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Code n = t_.number(all[k].dim), i = at(k);
    place = code_.plus(code_.times(place, n), inside(in_bounds(i, n), i));
  }
  return place;
}

Code Places::part(const Shape& all, const Shape& part) {
  const bool known = has_known_rank(all) && has_known_rank(part) && all.size() == part.size();
  return known ? by_axis(all, part) : of_any_rank(t_.dimensions(all), t_.dimensions(part));
}

Code Places::start(Code from, Code all, Code part) {
  const Code fine = code_.both(code_.compare(Prim::kGe, from, code_.integer(0)),
                               code_.compare(Prim::kLe, from, code_.minus(all, part)));
  return t_.ensure(fine, "bounds", "the part is not inside of the array", from);
}

Code Places::by_axis(const Shape& all, const Shape& part) {
  const Code origin = code_.integer(0);
  Code places = code_.sequence({&origin, 1});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Code n = t_.number(all[k].dim), m = t_.number(part[k].dim), from = start(at(k), n, m);
    places = code_.flatten(code_.each({places}, [&](const auto& p) {
      const Code first = code_.plus(code_.times(p[0], n), from);
      return code_.range(first, code_.plus(first, m));
    }));
  }
  return places;
}

Code Places::of_any_rank(Code all, Code part) {
  const Code m = as_long_as(all, part);
  const Code from =
      code_.each({as_long_as(all, index_), all, m}, [&](const auto& x) { return start(x[0], x[1], x[2]); });
  const Code inner = weights(code_, m), outer = weights(code_, all);
  const Code count = code_.op(Prim::kProduct, Coder::integer_type(), {m});
  return code_.each({code_.iota(count)}, [&](const auto& k) {
    const Code axes = code_.each({m, inner, from}, [&](const auto& x) {
      return code_.plus(code_.remainder(code_.quotient(k[0], x[1]), x[0]), x[2]);
    });
    return dot(code_, axes, outer);
  });
}

Code Places::as_long_as(Code dims, Code v) {
  const Code same = code_.compare(Prim::kEq, code_.length(dims), code_.length(v));
  return t_.ensure(same, "bounds", "the array has another number of axes", v);
}

Code Places::weights(Coder& code, Code radixes) {
  const Code n = code.length(radixes), last = code.minus(n, code.integer(1));
  const Code back = code.each({code.iota(n)}, [&](const auto& i) { return code.minus(last, i[0]); });
  return code.get(code.op(Prim::kMultScan, radixes.type, {code.get(radixes, back)}), back);
}

Code Places::dot(Coder& code, Code a, Code b) {
  const Code all = code.each({a, b}, [&](const auto& x) { return code.times(x[0], x[1]); });
  return code.op(Prim::kSum, Coder::integer_type(), {all});
}

}  // namespace nvm::remora
