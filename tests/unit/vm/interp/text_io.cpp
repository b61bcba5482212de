#include "vm/interp/text_io.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "vm/interp/elements.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

std::string text(const Value& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string formatted(double x) {
  char buffer[32];
  return {buffer, format_float(buffer, x)};
}

// Reads one value of kind `word` from `input`; "!" and the error text if that fails, then what is left.
std::string read(const std::string& input, TypeWord word) {
  Pool pool;
  std::string bytes = input;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fmemopen(bytes.data(), bytes.size(), "r"),
                                                             std::fclose);
  const ReadResult got = read_value(file.get(), word, pool, IntBits::k32);
  std::string result = got.error.empty() ? text(got.value) : "!" + got.error + " " + text(got.value);
  for (int c; (c = std::getc(file.get())) != EOF;) result += static_cast<char>(c);
  return result;
}

}  // namespace

TEST_CASE("values are printed as the reference says", "[text_io]") {
  Pool pool;
  CHECK(text(Vector::of_int(5)) == "( 5 )\n");
  CHECK(text(make_ints(pool, std::vector<std::int64_t>{1, -2, 3}, IntBits::k64)) == "( 1 -2 3 )\n");
  CHECK(text(make_ints(pool, {}, IntBits::k64)) == "( )\n");
  CHECK(text(make_bools(pool, std::vector<std::uint8_t>{1, 0, 1})) == "( T F T )\n");
  CHECK(text(make_text(pool, "abc")) == "( 97 98 99 )\n");
  CHECK(text(make_text(pool, "\xe9")) == "( -23 )\n");
  CHECK(text(make_segdes(pool, std::vector<std::int64_t>{3, 0, 2}, IntBits::k64)) == "[ 3 0 2 ]\n");
  CHECK(text(Segdes::regular(2, 4)) == "[ 4 4 ]\n");
  CHECK(text(Segdes()) == "[ ]\n");
  const Value pair = std::make_shared<const PairValue>(PairValue{Vector::of_int(1), Segdes()});
  CHECK(text(pair) == "pair(Int,Segdes) \n");
}

TEST_CASE("floats are printed as C does", "[text_io]") {
  for (const double x : {1.5, -3.25e-5, 1e100, 4.94065645841247e-324, -0.0, 0.1, 123456789.123456789,
                         std::sqrt(2.0), 0.0, 9.999999999999995e22, 5e-324, 1.7976931348623157e308}) {
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.14e", x);
    CHECK(formatted(x) == expected);
  }
  CHECK(formatted(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(formatted(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(formatted(std::copysign(std::nan(""), 1.0)) == "nan");
  CHECK(formatted(std::copysign(std::nan(""), -1.0)) == "-nan");
}

TEST_CASE("random floats are printed as C does", "[text_io]") {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t word = bits();
    double x = 0;
    std::memcpy(&x, &word, sizeof x);
    if (!std::isfinite(x)) continue;
    if (i % 2 == 0)
      x = static_cast<double>(word >> 40) / 1024.0;  // short fractions, where rounding ties occur
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.14e", x);
    REQUIRE(formatted(x) == expected);
  }
}

TEST_CASE("long vectors are printed whole", "[text_io]") {
  Pool pool;
  std::vector<std::int64_t> ints(100000);
  std::string expected = "(";
  for (std::size_t i = 0; i < ints.size(); ++i) {
    ints[i] = static_cast<std::int64_t>(i) * 1000003;
    expected += " " + std::to_string(ints[i]);
  }
  CHECK(text(make_ints(pool, ints, IntBits::k64)) == expected + " )\n");
}

TEST_CASE("values are read back", "[text_io]") {
  CHECK(read("( 1 -2 3 )\n", TypeWord::kInt) == "( 1 -2 3 )\n\n");
  CHECK(read(" \n(1 2 3)x", TypeWord::kInt) == "( 1 2 3 )\nx");
  CHECK(read("()", TypeWord::kInt) == "( )\n");
  CHECK(read("( 99999999999 )", TypeWord::kInt) == "( 1215752191 )\n");
  CHECK(read("(1 2.5 1e3 inf -inf 0x10 1e )", TypeWord::kFloat) ==
        "( 1.00000000000000e+00 2.50000000000000e+00 1.00000000000000e+03 inf -inf 1.60000000000000e+01 "
        "1.00000000000000e+00 )\n");
  CHECK(read("(T F)(TFT)", TypeWord::kBool) == "( T F )\n(TFT)");
  CHECK(read("(TFT)", TypeWord::kBool) == "( T F T )\n");
  CHECK(read("[ 2 1 ]", TypeWord::kSegdes) == "[ 2 1 ]\n");
  CHECK(read("\"ab(\"", TypeWord::kChar) == "( 97 98 40 )\n");
}

TEST_CASE("what cannot be read gives an empty value and a text", "[text_io]") {
  const std::string start = "!vinterp: input error: vector must start with ";
  const std::string end = "!input error: vector must end with ";
  CHECK(read("x12", TypeWord::kInt) == start + "( ( )\n12");
  CHECK(read(" ", TypeWord::kInt) == start + "( ( )\n");
  CHECK(read("( 1 2", TypeWord::kInt) == end + ") ( )\n");
  CHECK(read("(1.5 )", TypeWord::kInt) == end + ") ( )\n5 )");
  CHECK(read("( 1 , 2 )", TypeWord::kFloat) == end + ") ( )\n 2 )");
  CHECK(read("\"abc", TypeWord::kChar) == end + "\" ( )\n");
  CHECK(read("[ -1 ]", TypeWord::kSegdes) == "!input error: segment length -1 is negative ( )\n");
}
