// What ranks say to each other: how often, how much, and that nothing else is sent.
#include <catch2/catch.hpp>

#include "tests/support/on_ranks.h"
#include "tests/support/vcode_module.h"

namespace nvm {
namespace {

constexpr std::int64_t kHeader = 16;  // bytes in front of what each rank says

std::string program(const std::string& length, const std::string& body) {
  return "FUNC MAIN\nCONST INT 3\nCONST INT 1\nCONST SEGDES " + length + "\nINDEX\n" + body + "RET\n";
}

std::string ten_times(const std::string& text) {
  std::string all;
  for (int i = 0; i < 10; ++i) all += text;
  return all;
}

// What each of `n` ranks has done, for a program that ends well and as it does alone.
std::vector<ranks::Counts> counts(const std::string& text, int n, vm::spmd::Settings settings = {}) {
  const ssa::Module module = test::vcode_module(text.c_str());
  vm::Pool pool;
  const vm::Code code = vm::make_code(module, pool);
  const test::ProgramResult alone = test::WritingMachine(code, pool, 1).run(code, 1);
  REQUIRE(!alone.outcome.error);
  std::vector<ranks::Counts> all;
  for (const test::RankResult& r : test::run_on_ranks(module, n, settings)) {
    CHECK(test::difference(alone, r.result) == "");
    all.push_back(r.counts);
  }
  return all;
}

}  // namespace

TEST_CASE("elementwise operations and a sum are one round of a word") {
  for (const char* step : {"COPY 1 0\n+ INT\n", "CONST INT 7\nCONST SEGDES 100000\nDIST INT\n/ INT\n"})
    for (const ranks::Counts& c :
         counts(program("100000", ten_times(step) + "CONST SEGDES 100000\n+_REDUCE INT\n"), 3)) {
      CHECK(c.rounds == 1);
      CHECK(c.messages == 2);
      CHECK(c.bytes_sent == 2 * (kHeader + 8));
    }
}

TEST_CASE("a sum of FLOATs that are cut evenly is one round of the totals of its blocks") {
  const std::string sum = "I_TO_F\nCONST SEGDES 100000\n+_REDUCE FLOAT\n";
  std::int64_t blocks = 0;
  for (const ranks::Counts& c : counts(program("100000", sum), 3)) {
    CHECK(c.rounds == 1);
    blocks += (c.bytes_sent / 2 - kHeader) / 8;
  }
  CHECK(blocks == (100000 + 2047) / 2048);
}

TEST_CASE("where all ranks have everything nothing is said") {
  const std::string body = ten_times("COPY 1 0\n* INT\n") + "CONST SEGDES 1000\n+_SCAN INT\n";
  for (const ranks::Counts& c : counts(program("1000", body), 4)) CHECK(c.rounds == 0);
}

TEST_CASE("what is kept stays where it is, and one number a rank says how much it is") {
  const std::string body =
      "COPY 1 0\nI_TO_F\nSIN\nCONST FLOAT 0.0\nCONST SEGDES 100000\nDIST FLOAT\n< FLOAT\n"
      "CONST SEGDES 100000\nPACK INT\nPOP 1 0\nLENGTH INT\n";
  for (const ranks::Counts& c : counts(program("100000", body), 3)) {
    CHECK(c.rounds == 1);
    CHECK(c.bytes_sent == 2 * (kHeader + 8));
  }
}

TEST_CASE("rounds do not grow with the number of ranks") {
  const std::string body =
      "COPY 1 0\nI_TO_F\nSIN\nCOPY 1 0\nCONST SEGDES 100000\n+_SCAN FLOAT\n< FLOAT\nCONST SEGDES "
      "100000\nPACK INT\n"
      "+_REDUCE INT\n";
  CHECK(counts(program("100000", body), 2)[0].rounds == counts(program("100000", body), 8)[0].rounds);
}

TEST_CASE("one rank alone says nothing to anybody") {
  for (const ranks::Counts& c : counts(program("100000", "CONST SEGDES 100000\n+_REDUCE INT\n"), 1))
    CHECK(c.bytes_sent == 0);
}

}  // namespace nvm
