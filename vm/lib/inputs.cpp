#include "vm/lib/inputs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vm/interp/elements.h"
#include "vm/interp/work.h"

namespace nvm::lib {

namespace {

// The first element that is no INT of 32 bits, or that there are too many to be counted with it, as words
// that follow "input N has "; empty if there is nothing of the kind.
std::string too_wide(const vm::Value& value) {
  const auto* v = std::get_if<vm::Vector>(&value);
  const auto* s = std::get_if<vm::Segdes>(&value);
  if (const std::int64_t all = s != nullptr ? std::max(s->segments(), s->total()) : v->length();
      all >= too_long(IntBits::k32))
    return std::to_string(all) + " elements, more than an INT of 32 bits counts";
  if (s == nullptr && (v->type() != Type::kInt || v->storage() != Storage::kI64)) return "";
  const std::int64_t n = s != nullptr ? s->segments() : v->length();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t x = s != nullptr ? s->length(i) : v->int_at(i);
    if (x != static_cast<std::int32_t>(x))
      return std::to_string(x) + " at position " + std::to_string(i) + ", more than an INT of 32 bits holds";
  }
  return "";
}

// Programs with an INT of 32 bits store none in 8 bytes. The elements fit: see too_wide().
vm::Vector in_four_bytes(vm::Pool& pool, const vm::Vector& v) {
  if (v.type() != Type::kInt || v.storage() != Storage::kI64 || v.is_scalar()) return v;
  vm::Vector narrow = pool.vector(Storage::kI32, v.length());
  auto* to = narrow.mutable_data<std::int32_t>();
  for (std::int64_t i = 0; i < v.length(); ++i) to[i] = static_cast<std::int32_t>(v.int_at(i));
  return narrow;
}
}  // namespace

std::string wrong_inputs(const Program::Impl& program, IntBits bits, std::span<const vm::Value> inputs) {
  const nvm::Loaded& loaded = program.loaded;
  // As declared, where that was read: the module has those only that are used.
  std::vector<std::pair<std::int32_t, TypeWord>> declared;
  for (const nvm::Constant& c : loaded.program.constants) declared.emplace_back(c.input, c.word);
  for (const ssa::Constant& c : loaded.module.constants) declared.emplace_back(c.input, c.word);
  for (const auto& [number, word] : declared) {
    if (number < 0) continue;
    const auto i = static_cast<std::size_t>(number);
    const std::string name = "input " + std::to_string(i);
    if (i >= inputs.size()) return name + " is missing";
    const Type is = vm::type_of(inputs[i]), expected = type_of(word);
    if (is != expected)
      return name + " is " + std::string(type_name(is)) + ", expected " + std::string(type_name(expected));
    if (const std::string wide = bits == IntBits::k32 ? too_wide(inputs[i]) : ""; !wide.empty())
      return name + " has " + wide;
  }
  if (program.inputs && inputs.size() > *program.inputs)
    return std::to_string(inputs.size()) + " inputs, expected " + std::to_string(*program.inputs);
  for (const ssa::Constant& c : loaded.module.constants) {
    if (c.input < 0) continue;
    const auto i = static_cast<std::size_t>(c.input);
    if (c.is_single && vm::length_of(inputs[i]) != 1)
      return "input " + std::to_string(i) + " has length " + std::to_string(vm::length_of(inputs[i])) +
             ", expected 1";
  }
  return "";
}

vm::Value in_four_bytes(vm::Pool& pool, const vm::Value& value) {
  const auto* s = std::get_if<vm::Segdes>(&value);
  if (s == nullptr) return in_four_bytes(pool, std::get<vm::Vector>(value));
  return s->is_regular() ? *s : vm::Segdes::from_lengths(in_four_bytes(pool, s->lengths(pool)), s->total());
}

}  // namespace nvm::lib
