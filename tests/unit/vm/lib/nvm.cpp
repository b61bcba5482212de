#include "vm/lib/nvm.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <sstream>
#include <thread>

#include "vm/lib/nesl.hpp"

using namespace nvm::lib;

namespace {

Program load(const std::string& text, const LoadOptions& options = {}) {
  auto program = Program::from_text(text, "t.vcode", options);
  if (!program) FAIL(program.failure().message);
  return *program;
}

std::string results(const Run& run) {
  std::string text;
  for (const Value& v : run.values) text += v.text();
  return text;
}

const char* kForever =
    "FUNC MAIN CONST INT 0 CALL G RET\n"
    "FUNC G CONST INT 1 + INT COPY 1 0 CONST INT -1 = INT IF ELSE CALL G ENDIF RET";

}  // namespace

TEST_CASE("a program is loaded once and run often", "[lib]") {
  const Program program = load("FUNC MAIN CONST INT (1 2 3) COPY 1 0 * INT RET");
  Vm vm;
  for (int i = 0; i < 3; ++i) {
    auto run = vm.run(program);
    REQUIRE(run);
    CHECK(results(*run) == "( 1 4 9 )\n");
  }
}

TEST_CASE("what is wrong with a program is said with its place", "[lib]") {
  const auto program = Program::from_text("FUNC MAIN\n  CONST INT 1\n  + INT\nRET", "t.vcode");
  REQUIRE_FALSE(program);
  CHECK(program.failure().kind == Failure::Class::kProgram);
  CHECK(program.failure().line == 3);
  CHECK(program.failure().message.find("t.vcode:3:3: error: ") == 0);
  CHECK_FALSE(Program::from_file("no-such-dir/x.vcode"));
}

TEST_CASE("a fault is a value with its place", "[lib]") {
  const Program program = load("FUNC MAIN\nCONST INT (1 2)\nCONST INT (1 0)\n/ INT\nRET");
  Vm vm;
  const auto run = vm.run(program);
  REQUIRE_FALSE(run);
  CHECK(run.failure().kind == Failure::Class::kRuntime);
  CHECK(run.failure().line == 4);
  CHECK(run.failure().message.find("t.vcode:4:1: error: ") == 0);
  CHECK(run.failure().message.find("  in / INT, function MAIN") != std::string::npos);
}

TEST_CASE("a machine that runs is busy for every other call, and afterwards free", "[lib]") {
  const Program endless = load(kForever), brief = load("FUNC MAIN CONST INT 7 RET");
  Vm vm;
  std::thread other([&] {  // may itself find the machine busy at first
    for (std::string why = "busy"; why.find("busy") == 0;) {
      const auto run = vm.run(endless);
      why = run ? "ended" : run.failure().reason;
    }
  });
  std::string said;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto run = vm.run(brief);
    said = run ? "" : run.failure().reason;
  } while (said.empty());
  CHECK(said.find("busy") == 0);
  do {
    vm.cancel();
    std::this_thread::yield();
    auto run = vm.run(brief);
    said = run ? "" : run.failure().reason;
  } while (!said.empty());
  other.join();
  CHECK(results(*vm.run(brief)) == "( 7 )\n");
}

TEST_CASE("the place of a fault is a file and a line of it, also of a prepared expression", "[lib]") {
  std::ostringstream out, err;
  NeslOptions options;
  Nesl nesl(options, out, err);
  REQUIRE(nesl.run_text("function pick(v, i) =\n  v[i];\n", "some.nesl") == NeslStatus::kOk);
  const std::int64_t few[] = {1, 2, 3};
  const Value slots[] = {*make_segdes(std::vector<std::int64_t>{3}), make_ints(few)};
  REQUIRE_FALSE(nesl.bind("data", "[int]", slots));
  auto prepared = nesl.prepare("pick(data, 9)");
  REQUIRE(prepared);
  Vm vm;
  const auto run = vm.run(prepared->program, prepared->inputs);
  REQUIRE_FALSE(run);
  INFO(run.failure().message);
  CHECK(run.failure().origin_line == 2);
  CHECK(run.failure().origin_file == "some.nesl");
  const Failure empty;
  CHECK((empty.line == 0 && empty.column == 0 && empty.origin_line == 0 && empty.origin_file.empty()));
}

TEST_CASE("a value that could not be made has no elements, and no run takes it", "[lib]") {
  const Value none(nullptr);
  CHECK_FALSE(none);
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
  CHECK(none.text().empty());
  LoadOptions options;
  options.inputs = {Kind::kInt};
  Vm vm;
  const Value inputs[] = {none};
  auto run = vm.run(load("FUNC MAIN RET", options), inputs);
  REQUIRE_FALSE(run);
  CHECK(run.failure().reason == "input 0 could not be made: out of memory");
}

TEST_CASE("vectors go in and come out without being copied", "[lib]") {
  LoadOptions options;
  options.inputs = {Kind::kFloat, Kind::kInt};
  const Program program = load("FUNC MAIN COPY 1 1 RET", options);  // leaves floats, ints, floats
  alignas(128) double floats[] = {1.5, 2.5, 3.5};                   // not at the end of a page
  int released = 0;
  {
    Vm vm;
    auto input = foreign(
        floats, 3, [](void* n) { ++*static_cast<int*>(n); }, &released);
    const Value inputs[] = {input, make_ints(std::vector<std::int64_t>{7, 8})};
    auto run = vm.run(program, inputs);
    REQUIRE(run);
    REQUIRE(run->values.size() == 3);
    CHECK(run->values[2].data() == floats);
    CHECK(run->values[2].view<double>()->size() == 3);
    CHECK_FALSE(run->values[2].view<std::int32_t>());
    CHECK(run->values[1].ints() == std::vector<std::int64_t>{7, 8});
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

TEST_CASE("foreign memory is never written", "[lib]") {
  LoadOptions options;
  options.inputs = {Kind::kFloat};
  const Program program = load("FUNC MAIN COPY 1 0 + FLOAT RET", options);
  std::vector<double> floats(1000, 1.0);
  Vm vm;
  auto run = vm.run(program, std::vector<Value>{foreign(floats.data(), 1000, nullptr, nullptr)});
  REQUIRE(run);
  CHECK(run->values[0].float_at(999) == 2.0);
  CHECK(floats == std::vector<double>(1000, 1.0));
}

TEST_CASE("results outlive machine and program", "[lib]") {
  std::vector<Value> kept;
  {
    Vm vm;
    auto run = vm.run(load("FUNC MAIN CONST INT (1 2) CONST INT (3 4) COPY 2 0 + INT RET"));
    REQUIRE(run);
    kept = run->values;
  }
  CHECK(kept[0].text() == "( 1 2 )\n");
  CHECK(kept[2].text() == "( 4 6 )\n");
}

TEST_CASE("a run can start at any function", "[lib]") {
  LoadOptions options;
  options.function = "OTHER";
  options.inputs = {Kind::kInt};
  const std::string text = "FUNC MAIN RET FUNC OTHER CONST INT 1 + INT RET";
  Vm vm;
  auto run = vm.run(load(text, options), std::vector<Value>{make_ints(std::vector<std::int64_t>{41})});
  REQUIRE(run);
  CHECK(results(*run) == "( 42 )\n");
  options.function = "NONE";
  CHECK_FALSE(Program::from_text(text, "t", options));
}

TEST_CASE("limits end a run with an error that names them", "[lib]") {
  const auto message = [](const Options& options, const std::string& text) {
    Vm vm(options);
    const auto run = vm.run(load(text));
    return run ? "no error" : run.failure().message;
  };
  Options time;
  time.time_limit = 0.01;
  CHECK(message(time, kForever).find("time limit reached") != std::string::npos);
  Options depth;
  depth.max_depth = 100;
  const std::string deep = "FUNC MAIN CONST INT 0 CALL G RET FUNC G CALL G CONST INT 1 + INT RET";
  CHECK(message(depth, deep).find("recursion limit") != std::string::npos);
  Options memory;
  memory.memory = 1 << 20;
  const std::string big = "FUNC MAIN CONST FLOAT 1.0 CONST INT 1000000 MAKE_SEGDES DIST FLOAT RET";
  CHECK(message(memory, big).find("memory") != std::string::npos);
  CHECK(message(Options(), big) == "no error");
}

TEST_CASE("a run is cancelled from another thread", "[lib]") {
  const Program program = load(kForever);
  Vm vm;
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended) {
      vm.cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto run = vm.run(program);
  ended = true;
  canceller.join();
  REQUIRE_FALSE(run);
  CHECK(run.failure().message.find("interrupted") != std::string::npos);
}

TEST_CASE("a wish to stop that was there before is heard by loading, compiling and running", "[lib]") {
  std::atomic<bool> cancelled{false};
  Options options;
  options.cancelled = &cancelled;
  const Program program = load(kForever);
  const std::string function = "function more(x) = {y + 1 : y in x} $ ", use = "more([1, 2])";
  NeslOptions nesl_options;
  nesl_options.vm = options;
  std::ostringstream out, err;
  Nesl nesl(nesl_options, out, err);
  const NeslStatus defined = nesl.run_text(function, "text");
  INFO(err.str());
  REQUIRE(defined == NeslStatus::kOk);

  cancelled = true;
  LoadOptions loading;
  loading.cancelled = &cancelled;
  const auto loaded = Program::from_text(kForever, "text", loading);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.failure().kind == Failure::Class::kRuntime);
  Vm vm(options);
  const auto run = vm.run(program);
  REQUIRE_FALSE(run);
  CHECK(run.failure().message.find("interrupted") != std::string::npos);
  CHECK(nesl.run_text(use + " $", "text") == NeslStatus::kRunError);
  CHECK(err.str().find("interrupted") != std::string::npos);
  CHECK_FALSE(nesl.compile(use));

  cancelled = false;
  CHECK(nesl.run_text(use + " $", "text") == NeslStatus::kOk);
  CHECK(out.str() == "it = [2, 3] : [int]\n");
}

TEST_CASE("machines in several threads share a program", "[lib]") {
  const Program program = load(
      "FUNC MAIN CONST INT 0 CONST INT 1 CONST INT 5000 MAKE_SEGDES INDEX CONST INT 2000 CALL G RET\n"
      "FUNC G COPY 1 0 CONST INT 0 = INT IF ELSE CPOP 1 1 COPY 1 0 + INT CPOP 1 1 CONST INT 1 - INT CALL G "
      "ENDIF RET");
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts)
    threads.emplace_back([&program, &text] {
      Vm vm;
      auto run = vm.run(program);
      text = run ? results(*run) : run.failure().message;
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& text : texts) CHECK(text == texts[0]);
  CHECK(texts[0].find("error") == std::string::npos);
}

TEST_CASE("random numbers follow seed and generator", "[lib]") {
  const Program program = load("FUNC MAIN CONST INT 1000000 CONST INT 20 MAKE_SEGDES DIST INT RAND RET");
  const auto draw = [&program](std::optional<std::int64_t> seed, Random random) {
    Options options;
    options.seed = seed;
    options.random = random;
    return results(*Vm(options).run(program));
  };
  CHECK(draw(1, Random::kPhilox) == draw(1, Random::kPhilox));
  CHECK(draw(1, Random::kPhilox) != draw(2, Random::kPhilox));
  CHECK(draw({}, Random::kLibc) == draw(1, Random::kLibc));
  CHECK(draw({}, Random::kLcg48).find("( 0 116118 401895 ") == 0);
}

TEST_CASE("counters say what a run did", "[lib]") {
  Options options;
  options.count = true;
  LoadOptions raw;
  raw.optimise = false;
  const auto run = Vm(options).run(load("FUNC MAIN CONST INT (1 2 3) COPY 1 0 + INT LENGTH INT RET", raw));
  CHECK(Run(*Result<Run>(run)).counters.instructions == 2);
  CHECK(Run(*Result<Run>(run)).counters.work == 4);
}

TEST_CASE("EXIT leaves nothing to print", "[lib]") {
  auto run = Vm().run(load("FUNC MAIN CONST INT 1 EXIT RET"));
  REQUIRE(run);
  CHECK(run->exited);
  CHECK(run->values.empty());
}

TEST_CASE("what one run has compiled serves the next of the same program", "[lib]") {
  Options options;
  options.jit = Jit::kAlways;
  Vm vm(options);
  LoadOptions inputs;
  inputs.inputs = {Kind::kFloat};
  const Program squares = load("FUNC MAIN COPY 1 0 * FLOAT COPY 1 0 + FLOAT RET", inputs);
  const Program ones = load("FUNC MAIN COPY 1 0 / FLOAT COPY 1 0 + FLOAT RET", inputs);
  const std::vector<Value> x{make_floats(std::vector<double>{1.5, 2.0, 3.0})};
  const auto run = [&](const Program& program) {
    auto done = vm.run(program, x);
    REQUIRE(done);
    return *done;
  };
  const Run first = run(squares);
  if (first.counters.fused == 0) return;  // nothing compiles on this machine
  CHECK(first.counters.compiled == 1);
  const Run second = run(squares);
  CHECK(second.counters.compiled == 0);
  CHECK(second.counters.fused == first.counters.fused);
  CHECK(results(second) == results(first));
  CHECK(run(ones).values[0].float_at(2) == 2.0);
  CHECK(results(run(squares)) == results(first));
}

TEST_CASE("a machine goes on after a fault in compiled code", "[lib]") {
  Options options;
  options.jit = Jit::kAlways;
  Vm vm(options);
  LoadOptions load_options;
  load_options.inputs = {Kind::kInt};
  const Program program = load("FUNC MAIN COPY 1 0 CONST INT (6 6 6) CPOP 1 1 / INT RET", load_options);
  const auto with = [&](std::vector<std::int64_t> v) {
    auto run = vm.run(program, std::vector<Value>{make_ints(v)});
    return run ? results(*run) : run.failure().reason;
  };
  const std::string good = with({1, 2, 3});
  CHECK(with({1, 0, 3}).find("zero") != std::string::npos);
  CHECK(with({1, 2, 3}) == good);
}

TEST_CASE("narrow integers go in as they lie", "[lib]") {
  LoadOptions options;
  options.inputs = {Kind::kInt, Kind::kInt};
  const Program program = load("FUNC MAIN + INT RET", options);
  const std::int32_t wide[] = {1, -2, 1'000'000};
  const std::int8_t narrow[] = {1, -2, 100};
  Vm vm;
  auto run = vm.run(
      program, std::vector<Value>{foreign(wide, 3, nullptr, nullptr), foreign(narrow, 3, nullptr, nullptr)});
  REQUIRE(run);
  CHECK(run->values[0].ints() == std::vector<std::int64_t>{2, -4, 1'000'100});
  const Value one = foreign(narrow + 1, 1, nullptr, nullptr);
  CHECK(one.int_at(0) == -2);
}

TEST_CASE("a result that is part of another vector is seen where it lies", "[lib]") {
  LoadOptions options;
  options.inputs = {Kind::kInt};
  const Program program = load(
      "FUNC MAIN CONST INT 2 CONST INT 1 CONST INT 50 MAKE_SEGDES INDEX CONST INT 100 MAKE_SEGDES "
      "CONST INT 50 MAKE_SEGDES BPERMUTE INT RET",
      options);
  std::int32_t elements[100];
  for (std::int32_t i = 0; i < 100; ++i) elements[i] = 10 * i;
  Vm vm;
  auto run = vm.run(program, std::vector<Value>{foreign(elements, 100, nullptr, nullptr)});
  REQUIRE(run);
  const auto seen = run->values[0].view<std::int32_t>();
  REQUIRE(seen);
  CHECK(seen->front() == 20);
  CHECK(seen->back() == 510);
}
