// Random plans under random cuts: parts that are run one after the other, or all at the same time whoever
// comes first, give the bits of the uncut run, traps included.
#include <rapidcheck.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <list>
#include <mutex>
#include <random>
#include <span>
#include <thread>

#include "tests/property/gen_plan.h"
#include "tests/support/plan_runner.h"
#include "tests/support/split.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/split/needs.h"
#include "vm/split/split_run.h"

namespace {

using namespace nvm;
using testing::Bindings;
using testing::PlanCase;

constexpr std::int64_t kSizes[] = {1,    2,    7,    8,    9,    31,   32,   33,    100,
                                   1023, 1025, 2047, 2049, 4095, 4097, 9000, 70000, 140000};

// A copy of some elements of a vector: what is behind them, but for the bytes that may be read, is not
// mapped, nor is what is a page in front of them.
class Lent {
 public:
  Lent(const plan::Array& of, const vm::ElementRange& range) {
    const std::size_t each = storage_bytes(of.storage);
    const std::size_t bytes = static_cast<std::size_t>(range.end - range.begin) * each;
    const std::size_t pages = (bytes + kReadable + kPage - 1) / kPage;
    mapped_ = (pages + 2) * kPage;
    memory_ = static_cast<std::byte*>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::byte* first = memory_ + kPage;
    mprotect(first, pages * kPage, PROT_READ | PROT_WRITE);
    std::memset(first, 0xA5, pages * kPage);
    std::byte* data = first + (pages * kPage - kReadable - bytes) / kAligned * kAligned;
    const std::size_t from = static_cast<std::size_t>(range.begin) * each;
    std::memcpy(data, static_cast<const std::byte*>(of.data) + from, bytes);
    whole_ = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) - from);
  }
  ~Lent() { munmap(memory_, mapped_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  // Where the whole vector would begin.
  [[nodiscard]] void* whole() const { return whole_; }

 private:
  static constexpr std::size_t kPage = 4096, kReadable = 64, kAligned = 8;
  std::byte* memory_;
  std::size_t mapped_;
  void* whole_;
};

// Cuts at random places: some anywhere, some at or beside whole blocks and groups, some twice.
class RandomCrew final : public vm::Crew {
 public:
  RandomCrew(std::uint64_t seed, bool at_once) : random_(seed), at_once_(at_once) {}
  // Parts that run at the same time see what they need and nothing else.
  void lend(const plan::Plan& plan, const plan::Part& part, std::vector<plan::Array>& arrays,
            const std::vector<plan::Desc>& descs) override {
    if (!at_once_) return;
    const auto needs = vm::needs_of(plan, part, arrays, descs);
    for (std::size_t v = 0; v < arrays.size(); ++v) {
      if (arrays[v].data == nullptr || arrays[v].length == 1) continue;
      const auto need = needs.find(static_cast<plan::VarId>(v));
      arrays[v].data = lent(arrays[v], need == needs.end() ? vm::ElementRange{} : need->second);
    }
  }
  [[nodiscard]] std::vector<std::int64_t> ends(const plan::Kernel&, std::int64_t n,
                                               std::span<const plan::Desc>) override {
    std::vector<std::int64_t> ends{n};
    for (std::int64_t k = 1 + below(4); k > 0; --k) {
      std::int64_t end = below(n + 1);
      const std::int64_t grain =
          std::array<std::int64_t, 4>{1, 8, 16, 2048}[static_cast<std::size_t>(below(4))];
      end = std::clamp<std::int64_t>(end / grain * grain + (below(4) == 0 ? below(3) - 1 : 0), 0, n);
      ends.push_back(end);
      if (below(4) == 0) ends.push_back(end);
      if (below(4) == 0) ends.push_back(std::min(end + 1, n));
    }
    std::sort(ends.begin(), ends.end());
    return ends;
  }
  void work(std::size_t parts, int threads, const RunPart& run) override {
    if (!at_once_) {
      for (std::size_t p = 0; p < parts; ++p) run(p, threads);
      return;
    }
    std::vector<std::size_t> order(parts);
    for (std::size_t p = 0; p < parts; ++p) order[p] = p;
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::thread> crew;
    for (const std::size_t p : order) crew.emplace_back([&run, p, threads] { run(p, threads); });
    for (std::thread& t : crew) t.join();
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  void* lent(const plan::Array& of, const vm::ElementRange& range) {
    const std::lock_guard lock(mutex_);
    return lent_.emplace_back(of, range).whole();
  }
  std::mt19937_64 random_;
  bool at_once_;
  std::mutex mutex_;
  std::list<Lent> lent_;
};

std::uint64_t parts_run = 0, records_handed_on = 0;

// Empty if all is the same, on both instruction sets.
std::string disagreement(std::uint64_t seed, std::int64_t n, IntBits bits, std::uint64_t cuts) {
  const PlanCase c = testing::PlanGenerator(seed, n, bits, false).make();
  plan::check(c.plan);
  Bindings wanted = c.inputs;
  const bool fine = evaluate(c.plan, wanted);
  for (const auto isa : {vm::cpu::Isa::kAvx512, vm::cpu::Isa::kAvx2}) {
    if (!isa_supported(isa)) continue;
    vm::cpu::EngineOptions options;
    options.isa = isa;
    std::string reason;
    const auto code = make_engine(options)->compile(c.plan, reason);
    if (!code) return "refused: " + reason;
    for (const bool at_once : {false, true})
      for (const int threads : {1, 2}) {
        RandomCrew crew(cuts, at_once);
        const testing::SplitCode split(*code, c.plan, crew);
        const auto run = run_plan(split, c.plan, c.inputs, threads);
        parts_run += split.counters.parts;
        records_handed_on += split.counters.records;
        std::string wrong = run.trouble;
        // A state of the tree, and how many a filter has kept.
        if (split.counters.words > 18 * split.counters.records) wrong += " long records";
        if (run.status != (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped))
          wrong += " status " + std::to_string(static_cast<int>(run.status));
        else if (fine)
          wrong += differences(c.plan, wanted, run.results);
        if (!wrong.empty())
          return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", cuts " +
                 std::to_string(cuts) + (at_once ? " at once" : " in order") + ", bits " +
                 std::to_string(bits == IntBits::k64 ? 64 : 32) + ", " + std::string(isa_name(isa)) +
                 ", threads " + std::to_string(threads) + ": " + wrong + "\n" + print(c.plan);
      }
  }
  return {};
}

}  // namespace

TEST_CASE("random plans in random parts give what the reference gives") {
  const bool held = rc::check("parts and reference agree", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto cuts = *rc::gen::arbitrary<std::uint64_t>();
    const auto size = *rc::gen::elementOf(std::vector<std::int64_t>(std::begin(kSizes), std::end(kSizes)));
    const auto bits = *rc::gen::element(IntBits::k64, IntBits::k32);
    RC_ASSERT(disagreement(seed, size, bits, cuts) == "");
  });
  CHECK(held);
}

TEST_CASE("every size at least once, in parts") {
  parts_run = records_handed_on = 0;
  std::uint64_t seed = 1;
  for (const std::int64_t n : kSizes)
    for (const auto bits : {IntBits::k64, IntBits::k32}) {
      CHECK(disagreement(seed, n, bits, seed) == "");
      ++seed;
    }
  CHECK(parts_run > 100);
  CHECK(records_handed_on > 50);
}
