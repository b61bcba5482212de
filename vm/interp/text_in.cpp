#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/decimal.h"
#include "vm/interp/elements.h"
#include "vm/interp/text_io.h"

namespace nvm::vm {

namespace {

void back(std::FILE* file, int c) {
  if (c != EOF) std::ungetc(c, file);
}
int next_visible(std::FILE* file) {
  int c = next_byte(file);
  while (c != EOF && std::isspace(c) != 0) c = next_byte(file);
  return c;
}

// An error ends reading: thrown inside this file, an error text outside.
struct BadInput {
  std::string text;
};
[[noreturn]] void bad_start(char bracket) {
  throw BadInput{std::string("vinterp: input error: vector must start with ") + bracket};
}
[[noreturn]] void bad_end(char bracket) {
  throw BadInput{std::string("input error: vector must end with ") + bracket};
}

// [+-]? digits, wrapped modulo 2^64; what is behind the last digit stays unread.
std::int64_t read_int(std::FILE* file, int c, char close) {
  const bool negative = c == '-';
  if (c == '-' || c == '+') c = next_byte(file);
  if (c == EOF || std::isdigit(c) == 0) bad_end(close);
  std::uint64_t value = 0;
  for (; c != EOF && std::isdigit(c) != 0; c = next_byte(file))
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  if (c != close && c != EOF && std::isspace(c) == 0) bad_end(close);
  back(file, c);
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

// What C's scanf takes for "%lf", character by character: what cannot go on the number stays unread, so that
// the next may follow without a blank.
class FloatText {
 public:
  explicit FloatText(std::FILE* file, int c) : file_(file), c_(c) {}

  // False if there is no number; then the character that shows it has been read.
  bool read(double& value) {
    if (c_ == '+' || c_ == '-') take();
    const bool good = is('n') ? word("nan") : is('i') ? word("inf") && (!is('i') || word("inity")) : digits();
    if (!good) return false;
    value = nearest_double(text_);
    back(file_, c_);
    return true;
  }

 private:
  [[nodiscard]] bool is(char lower) const { return c_ != EOF && std::tolower(c_) == lower; }
  [[nodiscard]] bool is_digit() const { return c_ != EOF && std::isdigit(c_) != 0; }
  void take() {
    text_ += static_cast<char>(c_);
    c_ = next_byte(file_);
  }
  bool word(std::string_view letters) {
    for (const char letter : letters) {
      if (!is(letter)) return false;
      take();
    }
    return true;
  }
  // Mantissa and exponent; a dangling marker of an exponent counts as read.
  bool digits() {
    bool any = is('0');
    if (any) take();
    const bool hexadecimal = any && is('x');
    if (hexadecimal) {
      take();
      any = false;
    }
    for (bool point = false; mantissa(hexadecimal) || (is('.') && !point); take()) {
      point = point || is('.');
      any = any || !is('.');
    }
    if (!any || !is(hexadecimal ? 'p' : 'e')) return any;
    take();
    if (is('+') || is('-')) take();
    while (is_digit()) take();
    return true;
  }
  [[nodiscard]] bool mantissa(bool hexadecimal) const {
    return is_digit() || (hexadecimal && c_ != EOF && std::isxdigit(c_) != 0);
  }

  std::FILE* file_;
  int c_;
  std::string text_;
};

double read_float(std::FILE* file, int c, char close) {
  double value = 0;
  if (!FloatText(file, c).read(value)) bad_end(close);
  return value;
}

std::uint8_t read_bool(int c, char close) {
  if (c != 'T' && c != 'F') bad_end(close);
  return c == 'T' ? 1 : 0;
}

// open { element } close, elements read by `element(first character)`.
template <typename Element>
void read_list(std::FILE* file, char open, char close, Element element) {
  if (next_visible(file) != open) bad_start(open);
  for (int c = next_visible(file); c != close; c = next_visible(file)) {
    if (c == EOF) bad_end(close);
    element(c);
  }
}

std::vector<std::int64_t> read_ints(std::FILE* file, char open, char close) {
  std::vector<std::int64_t> ints;
  read_list(file, open, close, [&](int c) { ints.push_back(read_int(file, c, close)); });
  return ints;
}

std::string read_string(std::FILE* file) {
  if (next_visible(file) != '"') bad_start('"');
  std::string text;
  for (int c = next_byte(file); c != '"'; c = next_byte(file)) {
    if (c == EOF) bad_end('"');
    text += static_cast<char>(c);
  }
  return text;
}

Value read_typed(std::FILE* file, TypeWord word, Pool& pool, IntBits bits) {
  switch (word) {
    case TypeWord::kFloat: {
      std::vector<double> floats;
      read_list(file, '(', ')', [&](int c) { floats.push_back(read_float(file, c, ')')); });
      return make_floats(pool, floats);
    }
    case TypeWord::kBool: {
      std::vector<std::uint8_t> bools;
      read_list(file, '(', ')', [&](int c) { bools.push_back(read_bool(c, ')')); });
      return make_bools(pool, bools);
    }
    case TypeWord::kChar: return make_text(pool, read_string(file));
    case TypeWord::kSegdes: return make_segdes(pool, read_ints(file, '[', ']'), bits);
    default: return make_ints(pool, read_ints(file, '(', ')'), bits);
  }
}

Value empty_of(TypeWord word, Pool& pool) {
  switch (word) {
    case TypeWord::kFloat: return pool.vector(Storage::kF64, 0);
    case TypeWord::kBool: return pool.vector(Storage::kB8, 0);
    case TypeWord::kSegdes: return Segdes::unread();
    default: return pool.vector(Storage::kI8, 0);
  }
}

}  // namespace

ReadResult read_value(std::FILE* file, TypeWord word, Pool& pool, IntBits bits) {
  try {
    return {read_typed(file, word, pool, bits), ""};
  } catch (const BadInput& bad) {
    return {empty_of(word, pool), bad.text};
  } catch (const Fault& fault) {
    if (fault.kind != Fault::Kind::kSegdes) throw;
    return {empty_of(word, pool), "input error: " + fault.message};
  }
}

}  // namespace nvm::vm
