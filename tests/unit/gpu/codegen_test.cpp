// What is generated, as text: shapes of the sources that matter for speed and for sameness of results.
#include <catch2/catch.hpp>

#include "gpu/codegen/code.h"
#include "tests/support/fused.h"
#include "tests/support/plan_corpus.h"

using namespace nvm;

namespace {

gpu::Code code_of(const std::string& name, IntBits bits = IntBits::k64) {
  for (const test::NamedPlan& p : test::plan_corpus(bits))
    if (p.name == name) return gpu::generate(p.plan, "p_");
  FAIL("no plan " << name);
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t launches(const gpu::Code& code) {
  std::size_t n = 0;
  for (const gpu::KernelCode& k : code.kernels) n += k.launches.size();
  return n;
}

plan::Plan plan_of(void (*make)(test::RegionBuilder&), IntBits bits) {
  test::RegionBuilder builder(bits);
  make(builder);
  return plan::fuse(soac::build(builder.region()), plan::Fusion::kGreedy);
}

}  // namespace

TEST_CASE("an elementwise chain is one launch that stores once") {
  const gpu::Code code = code_of("axpy");
  CHECK(launches(code) == 1);
  CHECK(code.kernels[0].scratch.empty());
  CHECK(has(code.source, "extern \"C\" __global__ void __launch_bounds__(256, 3) p_k0(const p_k0_args a)"));
  CHECK(has(code.source, "ox6.set(e, (double)v4);"));
}

TEST_CASE("a warp of a dot product reads in order, and folds a chunk by the lanes of the fixed tree") {
  const gpu::Code code = code_of("dot");
  CHECK(launches(code) == 1);
  CHECK(has(code.source, "nvm_fold_arriving<nvm_op_add, double>"));
  CHECK(has(code.source, "const i64 at = begin + (q * 32 + threadIdx.x % 32) * 2;"));
  CHECK(has(code.source, "nvm_fold_staged<nvm_op_add, 2, 256>("));
  CHECK(code.kernels[0].launches[0].threads == 128);
  CHECK(code.kernels[0].launches[0].items == 4 * 2048);
}

TEST_CASE("reductions that may be in any order are combined where they are") {
  test::RegionBuilder b;
  const auto n = b.length();
  b.live(b.op(Op::kAddReduce, TypeWord::kInt, {b.vector(Type::kInt, n), b.whole(n)}));
  const gpu::Code code = gpu::generate(test::fuse_all(b).plan, "p_");
  CHECK_FALSE(has(code.source, "NVM_SHARED"));
  CHECK(has(code.source, "nvm_fold_warp<nvm_op_add>("));
}

TEST_CASE("more FLOAT sums than shared memory has room for are several launches") {
  test::RegionBuilder b;
  const auto n = b.length();
  auto x = b.vector(Type::kFloat, n);
  for (int i = 0; i < 20; ++i) {
    x = b.op(Op::kAdd, TypeWord::kFloat, {x, x});
    b.live(b.op(Op::kAddReduce, TypeWord::kFloat, {x, b.whole(n)}));
  }
  CHECK(launches(gpu::generate(test::fuse_all(b).plan, "p_")) == 3);
}

TEST_CASE("a scan of the whole space takes two units a block, and sets nothing aside for segments") {
  test::RegionBuilder b;
  const auto n = b.length();
  b.live(b.op(Op::kAddScan, TypeWord::kFloat, {b.vector(Type::kFloat, n), b.whole(n)}));
  const gpu::Code code = gpu::generate(test::fuse_all(b).plan, "p_");
  REQUIRE(launches(code) == 1);
  CHECK(code.kernels[0].launches[0].items == 4096);
  CHECK(has(code.source, "nvm_whole_scan<nvm_op_add, double, 2>("));
  CHECK_FALSE(has(code.source, "nvm_list_units"));
}

TEST_CASE("what a filter keeps is put in order before it is stored") {
  const std::string source = code_of("filter").source;
  CHECK(has(source, "] >= 0) tile[q"));
  CHECK(has(source, "nvm_kept_before(counts, kept"));
}

TEST_CASE("segments of a tile are found by warps, once, and none is kept for each element that needs none") {
  test::RegionBuilder b;
  const auto n = b.length();
  b.live(b.op(Op::kAddReduce, TypeWord::kFloat, {b.vector(Type::kFloat, n), b.segments(b.length(), n)}));
  const gpu::Code code = gpu::generate(test::fuse_all(b).plan, "p_");
  CHECK(has(code.source, "const nvm_span span = nvm_range(shape, "));
  CHECK_FALSE(has(code.source, "segment["));
}

TEST_CASE("threads of a warp look for their first segment together") {
  test::RegionBuilder b;
  const auto n = b.length(), k = b.length();
  const auto s = b.segments(k, n);
  const auto y = b.op(Op::kDist, TypeWord::kFloat, {b.vector(Type::kFloat, k), s});
  b.live(b.op(Op::kMul, TypeWord::kFloat, {b.vector(Type::kFloat, n), y}));
  CHECK(has(gpu::generate(test::fuse_all(b).plan, "p_").source, ".find(begin, n"));
}

TEST_CASE("a FLOAT reduction of kept elements stores none of them") {
  const gpu::Code code = code_of("norm2");
  CHECK(launches(code) == 2);  // the sum of the kept squares, its root
  CHECK(code.kernels[0].origin == 0);
  CHECK(code.kernels[1].origin == 1);
  CHECK(has(code.source, "nvm_reduce_kept<nvm_op_add, double>(tile, "));
}

TEST_CASE("a scatter finds its winners before it stores") {
  const gpu::Code code = code_of("scatter");
  CHECK(has(code.source, "atomicMax("));
  CHECK(has(code.source, "else nvm_trap(C);"));
}

TEST_CASE("a partition stores each side where its rank says, without winners") {
  for (const char* name : {"partition", "segmented_partition"}) {
    const gpu::Code code = code_of(name);
    CHECK_FALSE(has(code.source, "atomicMax("));
    CHECK(has(code.source, "[place] = (double)"));
    CHECK(has(code.source, "nvm_check("));  // where the second side begins
  }
  CHECK(has(code_of("segmented_partition").source, "nvm_segment_place("));
}

TEST_CASE("one element of each segment is stored over a copy of the defaults") {
  const gpu::Code code = code_of("segmented_scatter");
  CHECK(has(code.source, "_default"));
  CHECK(has(code.source, "offset(i + 1)"));  // an iteration is a segment
}

TEST_CASE("places that go up evenly are stored to at once, over defaults that nobody else reads") {
  constexpr auto kF = TypeWord::kFloat;
  test::RegionBuilder b;
  const auto n = b.length(), m = b.length();
  const soac::VarId x = b.vector(Type::kFloat, n), from = b.whole(n), to = b.whole(m);
  const soac::VarId places = b.op(Op::kIndex, TypeWord::kNone, {b.scalar(Type::kInt), b.fixed(1), from});
  const soac::VarId behind = b.op(Op::kIndex, TypeWord::kNone, {b.scalar(Type::kInt), b.fixed(1), from});
  const soac::VarId defaults = b.op(Op::kDist, kF, {b.scalar(Type::kFloat), to});
  const soac::VarId first = b.op(Op::kDpermute, kF, {x, places, defaults, from, to});
  b.live(b.op(Op::kDpermute, kF, {b.op(Op::kAdd, kF, {x, x}), behind, first, from, to}));
  const gpu::Code once = gpu::generate(test::fuse_all(b).plan, "p_");
  CHECK_FALSE(has(once.source, "atomicMax("));
  CHECK_FALSE(has(once.source, "_default"));
  CHECK(launches(once) == 3);
  b.live(first);
  const gpu::Code twice = gpu::generate(test::fuse_all(b).plan, "p_");
  CHECK(has(twice.source, "_default"));
  CHECK(launches(twice) == 4);
}

TEST_CASE("places are of 64 bits where INT is not") {
  const gpu::Code code = code_of("segmented_scatter", IntBits::k32);
  CHECK(has(code.source, "const i64 v"));
  CHECK(has(code.source, "= nvm_segment_place("));
}

TEST_CASE("INT of 32 bits is computed in int") {
  CHECK(has(code_of("filter", IntBits::k32).source, "int c"));
  CHECK_FALSE(has(code_of("filter", IntBits::k32).source, "nvm_tile_scan<nvm_op_add, i64>"));
}

TEST_CASE("the prelude defines every scalar operation and every fold") {
  for (const ScalarInfo& s : all_scalars()) {
    if (s.scalar == Scalar::kNoScalar) continue;
    const std::string name(s.name);
    const bool defined =
        has(gpu::prelude(), "nvm_" + name + "(") || has(gpu::prelude(), "NVM_COMPARE(" + name + ",") ||
        has(gpu::prelude(), "NVM_BITWISE(" + name + ",") || has(gpu::prelude(), "NVM_FUNCTION(" + name + ")");
    INFO(name);
    CHECK(defined);
    if (s.folds) CHECK(has(gpu::prelude(), "NVM_FOLD(" + name + ")"));
  }
}

TEST_CASE("what is left to a primitive has no launches, and stands at its place among the kernels") {
  test::RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto places = b.op(Op::kRankUp, TypeWord::kInt, {b.op(Op::kMul, TypeWord::kInt, {x, x}), b.whole(n)});
  b.live(b.op(Op::kAdd, TypeWord::kInt, {places, x}));
  const gpu::Code code = gpu::generate(test::fuse_all(b).plan, "p_");
  REQUIRE(code.kernels.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(code.kernels[k].origin == static_cast<std::int32_t>(k));
    CHECK(code.kernels[k].launches.empty() == (k == 1));
    CHECK(by_primitive(code.plan.kernels[k]) == (k == 1));
  }
}

TEST_CASE(
    "random numbers and computed descriptors are kernels of the device, the latter with their offsets") {
  const gpu::Code drawn = gpu::generate(plan_of(test::corpus::drawn, IntBits::k64), "p_");
  CHECK(launches(drawn) == 3);
  CHECK(has(drawn.source, "nvm_draws(seed"));
  const plan::Plan plan = plan_of(test::corpus::copied, IntBits::k64);
  const gpu::Code copied = gpu::generate(plan, "p_");
  CHECK(copied.kernels.size() == plan.kernels.size());  // offsets are no kernel of their own
  const auto made = std::count_if(copied.offsets_of.begin(), copied.offsets_of.end(),
                                  [](gpu::VarId v) { return v != gpu::kNone; });
  CHECK(made == 1);
  for (const gpu::KernelCode& k : copied.kernels) CHECK_FALSE(k.launches.empty());
}
