#include "vm/lib/remora_values.h"

#include <functional>
#include <map>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "vm/lib/remora_print.h"

namespace nvm::lib {

namespace {

using frontend::core::TypeKind;
using remora::AtomKind;

// The slots of many values of one type.
struct Column {
  const Value* value = nullptr;      // of numbers; of sequences their descriptor
  std::vector<std::int64_t> starts;  // of sequences: where their elements begin
  std::vector<Column> kids;          // of a pair both, of sequences their elements
};

Column column_of(const frontend::core::Type* type, std::span<const Value> slots, std::size_t& at) {
  check_stack();
  Column c;
  if (type->kind == TypeKind::kUnit) return c;
  if (type->kind == TypeKind::kPair) {
    c.kids.push_back(column_of(type->a, slots, at));
    c.kids.push_back(column_of(type->b, slots, at));
    return c;
  }
  c.value = &slots[at++];
  if (type->kind != TypeKind::kSeq) return c;
  std::int64_t start = 0;
  for (std::int64_t k = 0; k < c.value->size(); ++k) {
    check_budget();
    c.starts.push_back(start);
    start += c.value->int_at(k);
  }
  c.kids.push_back(column_of(type->a, slots, at));
  return c;
}

class Shower {
 public:
  std::string show(const remora::Type& type, const Column& c, std::int64_t i) {
    check_stack();
    check_budget();
    if (type.array != remora::kNoVar) return "#<value>";
    if (type.shape.empty()) return atom(*type.atom, c, i);
    std::vector<std::int64_t> shape;
    for (const remora::Piece& p : type.shape) {
      if (p.shape == remora::kNoVar) {
        shape.push_back(number(p.dim));
      } else {
        const auto& dims = shapes_.at(p.shape);
        shape.insert(shape.end(), dims.begin(), dims.end());
      }
    }
    const Column& atoms = c.kids[0];
    const std::int64_t start = c.starts[static_cast<std::size_t>(i)];
    const std::function<std::int64_t(std::int64_t)> code = [&](std::int64_t k) {
      return atoms.value->int_at(start + k);
    };
    const bool text = type.atom->kind == AtomKind::kChar;
    return remora_array(
        shape, [&](std::int64_t k) { return atom(*type.atom, atoms, start + k); }, text ? &code : nullptr);
  }

 private:
  std::int64_t number(const remora::Dim& d) const {
    std::int64_t sum = 0;
    for (const auto& [m, c] : d.terms) {
      std::int64_t term = c;
      for (const remora::Var v : m)
        for (const std::int64_t n : shapes_.at(v)) term *= n;
      sum += term;
    }
    return sum;
  }

  // Parts of a tuple of n.
  static std::vector<const Column*> parts(const Column& c, std::size_t n) {
    std::vector<const Column*> out;
    const Column* rest = &c;
    for (; out.size() + 1 < n; rest = &rest->kids[1]) out.push_back(rest->kids.data());
    if (n > 0) out.push_back(rest);
    return out;
  }

  std::string atom(const remora::Atom& a, const Column& c, std::int64_t i) {
    switch (a.kind) {
      case AtomKind::kInt: return std::to_string(c.value->int_at(i));
      case AtomKind::kFloat: return remora_float(c.value->float_at(i));
      case AtomKind::kBool: return c.value->bool_at(i) ? "#t" : "#f";
      case AtomKind::kChar: return remora_char(c.value->int_at(i));
      case AtomKind::kSigma: return box(a, c, i);
      case AtomKind::kRecord: {
        std::string out = "{";
        const auto fields = parts(c, a.names.size());
        for (std::size_t k = 0; k < a.names.size(); ++k)
          out += (k > 0 ? " (" : "(") + a.names[k] + " " + show(a.types[k], *fields[k], i) + ")";
        return out + "}";
      }
      default: return "#<function>";
    }
  }

  // A witness is a number or, of a shape, a sequence.
  std::string box(const remora::Atom& a, const Column& c, std::int64_t i) {
    const auto all = parts(c, a.bound.size() + 1);
    for (std::size_t k = 0; k < a.bound.size(); ++k) {
      auto& dims = shapes_[a.bound[k]];
      dims.clear();
      const Column& w = *all[k];
      if (w.kids.empty()) {
        dims.push_back(w.value->int_at(i));
        continue;
      }
      const std::int64_t start = w.starts[static_cast<std::size_t>(i)];
      for (std::int64_t n = 0; n < w.value->int_at(i); ++n)
        dims.push_back(w.kids[0].value->int_at(start + n));
    }
    return "(box " + show(a.types[0], *all.back(), i) + ")";
  }

  std::map<remora::Var, std::vector<std::int64_t>> shapes_;  // of index variables; of a dimension itself
};

}  // namespace

std::string remora_value(const remora::Type& type, const frontend::core::Type* core,
                         std::span<const Value> slots, std::size_t& at) {
  const Column column = column_of(core, slots, at);
  return Shower().show(type, column, 0);
}

}  // namespace nvm::lib
