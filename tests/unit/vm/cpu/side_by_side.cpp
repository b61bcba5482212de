#include "vm/cpu/codegen/side_by_side.h"

#include <catch2/catch.hpp>

using namespace nvm;
using namespace nvm::vm::cpu;
using soac::Body;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

BodyInst pull(Pull p, std::int32_t var = kNone) {
  BodyInst in;
  in.pull = p;
  in.var = var;
  return in;
}

// x = (x + k) % m, so many times, with k of each iteration.
struct Chain {
  Body body;
  std::int32_t value, k, modulus;

  explicit Chain(int turns) : value(body.add(pull(Pull::kElement, 0))), k(body.add(pull(Pull::kElement, 1))) {
    modulus = body.add(pull(Pull::kUniform, 2));
    for (int turn = 0; turn < turns; ++turn)
      value = body.apply(Scalar::kRem, Type::kInt, body.apply(Scalar::kAdd, Type::kInt, value, k), modulus);
  }
  [[nodiscard]] StageSpec spec() const {
    StageSpec spec;
    spec.body = &body;
    spec.outputs.push_back({value, Storage::kI64, {}});
    return spec;
  }
};

std::size_t together(const StageSpec& spec, Isa isa = Isa::kAvx512) {
  return vectors_side_by_side(spec, needed_values(spec), isa);
}

}  // namespace

TEST_CASE("vectors side by side: where a chain is long, as many as registers hold") {
  CHECK(together(Chain(10).spec()) == 8);
  CHECK(together(Chain(10).spec(), Isa::kAvx2) == 4);
  CHECK(together(Chain(1).spec()) == 1);
  CHECK(together(Chain(200).spec()) == 4);  // 400 instructions
  CHECK(together(Chain(2000).spec()) == 1);
}

TEST_CASE("vectors side by side: many live values leave fewer") {
  Chain chain(4);
  std::vector<std::int32_t> values;
  for (std::int32_t v = 0; v < 30; ++v) values.push_back(chain.body.add(pull(Pull::kElement, 3 + v)));
  for (const std::int32_t v : values)
    chain.value = chain.body.apply(Scalar::kAdd, Type::kInt, chain.value, v);
  CHECK(together(chain.spec()) == 2);
}

TEST_CASE("vectors side by side: none where elements are looked up, called or kept in order") {
  Chain gathered(10);
  BodyInst look = pull(Pull::kGather, 3);
  look.a = gathered.k;
  const std::int32_t looked = gathered.body.add(look);
  gathered.value = gathered.body.apply(Scalar::kAdd, Type::kInt, gathered.value, looked);
  StageSpec spec = gathered.spec();
  CHECK(together(spec) == 1);
  spec.straight.gathers.push_back(looked);  // a load
  CHECK(together(spec) > 1);

  Chain packed(10);
  spec = packed.spec();
  spec.packs.push_back({packed.value, Storage::kI64, packed.k, 0});
  CHECK(together(spec) == 1);
  spec = packed.spec();
  spec.striped = true;
  CHECK(together(spec) == 1);

  Chain called(10);
  const std::int32_t real = called.body.apply(Scalar::kItoF, Type::kFloat, called.value);
  called.value = called.body.apply(Scalar::kExp, Type::kFloat, real);
  CHECK(together(called.spec()) == 1);
}
