#include "vm/interp/moved.h"

#include <algorithm>

#include "bytecode/base/stack.h"
#include "vm/interp/in_place.h"
#include "vm/interp/work.h"
#include "vm/prims/repeated.h"

namespace nvm::vm {

namespace {

std::int64_t memory_of(const Vector& v) {
  return (v.is_repeated() ? 1 : v.length()) * static_cast<std::int64_t>(storage_bytes(v.storage()));
}

}  // namespace

Moving::Moving(Op op) : moves_(moves_elements(op)), picks_(picks(op)) {}

void Moving::read_vector(const Vector& v, bool source) {
  const bool known = std::any_of(sources_.begin(), sources_.begin() + count_, [&](const Place& p) {
    return p.begin != nullptr && p.begin == v.place() && p.bytes == v.bytes();
  });
  if (known && !source) return;  // compared with a value and filtered in one pass
  read_ += memory_of(v);
  if (source && count_ < sources_.size() && v.place() != nullptr) sources_[count_++] = {v.place(), v.bytes()};
}

void Moving::read_half(const View& half) {
  read_ += half.s.total() * static_cast<std::int64_t>(storage_bytes(half.x.storage()));
  if (count_ < sources_.size()) sources_[count_++] = {half.x.place(), half.x.bytes()};
}

// Two instructions that read it do so in one pass.
void Moving::read_slice(const View& v) {
  const std::int64_t bytes = v.s.total() * static_cast<std::int64_t>(storage_bytes(v.x.storage()));
  const std::byte* place = v.x.place() + v.base.list.scalar_int();
  const bool known = std::any_of(sources_.begin(), sources_.begin() + count_,
                                 [&](const Place& p) { return p.begin == place && p.bytes == bytes; });
  if (known) return;
  read_ += bytes;
  if (count_ < sources_.size()) sources_[count_++] = {place, bytes};
}

void Moving::read_numbers(const View& v) {
  if (!v.one_each() && !v.is_spread()) return;  // a few
  read_vector(v.base.list, false);
  read_vector(v.strides, false);
}

void Moving::read_assembly(const View& v) {
  read_vector(v.x, false);
  for (const AssemblyPart& part : v.parts) {
    const View* view = view_of(part.v);
    view != nullptr ? read_view(*view) : read_vector(std::get<Vector>(part.v), true);
    if (part.runs != nullptr) read_view(*part.runs);
  }
}

void Moving::read_view(const View& v) {
  using Source = View::Source;
  check_stack();
  switch (v.source) {
    case Source::kNumbers: return read_numbers(v);
    case Source::kElements:
      if (v.is_half()) return read_half(v);
      if (v.is_slice()) return read_slice(v);
      read_vector(v.x, moves_ && operands_ == 0);
      return read_vector(v.base.list, moves_ && operands_ == 0);
    case Source::kCompare: read_vector(v.x, false); return read_vector(v.base.list, false);
    case Source::kAssembly: return read_assembly(v);
    case Source::kBody:
      for (const Value& operand : v.operands) read_value(operand);
      return;
    case Source::kRanks:
    case Source::kPending: return;
  }
}

void Moving::reads(const Value& operand) {
  read_value(operand);
  ++operands_;
  const auto* v = std::get_if<Vector>(&operand);
  if (picks_ && operands_ == 1 && v != nullptr && v->length() > 0) {
    first_ = read_;
    element_ = v->bytes() / v->length();
  }
  if (operands_ == 2 && element_ > 0)
    read_ -= std::max<std::int64_t>(first_ - length_of(operand) * element_, 0);
}

void Moving::read_value(const Value& value) {
  check_stack();
  if (const auto* v = std::get_if<Vector>(&value)) {
    read_vector(*v, moves_ && operands_ == 0);
  } else if (const View* view = view_of(value)) {
    read_view(*view);
  }
}

bool Moving::lies_there(const Vector& v) const {
  return v.place() != nullptr &&
         std::any_of(sources_.begin(), sources_.begin() + count_, [&](const Place& p) {
           return v.place() >= p.begin && v.place() + v.bytes() <= p.begin + p.bytes;
         });
}

void Moving::writes(const Value& result) {
  if (const auto* v = std::get_if<Vector>(&result)) {
    if (lies_there(*v))
      read_ = 0;
    else
      written_ += memory_of(*v);
  } else if (const View* view = view_of(result)) {
    // Both halves were written when the first of them was made.
    if (!view->is_half())
      read_ = 0;
    else if (view->half == View::Half::kFirst)
      written_ += view->x.bytes();
  } else if (std::holds_alternative<std::shared_ptr<Deferred>>(result)) {
    read_ = 0;  // promised
  }
}

// Of instructions that move every element that they have: most of them.
std::optional<std::int64_t> Moving::plain(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return memory_of(*v);
  if (std::holds_alternative<Segdes>(value)) return 0;
  return std::nullopt;
}

}  // namespace nvm::vm
