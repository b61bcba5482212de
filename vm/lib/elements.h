// Elements of the types of a host, side by side, and what its operators mean: as instructions on INT, FLOAT
// and BOOL.
//
// Small integers are computed in 64 bits and wrapped, float32 in double and rounded, which is exact for
// + - * / and sqrt. A uint64 is the INT with its bits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "vm/lib/session.h"

namespace nvm::lib {

// ELEMENT_TYPE(name, kind, bits): kind b bool, i signed, u unsigned, f float, c complex.
enum class ElementType : std::uint8_t {
#define ELEMENT_TYPE(name, kind, bits) k##name,
#include "vm/lib/element_types.def"
};
struct ElementTypeInfo {
  std::string_view name;
  char kind;
  int bits;
};
[[nodiscard]] const ElementTypeInfo& info_of(ElementType type);
[[nodiscard]] Kind storage_of(ElementType type);  // not of complex numbers, which the machine does not have
// The type in which two arrays meet.
[[nodiscard]] ElementType common(ElementType a, ElementType b);

// How many elements there are, which may be known only when something is evaluated. Of a number, one; what is
// made of numbers needs no instruction to spread them.
class Size {
 public:
  Size(ExpressionGraph& graph, std::int64_t n) : graph_(graph), n_(n) {}
  explicit Size(Promise segments) : graph_(segments.graph()), segments_(std::move(segments)) {}
  [[nodiscard]] static std::shared_ptr<Size> of_number(ExpressionGraph& graph);
  [[nodiscard]] ExpressionGraph& graph() const { return graph_; }
  [[nodiscard]] bool is_number() const { return number_; }
  [[nodiscard]] std::optional<std::int64_t> known() const;
  [[nodiscard]] const Promise& segments();  // a descriptor of one segment
  void become_known(std::int64_t n) { n_ = n; }
  [[nodiscard]] bool same(const Size& other) const;

 private:
  ExpressionGraph& graph_;
  std::int64_t n_ = -1;
  bool number_ = false;
  Promise segments_;
};
using SizeRef = std::shared_ptr<Size>;

struct Elements {
  ElementType type = ElementType::kfloat64;
  Promise values;
  SizeRef size;
};

// A number of the host without a type of its own: it takes that of the array beside it.
struct WeakNumber {
  enum class Width : std::uint8_t { kInt64, kUint64, kNone };  // the type that a whole one needs, at least
  char kind = 'i';                                             // b, i or f
  Width width = Width::kInt64;
  std::int64_t whole = 0;   // b, i: modulo 2^64
  double real = 0;          // the number, or what is nearest
  bool of_program = false;  // it is a constant of the program, see constant()
};
[[nodiscard]] ElementType meeting(ElementType type, const WeakNumber& number);

struct Operand {
  const Elements* elements = nullptr;  // null: the number
  WeakNumber number;
};

// ELEMENT_OP(name, operands).
enum class ElementOp : std::uint8_t {
#define ELEMENT_OP(name, operands) k_##name,
#include "vm/lib/element_ops.def"
};
[[nodiscard]] std::optional<ElementOp> find_element_op(std::string_view name);
[[nodiscard]] int operands_of(ElementOp op);

// Why an operator was not applied: no instruction does it, the type has no such operator, or a number does
// not fit the type.
enum class Refusal : std::uint8_t { kNone, kElsewhere, kType, kRange };
struct Applied {
  Elements elements;
  Refusal refusal = Refusal::kNone;
};
// An operator on vectors of this size and numbers; not on numbers alone.
[[nodiscard]] Applied apply(ElementOp op, std::span<const Operand> operands, const SizeRef& size);

// Values of another type. Nothing where no instruction does it: complex numbers, floats to uint64.
[[nodiscard]] std::optional<Elements> convert(const Elements& elements, ElementType type);
// a where the condition is set, else b; numbers or vectors of this size.
[[nodiscard]] Applied where(const Elements& condition, const Operand& a, const Operand& b,
                            const SizeRef& size);
// INT or FLOAT of 64 bits as the values of a smaller type: modulo its width, or rounded.
[[nodiscard]] Promise finished(const Promise& values, ElementType type, const SizeRef& size);
// What compares as the elements do.
[[nodiscard]] Promise order_key(const Elements& elements);

}  // namespace nvm::lib
