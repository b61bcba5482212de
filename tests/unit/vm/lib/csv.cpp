#include "vm/lib/csv.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "vm/data/value.h"

using namespace nvm::vm;

namespace {

using Numbers = std::vector<double>;
using Lengths = std::vector<std::int64_t>;

std::string problem(const std::string& text) {
  try {
    (void)read_csv(text, "t.csv");
  } catch (const Fault& fault) {
    return fault.message;
  }
  return "";
}

}  // namespace

TEST_CASE("rows may have different lengths") {
  const Table table = read_csv("1,2\n3\n4,5,6", "t.csv");
  CHECK(table.numbers == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(table.lengths == Lengths{2, 1, 3});
  CHECK(read_csv("", "t.csv").lengths.empty());
}

TEST_CASE("lines end in three ways, and blank ones do not count") {
  for (const char* text : {"1,2\n\n3,4\n\n", "1,2\r\n3,4\r\n \t\r\n", "1,2\r3,4\r", "\n1,2\n3,4"}) {
    const Table table = read_csv(text, "t.csv");
    CHECK(table.numbers == Numbers{1, 2, 3, 4});
    CHECK(table.lengths == Lengths{2, 2});
  }
}

TEST_CASE("fields are parted by commas, semicolons or tabs, with blanks and quotes around them") {
  for (const char* text : {"1,-2.5", "1;-2.5", "1\t-2.5", " 1 ,\t-2.5 ", "\"1\" , \" -2.5\"", "+1,-2.5,",
                           "1\t-2.5\t", "1 ;-25e-1;  "}) {
    INFO(text);
    const Table table = read_csv(text, "t.csv");
    CHECK(table.numbers == Numbers{1, -2.5});
    CHECK(table.lengths == Lengths{2});
  }
  CHECK(std::isinf(read_csv("1,inf", "t.csv").numbers[1]));
}

TEST_CASE("a byte order mark is no part of the first field") {
  CHECK(read_csv("\xEF\xBB\xBF"
                 "1,2\n3,4\n",
                 "t.csv")
            .numbers == Numbers{1, 2, 3, 4});
}

TEST_CASE("a first row with a word has the titles") {
  for (const char* text : {"x,y\n1,2", "\n,y\n1,2", "year,2020\n1,2", "\"a \"\"b\"\"\",\"c,d\ne\"\n1,2"}) {
    INFO(text);
    CHECK(read_csv(text, "t.csv").numbers == Numbers{1, 2});
  }
}

TEST_CASE("no row of numbers is taken for titles") {
  CHECK(problem("1,,3\n4,5,6") == "t.csv: line 1 has an empty field");
  CHECK(problem("1,2\n3,,4") == "t.csv: line 2 has an empty field");
  CHECK(problem("1,5;2,5\n") == "t.csv: line 1 has commas and semicolons: only one of them can part fields");
}

TEST_CASE("a field that is no number is shown") {
  CHECK(problem("a,b\n1,hello\n") == "t.csv: line 2 has a field that is no number: hello");
  CHECK(problem("\"a\nb\"\n\n1,2 3") == "t.csv: line 4 has a field that is no number: 2 3");
  CHECK(problem("1,\"2\n3,4") == "t.csv: line 2 is the last one of a field in quotes that does not end");
}
