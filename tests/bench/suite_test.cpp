// What is made of times: quantiles, ratios, growth, regressions, files.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/bench/suite/check.h"
#include "tests/bench/suite/measure.h"
#include "tests/bench/suite/outside.h"
#include "tests/bench/suite/report.h"

using namespace nvm::bench;

namespace {

Row row(const std::string& id, std::int64_t n, double nvm, double hand) {
  return {id,     "a \"title\"",
          n,      2,
          false,  1.5,
          "hand", {{"nvm", "f(v)", "", 2 * nvm, {nvm, nvm, nvm}}, {"hand", "a loop", "", hand, {hand}}}};
}

Report report(std::vector<Row> rows) { return {"machine", "nvm 0", "2026-01-01", 3, std::move(rows)}; }

struct Folder {
  std::string path = "/tmp/nvm_bench_test_" + std::to_string(::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return path + "/" + name; }
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("quantiles are interpolated") {
  const Timing t{"", "", "", 0, {4, 1, 3, 2}};
  CHECK(t.median() == 2.5);
  CHECK(t.quantile(0) == 1);
  CHECK(t.quantile(1) == 4);
}

TEST_CASE("contestants take turns, and who is wrong has no times") {
  std::string order;
  const auto one = [&](const std::string& name, const std::string& wrong) {
    return Contestant{name, "",
                      [&order, name] {
                        order += name;
                        return 1e-3;
                      },
                      [wrong] { return wrong; }};
  };
  std::vector<Contestant> all{one("a", ""), one("b", "no good"), one("c", "")};
  const auto timings = measure(all, {20, 10, false, 0});
  CHECK(order.substr(0, 5) == "aabcc");
  std::set<std::string> rounds;
  for (std::size_t at = 5; at < order.size(); at += 2) rounds.insert(order.substr(at, 2));
  CHECK(rounds == std::set<std::string>{"ac", "ca"});
  CHECK(timings[0].runs.size() == 20);
  CHECK(timings[1].runs.empty());
  CHECK(timings[1].wrong == "no good");
}

TEST_CASE("growth is the slope between logarithms") {
  CHECK(growth({{100, 1}, {1000, 10}, {10000, 100}}).value() == Approx(1));
  CHECK(growth({{10, 1}, {100, 100}}).value() == Approx(2));
  CHECK(!growth({{10, 1}}));
  CHECK(!growth({{10, 1}, {10, 2}}));
}

TEST_CASE("a regression is named, by the ratio to the rival") {
  const Report before = report({row("W1", 100, 2, 1), row("W2", 100, 2, 1)});
  CHECK(compare(before, before, 1.1).slower.empty());
  CHECK(compare(before, before, 1.1).compared == 2);
  CHECK(compare(before, report({row("W1", 100, 4, 2), row("W2", 100, 1, 1)}), 1.1)
            .slower.empty());  // a slower machine
  const std::string lines =
      compare(before, report({row("W1", 100, 3, 1), row("W2", 100, 2.1, 1)}), 1.1).slower;
  CHECK(lines.find("W1") == 0);
  CHECK(lines.find("1.5 times slower") != std::string::npos);
  CHECK(lines.find("W2") == std::string::npos);
  Report broken = before;
  broken.rows[1].timings[0].runs.clear();
  CHECK(compare(before, broken, 1.1).slower.find("W2") == 0);
}

TEST_CASE("what is not in both measurements is not taken for equal") {
  const Report before = report({row("W1", 100, 2, 1), row("W2", 100, 2, 1)});
  const Comparison one = compare(before, report({row("W1", 100, 2, 1)}), 1.1);
  CHECK(one.compared == 1);
  CHECK(one.missing.find("W2, n = 100") == 0);
  CHECK(compare(before, report({row("W1", 200, 2, 1)}), 1.1).compared == 0);
}

TEST_CASE("reports are read as they were written") {
  const Folder folder;
  const Report written = report({row("W1", 100, 0.0021, 0.001), row("W1", 1000, 0.021, 0.01)});
  write_json(written, folder.file("a.json"));
  const Report read = read_json(folder.file("a.json"));
  CHECK(read.machine == written.machine);
  CHECK(read.rows.at(1).triad == written.rows[1].triad);
  REQUIRE(read.rows.size() == 2);
  CHECK(read.rows[1].title == written.rows[1].title);
  CHECK(read.rows[1].timings[0].runs == written.rows[1].timings[0].runs);
  CHECK(read.rows[1].ratio("hand").value() == Approx(2.1));
  std::ofstream(folder.file("bad.json")) << "{}";
  CHECK_THROWS(read_json(folder.file("bad.json")));
}

TEST_CASE("tables and plots show the largest size and the growth") {
  const Folder folder;
  const Report r = report({row("W1", 100, 0.002, 0.001), row("W1", 10000, 0.2, 0.1)});
  std::ofstream(folder.file("page.md")) << "above\n<!-- begin: bench -->\nold\n<!-- end: bench -->\nbelow\n";
  write_markdown(r, folder.file("page.md"));
  const std::string page = text_of(folder.file("page.md"));
  CHECK(page.find("above\n") == 0);
  CHECK(page.find("below\n") != std::string::npos);
  CHECK(page.find("old") == std::string::npos);
  CHECK(page.find("| W1 | a \"title\" | 10000 | 200 |") != std::string::npos);
  CHECK(page.find("1.33 times off | 1.00 | – |") != std::string::npos);
  CHECK(page.find("| W1 | 100, 10000 | 2.00, 200 | 1.00 | 1.00, 100 | 1.00 | hand |") != std::string::npos);
  CHECK(page.find("Threads:") == std::string::npos);
  write_plots(r, folder.path);
  CHECK(text_of(folder.file("W1.svg")).find("<polyline") != std::string::npos);
  CHECK(text_of(folder.file("summary.svg")).find("W1 / hand") != std::string::npos);
  std::ofstream(folder.file("bare.md")) << "nothing\n";
  CHECK_THROWS(write_markdown(r, folder.file("bare.md")));
}

TEST_CASE("tables show what more threads gain, and cold rows stand aside") {
  Report r = report({row("W1", 100, 0.02, 0.01), row("W1", 100, 0.01, 0.005), row("W1", 100, 0.5, 0.5)});
  r.rows[0].threads = 1;
  r.rows[2].cold = true;
  const std::string page = markdown(r);
  CHECK(page.find("| W1 | 1, 2 | 20.0, 10.0 | 2.00 | 10.0, 5.00 | 2.00 | hand |") != std::string::npos);
  CHECK(page.find("Growth:") == std::string::npos);
  CHECK(page.find("caches held other data") == std::string::npos);
  CHECK(compare(report({r.rows[2]}), report({r.rows[1]}), 1.1).compared == 0);
}

TEST_CASE("others than the usual rivals are shown, and CSV survives what is said of them") {
  const Folder folder;
  Report r = report({row("W1", 100, 0.02, 0.01), row("W2", 100, 0.02, 0.01)});
  for (Row& one : r.rows) one.timings.push_back({"num|py", "a command", "", 0.04, {0.04}});
  r.rows[1].timings.push_back({"bad", "a command", "is \"1\",\nnot 2", 0.5, {}});
  const std::string page = markdown(r);
  CHECK(page.find("| W2 | num\\|py | 40.0 | ±0.00 % | 0.500 |") != std::string::npos);
  CHECK(page.find("- nvm over num|py: 0.500 (geometric mean of 2 workloads)") != std::string::npos);
  CHECK(page.find("bad has no times: is \"1\",") != std::string::npos);
  write_csv(r, folder.file("a.csv"));
  CHECK(text_of(folder.file("a.csv")).find("W2,100,2,warm,\"bad\",,,,,,0,\"is \"\"1\"\", not 2\"\n") !=
        std::string::npos);
}

TEST_CASE("a command from outside finds the inputs and its result is checked") {
  const double x[] = {1.0, 2.5};
  Instance it;
  it.inputs = {
      {"v", "[float]", {nvm::lib::make_ints(std::vector<std::int64_t>{2}), nvm::lib::make_floats(x)}}};
  it.check = [&](Values v) { return near(v[1], x, 0); };
  const Workload w{"W1", "", "", 2, 1, "hand", nullptr};
  const auto outcome = [&](const std::string& command) {
    std::vector<Contestant> all{command_contestant("it", command, w, it, {2, 7, 1})};
    return measure(all, {3, 10}).front();
  };
  const Timing copied = outcome("cp $NVM_BENCH_DATA/v.1.npy $NVM_BENCH_DATA/result.1.npy; echo took 0.25 s");
  CHECK(copied.wrong.empty());
  CHECK(copied.median() == 0.25);
  CHECK(copied.what.find("not checked") == std::string::npos);
  CHECK(outcome("cp $NVM_BENCH_DATA/v.0.npy $NVM_BENCH_DATA/result.1.npy; echo 1").wrong ==
        "no vector of FLOAT");
  CHECK(outcome("cp $NVM_BENCH_DATA/v.1.npy $NVM_BENCH_DATA/result.0.npy; echo 1").wrong ==
        "no vector of FLOAT");
  CHECK(outcome("echo $NVM_BENCH_SEED").median() == 7);
  CHECK(outcome("echo $NVM_BENCH_N").what.find("result not checked") != std::string::npos);
  CHECK(outcome("echo 1; exit 3").wrong == "status 3");
  CHECK(outcome("echo nothing").wrong == "printed no number");
  CHECK(outcome("echo 0").runs.empty());
}

TEST_CASE("checks of results find what is wrong") {
  const double want[] = {1.0, 2.0};
  const std::int32_t wide[] = {1, 200};
  const std::int64_t good[] = {1, 200}, bad[] = {1, 201};
  const auto ints = nvm::lib::foreign(wide, 2, nullptr, nullptr);
  CHECK(equal(ints, good).empty());
  CHECK(equal(ints, bad) == "element 1 is 200, not 201");
  const auto floats = nvm::lib::make_floats(want);
  const double other[] = {1.0, 2.1};
  CHECK(near(floats, want, 1e-9).empty());
  CHECK(!near(floats, other, 1e-9).empty());
  CHECK(near(floats, other, 0.1).empty());
  CHECK(!near(ints, want, 0.1).empty());
}

TEST_CASE("results of one element and of none are checked like others") {
  const double number[] = {1.5};
  const std::int64_t integer[] = {7};
  CHECK(near(nvm::lib::make_floats(number), number, 0).empty());
  CHECK(near(nvm::lib::make_floats({}), std::span<const double>(), 0).empty());
  CHECK(!near(nvm::lib::make_floats({}), number, 0).empty());
  CHECK(equal(nvm::lib::make_ints(integer), std::span<const std::int64_t>(integer)).empty());
  CHECK(equal(nvm::lib::make_ints({}), std::span<const std::int64_t>()).empty());
  CHECK(!equal(nvm::lib::make_bools({}), std::span<const std::int64_t>()).empty());
}

TEST_CASE("what cannot be written is said before anything is measured") {
  Folder folder;
  CHECK_NOTHROW(check_outputs({folder.file("a.json"), folder.file("a.csv"), "", folder.file("plots/of/a")}));
  CHECK(std::filesystem::is_directory(folder.file("plots/of/a")));
  std::ofstream(folder.file("a.json")) << "{}";
  CHECK_THROWS(check_outputs({folder.file("no/a.json"), "", "", ""}));
  CHECK_THROWS(check_outputs({"", folder.file("no/a.csv"), "", ""}));
  CHECK_THROWS(check_outputs({"", "", folder.file("a.json"), ""}));
  CHECK_THROWS(check_outputs({"", "", "", folder.file("a.json/plots")}));
}

TEST_CASE("a report that fits into a buffer is not on a full disk") {
  CHECK_THROWS(write_json(report({}), "/dev/full"));
  CHECK_THROWS(write_csv(report({}), "/dev/full"));
}

TEST_CASE("what is brief runs more often") {
  std::vector<Contestant> all{{"a", "", [] { return 1e-9; }, [] { return std::string(); }}};
  CHECK(measure(all, {3, 10, false, 0.001})[0].runs.size() > 3);
}
