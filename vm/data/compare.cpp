#include "vm/data/compare.h"

#include "bytecode/base/stack.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace nvm::vm {

namespace {

std::string number(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;  // shortest text that reads back the same
  return {text, end};
}

std::string differ(const std::string& what, const std::string& a, const std::string& b) {
  return what + ": " + a + " and " + b;
}

bool floats_agree(double a, double b, std::uint64_t ulps) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return ulps != 0 && ulp_distance(a, b) <= ulps;
}

std::string vector_difference(const Vector& a, const Vector& b, std::uint64_t ulps) {
  if (a.type() != b.type())
    return differ("type", std::string(type_name(a.type())), std::string(type_name(b.type())));
  if (a.length() != b.length())
    return differ("length", std::to_string(a.length()), std::to_string(b.length()));
  for (std::int64_t i = 0; i < a.length(); ++i) {
    const std::string element = "element " + std::to_string(i);
    if (a.type() == Type::kFloat) {
      if (!floats_agree(a.float_at(i), b.float_at(i), ulps))
        return differ(element, number(a.float_at(i)), number(b.float_at(i)));
    } else if (a.type() == Type::kBool) {
      if (a.bool_at(i) != b.bool_at(i))
        return differ(element, a.bool_at(i) ? "T" : "F", b.bool_at(i) ? "T" : "F");
    } else if (a.int_at(i) != b.int_at(i)) {
      return differ(element, std::to_string(a.int_at(i)), std::to_string(b.int_at(i)));
    }
  }
  return "";
}

std::string segdes_difference(const Segdes& a, const Segdes& b) {
  if (a.segments() != b.segments())
    return differ("segments", std::to_string(a.segments()), std::to_string(b.segments()));
  if (a == b) return "";
  std::int64_t k = 0;
  while (a.length(k) == b.length(k)) ++k;
  return differ("length of segment " + std::to_string(k), std::to_string(a.length(k)),
                std::to_string(b.length(k)));
}

using PairRef = std::shared_ptr<const PairValue>;

}  // namespace

std::uint64_t ulp_distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : ~std::uint64_t{0};
  const auto place = [](double x) {  // numbers in order, both zeros at 0
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? INT64_MIN - bits : bits;
  };
  const std::int64_t p = place(a);
  const std::int64_t q = place(b);
  return p > q ? static_cast<std::uint64_t>(p) - static_cast<std::uint64_t>(q)
               : static_cast<std::uint64_t>(q) - static_cast<std::uint64_t>(p);
}

std::string difference(const Value& a, const Value& b, std::uint64_t ulps) {
  check_stack();
  if (a.index() != b.index()) return "different kinds of value";
  if (const auto* v = std::get_if<Vector>(&a)) return vector_difference(*v, std::get<Vector>(b), ulps);
  if (const auto* s = std::get_if<Segdes>(&a)) return segdes_difference(*s, std::get<Segdes>(b));
  if (const auto* p = std::get_if<PairRef>(&a)) {
    const PairRef& q = std::get<PairRef>(b);
    const std::string left = difference((*p)->left, q->left, ulps);
    if (!left.empty()) return "left " + left;
    const std::string right = difference((*p)->right, q->right, ulps);
    return right.empty() ? "" : "right " + right;
  }
  return std::holds_alternative<std::monostate>(a) ? "" : "a value that is not computed yet";
}

}  // namespace nvm::vm
