#include "vm/lib/csv.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "vm/data/value.h"

using namespace nvm::vm;

namespace {

using Numbers = std::vector<double>;
using Lengths = std::vector<std::int64_t>;

template <typename Read>
std::string problem_of(Read read) {
  try {
    (void)read();
  } catch (const Fault& fault) {
    return fault.message;
  }
  return "";
}
std::string problem(const std::string& text) {
  return problem_of([&] { return read_csv(text, "t.csv"); });
}
std::string wrong_columns(const std::string& text) {
  return problem_of([&] { return read_columns(text, "t.csv"); });
}

}  // namespace

TEST_CASE("rows may have different lengths") {
  const Table table = read_csv("1,2\n3\n4,5,6", "t.csv");
  CHECK(table.numbers == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(table.lengths.all() == Lengths{2, 1, 3});
  CHECK(read_csv("", "t.csv").lengths.rows() == 0);
}

TEST_CASE("lines end in three ways, and blank ones do not count") {
  for (const char* text : {"1,2\n\n3,4\n\n", "1,2\r\n3,4\r\n \t\r\n", "1,2\r3,4\r", "\n1,2\n3,4"}) {
    const Table table = read_csv(text, "t.csv");
    CHECK(table.numbers == Numbers{1, 2, 3, 4});
    CHECK(table.lengths.all() == Lengths{2, 2});
  }
}

TEST_CASE("fields are parted by commas, semicolons or tabs, with blanks and quotes around them") {
  for (const char* text : {"1,-2.5", "1;-2.5", "1\t-2.5", " 1 ,\t-2.5 ", "\"1\" , \" -2.5\"", "+1,-2.5,",
                           "1\t-2.5\t", "1 ;-25e-1;  "}) {
    INFO(text);
    const Table table = read_csv(text, "t.csv");
    CHECK(table.numbers == Numbers{1, -2.5});
    CHECK(table.lengths.all() == Lengths{2});
  }
  CHECK(std::isinf(read_csv("1,inf", "t.csv").numbers[1]));
}

TEST_CASE("a byte order mark is no part of the first field") {
  CHECK(read_csv("\xEF\xBB\xBF"
                 "1,2\n3,4\n",
                 "t.csv")
            .numbers == Numbers{1, 2, 3, 4});
}

TEST_CASE("a first row of different names has the titles") {
  for (const char* text : {"x,y\n1,2", "\n,y\n1,2", "\"a \"\"b\"\"\",\"c,d\ne\"\n1,2", "# x, y\n1,2",
                           "_1,\xC3\xA4\n1,2", "\"a;b\",c\n1,2", "x\ty\n1\t2"}) {
    INFO(text);
    CHECK(read_csv(text, "t.csv").numbers == Numbers{1, 2});
  }
}

TEST_CASE("what parts fields may be chosen") {
  CHECK(read_csv("1|2\n3|4\n", "t.csv", '|').numbers == Numbers{1, 2, 3, 4});
  CHECK(read_csv("1;2\n", "t.csv", ';').numbers == Numbers{1, 2});
  CHECK_THROWS_AS(read_csv("1,2\n", "t.csv", ';'), Fault);
  const auto columns = read_columns("a;b\n1;x,y\n", "t.csv", ';');
  REQUIRE(columns.size() == 2);
  CHECK(columns[1].text == "x,y");
  CHECK(read_fields("a:b,c\n", "t.csv", ':').lengths == std::vector<std::int64_t>{1, 3});
  CHECK(read_fields("a b\tc", "t.csv", '\t').lengths == std::vector<std::int64_t>{3, 1});
}

TEST_CASE("rows of numbers alone are read as all others") {
  // The separators change from row to row; blanks, empty ends, exponents, what is nearly a number.
  const Table table = read_csv("1,2\n3;4\n5\t6\n7 , 8,\n 1e2 ,-.5\r\n9\r+1,1e999\n\n2", "t.csv");
  CHECK(table.numbers == Numbers{1, 2, 3, 4, 5, 6, 7, 8, 100, -0.5, 9, 1, HUGE_VAL, 2});
  CHECK(table.lengths.all() == std::vector<std::int64_t>{2, 2, 2, 2, 2, 1, 2, 1});
  CHECK(problem("1,2\n1,2;3") != "");
  CHECK(problem("1\t2\n1,2\t3,4") == "t.csv: line 2, column 2 is no number: 2\t3");
  CHECK(problem("1,2\n3,4x\n") == "t.csv: line 2, column 2 is no number: 4x");
}

TEST_CASE("no row of data is taken for titles") {
  const std::string titles = " (a line of titles has nothing but different names)";
  CHECK(problem("1,,3\n4,5,6") == "t.csv: line 1, column 2 is empty" + titles);
  CHECK(problem("1,2\n3,,4") == "t.csv: line 2, column 2 is empty");
  CHECK(problem("1,5;2,5\n") ==
        "t.csv: line 1 has commas and semicolons; which of them part fields, "
        "NAME:csv,=FILE or NAME:csv;=FILE say");
  // One odd field, the only one of its line or not; values that are missing; a name twice.
  for (const char* row : {"1O5", "1.2.3", "12%", "-", "?", "N/A", "na", "NULL"})
    CHECK(problem(std::string(row) + "\n2\n3\n") ==
          "t.csv: line 1, column 1 is no number: " + std::string(row) + titles);
  CHECK(problem("year,2020\n1,2") == "t.csv: line 1, column 1 is no number: year" + titles);
  CHECK(problem("1,2,x\n1,2,3") == "t.csv: line 1, column 3 is no number: x" + titles);
  CHECK(problem("x,x\n1,2") == "t.csv: line 1, column 1 is no number: x" + titles);
  CHECK(problem("\"\",\"\"\n1,2") == "t.csv: line 1, column 1 is empty" + titles);
}

TEST_CASE("a field that is no number is shown") {
  CHECK(problem("a,b\n1,hello\n") == "t.csv: line 2, column 2 is no number: hello");
  CHECK(problem("\"a\nb\"\n\n1,2 3") == "t.csv: line 4, column 2 is no number: 2 3");
  CHECK(problem("1,\"2\n3,4") == "t.csv: line 2 is the last one of a field in quotes that does not end");
}

TEST_CASE("the columns of a table have the types of what stands in them") {
  using Kind = Column::Kind;
  const auto columns =
      read_columns("name;n;x;y\n\"a \"\"b\"\" \";1;2.5;\nNA;-2;3;4\n;9223372036854775807;NA;n/a\n", "t.csv");
  REQUIRE(columns.size() == 4);
  CHECK(columns[0].kind == Kind::kTexts);
  CHECK(columns[0].text == "a \"b\" NA");
  CHECK(columns[0].lengths == Lengths{6, 2, 0});
  CHECK(columns[1].kind == Kind::kInts);
  CHECK(columns[1].ints == std::vector<std::int64_t>{1, -2, INT64_MAX});
  CHECK(columns[2].kind == Kind::kFloats);
  CHECK(columns[2].floats[1] == 3);
  CHECK(std::isnan(columns[2].floats[2]));
  CHECK(columns[3].kind == Kind::kFloats);
  CHECK((std::isnan(columns[3].floats[0]) && columns[3].floats[1] == 4 && std::isnan(columns[3].floats[2])));
}

TEST_CASE("columns without a value, without rows and without titles") {
  const auto empty = read_columns("a,b\n,NA\n,\n", "t.csv");
  CHECK(empty[0].lengths == Lengths{0, 0});
  CHECK(empty[1].text == "NA");
  CHECK(read_columns("a,b\n", "t.csv").size() == 2);
  CHECK(read_columns("1,x\n2,y\n", "t.csv")[0].ints == std::vector<std::int64_t>{1, 2});
  CHECK(read_columns("", "t.csv").empty());
  CHECK(read_columns("1\n99999999999999999999\n", "t.csv")[0].kind == Column::Kind::kFloats);
}

TEST_CASE("a table of numbers with titles is one by rows, if nothing is missing") {
  CHECK(read_numbers("a,b\n1,2\n", "t.csv").has_value());
  CHECK(read_numbers("1,2\n3\n", "t.csv").has_value());
  for (const char* text : {"a,b\n1,\n", "a,b\n1,x\n", "a,b\n1,NA\n", "a,b\n1\n", "a,b\n1,2,3\n"}) {
    INFO(text);
    CHECK(!read_numbers(text, "t.csv").has_value());
  }
}

TEST_CASE("what does not fit its column is shown") {
  CHECK(wrong_columns("a,b\nx,1\ny,2o\n") ==
        "t.csv: line 3, column 2 is no number: 2o (those above are; fields:FILE reads all as texts)");
  CHECK(wrong_columns("a,b\n1,x\n2\n") == "t.csv: line 3 has 1 fields, line 1 has 2");
  CHECK(wrong_columns("a,b\n1,x,3\n") == "t.csv: line 2 has 3 fields, line 1 has 2");
  CHECK(wrong_columns(std::string(600, ',') + "x\n").find("601 columns; at most 500") != std::string::npos);
  CHECK(wrong_columns("a,\"b\n") != "");
}

TEST_CASE("fields as they are") {
  const Fields fields = read_fields("a,\" b\"\n1\n,\n2,, \n", "t.csv");
  CHECK(fields.text == "a b12");
  CHECK(fields.lengths == Lengths{1, 2, 1, 0, 0, 1, 0, 0});
  CHECK(fields.rows == Lengths{2, 1, 2, 3});
  CHECK(read_fields("a\n1,5\n", "t.csv").rows == Lengths{1, 2});
}

TEST_CASE("a separator at the end of all lines has no column behind it") {
  const auto columns = [](const std::string& text) { return read_columns(text, "t.csv").size(); };
  CHECK(columns("a,b,\n1,x,\n2,y,\n") == 2);
  CHECK(columns("a,b,\n1,x\n2,y,\n") == 2);
  CHECK(columns("a,b\n1,x,\n") == 2);
  CHECK(columns("a,\n") == 1);
  CHECK(columns(",\n,\n") == 1);
  CHECK(columns("a,b,\n1,x,\n2,y,3\n") == 3);  // an empty title
  CHECK(columns("a,\nx,2,\n") == 2);
  CHECK(read_columns("a,\n1,\n2,3\n", "t.csv")[1].kind == Column::Kind::kFloats);
  const auto numbers = read_numbers("x,\n1,2\n3,4,\n", "t.csv");
  REQUIRE(numbers.has_value());
  CHECK(numbers->lengths.all() == Lengths{2, 2});
  CHECK(!read_numbers("x,\n1,2\n3\n", "t.csv").has_value());
  CHECK(!read_numbers("x,\n1\n2,3\n", "t.csv").has_value());
}

TEST_CASE("the first row that has several fields says what parts them") {
  for (const char* text : {"a\n1,5\n", "# comment\nname,v\nA,1\n", "a\nx;y\n", "a,\nx\ny,2\n"}) {
    INFO(text);
    CHECK(!read_numbers(text, "t.csv").has_value());
    CHECK(wrong_columns(text).find(" fields, line 1 has ") != std::string::npos);
  }
  CHECK(read_columns("a\tb\nx,y\tz;\n", "t.csv")[0].text == "x,y");
}

TEST_CASE("a column may begin with NaN") {
  using Kind = Column::Kind;
  const auto texts = read_columns("n\nNaN\nBob\n", "t.csv");
  CHECK(texts[0].kind == Kind::kTexts);
  CHECK(texts[0].text == "NaNBob");
  const auto numbers = read_columns("n,m,k\nNaN,NA,nan\nNA,nan,5\n", "t.csv");
  for (const Column& column : numbers) CHECK((column.kind == Kind::kFloats && column.floats.size() == 2));
  CHECK(std::isnan(numbers[1].floats[1]));
  CHECK(numbers[2].floats[1] == 5);
}
