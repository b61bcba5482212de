// A recursion over a list of records that are read from tables, parted by a flag, and of which one part is
// looked at: VCODE whose fields may stay pulls (vm/interp/find_pulls.h).
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace nvm::testing {

// VCODE with names for what lies on the stack.
class Writer {
 public:
  explicit Writer(std::vector<std::string> names) : names_(std::move(names)) {}
  void make(const std::vector<std::string>& results, const std::string& code,
            const std::vector<std::string>& operands = {}) {
    push(operands);
    text_ += code + "\n";
    names_.insert(names_.end(), results.begin(), results.end());
  }
  // Copies on top of the stack.
  void push(const std::vector<std::string>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto found = std::find(names_.rbegin(), names_.rend(), operands[i]);
      REQUIRE(found != names_.rend());
      text_ += "COPY 1 " + std::to_string(found - names_.rbegin() + static_cast<std::ptrdiff_t>(i)) + "\n";
    }
  }
  // `code` turns these into `n` results; all else goes.
  [[nodiscard]] std::string end(const std::vector<std::string>& operands, const std::string& code, int n) {
    push(operands);
    return text_ + code + "\nPOP " + std::to_string(names_.size()) + " " + std::to_string(n) + "\n";
  }

 private:
  std::vector<std::string> names_;
  std::string text_;
};

inline const std::vector<std::string> kParameters = {"t0", "t1", "t2", "t3", "t4",   "st",  "a0", "a1",
                                                     "a2", "a3", "a4", "s",  "keys", "sum", "k"};

// One step. `flags` says what is parted from what, by `keys`; `indices`, where in the tables the next list
// lies.
inline std::string step(const std::string& flags, const std::string& indices) {
  Writer w(kParameters);
  w.make({"n"}, "LENGTHS", {"s"});
  w.make({"m"}, "LENGTHS", {"st"});
  w.make({"ms"}, "DIST INT", {"m", "s"});
  w.make({"flag"}, flags, {"keys", "s"});
  w.make({"none"}, "NOT BOOL B_TO_I", {"flag"});
  w.make({"low"}, "+_SCAN INT", {"none", "s"});
  w.make({"count"}, "+_REDUCE INT", {"none", "s"});
  w.make({"some"}, "B_TO_I", {"flag"});
  w.make({"high"}, "+_SCAN INT", {"some", "s"});
  w.make({"counts"}, "DIST INT", {"count", "s"});
  w.make({"above"}, "+ INT", {"counts", "high"});
  w.make({"places"}, "SELECT INT", {"flag", "above", "low"});
  w.make({"rest"}, "- INT", {"n", "count"});
  w.make({"sr"}, "MAKE_SEGDES", {"rest"});
  w.make({"run"}, "CONST INT 1 CPOP 1 1 INDEX", {"count", "sr"});
  for (const char* i : {"0", "1", "2", "3"}) {
    w.make({std::string("p") + i}, "PERMUTE FLOAT", {std::string("a") + i, "places", "s"});
    w.make({std::string("q") + i}, "BPERMUTE FLOAT", {std::string("p") + i, "run", "s", "sr"});
  }
  w.make({"x"}, "* FLOAT", {"q0", "q1"});
  w.make({"less"}, "< FLOAT", {"q1", "q2"});
  w.make({"picked", "sp"}, "PACK INT", {"run", "less", "sr"});
  w.make({"y3"}, "BPERMUTE FLOAT", {"p3", "picked", "s", "sp"});
  w.make({"y0"}, "BPERMUTE FLOAT", {"p0", "picked", "s", "sp"});
  w.make({"y"}, "+ FLOAT", {"y0", "y3"});
  w.make({"sum1"}, "+_REDUCE FLOAT", {"x", "sr"});
  w.make({"sum2"}, "+_REDUCE FLOAT", {"y", "sp"});
  // On one of two ways it stays where it is.
  w.make({"two"}, "CONST INT 2 = INT", {"k"});
  w.make({"z"}, "IF COPY 1 0 * FLOAT ELSE ENDIF", {"q3", "two"});
  w.make({"zz"}, "+ FLOAT", {"z", "z"});
  w.make({"sum3"}, "+_REDUCE FLOAT", {"zz", "sr"});
  w.make({"sum"}, "+ FLOAT + FLOAT + FLOAT", {"sum", "sum1", "sum2", "sum3"});
  w.make({"index"}, indices, {"keys", "ms"});
  for (const char* i : {"0", "1", "2", "3", "4"})
    w.make({std::string("b") + i}, "BPERMUTE FLOAT", {std::string("t") + i, "index", "st", "s"});
  w.make({"keys"}, "CONST INT 7 CPOP 1 1 DIST INT + INT", {"keys", "s"});
  w.make({"k"}, "CONST INT 1 - INT", {"k"});
  return w.end({"t0", "t1", "t2", "t3", "t4", "st", "b0", "b1", "b2", "b3", "b4", "s", "keys", "sum", "k"},
               "CALL STEP", 5);
}

// The last: fields moved by a run, by places that are no parting, and by places that are all the same.
inline std::string last() {
  Writer w(kParameters);
  w.make({"end"}, "LENGTHS CONST INT 1 - INT", {"s"});
  w.make({"back"}, "CONST INT -1 CPOP 1 1 INDEX", {"end", "s"});
  w.make({"r0"}, "PERMUTE FLOAT", {"a0", "back", "s"});
  w.make({"r1"}, "BPERMUTE FLOAT", {"a1", "back", "s", "s"});
  w.make({"mixed"}, "CONST INT 0 CONST INT 13 CPOP 1 2 INDEX CONST INT 500 CPOP 1 2 DIST INT %", {"s", "s"});
  w.make({"r2"}, "PERMUTE FLOAT", {"a2", "mixed", "s"});
  w.make({"one"}, "CONST INT 3 CPOP 1 1 DIST INT", {"s"});
  w.make({"r3"}, "PERMUTE FLOAT", {"a3", "one", "s"});
  return w.end({"r0", "r1", "r2", "r3", "sum"}, "", 5);
}

inline std::string record_list(const std::string& flags, const std::string& indices) {
  Writer w({});
  w.make({"st"}, "CONST INT 400 MAKE_SEGDES");
  w.make({"s"}, "CONST INT 500 MAKE_SEGDES");
  for (const char* i : {"0", "1", "2", "3", "4"}) {
    const std::string number = i;
    for (const auto& [name, s] : {std::pair("t" + number, "st"), std::pair("a" + number, "s")})
      w.make({name}, "CONST INT " + number + " CONST INT 3 CPOP 1 2 INDEX I_TO_F SQRT", {s});
  }
  w.make({"keys"}, "CONST INT 0 CONST INT 11 CPOP 1 2 INDEX", {"s"});
  w.make({"sum", "k"}, "CONST FLOAT 0.0 CONST INT 3");
  return "FUNC MAIN\n" + w.end(kParameters, "CALL STEP", 5) +
         "RET\nFUNC STEP COPY 1 0 CONST INT 0 = INT IF\n" + last() + "ELSE\n" + step(flags, indices) +
         "ENDIF RET\n";
}

// What may stand for `flags`, and for `indices` where they lie inside of the tables.
inline const std::string kThirds = "CONST INT 3 CPOP 1 1 DIST INT % I_TO_B";
inline const std::string kInside = "%";
inline std::vector<std::string> partings() {
  return {kThirds,
          "CONST INT 2 CPOP 1 1 DIST INT % I_TO_B",
          "POP 1 0 COPY 1 0 = INT",
          "POP 1 0 COPY 1 0 != INT",
          "CONST INT 900 CPOP 1 1 DIST INT < INT",
          "CONST INT 900 CPOP 1 1 DIST INT > INT"};
}

}  // namespace nvm::testing
