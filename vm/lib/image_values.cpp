#include "vm/lib/image_values.h"

#include "bytecode/base/budget.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;

Typed image_value(const Image& image, TypeArena& arena, Pool& pool) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t pixels = image.bytes.size() / channels;
  std::vector<Value> slots{Segdes::regular(1, image.height), Segdes::regular(image.height, image.width)};
  for (std::size_t c = 0; c < channels; ++c) {
    Vector v = pixels == 1 ? Vector::of_int(static_cast<unsigned char>(image.bytes[c]))
                           : pool.vector(Storage::kI64, static_cast<std::int64_t>(pixels));
    for (std::size_t i = 0; pixels > 1 && i < pixels; ++i)
      v.mutable_data<std::int64_t>()[i] = static_cast<unsigned char>(image.bytes[i * channels + c]);
    slots.emplace_back(std::move(v));
  }
  const Type* number = TypeArena::base(TypeKind::kInt);
  const Type* pixel = channels == 1 ? number : arena.tuple(std::vector<const Type*>(channels, number));
  return {arena.seq(arena.seq(pixel)), std::move(slots)};
}

std::string image_refuses(const Type* type) {
  TypeArena arena;
  const std::string why =
      "only a chart or rows of pixels make an image: [[int]], [[(int, int, int)]], or "
      "[[(int, int, int, int)]] with opacity";
  for (int depth = 0; depth < 2; ++depth) {
    type = resolve(type);
    if (type->kind != TypeKind::kSeq) return why;
    type = type->args[0];
  }
  const std::vector<const Type*> channels = components_of(arena, type);
  for (const Type* channel : channels)
    if (resolve(channel)->kind != TypeKind::kInt) return why;
  return channels.size() == 1 || channels.size() == 3 || channels.size() == 4 ? "" : why;
}

Image image_of(const std::string& path, const Type* type, std::span<const Value> slots) {
  TypeArena arena;
  const auto& rows = std::get<Segdes>(slots[1]);
  Image image;
  image.channels = static_cast<int>(components_of(arena, resolve(resolve(type)->args[0])->args[0]).size());
  if (!rows.is_regular()) fail_file(path, "rows of different lengths make no image");
  image.height = rows.segments();
  image.width = rows.regular_length();
  if (image.width == 0 || image.height == 0) fail_file(path, "an image has a pixel or more");
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto pixels = static_cast<std::size_t>(image.width * image.height);
  image.bytes.resize(pixels * channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto& v = std::get<Vector>(slots[2 + c]);
    for (std::size_t i = 0; i < pixels; ++i) {
      check_budget();
      const std::int64_t x = int_at(v, static_cast<std::int64_t>(i));
      if (x < 0 || x > 255) {
        const auto width = static_cast<std::size_t>(image.width);
        fail_file(path, "the pixel in row " + std::to_string(i / width) + ", column " +
                            std::to_string(i % width) + " has " + std::to_string(x) +
                            "; bytes go from 0 to 255");
      }
      image.bytes[i * channels + c] = static_cast<char>(x);
    }
  }
  return image;
}

}  // namespace nvm::vm
