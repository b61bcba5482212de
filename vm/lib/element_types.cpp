#include <array>

#include "vm/lib/elements.h"

namespace nvm::lib {

namespace {

constexpr ElementTypeInfo kTypes[] = {
#define ELEMENT_TYPE(name, kind, bits) {#name, kind, bits},
#include "vm/lib/element_types.def"
};
constexpr std::size_t kCount = std::size(kTypes);

constexpr ElementType at(std::size_t k) { return static_cast<ElementType>(k); }
constexpr const ElementTypeInfo& row(ElementType t) { return kTypes[static_cast<std::size_t>(t)]; }

constexpr ElementType whole_type(char kind, int bits) {
  for (std::size_t k = 0; k < kCount; ++k)
    if (kTypes[k].kind == kind && kTypes[k].bits == bits) return at(k);
  return ElementType::kfloat64;  // wider than there is
}

constexpr bool is_whole(const ElementTypeInfo& t) { return t.kind == 'i' || t.kind == 'u'; }

// Does a float or complex type with parts of 32 bits not hold all its values?
constexpr bool is_wide(const ElementTypeInfo& t) {
  if (t.kind == 'c') return t.bits > 64;
  return t.kind == 'f' ? t.bits > 32 : is_whole(t) && t.bits > 16;
}

constexpr ElementType meet(ElementType first, ElementType second) {
  const ElementTypeInfo a = row(first), b = row(second);
  if (first == second || b.kind == 'b') return first;
  if (a.kind == 'b') return second;
  if (is_whole(a) && is_whole(b)) {
    if (a.kind == b.kind) return a.bits >= b.bits ? first : second;
    const int with_sign = a.kind == 'i' ? a.bits : b.bits, without = a.kind == 'i' ? b.bits : a.bits;
    return whole_type('i', with_sign > 2 * without ? with_sign : 2 * without);
  }
  const bool wide = is_wide(a) || is_wide(b);
  if (a.kind == 'c' || b.kind == 'c') return wide ? ElementType::kcomplex128 : ElementType::kcomplex64;
  return wide ? ElementType::kfloat64 : ElementType::kfloat32;
}

constexpr auto kCommon = [] {
  std::array<std::array<ElementType, kCount>, kCount> table{};
  for (std::size_t a = 0; a < kCount; ++a)
    for (std::size_t b = 0; b < kCount; ++b) table[a][b] = meet(at(a), at(b));
  return table;
}();

}  // namespace

const ElementTypeInfo& info_of(ElementType type) { return row(type); }

Kind storage_of(ElementType type) {
  const char kind = row(type).kind;
  return kind == 'b' ? Kind::kBool : kind == 'f' ? Kind::kFloat : Kind::kInt;
}

ElementType common(ElementType a, ElementType b) {
  return kCommon[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

ElementType meeting(ElementType type, const WeakNumber& number) {
  const char kind = row(type).kind;
  if (number.kind == 'b' || kind == 'f' || kind == 'c') return type;
  if (number.kind == 'f') return ElementType::kfloat64;
  return kind == 'b' ? ElementType::kint64 : type;
}

SizeRef Size::of_number(ExpressionGraph& graph) {
  auto size = std::make_shared<Size>(graph, 1);
  size->number_ = true;
  return size;
}

std::optional<std::int64_t> Size::known() const {
  if (n_ < 0) return std::nullopt;
  return n_;
}

const Promise& Size::segments() {
  if (!segments_) {
    auto made = make_segdes({&n_, 1});
    if (!made) throw std::length_error(made.failure().reason);
    segments_ = graph_.given(*made);
  }
  return segments_;
}

bool Size::same(const Size& other) const {
  if (this == &other) return true;
  if (n_ >= 0 || other.n_ >= 0) return n_ == other.n_;
  return segments_.node() == other.segments_.node() && segments_.index() == other.segments_.index();
}

}  // namespace nvm::lib
