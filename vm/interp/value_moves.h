// Values from slot to slot.
#pragma once

#include <utility>

#include "vm/data/value.h"

namespace nvm::vm {

// Assignment of variants, spelled out: vectors and descriptors are by far the most frequent, and assigning to
// the alternative that is there already needs no table. What is moved from owns nothing and is left as it is.
template <typename T>
inline void assign(T&& from, Value& to) {
  using Plain = std::remove_cvref_t<T>;
  if (auto* old = std::get_if<Plain>(&to)) [[likely]]
    *old = std::forward<T>(from);
  else
    to.emplace<Plain>(std::forward<T>(from));
}
inline void move_value(Value& from, Value& to) {
  if (auto* v = std::get_if<Vector>(&from)) [[likely]]
    assign(std::move(*v), to);
  else if (auto* s = std::get_if<Segdes>(&from))
    assign(std::move(*s), to);
  else if (auto* d = std::get_if<std::shared_ptr<Deferred>>(&from))
    assign(std::move(*d), to);
  else
    to = std::move(from);
}
inline void copy_value(const Value& from, Value& to) {
  if (const auto* v = std::get_if<Vector>(&from)) [[likely]]
    assign(*v, to);
  else if (const auto* s = std::get_if<Segdes>(&from))
    assign(*s, to);
  else if (const auto* d = std::get_if<std::shared_ptr<Deferred>>(&from))
    assign(*d, to);
  else
    to = from;
}

// Gives up what the value owns; a scalar owns nothing and may stay.
inline void release(Value& value) {
  const auto* v = std::get_if<Vector>(&value);
  if (v != nullptr ? static_cast<bool>(v->buffer()) : value.index() != 0) value.emplace<std::monostate>();
}

}  // namespace nvm::vm
