#include "vm/lib/npy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>

#include "vm/interp/elements.h"
#include "vm/lib/out_file.h"

namespace nvm::vm {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie");

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Fault{Fault::Kind::kIo, path + ": " + why};
}

// A file in memory, with readable bytes behind its end as vectors promise.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail(path, std::strerror(errno));
    struct stat info {};
    ::fstat(fd, &info);
    size_ = static_cast<std::size_t>(info.st_size);
    // An anonymous mapping one page longer, its beginning replaced by the file.
    reserved_ = size_ + (std::size_t{1} << 16);
    void* base = ::mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base != MAP_FAILED && size_ > 0)
      base = ::mmap(base, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
    ::close(fd);
    if (base == MAP_FAILED) fail(path, "cannot be mapped into memory");
    base_ = static_cast<std::byte*>(base);
  }
  ~Mapping() {
    if (base_ != nullptr) ::munmap(base_, reserved_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* bytes() const { return base_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0, reserved_ = 0;
};

constexpr std::size_t kMostDimensions = 64;  // of NumPy's arrays

// What the dictionary at the beginning says.
struct Header {
  std::string descr;  // "<f8"
  bool fortran = false;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // of the elements
};

// The text behind 'key': in the dictionary.
std::string_view entry(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find("'" + std::string(key) + "'");
  if (at == dictionary.npos) return {};
  const std::size_t colon = dictionary.find(':', at);
  if (colon == dictionary.npos) return {};
  std::string_view rest = dictionary.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Header read_header(const Mapping& file, const std::string& path) {
  const std::string_view all(reinterpret_cast<const char*>(file.bytes()), file.size());
  if (all.size() < 12 || !all.starts_with("\x93NUMPY")) fail(path, "is not a .npy file");
  const bool wide = all[6] >= 2;  // version 1 has two bytes of length
  std::uint32_t length = 0;
  std::memcpy(&length, all.data() + 8, wide ? 4 : 2);
  Header h;
  h.begin = (wide ? 12U : 10U) + std::size_t{length};
  if (h.begin > all.size()) fail(path, "ends inside its header");
  const std::string_view dictionary = all.substr(wide ? 12 : 10, length);
  const std::string_view descr = entry(dictionary, "descr");
  if (descr.size() < 5 || descr[0] != '\'') fail(path, "holds records, which are not supported");
  h.descr = descr.substr(1, descr.find('\'', 1) - 1);
  h.fortran = entry(dictionary, "fortran_order").starts_with("True");
  for (std::string_view s = entry(dictionary, "shape"); !s.empty() && s[0] != ')'; s.remove_prefix(1))
    if (s[0] == '-') {
      fail(path, "has an impossible shape");
    } else if (s[0] >= '0' && s[0] <= '9') {
      std::int64_t n = 0;
      for (; !s.empty() && s[0] >= '0' && s[0] <= '9'; s.remove_prefix(1)) {
        if (n > (INT64_MAX >> 8)) fail(path, "has an impossible shape");
        n = n * 10 + (s[0] - '0');
      }
      if (h.shape.size() == kMostDimensions)
        fail(path, "has more than " + std::to_string(kMostDimensions) + " dimensions");
      h.shape.push_back(n);
      if (s.empty() || s[0] == ')') break;
    }
  return h;
}

void unmap(Buffer* buffer, void* user) {
  delete static_cast<Mapping*>(user);
  delete buffer;
}

// The elements where they lie in the file.
Vector in_place(std::unique_ptr<Mapping> file, Storage storage, std::size_t begin, std::int64_t n) {
  auto* buffer = new Buffer{{1}, 0, file->size() - begin, nullptr, unmap, nullptr, file->bytes() + begin};
  buffer->user = file.release();
  return Vector(storage, n, BufferRef(buffer));
}

// A float of half precision.
struct Half {
  std::uint16_t bits = 0;
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double x = exponent == 31  ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                      : std::numeric_limits<double>::infinity())
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
    return std::copysign(x, (bits & 0x8000) != 0 ? -1.0 : 1.0);
  }
};

template <typename From, typename To>
Vector widened(const std::byte* bytes, std::int64_t n, Storage storage, Pool& pool) {
  Vector v = pool.vector(storage, n);
  To* to = v.mutable_data<To>();
  for (std::int64_t i = 0; i < n; ++i) {
    From x;
    std::memcpy(&x, bytes + static_cast<std::size_t>(i) * sizeof x, sizeof x);
    to[i] = static_cast<To>(x);
  }
  return v;
}

Vector single(const std::byte* bytes, const std::string& kind) {
  const auto read = [&]<typename T>(T x) {
    std::memcpy(&x, bytes, sizeof x);
    return x;
  };
  if (kind == "f8") return Vector::of_float(read(0.0));
  if (kind == "f4") return Vector::of_float(static_cast<double>(read(0.0F)));
  if (kind == "f2") return Vector::of_float(static_cast<double>(read(Half{})));
  if (kind == "b1") return Vector::of_bool(read(std::uint8_t{}) != 0);
  if (kind == "i8" || kind == "u8") return Vector::of_int(read(std::int64_t{}));
  if (kind == "i4") return Vector::of_int(read(std::int32_t{}));
  if (kind == "u4") return Vector::of_int(read(std::uint32_t{}));
  if (kind == "i2") return Vector::of_int(read(std::int16_t{}));
  if (kind == "u2") return Vector::of_int(read(std::uint16_t{}));
  return kind == "i1" ? Vector::of_int(read(std::int8_t{})) : Vector::of_int(read(std::uint8_t{}));
}

Vector load(std::unique_ptr<Mapping> file, const std::string& kind, std::size_t begin, std::int64_t n,
            Pool& pool) {
  const std::byte* bytes = file->bytes() + begin;
  if (n == 1) return single(bytes, kind);
  const bool aligned = begin % 8 == 0;
  if (kind == "f8" && aligned) return in_place(std::move(file), Storage::kF64, begin, n);
  if ((kind == "i8" || kind == "u8") && aligned) return in_place(std::move(file), Storage::kI64, begin, n);
  if (kind == "f8") return widened<double, double>(bytes, n, Storage::kF64, pool);
  if (kind == "f4") return widened<float, double>(bytes, n, Storage::kF64, pool);
  if (kind == "f2") return widened<Half, double>(bytes, n, Storage::kF64, pool);
  if (kind == "b1")
    return make_bools(pool, {reinterpret_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(n)});
  if (kind == "i4") return widened<std::int32_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "u4") return widened<std::uint32_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "i2") return widened<std::int16_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "u2") return widened<std::uint16_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "i1") return widened<std::int8_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "u1") return widened<std::uint8_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  return widened<std::int64_t, std::int64_t>(bytes, n, Storage::kI64, pool);
}

void swap_bytes(std::byte* bytes, std::int64_t n, std::size_t size) {
  for (std::int64_t i = 0; i < n; ++i, bytes += size) std::reverse(bytes, bytes + size);
}

// The first index is the one that runs fastest in Fortran's order, the last one in ours.
void to_row_major(std::byte* bytes, const std::vector<std::int64_t>& shape, std::int64_t n,
                  std::size_t size) {
  const std::vector<std::byte> old(bytes, bytes + static_cast<std::size_t>(n) * size);
  std::vector<std::int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < n; ++i, bytes += size) {
    std::memcpy(bytes, old.data() + static_cast<std::size_t>(from) * size, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

// Unsigned numbers that INT cannot hold would come out negative.
void check_fits(const std::string& path, const std::byte* bytes, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t x;
    std::memcpy(&x, bytes + static_cast<std::size_t>(i) * sizeof x, sizeof x);
    if (x > INT64_MAX)
      fail(path, "element " + std::to_string(i) + ", " + std::to_string(x) + ", is more than an INT holds");
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const std::int64_t n : shape) text += std::to_string(n) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.resize(text.size() - 1);
  return text + ")";
}

}  // namespace

Array read_npy(const std::string& path, Pool& pool) {
  auto file = std::make_unique<Mapping>(path);
  Header h = read_header(*file, path);
  const std::string kind = h.descr.size() == 3 ? h.descr.substr(1) : "";
  constexpr std::string_view kKinds = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8";
  if (kind.empty() || kKinds.find(kind) == kKinds.npos)
    fail(path, "elements of type " + h.descr + " are not supported; expected one of " + std::string(kKinds));
  std::int64_t n = 1;
  for (const std::int64_t d : h.shape)
    if ((n = length_of_all(n, d)) == kTooLong) fail(path, "has an impossible shape");
  const auto bytes = static_cast<std::size_t>(kind[1] - '0');
  if (static_cast<std::size_t>(n) > (file->size() - h.begin) / bytes)
    fail(path, "ends before its last element");
  // What is reordered is the mapping, which is private.
  if (h.descr[0] == '>') swap_bytes(file->bytes() + h.begin, n, bytes);
  if (h.fortran && h.shape.size() > 1) to_row_major(file->bytes() + h.begin, h.shape, n, bytes);
  if (kind == "u8") check_fits(path, file->bytes() + h.begin, n);
  return {std::move(h.shape), load(std::move(file), kind, h.begin, n, pool)};
}

void write_npy(const std::string& path, const Array& array) {
  const Vector& v = array.elements;
  const char* descr = v.type() == Type::kFloat ? "<f8" : v.type() == Type::kBool ? "|b1" : "<i8";
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  OutFile file(path);
  std::ofstream& out = file.stream();
  const auto length = static_cast<std::uint16_t>(header.size());
  out.write("\x93NUMPY\x01\x00", 8);
  out.write(reinterpret_cast<const char*>(&length), 2);
  out << header;
  if (v.type() == Type::kInt && v.storage() != Storage::kI64) {
    for (std::int64_t i = 0; i < v.length(); ++i) {
      const std::int64_t x = v.int_at(i);
      out.write(reinterpret_cast<const char*>(&x), sizeof x);
    }
  } else if (v.length() > 0) {
    const std::int64_t n = v.length() * static_cast<std::int64_t>(storage_bytes(v.storage()));
    out.write(reinterpret_cast<const char*>(v.raw()), static_cast<std::streamsize>(n));
  }
  file.finish();
}

}  // namespace nvm::vm
