#include "vm/lib/file_values.h"

namespace nvm::vm {

using frontend::resolve;
using frontend::Type;
using frontend::TypeKind;

Vector characters_of(std::string_view text, Pool& pool) {
  if (text.size() == 1) return Vector::of_int(static_cast<unsigned char>(text[0]));
  bool ascii = true;
  for (const char c : text) ascii = ascii && static_cast<signed char>(c) >= 0;
  const auto n = static_cast<std::int64_t>(text.size());
  Vector v = pool.vector(ascii ? Storage::kI8 : Storage::kI64, n);
  if (n == 0) return v;
  if (ascii)
    std::memcpy(v.mutable_data<char>(), text.data(), text.size());
  else
    for (std::size_t i = 0; i < text.size(); ++i)
      v.mutable_data<std::int64_t>()[i] = static_cast<unsigned char>(text[i]);
  return v;
}

bool is_text(const Type* type) {
  type = resolve(type);
  return type->kind == TypeKind::kSeq && resolve(type->args[0])->kind == TypeKind::kChar;
}

std::vector<const Type*> components_of(frontend::TypeArena& arena, const Type* type) {
  std::vector<const Type*> found;
  type = resolve(type);
  while (type->kind == TypeKind::kRecord) type = resolve(record_content(arena, type));
  for (; type->kind == TypeKind::kPair; type = resolve(type->args[1])) found.push_back(type->args[0]);
  found.push_back(type);
  return found;
}

}  // namespace nvm::vm
