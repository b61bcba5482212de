// Arrays that a program hands to a session in Remora.
#include "vm/lib/remora.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

namespace nvm::lib {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;

struct Session {
  std::ostringstream out, err;
  Remora remora{NeslOptions(), out, err};
  std::string bound(const std::string& type, const Value& atoms) {
    return remora.bind("x", type, atoms).value_or("");
  }
  std::string shown(const std::string& expression) {
    out.str("");
    CHECK(remora.run_expression(expression) == NeslStatus::kOk);
    return out.str();
  }
};

TEST_CASE("an array is bound with its type, a number without one") {
  Session s;
  CHECK(s.bound("[float 2 3]", make_floats(Floats{1, 2, 3, 4, 5, 6})).empty());
  CHECK(s.shown("(reduce +. x)") == "[5.0 7.0 9.0] : [float 3]\n");
  Session scalar;
  CHECK(scalar.bound("int", make_ints(Ints{7})).empty());
  CHECK(scalar.shown("(* x x)") == "49 : int\n");
  Session empty;
  CHECK(empty.bound("[bool 0 3]", make_bools({})).empty());
  CHECK(empty.shown("x") == "[] : [bool 0 3]\n");
  Session one;
  CHECK(one.bound("[char 1]", make_ints(Ints{'a'})).empty());
  CHECK(one.shown("x") == "\"a\" : [char 1]\n");
}

TEST_CASE("what is no array of the type is refused") {
  Session s;
  CHECK(s.bound("[float 2 3]", make_floats(Floats{1, 2, 3, 4, 5})) == "[float 2 3] has 6 atoms, not 5");
  CHECK(s.bound("[float 2]", make_ints(Ints{1, 2})) == "these are no atoms of type float");
  CHECK(s.bound("[int d]", make_ints(Ints{1, 2})) == "[int d]: there is no index d");
  CHECK(s.bound("[int", make_ints(Ints{1, 2})).find("[int: ") == 0);
  CHECK(s.bound("(-> (int) int)", make_ints(Ints{1})).find("files hold numbers") != std::string::npos);
  CHECK(s.bound("[int 4294967296 4294967296]", make_ints(Ints{1})) ==
        "[int 4294967296 4294967296] is too large");
  CHECK(s.bound("[int 1]", *make_segdes(Ints{1})) == "a descriptor has no atoms");
  CHECK(s.remora.bind("1", "int", make_ints(Ints{1})) == "1 cannot name a value");
  CHECK(s.bound("[int 2]", make_ints(Ints{1, 2})).empty());
  CHECK(s.shown("(+ x x)") == "[2 4] : [int 2]\n");
  CHECK_FALSE(s.bound("[int 2]", make_ints(Ints{1, 2})).empty());  // behind a text
}

}  // namespace
}  // namespace nvm::lib
