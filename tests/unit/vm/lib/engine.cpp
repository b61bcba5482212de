// Whatever engine is asked for, the run ends with the same result; a missing one is named once.
#include <catch2/catch.hpp>
#include <cstdio>

#include "gpu/cuda_engine.h"
#include "vm/lib/nvm.hpp"

using namespace nvm::lib;

namespace {

struct Ended {
  std::string result;
  std::string words;  // on standard error
};

Ended run_with(Engine engine, const std::string& text, int ranks = 0) {
  auto program = Program::from_text(text, "t.vcode");
  REQUIRE(program);
  Options options;
  options.engine = engine;
  options.jit = Jit::kAlways;
  options.ranks = ranks;
  options.err = std::tmpfile();
  Vm vm(options);
  auto run = vm.run(*program);
  Ended ended;
  ended.result = run ? run->values.at(0).text() : run.failure().message;
  std::rewind(options.err);
  char line[400];
  while (std::fgets(line, sizeof line, options.err) != nullptr) ended.words += line;
  std::fclose(options.err);
  return ended;
}

}  // namespace

TEST_CASE("engines agree on results and errors", "[lib]") {
  const std::string good =
      "FUNC MAIN CONST INT (1 2 3 4) COPY 1 0 * INT CONST INT 4 MAKE_SEGDES +_SCAN INT RET";
  const std::string bad = "FUNC MAIN\nCONST INT (6 6)\nCONST INT (3 0)\n/ INT\nRET";
  CHECK(run_with(Engine::kCpu, good).result == "( 0 1 5 14 )\n");
  for (const Engine engine : {Engine::kCuda, Engine::kAuto})
    for (const std::string& text : {good, bad})
      CHECK(run_with(engine, text).result == run_with(Engine::kCpu, text).result);
}

TEST_CASE("a missing GPU is named if it was asked for", "[lib]") {
  std::string reason;
  if (nvm::gpu::make_engine(reason) != nullptr) return;
  const std::string text = "FUNC MAIN CONST INT 1 RET";
  for (const int ranks : {0, 3}) {
    const Ended ended = run_with(Engine::kCuda, text, ranks);
    CHECK(ended.result == "( 1 )\n");
    CHECK(ended.words == "nvm: no CUDA engine, the processor is used: " + reason + "\n");
  }
  CHECK(run_with(Engine::kAuto, text).words.empty());
}
