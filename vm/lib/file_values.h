// What readers and writers of files share: values with their types.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/nesl/types.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

using Typed = std::pair<const frontend::Type*, std::vector<Value>>;

template <typename T>
Vector vector_of(const std::vector<T>& v, Storage storage, Pool& pool) {
  if (v.size() == 1) {
    if constexpr (std::is_same_v<T, double>)
      return Vector::of_float(v[0]);
    else
      return Vector::of_int(v[0], storage);
  }
  Vector out = pool.vector(storage, static_cast<std::int64_t>(v.size()));
  if (!v.empty()) std::memcpy(out.mutable_data<T>(), v.data(), v.size() * sizeof(T));
  return out;
}

// The characters of a text.
[[nodiscard]] Vector characters_of(std::string_view text, Pool& pool);

// Segments of these lengths.
[[nodiscard]] inline Value nested(const std::vector<std::int64_t>& lengths, std::int64_t total, Pool& pool) {
  return Segdes::from_lengths(vector_of(lengths, Storage::kI64, pool), total);
}

[[nodiscard]] inline bool is_plain(const frontend::Type* type) {
  return frontend::resolve(type)->kind <= frontend::TypeKind::kChar;
}
[[nodiscard]] bool is_text(const frontend::Type* type);  // [char]
// The components of a tuple; a record counts as its components. One for anything else.
[[nodiscard]] std::vector<const frontend::Type*> components_of(frontend::TypeArena& arena,
                                                               const frontend::Type* type);

[[noreturn]] inline void fail_file(const std::string& path, const std::string& why) {
  throw Fault{Fault::Kind::kIo, path + ": " + why};
}

}  // namespace nvm::vm
