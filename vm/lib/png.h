// Images as bytes, by libpng, where it is.
#pragma once

#include <cstdint>
#include <string>

namespace nvm::vm {

struct Image {
  std::int64_t width = 0, height = 0;
  int channels = 1;   // 1: grey; 3: red, green, blue; 4: and opacity
  std::string bytes;  // row by row, from the top, the channels of a pixel side by side
};

// Why images can be neither read nor written; "" if they can.
[[nodiscard]] std::string png_missing();
// Any PNG, with 8 bits for each channel: as they are in the file, whatever it says of gamma and colours; of
// 16 bits the nearest. Throws Fault kIo, with the path.
[[nodiscard]] Image read_png(const std::string& bytes, const std::string& path);
// A PNG of it, which has pixels. Throws Fault kIo, with the path.
[[nodiscard]] std::string write_png(const Image& image, const std::string& path);

}  // namespace nvm::vm
