#include "vm/tier/block_plans.h"

#include <algorithm>
#include <chrono>

namespace nvm::vm {

namespace {

// A function whose groups are given up so often, one after the other, is left to interpreters.
constexpr int kMostLost = 3;
// Of the arena of a group, as multiples of its arguments, and at least.
constexpr std::size_t kRoom = 64, kLeastRoom = std::size_t{64} << 20;
constexpr std::size_t kPieces = 2, kLeastPiece = std::size_t{64} << 10, kMostPiece = std::size_t{4} << 20;

std::size_t bytes_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->byte_count().get();
  if (const auto* s = std::get_if<Segdes>(&value))
    return ByteCount::of(s->segments(), sizeof(std::int64_t)).get();
  return 0;
}

}  // namespace

// One worker's.
class FunctionRunner final : public FunctionHook {
 public:
  FunctionRunner(BlockPlans& plans, const PrimContext& context, std::int64_t max_depth,
                 std::size_t frame_bytes)
      : plans_(plans), context_(context), max_depth_(max_depth), frame_bytes_(frame_bytes) {}

  [[nodiscard]] std::int64_t least(ssa::FunctionId function) override {
    return plans_.find(function) != nullptr ? 1 : kNever;
  }

  std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                        std::span<const Value> arguments) override {
    const FunctionCode* code = plans_.find(function);
    if (code == nullptr || (max_depth_ > 0 && depth >= max_depth_)) return std::nullopt;
    BlockRun run(*code, plans_.code_.constants, context_, limits(depth, arguments));
    auto results = run.run(arguments);
    plans_.count(function, run, results.has_value());
    if (results) took(context_, FastPath::kBlockPlan);
    return results;
  }

 private:
  [[nodiscard]] BlockRun::Limits limits(std::int64_t depth, std::span<const Value> arguments) const {
    std::size_t bytes = 0;
    for (const Value& v : arguments) bytes += bytes_of(v);
    BlockRun::Limits limits;
    limits.calls = max_depth_ > 0 ? max_depth_ - depth + 1 : 0;
    limits.frame_bytes = frame_bytes_;
    limits.arena_bytes = std::max(kRoom * bytes, kLeastRoom);
    limits.arena_piece = std::clamp(kPieces * bytes, kLeastPiece, kMostPiece);
    limits.stop = plans_.options_.stop;
    return limits;
  }

  BlockPlans& plans_;
  PrimContext context_;
  std::int64_t max_depth_;
  std::size_t frame_bytes_;
};

BlockPlans::BlockPlans(const Code& code, plan::Engine& engine, const JitOptions& options)
    : code_(code), engine_(engine), options_(options), functions_(code.functions.size()) {}

std::unique_ptr<FunctionHook> BlockPlans::hook(Caller caller, const PrimContext& context,
                                               std::int64_t max_depth, std::size_t max_frame_bytes) {
  if (caller == Caller::kRun) return nullptr;  // one thread runs the code
  return std::make_unique<FunctionRunner>(*this, context, max_depth, max_frame_bytes);
}

const FunctionCode* BlockPlans::find(ssa::FunctionId function) {
  Function& f = functions_[static_cast<std::size_t>(function)];
  if (!f.tried.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    if (!f.tried.load(std::memory_order_relaxed)) {
      std::string reason;
      auto code = compile(function, reason);
      if (code == nullptr)
        refusals_[code_.module->functions[static_cast<std::size_t>(function)].name] = reason;
      else
        f.code.store(codes_.emplace_back(std::move(code)).get(), std::memory_order_relaxed);
      f.tried.store(true, std::memory_order_release);
    }
  }
  const FunctionCode* code = f.code.load(std::memory_order_relaxed);
  if (code != nullptr && f.lost.load(std::memory_order_relaxed) < kMostLost) return code;
  gave_up_[static_cast<std::size_t>(GaveUp::kNoCode)].fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

std::unique_ptr<const FunctionCode> BlockPlans::compile(ssa::FunctionId function, std::string& reason) {
  const auto begin = std::chrono::steady_clock::now();
  auto plan = plan::build_block_plan(*code_.module, function, options_.fusion, reason);
  std::unique_ptr<const FunctionCode> code;
  if (plan) code = compile_blocks(std::move(*plan), engine_, known_, reason);
  const auto took = std::chrono::steady_clock::now() - begin;
  compile_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
  return code;
}

void BlockPlans::count(ssa::FunctionId function, const BlockRun& run, bool done) {
  blocks_.fetch_add(run.blocks(), std::memory_order_relaxed);
  std::atomic<int>& lost = functions_[static_cast<std::size_t>(function)].lost;
  if (done) {
    groups_.fetch_add(1, std::memory_order_relaxed);
    lost.store(0, std::memory_order_relaxed);
    return;
  }
  gave_up_[static_cast<std::size_t>(run.why())].fetch_add(1, std::memory_order_relaxed);
  lost.fetch_add(1, std::memory_order_relaxed);
}

BlockPlanCounters BlockPlans::counters() const {
  const std::lock_guard lock(mutex_);
  BlockPlanCounters c;
  c.compiled = codes_.size();
  c.compile_ns = compile_ns_;
  c.groups = groups_.load();
  c.blocks = blocks_.load();
  for (std::size_t i = 0; i < c.gave_up.size(); ++i) c.gave_up[i] = gave_up_[i].load();
  return c;
}

std::map<std::string, std::string> BlockPlans::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

}  // namespace nvm::vm
