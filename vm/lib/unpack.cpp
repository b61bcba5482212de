#include "vm/lib/unpack.h"

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <utility>

#include "bytecode/base/budget.h"
#include "vm/lib/component.h"
#include "vm/lib/file_values.h"

#if __has_include(<zlib.h>)
#include <zlib.h>
#define NVM_ZLIB true
#else
#define NVM_ZLIB false
#endif
#if __has_include(<zstd.h>)
#include <zstd.h>
#define NVM_ZSTD true
#else
#define NVM_ZSTD false
#endif

namespace nvm::vm {

namespace {

using Piece = std::array<char, std::size_t{64} << 10>;

#if NVM_ZLIB
std::string gunzipped(Component& zlib, const std::string& bytes, const std::string& path) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  const auto init = zlib.function<decltype(::inflateInit2_)>("inflateInit2_");
  const auto step = zlib.function<decltype(::inflate)>("inflate");
  const auto again = zlib.function<decltype(::inflateReset)>("inflateReset");
  const auto end = zlib.function<decltype(::inflateEnd)>("inflateEnd");
  z_stream stream{};
  if (init(&stream, kGzipOnly, ZLIB_VERSION, sizeof stream) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(end)> ends(&stream, end);
  const auto piece = std::make_unique<Piece>();
  std::string text;
  std::size_t at = 0;
  for (bool inside = true; inside || at < bytes.size();) {
    Budget::look();
    if (!inside && again(&stream) != Z_OK) fail_file(path, "cannot be decompressed");
    const std::size_t more = std::min<std::size_t>(bytes.size() - at, UINT_MAX);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())) + at;
    stream.avail_in = static_cast<uInt>(more);
    stream.next_out = reinterpret_cast<Bytef*>(piece->data());
    stream.avail_out = static_cast<uInt>(piece->size());
    const int result = step(&stream, Z_NO_FLUSH);
    at += more - stream.avail_in;
    const std::size_t made = piece->size() - stream.avail_out;
    text.append(piece->data(), made);
    inside = result != Z_STREAM_END;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_DATA_ERROR && at < 18) fail_file(path, "is not compressed by gzip, or damaged");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      fail_file(path, "is damaged: gzip's sums differ");
    if (inside && made == 0 && at == bytes.size()) fail_file(path, "ends before the end of its gzip stream");
  }
  return text;
}
#endif

#if NVM_ZSTD
std::string unzstd(Component& zstd, const std::string& bytes, const std::string& path) {
  const auto step = zstd.function<decltype(::ZSTD_decompressStream)>("ZSTD_decompressStream");
  const auto wrong = zstd.function<decltype(::ZSTD_isError)>("ZSTD_isError");
  const auto name = zstd.function<decltype(::ZSTD_getErrorName)>("ZSTD_getErrorName");
  const std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> stream(
      zstd.function<decltype(::ZSTD_createDStream)>("ZSTD_createDStream")(),
      zstd.function<decltype(::ZSTD_freeDStream)>("ZSTD_freeDStream"));
  if (stream == nullptr) throw std::bad_alloc();
  const auto piece = std::make_unique<Piece>();
  std::string text;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (std::size_t wanted = 1; wanted != 0 || in.pos < in.size;) {
    Budget::look();
    ZSTD_outBuffer out{piece->data(), piece->size(), 0};
    wanted = step(stream.get(), &out, &in);
    if (wrong(wanted) != 0)
      fail_file(path, std::string("is not compressed by zstd, or damaged: ") + name(wanted));
    text.append(piece->data(), out.pos);
    if (wanted != 0 && out.pos == 0 && in.pos == in.size)
      fail_file(path, "ends before the end of its zstd stream");
  }
  return text;
}
#endif

}  // namespace

Compression compression_of(std::string_view ending) {
  return ending == ".gz" ? Compression::kGzip : ending == ".zst" ? Compression::kZstd : Compression::kNone;
}

std::string unpacked(Compression compression, std::string bytes, const std::string& path) {
  if (compression == Compression::kNone) return bytes;
  Component library = compression == Compression::kGzip ? Component("libz.so.1", "zlib1g", NVM_ZLIB)
                                                        : Component("libzstd.so.1", "libzstd1", NVM_ZSTD);
  library.need(path);
#if NVM_ZLIB
  if (compression == Compression::kGzip) return gunzipped(library, bytes, path);
#endif
#if NVM_ZSTD
  if (compression == Compression::kZstd) return unzstd(library, bytes, path);
#endif
  return bytes;
}

}  // namespace nvm::vm
