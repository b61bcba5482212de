// Any bytes as a random program with its data and the switches of a run: recorded and compiled it must do
// what the interpreter does, bit for bit, and fail in the same words; so must calls in groups.
//
// The first eight bytes are the switches, every two that follow one choice of the generator.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/support/tier_run.h"
#include "vm/block/block_mode.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/tier/nests.h"

namespace {

using namespace nvm;

constexpr std::size_t kMemory = 64 << 20;

struct Switches {
  test::TierLimits limits;
  plan::Fusion fusion = plan::Fusion::kExact;
  vm::cpu::Isa isa = vm::cpu::Isa::kAvx2;
  IntBits bits = IntBits::k64;
  std::int64_t threshold = 2;
  std::int64_t group_bytes = 64 << 10;
};

Switches switches_of(const std::uint8_t* bytes) {
  Switches s;
  const auto pick = [](std::uint8_t byte, auto... values) {
    const decltype((values + ...)) all[] = {values...};
    return all[byte % sizeof...(values)];
  };
  s.limits.insts = pick(bytes[0], std::size_t{200}, std::size_t{60}, std::size_t{1}, std::size_t{2},
                        std::size_t{3}, std::size_t{7});
  s.limits.regions = pick(bytes[1], std::size_t{4096}, std::size_t{1}, std::size_t{2});
  s.limits.code = pick(bytes[2], std::size_t{1} << 26, std::size_t{4096}, std::size_t{0});
  s.limits.threads = pick(bytes[3], 1, 2, 3);
  if (bytes[4] % 4 == 3) s.limits.guesses = bytes[4] * 0x0101010101010101U;
  s.fusion = static_cast<plan::Fusion>(bytes[5] % 3);
  if (bytes[5] / 3 % 2 == 1 && vm::cpu::isa_supported(vm::cpu::Isa::kAvx512)) s.isa = vm::cpu::Isa::kAvx512;
  if (bytes[6] % 2 == 1) s.bits = IntBits::k32;
  s.threshold = pick(bytes[7], std::int64_t{1}, std::int64_t{2}, std::int64_t{4});
  s.group_bytes = pick(static_cast<std::uint8_t>(bytes[7] / 3), std::int64_t{8}, std::int64_t{64} << 10);
  return s;
}

test::TierResult run_in_groups(const vm::Code& code, vm::Pool& pool, plan::Engine& engine,
                               const Switches& s) {
  test::WritingMachine own(code, pool, s.limits.threads);
  vm::Nests nests(code, engine, {.mode = vm::JitMode::kAlways});
  own.machine().functions = {&nests};
  vm::block::Options options;
  options.threshold = s.threshold;
  options.group_bytes = s.group_bytes;
  vm::block::BlockMode mode(code, own.machine(), {}, options);
  own.machine().calls = &mode;
  return {own.run(code), {}};
}

bool out_of_memory(const test::TierResult& r) {
  return r.outcome.error && r.outcome.error->kind == vm::Fault::Kind::kMemory;
}

void hold(const char* how, const test::TierResult& eager, const test::TierResult& other) {
  if (out_of_memory(eager) || out_of_memory(other)) return;
  const std::string d = test::difference(eager, other);
  if (d.empty()) return;
  std::fprintf(stderr, "%s: %s\n", how, d.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint8_t head[8] = {};
  std::memcpy(head, data, std::min(size, sizeof(head)));
  const Switches s = switches_of(head);
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = sizeof(head); i + 1 < size; i += 2)
    numbers.push_back(data[i] * 0x01000001U ^ data[i + 1] * 0x00010100U);
  const auto module = test::random_segment_module(test::Choices(std::move(numbers)), s.bits);
  if (!module) {
    std::fprintf(stderr, "the program does not verify\n");
    std::abort();
  }
  vm::Pool pool(kMemory);
  const vm::Code code = vm::make_code(*module, pool);
  const auto engine = vm::cpu::make_engine({.isa = s.isa, .code_limit = s.limits.code});
  const test::TierResult eager = test::run_tier(code, pool, nullptr, s.limits, s.fusion);
  hold("compiled", eager, test::run_tier(code, pool, engine.get(), s.limits, s.fusion));
  hold("in groups", eager, run_in_groups(code, pool, *engine, s));
  return 0;
}
