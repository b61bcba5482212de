// Everything that the corpus generates compiles for real devices; needs NVRTC and no device.
#include <catch2/catch.hpp>
#include <cstdio>

#include "gpu/api/nvrtc.h"
#include "gpu/codegen/code.h"
#include "tests/support/plan_corpus.h"

using namespace nvm;

namespace {

void check_corpus(IntBits bits, int arch) {
  for (const test::NamedPlan& p : test::plan_corpus(bits)) {
    std::string reason;
    const auto code = gpu::generate(p.plan, "p_", reason);
    INFO(p.name << " for sm_" << arch << " " << reason);
    REQUIRE(code.has_value());
    const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + code->source, p.name + ".cu", arch);
    INFO(compiled.log);
    CHECK_FALSE(compiled.cubin.empty());
  }
}

}  // namespace

TEST_CASE("the corpus compiles to cubin for sm_80 and sm_90") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, sources for sm_80 and sm_90: %s\n", words.c_str());
    return;
  }
  check_corpus(IntBits::k64, 90);
  check_corpus(IntBits::k32, 80);
}
