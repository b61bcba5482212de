// Random kernels of what fits in few bytes: letters, words, flags and small numbers, compared, chosen,
// counted, packed and stored. Narrow lanes give what the reference gives, for every number of elements around
// their vectors, on both instruction sets.
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <vector>

#include "tests/support/isas.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

namespace {

using namespace nvm;
using soac::Pull;
using testing::PlanWriter;
using vm::cpu::Isa;

class NarrowGenerator : PlanWriter {
 public:
  NarrowGenerator(std::uint64_t seed, std::int64_t n) : PlanWriter(IntBits::k64, n), random_(seed) {
    if (below(2) == 0) only_ = below(2) == 0 ? Storage::kI8 : Storage::kI32;
    for (int k = 1 + below(3); k > 0; --k) add_element();
    for (int k = 1 + below(3); k > 0; --k) add_number();
    for (int k = 1 + below(6); k > 0; --k) add_apply();
    for (int k = 1 + below(2) * below(3); k > 0; --k) add_sink();
  }
  [[nodiscard]] plan::Plan made() { return finished(); }
  [[nodiscard]] const testing::Bindings& inputs() const { return bindings; }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  std::int32_t any(const std::vector<std::int32_t>& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }
  void add_element() {
    constexpr Storage kStorages[] = {Storage::kI8, Storage::kI8, Storage::kI32, Storage::kB8};
    const Storage storage = only_ ? *only_ : kStorages[below(4)];
    const Type type = storage == Storage::kB8 ? Type::kBool : Type::kInt;
    const std::int32_t v = add_var(plan::VarRole::kInput, type, storage, 0);
    const std::int64_t least = storage == Storage::kI8 ? -128 : storage == Storage::kB8 ? 0 : INT32_MIN;
    const std::int64_t most = storage == Storage::kB8 ? 1 : -1 - least;
    for (std::int64_t i = 0; i < bindings.lengths[0]; ++i) {
      const auto drawn =
          least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
      const std::int64_t corners[] = {least, most, 0, 1};
      bindings.vectors.back().push_back(
          {below(3) == 0 ? std::clamp(corners[below(4)], least, most) : drawn, 0});
    }
    (type == Type::kBool ? flags_ : numbers_).push_back(w.pull(Pull::kElement, v, type));
  }
  void add_number() {
    const std::int64_t v = below(3) == 0 ? below(1 << 20) : below(200) - 100;
    numbers_.push_back(below(2) == 0 ? w.number(v) : w.uniform(PlanWriter::add_number(v)));
  }
  void add_apply() {
    constexpr Scalar kNumbers[] = {Scalar::kAdd, Scalar::kSub, Scalar::kMin,
                                   Scalar::kMax, Scalar::kAnd, Scalar::kOr};
    constexpr Scalar kFlags[] = {Scalar::kAnd, Scalar::kOr, Scalar::kXor};
    constexpr Scalar kCompares[] = {Scalar::kLt, Scalar::kLe, Scalar::kGt,
                                    Scalar::kGe, Scalar::kEq, Scalar::kNe};
    switch (below(flags_.empty() ? 2 : 5)) {
      case 0:
        numbers_.push_back(w.apply(kNumbers[below(6)], Type::kInt, any(numbers_), any(numbers_)));
        break;
      case 1:
        flags_.push_back(w.apply(kCompares[below(6)], Type::kBool, any(numbers_), any(numbers_)));
        break;
      case 2: flags_.push_back(w.apply(kFlags[below(3)], Type::kBool, any(flags_), any(flags_))); break;
      case 3: numbers_.push_back(w.apply(Scalar::kBtoI, Type::kInt, any(flags_))); break;
      default:
        numbers_.push_back(w.apply(Scalar::kSelect, Type::kInt, any(flags_), any(numbers_), any(numbers_)));
    }
  }
  void add_sink() {
    constexpr Scalar kFolds[] = {Scalar::kAdd, Scalar::kMin, Scalar::kMax, Scalar::kOr};
    switch (below(flags_.empty() ? 2 : 5)) {
      case 0: store(any(numbers_), Type::kInt, Storage::kI64, 0, soac::kNone); break;
      case 1: reduce(kFolds[below(4)], any(numbers_), Type::kInt); break;
      case 2: store(any(flags_), Type::kBool, Storage::kB8, 0, soac::kNone); break;
      case 3: reduce(Scalar::kAdd, w.apply(Scalar::kBtoI, Type::kInt, any(flags_)), Type::kInt); break;
      default:
        if (counted_) break;
        counted_ = true;
        const std::int32_t count = PlanWriter::add_sink(plan::SinkKind::kCount, any(flags_), Type::kBool);
        kernel.sinks.back().out_length = 2;
        store(any(numbers_), Type::kInt, Storage::kI64, 2, count);
    }
  }

  std::mt19937_64 random_;
  std::vector<std::int32_t> numbers_, flags_;
  std::optional<Storage> only_;  // of all vectors that are read
  bool counted_ = false;
};

// Empty if all is as it should be; `narrow` counts the kernels that had narrow lanes.
std::string disagreement(std::uint64_t seed, std::int64_t n, std::map<Isa, int>& narrow) {
  NarrowGenerator made(seed, n);
  const plan::Plan plan = made.made();
  plan::check(plan);
  testing::Bindings wanted = made.inputs();
  if (!evaluate(plan, wanted)) return "the reference traps";
  for (const Isa isa : testing::isas())
    for (const int threads : {1, 2}) {
      const auto run = run_plan(*testing::compiled(plan, isa), plan, made.inputs(), threads);
      narrow[isa] += run.kernels(plan::KernelWay::kNarrowLanes);
      const std::string wrong = run.status == plan::RunStatus::kDone
                                    ? run.trouble + differences(plan, wanted, run.results)
                                    : "not done";
      if (!wrong.empty())
        return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", " +
               std::string(isa_name(isa)) + ", threads " + std::to_string(threads) + ": " + wrong + "\n" +
               print(plan);
    }
  return {};
}

}  // namespace

TEST_CASE("random narrow kernels give what the reference gives") {
  std::map<Isa, int> narrow;
  const bool held = rc::check("narrow lanes and reference agree", [&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto n = *rc::gen::inRange<std::int64_t>(0, 200);
    RC_ASSERT(disagreement(seed, n, narrow) == "");
  });
  CHECK(held);
  for (const Isa isa : testing::isas()) CHECK(narrow[isa] > 0);
}

TEST_CASE("narrow kernels over every number of elements around a vector") {
  std::map<Isa, int> narrow;
  for (std::int64_t n = 0; n <= 140; ++n)
    for (std::uint64_t seed = 1; seed <= (n < 40 ? 40 : 3); ++seed)
      CHECK(disagreement(1000 * seed + static_cast<std::uint64_t>(n), n, narrow) == "");
  for (const Isa isa : testing::isas()) CHECK(narrow[isa] > 100);
}

TEST_CASE("narrow kernels of several chunks") {
  std::map<Isa, int> narrow;
  for (const std::int64_t n : {2049, 70000, 140000})
    CHECK(disagreement(static_cast<std::uint64_t>(n), n, narrow) == "");
}
