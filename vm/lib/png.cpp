#include "vm/lib/png.h"

#include <climits>
#include <memory>

#include "vm/lib/component.h"
#include "vm/lib/file_values.h"

#if __has_include(<png.h>)
#include <png.h>
#define NVM_PNG true
#else
#define NVM_PNG false
#endif

namespace nvm::vm {

namespace {
Component libpng() { return Component("libpng16.so.16", "libpng16-16", NVM_PNG); }
}  // namespace

std::string png_missing() { return libpng().missing(); }

#if NVM_PNG

namespace {

// libpng's structure, which has memory of its own until it is freed.
class Png {
 public:
  explicit Png(Component& library) : free_(library.function<decltype(::png_image_free)>("png_image_free")) {
    image.version = PNG_IMAGE_VERSION;
  }
  ~Png() { free_(&image); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  png_image image{};

 private:
  decltype(&::png_image_free) free_;
};

png_uint_32 format_of(int channels) {
  return channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
}

}  // namespace

Image read_png(const std::string& bytes, const std::string& path) {
  Component library = libpng();
  library.need(path);
  const auto begin =
      library.function<decltype(::png_image_begin_read_from_memory)>("png_image_begin_read_from_memory");
  const auto finish = library.function<decltype(::png_image_finish_read)>("png_image_finish_read");
  Png png(library);
  if (begin(&png.image, bytes.data(), bytes.size()) == 0)
    fail_file(path, "is no PNG image, or damaged: " + std::string(png.image.message));
  const png_uint_32 found = png.image.format;
  Image image;
  image.width = png.image.width;
  image.height = png.image.height;
  image.channels = (found & PNG_FORMAT_FLAG_ALPHA) != 0 ? 4 : (found & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  png.image.format = format_of(image.channels);
  // A row's bytes fit 32 bits: libpng refuses wider images.
  const auto row = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  image.bytes.resize(row * static_cast<std::size_t>(image.height));
  if (finish(&png.image, nullptr, image.bytes.data(), static_cast<png_int_32>(row), nullptr) == 0)
    fail_file(path, "is damaged: " + std::string(png.image.message));
  return image;
}

std::string write_png(const Image& image, const std::string& path) {
  Component library = libpng();
  library.need(path);
  const auto write = library.function<decltype(::png_image_write_to_memory)>("png_image_write_to_memory");
  Png png(library);
  constexpr std::int64_t kMost = INT_MAX / 4;
  if (image.width > kMost || image.height > kMost) fail_file(path, "is larger than a PNG image can be");
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = format_of(image.channels);
  const auto row = static_cast<png_int_32>(image.width * image.channels);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::string out(size, '\0');
  if (write(&png.image, out.data(), &size, 0, image.bytes.data(), row, nullptr) == 0)
    fail_file(path, std::string("cannot be made: ") + png.image.message);
  out.resize(size);
  return out;
}

#else

Image read_png(const std::string&, const std::string& path) {
  libpng().need(path);
  return {};
}

std::string write_png(const Image&, const std::string& path) {
  libpng().need(path);
  return "";
}

#endif

}  // namespace nvm::vm
