// Random numbers and descriptors of computed lengths, made on the emulated device in the middle of a line:
// what the processor's primitives make, and no vector comes home for it.
#include <catch2/catch.hpp>
#include <functional>

#include "gpu/cuda_engine.h"
#include "tests/support/emu_device.h"
#include "vm/data/compare.h"
#include "vm/interp/random.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::testing;
using namespace nvm::vm;

namespace {

constexpr auto kI = TypeWord::kInt;

vm::Pool& pool() {  // outlives all values
  static vm::Pool one;
  return one;
}

plan::Engine& engine() {
  static std::string reason;
  static const auto kEngine = gpu::make_engine(reason);
  INFO(reason);
  REQUIRE(kEngine != nullptr);
  return *kEngine;
}

// Instructions one after the other: recorded and compiled for the device, or as they come.
class Line {
 public:
  Line(bool device, IntBits bits, std::int64_t drawn = 0)
      : device_(device),
        random_(make_random(RandomKind::kPhilox)),
        jit_(engine(), context(bits), {.mode = JitMode::kAlways}),
        recorder_(jit_, bits, limits()) {
    random_->seed(0x123456789abcdef);
    static_cast<void>(random_->take(drawn));
  }

  Value operator()(Op op, TypeWord word, std::vector<Value> operands) {
    insts_.push_back(std::make_unique<ssa::Inst>());
    insts_.back()->op = op;
    insts_.back()->word = word;
    std::vector<Value> results(op_info(op).results.size());
    if (!device_ || !recorder_.offer(*insts_.back(), {}, operands, results))
      run_primitive(context_, op, word, operands, results);
    return std::move(results[0]);
  }
  Value forced(Value v) {
    recorder_.force(v);
    return v;
  }
  [[nodiscard]] const JitCounters& counters() const { return jit_.counters(); }

 private:
  const PrimContext& context(IntBits bits) {
    context_.pool = &pool();
    context_.int_bits = bits;
    context_.isa = best_isa();
    context_.random = random_.get();
    return context_;
  }
  [[nodiscard]] Recorder::Limits limits() const {
    Recorder::Limits l{.min_elements = 2, .max_insts = 60, .primitives = true};
    l.random = random_.get();
    return l;
  }

  const bool device_;
  std::unique_ptr<RandomSource> random_;
  PrimContext context_;
  Jit jit_;
  Recorder recorder_;
  std::vector<std::unique_ptr<ssa::Inst>> insts_;
};

constexpr IntBits kBits[] = {IntBits::k64, IntBits::k32};

std::vector<std::int64_t> numbers(std::int64_t n, std::int64_t below) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(i * i % below);
  return out;
}
Value vector(const std::vector<std::int64_t>& elements, IntBits bits) {
  return int_vector(pool(), elements, bits == IntBits::k32 ? Storage::kI32 : Storage::kI64);
}

// (RAND (x * x)) + x
Value drawn(bool device, IntBits bits, std::int64_t before, const std::vector<std::int64_t>& elements) {
  Line line(device, bits, before);
  const Value x = vector(elements, bits);
  Value limits = line(Op::kMul, kI, {x, x});
  const Value random = line(Op::kRand, TypeWord::kNone, {std::move(limits)});
  return line.forced(line(Op::kAdd, kI, {random, x}));
}

// Sums of the squares of k copies of each k of `elements`, and the descriptor if it is asked for.
struct Copied {
  Value sums, segments;
  std::uint64_t lines = 0;  // that ran on the device
};
Copied copied(bool device, IntBits bits, const std::vector<std::int64_t>& elements, bool asked) {
  Line line(device, bits);
  const Value x = vector(elements, bits);
  Copied out;
  Value desc = line(Op::kMakeSegdes, TypeWord::kNone, {line(Op::kSub, kI, {line(Op::kAdd, kI, {x, x}), x})});
  Value copies = line(Op::kDist, kI, {x, desc});
  copies = line(Op::kMul, kI, {copies, copies});
  out.sums = line(Op::kAddReduce, kI, {std::move(copies), desc});
  if (asked) out.segments = std::move(desc);
  desc = {};
  out.sums = line.forced(std::move(out.sums));
  if (asked) out.segments = line.forced(std::move(out.segments));
  out.lines = line.counters().fused;
  return out;
}

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Fault& fault) {
    return fault.message;
  }
  return "none";
}

}  // namespace

TEST_CASE("random numbers of the device are those of the generator, wherever it stands") {
  for (const IntBits bits : kBits)
    for (const std::int64_t before : {0, 1, 2, 3, 5})
      for (const std::int64_t n : {2, 5, 1023, 1024, 1025, 5000}) {
        INFO("after " << before << ", " << n << " numbers");
        std::vector<std::int64_t> elements = numbers(n, 1000);
        for (std::int64_t& e : elements) ++e;
        elements[static_cast<std::size_t>(n / 2)] = 46000;
        CHECK(difference(drawn(true, bits, before, elements), drawn(false, bits, before, elements)).empty());
      }
}

TEST_CASE("limits of all sizes, and negative ones, are those of INT") {
  std::vector<std::int64_t> elements = numbers(4000, 46000);
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = i % 3 == 0 ? -(elements[i] + 1) : (elements[i] + 1) << i % 40;
  for (const bool device : {true, false}) {
    Line line(device, IntBits::k64);
    const Value x = vector(elements, IntBits::k64);
    Value limits = line(Op::kAdd, kI, {x, x});
    static Value first;
    const Value got = line.forced(line(Op::kRand, TypeWord::kNone, {std::move(limits)}));
    if (device)
      first = got;
    else
      CHECK(difference(first, got).empty());
  }
}

TEST_CASE("a limit of 0 is the ordinary fault") {
  std::vector<std::int64_t> elements(3000, 7);
  elements[2999] = 0;
  const auto draw = [&](bool device) {
    return fault_of([&] { static_cast<void>(drawn(device, IntBits::k64, 0, elements)); });
  };
  CHECK(draw(true) == "RAND below 0 at position 2999");
  CHECK(draw(true) == draw(false));
}

TEST_CASE("descriptors of computed lengths are made where their lengths are") {
  for (const IntBits bits : kBits)
    for (const bool asked : {false, true})
      for (const std::int64_t n : {2, 33, 2047, 2048, 2049, 5000})
        for (const std::int64_t below : {1, 2, 9}) {
          INFO(n << " lengths below " << below);
          const auto elements = numbers(n, below);
          const Copied got = copied(true, bits, elements, asked),
                       wanted = copied(false, bits, elements, asked);
          CHECK(got.lines == 1);
          CHECK(difference(got.sums, wanted.sums).empty());
          if (asked) CHECK(difference(got.segments, wanted.segments).empty());
        }
}

TEST_CASE("equal lengths become two numbers on the device") {
  for (const bool equal : {true, false}) {
    std::vector<std::int64_t> elements(5000, 3);
    if (!equal) elements[4999] = 4;
    control("");
    const Copied got = copied(true, IntBits::k64, elements, true);
    CHECK(std::get<Segdes>(got.segments).is_regular() == equal);
    CHECK(counts().downloads == 0);
    CHECK(difference(got.segments, copied(false, IntBits::k64, elements, true).segments).empty());
  }
}

TEST_CASE("neither lengths nor limits come home") {
  control("");
  const auto elements = numbers(5000, 9);
  const Copied got = copied(true, IntBits::k64, elements, false);
  CHECK(counts().uploads == 1);
  CHECK(counts().downloads == 0);
  control("");
  const Value random = drawn(true, IntBits::k64, 0, std::vector<std::int64_t>(5000, 9));
  CHECK(counts().uploads == 1);
  CHECK(counts().downloads == 0);
}

TEST_CASE("lengths that cannot be are the ordinary fault, also where their sum wraps around") {
  const std::int64_t huge = std::int64_t{1} << 62;
  for (const auto& [at, what] : std::vector<std::pair<std::vector<std::int64_t>, std::string>>{
           {{3, -1, 2}, "negative length -1"}, {{huge, huge, huge, huge}, "more than memory can hold"}}) {
    std::vector<std::int64_t> elements(3000, 1);
    std::copy(at.begin(), at.end(), elements.begin() + 2500);
    const auto make = [&](bool device) {
      return fault_of([&] { static_cast<void>(copied(device, IntBits::k64, elements, true)); });
    };
    CHECK(make(true).find(what) != std::string::npos);
    CHECK(make(true) == make(false));
  }
}

TEST_CASE("where memory runs out, the processor makes them") {
  const auto elements = numbers(3000, 5);
  const Copied wanted = copied(false, IntBits::k64, elements, true);
  empty_device();
  control("");
  static_cast<void>(copied(true, IntBits::k64, elements, true));
  const std::uint64_t all = counts().allocations;
  for (std::uint64_t k = 1; k <= all; ++k)
    for (const char* which : {"no_memory=", "full_from="}) {
      INFO(which << k);
      empty_device();
      control(which + std::to_string(k));
      CHECK(difference(copied(true, IntBits::k64, elements, true).sums, wanted.sums).empty());
    }
  control("");
}
