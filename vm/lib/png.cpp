#include "vm/lib/png.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <string_view>

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

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (const char c : bytes.substr(at, 4)) n = n << 8 | static_cast<unsigned char>(c);
  return n;
}

// The chunks that make the pixels, without gamma and profiles of colours, by which libpng would change them.
struct Pixels {
  std::string bytes;
  std::uint64_t packed = 0;  // bytes of the compressed rows
};

// libpng passes over damaged chunks that it can do without, which would change what is read, and over a
// missing end.
Pixels pixels_of(Component& library, std::string_view rest, const std::string& path) {
  constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n");
  constexpr std::size_t kAround = 12;   // length, name and sum
  constexpr char kMayBeSkipped = 0x20;  // in the first letter of a name
  using Sum = unsigned long(unsigned long, const unsigned char*, std::size_t);
  const auto sum = library.function<Sum>("crc32_z");  // of zlib, which libpng brings
  if (!rest.starts_with(kSignature)) fail_file(path, "is no PNG image, or damaged in its first bytes");
  rest.remove_prefix(kSignature.size());
  Pixels pixels{std::string(kSignature)};
  for (;;) {
    const std::size_t length = rest.size() < kAround ? 0 : number_at(rest, 0);
    if (rest.size() < kAround + length) fail_file(path, "is damaged: it ends before its last chunk");
    const std::string_view name = rest.substr(4, 4);
    const auto* summed = reinterpret_cast<const unsigned char*>(rest.data()) + 4;  // name and contents
    if (sum(0, summed, 4 + length) != number_at(rest, 8 + length))
      fail_file(path, "is damaged: the sum of its chunk " + std::string(name) + " differs");
    if (name == "IDAT") pixels.packed += length;
    if ((name[0] & kMayBeSkipped) == 0 || name == "tRNS") pixels.bytes += rest.substr(0, kAround + length);
    if (name == "IEND") return pixels;
    rest.remove_prefix(kAround + length);
  }
}

// Bytes of the rows that the header claims, at least.
std::uint64_t claimed_bytes(std::string_view bytes, const png_image& image) {
  constexpr std::size_t kDepth = 24, kColours = 25;
  constexpr std::uint64_t kSamples[] = {1, 0, 3, 1, 2, 0, 4};
  const auto colours = std::min<std::size_t>(static_cast<unsigned char>(bytes[kColours]), 6);
  const std::uint64_t bits = static_cast<unsigned char>(bytes[kDepth]) * kSamples[colours];
  return std::uint64_t{image.width} * image.height * bits / 8;
}

}  // namespace

Image read_png(const std::string& bytes, const std::string& path) {
  Component library = libpng();
  library.need(path);
  const auto begin =
      library.function<decltype(::png_image_begin_read_from_memory)>("png_image_begin_read_from_memory");
  const auto finish = library.function<decltype(::png_image_finish_read)>("png_image_finish_read");
  Png png(library);
  const Pixels pixels = pixels_of(library, bytes, path);
  if (begin(&png.image, pixels.bytes.data(), pixels.bytes.size()) == 0)
    fail_file(path, "is no PNG image, or damaged: " + std::string(png.image.message));
  constexpr std::uint64_t kMostOfOne = 1032;  // bytes that deflate makes of one
  if (claimed_bytes(pixels.bytes, png.image) / kMostOfOne > pixels.packed)
    fail_file(path, "is damaged: it has not the pixels that it claims");
  const png_uint_32 found = png.image.format;
  Image image;
  image.width = png.image.width;
  image.height = png.image.height;
  image.channels = (found & PNG_FORMAT_FLAG_ALPHA) != 0 ? 4 : (found & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  png.image.format = format_of(image.channels);
  png.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // no gamma of 16 bits' own
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
