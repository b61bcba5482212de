// Everything that the corpus generates compiles for real devices; needs NVRTC and no device.
#include <catch2/catch.hpp>
#include <cstdio>
#include <iterator>
#include <regex>
#include <set>

#include "gpu/api/nvrtc.h"
#include "gpu/codegen/block.h"
#include "gpu/codegen/code.h"
#include "gpu/order_engine.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/plan_corpus.h"

using namespace nvm;

namespace {

void check_corpus(IntBits bits, int arch) {
  for (const test::NamedPlan& p : test::plan_corpus(bits)) {
    const gpu::Code code = gpu::generate(p.plan, "p_");
    INFO(p.name << " for sm_" << arch);
    const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + code.source, p.name + ".cu", arch);
    INFO(compiled.log);
    CHECK_FALSE(compiled.cubin.empty());
  }
}

// f and what it calls.
void add_called(const ssa::Module& module, ssa::FunctionId f, std::set<ssa::FunctionId>& called) {
  if (!called.insert(f).second) return;
  for (const ssa::Block& block : module.functions[static_cast<std::size_t>(f)].blocks)
    for (const ssa::Inst& in : block.insts)
      if (in.op == Op::kCall) add_called(module, in.index, called);
}

// Every lifted function that is not part of the kernel of one before; why some have no block-mode kernel.
std::string check_blocks(const std::string& text, IntBits bits, int arch, bool counts = false) {
  const ssa::Module module = test::nesl_module(text, bits);
  std::string refused;
  std::set<ssa::FunctionId> called;
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    if (!module.functions[f].lifted.lifted || called.contains(static_cast<ssa::FunctionId>(f))) continue;
    add_called(module, static_cast<ssa::FunctionId>(f), called);
    std::string reason;
    const auto code = gpu::generate_block(module, static_cast<ssa::FunctionId>(f), counts, reason);
    INFO(module.functions[f].name << " for sm_" << arch << " " << reason);
    refused += reason.empty() ? "" : reason + "\n";
    if (!code) continue;
    const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + code->source, "block.cu", arch);
    INFO(compiled.log);
    CHECK_FALSE(compiled.cubin.empty());
  }
  return refused;
}

plan::Plan plan_of(void (*make)(test::RegionBuilder&), IntBits bits) {
  test::RegionBuilder builder(bits);
  make(builder);
  return plan::fuse(soac::build(builder.region()), plan::Fusion::kGreedy);
}

std::ptrdiff_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
}

}  // namespace

TEST_CASE("block-mode kernels compile to cubin for sm_80 and sm_90") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, block-mode kernels: %s\n", words.c_str());
    return;
  }
  std::string refused;
  for (const test::Recursion& r : test::nesl_recursions()) {
    INFO(r.name);
    refused += check_blocks(r.text, IntBits::k64, 90);
  }
  refused += check_blocks(test::nesl_recursions().front().text, IntBits::k32, 80);
  refused += check_blocks(test::nesl_recursions().front().text, IntBits::k64, 90, true);
  CHECK(refused == "");
}

TEST_CASE("the corpus compiles to cubin for sm_80 and sm_90") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, sources for sm_80 and sm_90: %s\n", words.c_str());
    return;
  }
  check_corpus(IntBits::k64, 90);
  check_corpus(IntBits::k32, 80);
}

TEST_CASE("ranking and sorting compile to cubin for sm_80 and sm_90") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, kernels of sorting: %s\n", words.c_str());
    return;
  }
  for (const int arch : {80, 90}) {
    const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + gpu::order_source(), "order.cu", arch);
    INFO(compiled.log);
    CHECK_FALSE(compiled.cubin.empty());
  }
}

TEST_CASE("random numbers and computed descriptors compile to cubin for sm_80 and sm_90") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, random numbers and computed descriptors: %s\n", words.c_str());
    return;
  }
  for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
    std::string source = gpu::prelude();
    source += gpu::generate(plan_of(test::corpus::drawn, bits), "d_").source;
    source += gpu::generate(plan_of(test::corpus::copied, bits), "c_").source;
    for (const int arch : {80, 90}) {
      const gpu::Compiled compiled = gpu::compile_cuda(source, "made.cu", arch);
      INFO(compiled.log);
      CHECK_FALSE(compiled.cubin.empty());
    }
  }
}

TEST_CASE("a device that NVRTC does not know yet gets PTX") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, PTX: %s\n", words.c_str());
    return;
  }
  const std::string source = "extern \"C\" __global__ void k(double* x) { x[threadIdx.x] += 1.0; }";
  const gpu::Compiled code = gpu::compile_cuda(source, "k.cu", 990);
  INFO(code.log);
  CHECK(std::string(code.cubin.begin(), code.cubin.end()).find(".visible .entry k") != std::string::npos);
}

TEST_CASE("dense operands are read and written by accesses of 16 bytes") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, accesses in PTX: %s\n", words.c_str());
    return;
  }
  for (const test::NamedPlan& p : test::plan_corpus(IntBits::k64)) {
    const bool stores = p.name == "axpy";
    if (!stores && p.name != "dot" && p.name != "filter") continue;
    const std::string ptx = gpu::ptx_of_cuda(gpu::prelude() + gpu::generate(p.plan, "p_").source, 90);
    INFO(p.name);
    CHECK(count(ptx, "ld\\.global[.a-z]*\\.v2\\.[ub]64") >= 2);
    // Both packs of a thread; the compiler halves an access that also stands in a branch for single elements.
    if (stores) CHECK(count(ptx, "st\\.global\\.v2\\.[ub]64") == 2);
  }
}

// In one piece, so that no fence is needed. In two they would arrive in the right order on most devices most
// of the time, and always in an emulation.
TEST_CASE("what a tile hands on is stored and read together with its flag") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, hand-over in PTX: %s\n", words.c_str());
    return;
  }
  for (const auto& make : {test::corpus::copied, test::corpus::norm2}) {
    const plan::Plan plan = plan_of(make, IntBits::k64);
    const std::string ptx = gpu::ptx_of_cuda(gpu::prelude() + gpu::generate(plan, "p_").source, 90);
    CHECK(count(ptx, "st\\.relaxed\\.gpu\\.global\\.(v2\\.u64|b128)") >= 2);
    CHECK(count(ptx, "ld\\.relaxed\\.gpu\\.global\\.(v2\\.u64|b128)") >= 2);
    CHECK(count(ptx, "membar|fence") == 0);
  }
  const std::string ptx = gpu::ptx_of_cuda(gpu::prelude() + gpu::order_source(), 90);
  for (const char* pass : {"nvm_order_pass4", "nvm_order_pass8"}) {
    const std::string rest = ptx.substr(ptx.find(std::string(".visible .entry ") + pass));
    const std::string text = rest.substr(0, rest.find(".visible .entry ", 1));
    INFO(pass);
    CHECK(count(text, "st\\.volatile\\.global\\.[bu]32") == 2);
    CHECK(count(text, "ld\\.volatile\\.global\\.[bu]32") == 1);
    CHECK(count(text, "volatile\\.global") == 3);
    CHECK(count(text, "membar|fence") == 0);
  }
}

// Elements of a pass are asked for before one of them is used, so that their latencies overlap.
TEST_CASE("a pass of a sort reads all elements of a thread before it ranks them") {
  std::string words;
  if (!gpu::nvrtc_available(words)) {
    std::printf("skipped 1 test, reads of a sort in PTX: %s\n", words.c_str());
    return;
  }
  const std::string ptx = gpu::ptx_of_cuda(gpu::prelude() + gpu::order_source(), 90);
  const std::string pass = ptx.substr(ptx.find(".visible .entry nvm_order_pass8"));
  const std::string ranking = pass.substr(0, pass.find("vote.sync.ballot"));
  CHECK(count(ranking, "ld\\.global\\.[bu]64") >= 16);
  // Eight votes for an element of a thread, and one addition that all who have the digit share.
  const std::string text = pass.substr(0, pass.find(".visible .entry ", 1));
  CHECK(count(text, "vote\\.sync\\.ballot") == 8 * 16);
  CHECK(count(text, "st\\.shared\\.[bu]64") >= 16);
}
