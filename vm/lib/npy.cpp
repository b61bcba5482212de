#include "vm/lib/npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "bytecode/base/read_file.h"
#include "vm/interp/elements.h"

namespace nvm::vm {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie");

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Fault{Fault::Kind::kIo, path + ": " + why};
}

constexpr std::size_t kMostDimensions = 64;  // of NumPy's arrays

// What the dictionary at the beginning says.
struct Header {
  std::string descr;  // "<f8"
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

// The dictionary, a literal of Python's: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. It has
// these three keys, in any order, and nothing else: a header that is not understood is not guessed at.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Header read() {
    Header h;
    unsigned seen = 0;
    expect('{');
    for (bool comma = true; !take('}'); comma = take(',')) {
      if (!comma) refuse();
      seen |= entry(h, seen);
    }
    skip();
    if (seen != kAll || !rest_.empty()) refuse();
    return h;
  }

 private:
  static constexpr unsigned kDescr = 1, kFortran = 2, kShape = 4, kAll = 7;

  [[noreturn]] void refuse() const { fail(path_, "has no header of a .npy file: it may be damaged"); }

  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool at(char c) {
    skip();
    return rest_.starts_with(c);
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse();
  }
  bool take_word(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string text() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) refuse();
    std::string inside(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return inside;
  }

  // The key that it is for, which was not there before.
  unsigned entry(Header& h, unsigned seen) {
    const std::string key = text();
    const unsigned which = key == "descr"           ? kDescr
                           : key == "fortran_order" ? kFortran
                           : key == "shape"         ? kShape
                                                    : 0;
    if (which == 0 || (seen & which) != 0) refuse();
    expect(':');
    if (which == kDescr) {
      if (at('[')) fail(path_, "holds records, which are not supported");
      h.descr = text();
    } else if (which == kFortran) {
      h.fortran = take_word("True");
      if (!h.fortran && !take_word("False")) refuse();
    } else {
      shape(h.shape);
    }
    return which;
  }

  void shape(std::vector<std::int64_t>& dimensions) {
    expect('(');
    for (bool comma = true; !take(')'); comma = take(',')) {
      if (!comma) refuse();
      if (dimensions.size() == kMostDimensions)
        fail(path_, "has more than " + std::to_string(kMostDimensions) + " dimensions");
      dimensions.push_back(dimension());
      if (at(')') && dimensions.size() == 1) refuse();  // a number in parentheses
    }
  }

  std::int64_t dimension() {
    if (at('-')) fail(path_, "has an impossible shape");
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    if (error == std::errc::result_out_of_range) fail(path_, "has an impossible shape");
    if (error != std::errc()) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote them
    return n;
  }

  std::string_view rest_;
  const std::string& path_;
};

// `bytes` of them, which are there.
void read_exactly(InFile& file, void* to, std::size_t bytes, const std::string& path, const char* otherwise) {
  if (file.read(to, bytes) == bytes) return;
  fail(path, file.error() != 0 ? unread_because(file.error()) : otherwise);
}

// The file is read up to the elements.
Header read_header(InFile& file, const std::string& path) {
  constexpr const char* kNone = "is not a .npy file";
  char head[8];
  read_exactly(file, head, sizeof head, path, kNone);
  if (!std::string_view(head, sizeof head).starts_with("\x93NUMPY")) fail(path, kNone);
  if (head[6] < 1 || head[6] > 3 || head[7] != 0) fail(path, "is a .npy file of an unknown version");
  std::uint32_t length = 0;
  read_exactly(file, &length, head[6] >= 2 ? 4 : 2, path, kNone);  // version 1 has two bytes of length
  std::string dictionary = file.rest(length);
  if (file.error() != 0) fail(path, unread_because(file.error()));
  if (dictionary.size() < length) fail(path, "ends inside its header");
  return Dictionary(dictionary, path).read();
}

constexpr std::string_view kKinds = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8";

// That of the elements, without their order of bytes; "" if it is none of ours.
std::string kind_of(std::string_view descr) {
  constexpr std::string_view kOrders = "<>|=";
  const std::string_view kind = descr.size() == 3 ? descr.substr(1) : std::string_view();
  const bool ours = !kind.empty() && kOrders.find(descr[0]) != kOrders.npos && kind.find(' ') == kind.npos &&
                    kKinds.find(kind) != kKinds.npos;
  return std::string(ours ? kind : std::string_view());
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

// Of elements that are narrower than in a vector.
Vector load(const std::byte* bytes, const std::string& kind, std::int64_t n, Pool& pool) {
  if (n == 1) return single(bytes, kind);
  if (kind == "f4") return widened<float, double>(bytes, n, Storage::kF64, pool);
  if (kind == "f2") return widened<Half, double>(bytes, n, Storage::kF64, pool);
  if (kind == "b1")
    return make_bools(pool, {reinterpret_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(n)});
  if (kind == "i4") return widened<std::int32_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "u4") return widened<std::uint32_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "i2") return widened<std::int16_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "u2") return widened<std::uint16_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  if (kind == "i1") return widened<std::int8_t, std::int64_t>(bytes, n, Storage::kI64, pool);
  return widened<std::uint8_t, std::int64_t>(bytes, n, Storage::kI64, pool);
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

Array read_npy(const std::string& path, InFile& file, Pool& pool) {
  constexpr const char* kShort = "ends before its last element";
  if (file.error() != 0) fail(path, unread_because(file.error()));
  Header h = read_header(file, path);
  const std::string kind = kind_of(h.descr);
  if (kind.empty())
    fail(path, "elements of type " + h.descr + " are not supported; expected one of " + std::string(kKinds));
  std::int64_t n = 1, total = 0;
  for (const std::int64_t d : h.shape)
    if ((n = length_of_all(n, d)) == kTooLong) fail(path, "has an impossible shape");
  const auto size = static_cast<std::size_t>(kind[1] - '0');
  if (__builtin_mul_overflow(n, kind[1] - '0', &total)) fail(path, "has an impossible shape");
  const auto bytes = static_cast<std::size_t>(total);
  // Of a stream that does not say how much there is, what there is comes first: a header may claim anything.
  std::optional<InFile> streamed;
  InFile& in = file.size() ? file : streamed.emplace(path, file.rest(bytes));
  if (file.error() != 0) fail(path, unread_because(file.error()));
  if (bytes > *in.size()) fail(path, kShort);
  // Where the elements are put: those of 8 bytes where they stay.
  const bool stays = size == 8 && n != 1;
  Vector whole = stays ? pool.vector(kind == "f8" ? Storage::kF64 : Storage::kI64, n) : Vector();
  std::vector<std::byte> narrow(stays ? 0 : bytes);
  std::byte* const to = !stays ? narrow.data() : n == 0 ? nullptr : whole.mutable_data<std::byte>();
  read_exactly(in, to, bytes, path, kShort);
  if (h.descr[0] == '>') swap_bytes(to, n, size);
  if (h.fortran && h.shape.size() > 1) to_row_major(to, h.shape, n, size);
  if (kind == "u8") check_fits(path, to, n);
  return {std::move(h.shape), stays ? std::move(whole) : load(to, kind, n, pool)};
}

void write_npy(const std::function<void(std::string_view)>& out, const Array& array) {
  const Vector& v = array.elements;
  const char* descr = v.type() == Type::kFloat ? "<f8" : v.type() == Type::kBool ? "|b1" : "<i8";
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const auto raw = [&](const void* bytes, std::size_t n) { out({static_cast<const char*>(bytes), n}); };
  const auto length = static_cast<std::uint16_t>(header.size());
  raw("\x93NUMPY\x01", 8);  // with its end, the version is 1.0
  raw(&length, 2);
  out(header);
  if (v.type() == Type::kInt && v.storage() != Storage::kI64) {
    for (std::int64_t i = 0; i < v.length(); ++i) {
      const std::int64_t x = v.int_at(i);
      raw(&x, sizeof x);
    }
  } else if (v.length() > 0) {
    raw(v.raw(), static_cast<std::size_t>(v.length()) * storage_bytes(v.storage()));
  }
}

}  // namespace nvm::vm
