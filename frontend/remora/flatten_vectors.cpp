// Vectors of NESL, a statement each.
#include <algorithm>

#include "bytecode/base/budget.h"
#include "frontend/remora/flattener.h"

namespace nvm::remora {

namespace {

constexpr std::int64_t kMostStatements = 5000;
constexpr std::int64_t kMostAtoms = std::int64_t{1} << 32;

std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace

std::int64_t count_of(const Dims& d) {
  std::int64_t n = 1;
  for (const std::int64_t x : d) {
    if (x == 0) return 0;
    if (__builtin_mul_overflow(n, x, &n)) n = INT64_MAX;
  }
  return n;
}

Dims joined_dims(const Dims& a, const Dims& b) {
  Dims out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

std::int64_t Flattener::length(const FlatArray& a) const {
  std::int64_t n = 0;
  if (__builtin_mul_overflow(lanes_[a.depth], count_of(a.shape), &n) || n > kMostAtoms)
    refuse("arrays of more than 2^32 atoms");
  return n;
}

FlatArray Flattener::emit(AtomKind kind, Dims shape, std::size_t depth, const std::string& text) {
  check_budget();
  FlatArray a{"x" + number(++names_), kind, std::move(shape), depth};
  (void)length(a);
  if (names_ > kMostStatements) refuse("programs of this size, with all functions written out,");
  text_ += a.name + " = " + text + ";\n";
  return a;
}

FlatArray Flattener::empty(AtomKind kind, Dims shape, std::size_t depth) {
  const char* zero = kind == AtomKind::kFloat ? "0.0" : kind == AtomKind::kBool ? "f" : "0";
  FlatArray a{"", kind, std::move(shape), depth};
  const std::int64_t n = length(a);
  return emit(kind, std::move(a.shape), depth, std::string("dist(") + zero + ", " + number(n) + ")");
}

FlatArray Flattener::picked(const FlatArray& a, Dims shape, std::size_t depth, const std::string& index) {
  FlatArray out{"", a.kind, std::move(shape), depth};
  const std::int64_t n = length(out);
  if (n == 0 || length(a) == 0) return empty(a.kind, std::move(out.shape), depth);
  return emit(a.kind, std::move(out.shape), depth,
              a.name + " -> {" + index + " : k in [0:" + number(n) + "]}");
}

FlatArray Flattener::repeated(const FlatArray& a, std::int64_t times, Dims shape, std::size_t depth) {
  const std::int64_t cell = count_of(a.shape);
  if (times == 1) return {a.name, a.kind, std::move(shape), depth};
  if (times == 0 || cell == 0) return empty(a.kind, std::move(shape), depth);
  return picked(a, std::move(shape), depth,
                "(k / " + number(times * cell) + ") * " + number(cell) + " + rem(k, " + number(cell) + ")");
}

FlatArray Flattener::expand(const FlatArray& a, std::size_t depth) {
  if (a.depth == depth) return a;
  if (lanes_[depth] == 0) return empty(a.kind, a.shape, depth);
  return repeated(a, lanes_[depth] / lanes_[a.depth], a.shape, depth);
}

FlatArray Flattener::each(AtomKind kind, const std::string& body, std::vector<FlatArray> arrays) {
  std::size_t depth = 0;
  for (const FlatArray& a : arrays) depth = std::max(depth, a.depth);
  std::string text = "{" + body + " :";
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    text += k == 0 ? " " : "; ";
    text += static_cast<char>('p' + k);
    text += " in " + expand(arrays[k], depth).name;
  }
  return emit(kind, arrays[0].shape, depth, text + "}");
}

FlatArray Flattener::items(const FlatArray& a, std::int64_t n, const Place& place) {
  const Dims item(a.shape.begin() + 1, a.shape.end());
  const std::int64_t cell = count_of(item), d = a.shape[0];
  const Dims shape = joined_dims({n}, item);
  if (n == 0 || cell == 0) return empty(a.kind, shape, a.depth);
  return picked(a, shape, a.depth,
                "(k / " + number(n * cell) + ") * " + number(d * cell) + " + (" +
                    place("rem(k / " + number(cell) + ", " + number(n) + ")") + ") * " + number(cell) +
                    " + rem(k, " + number(cell) + ")");
}

FlatArray Flattener::appended(const FlatArray& first, const FlatArray& second) {
  const std::size_t depth = std::max(first.depth, second.depth);
  const FlatArray a = expand(first, depth), b = expand(second, depth);
  Dims shape = a.shape;
  shape[0] += b.shape[0];
  if (length(a) == 0) return {b.name, b.kind, shape, depth};
  if (length(b) == 0) return {a.name, a.kind, shape, depth};
  const std::int64_t m = count_of(a.shape), n = count_of(b.shape), all = length(a);
  const FlatArray both = emit(a.kind, shape, depth, a.name + " ++ " + b.name);
  if (lanes_[depth] == 1) return both;
  const std::string lane = "k / " + number(m + n), place = "rem(k, " + number(m + n) + ")";
  return picked(both, shape, depth,
                "(if " + place + " < " + number(m) + " then (" + lane + ") * " + number(m) + " + " + place +
                    " else " + number(all - m) + " + (" + lane + ") * " + number(n) + " + " + place + ")");
}

FlatArray Flattener::constant(std::int64_t n) {
  if (n == INT64_MIN) return emit(AtomKind::kInt, {}, 0, "[-9223372036854775807 - 1]");
  return emit(AtomKind::kInt, {}, 0, "[" + number(n) + "]");
}

void Flattener::note(const char* kind, const FlatArray& failed) {
  FlatArray flag = expand(failed, depth());  // nothing fails where no lane is
  if (mask_) {
    const FlatArray mask = expand(*mask_, depth());
    flag =
        each(AtomKind::kBool, "p and q", {flag, repeated(mask, count_of(flag.shape), flag.shape, depth())});
  }
  flags_.push_back("any(" + flag.name + ")");
  checks_.push_back({kind, site_});
}

}  // namespace nvm::remora
