// Images as values: rows of pixels, from the top, each a number from 0 to 255 or a tuple of three or four.
#pragma once

#include <span>
#include <string>

#include "vm/lib/file_values.h"
#include "vm/lib/png.h"

namespace nvm::vm {

// [[int]] for shades of grey, [[(int, int, int)]] for colours, [[(int, int, int, int)]] with opacity.
[[nodiscard]] Typed image_value(const Image& image, frontend::TypeArena& arena, Pool& pool);
// Why no value of this type is an image; "" if one is.
[[nodiscard]] std::string image_refuses(const frontend::Type* type);
// Throws Fault kIo, with the path, for rows of different lengths, no pixels, and numbers beyond a byte.
[[nodiscard]] Image image_of(const std::string& path, const frontend::Type* type,
                             std::span<const Value> slots);

}  // namespace nvm::vm
