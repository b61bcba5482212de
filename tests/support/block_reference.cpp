#include "tests/support/block_reference.h"

#include <numeric>

namespace nvm::testing {

namespace {

using plan::BlockEnd;
using plan::BlockInput;
using plan::BlockSource;
using plan::PlanBlock;
using plan::Procedure;
using soac::kNone;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t total(const std::vector<std::int64_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

class BlockEvaluator {
 public:
  BlockEvaluator(const plan::BlockPlan& plan, std::size_t most_frames)
      : plan_(plan), most_frames_(most_frames) {
    for (const ssa::Constant& c : plan.constants) {
      BlockValue v;
      if (type_of(c.word) == Type::kSegdes) v.lengths = c.ints;
      if (type_of(c.word) == Type::kFloat)
        for (const double x : c.floats) v.elements.push_back({0, x});
      else if (type_of(c.word) != Type::kSegdes)
        for (const std::int64_t x : c.ints) v.elements.push_back({x, 0});
      constants_.push_back(std::move(v));
    }
  }

  BlockRun run(std::vector<BlockValue> arguments) {
    enter(0, std::move(arguments));
    while (!given_up_ && !run_.results) step();
    return std::move(run_);
  }

 private:
  struct Frame {
    const Procedure* procedure = nullptr;
    std::size_t block = 0;
    std::vector<BlockValue> values;
  };

  [[nodiscard]] const BlockValue& value(const BlockSource& s) const {
    return s.constant ? constants_[at(s.number)] : frames_.back().values[at(s.number)];
  }
  [[nodiscard]] std::vector<BlockValue> values(const std::vector<BlockSource>& sources) const {
    std::vector<BlockValue> all;
    for (const BlockSource& s : sources) all.push_back(value(s));
    return all;
  }

  void give_up(const std::string& why) {
    given_up_ = true;
    run_.why = why;
    if (frames_.empty()) return;
    run_.why += " in b" + std::to_string(frames_.back().block) + " of " + frames_.back().procedure->name;
  }

  void enter(std::int32_t procedure, std::vector<BlockValue> arguments) {
    if (frames_.size() == most_frames_) {
      give_up("too many frames");
      return;
    }
    Frame frame{&plan_.procedures[at(procedure)], 0, {}};
    frame.values.resize(frame.procedure->value_types.size());
    frames_.push_back(std::move(frame));
    go(0, std::move(arguments));
  }
  void go(std::int32_t block, std::vector<BlockValue> arguments) {
    Frame& frame = frames_.back();
    frame.block = at(block);
    const auto& parameters = frame.procedure->parameters[frame.block];
    for (std::size_t i = 0; i < parameters.size(); ++i)
      frame.values[at(parameters[i])] = std::move(arguments[i]);
  }

  void step() {
    const PlanBlock& block = frames_.back().procedure->blocks[frames_.back().block];
    ++run_.blocks;
    if (block.end == BlockEnd::kGiveUp) give_up("an error of the program");
    if (!given_up_) run_plan(block);
    if (given_up_) return;
    switch (block.end) {
      case BlockEnd::kGiveUp: return;
      case BlockEnd::kJump: return go(block.target, values(block.arguments));
      case BlockEnd::kBranch: {
        const bool taken = value(block.condition).elements.at(0).i != 0;
        return go(taken ? block.target : block.otherwise, {});
      }
      case BlockEnd::kCall: return enter(block.callee, values(block.arguments));
      case BlockEnd::kReturn: return leave(values(block.arguments));
    }
  }
  void leave(std::vector<BlockValue> results) {
    frames_.pop_back();
    if (frames_.empty()) {
      run_.results = std::move(results);
      return;
    }
    Frame& frame = frames_.back();
    const PlanBlock& call = frame.procedure->blocks[frame.block];
    for (std::size_t i = 0; i < results.size(); ++i)
      frame.values[at(call.results[i])] = std::move(results[i]);
    go(call.target, {});
  }

  // A length is the same for all that have it.
  bool give(const plan::Plan& plan, soac::LengthId id, std::int64_t n) {
    if (plan.lengths[at(id)] == plan::LengthKind::kOne) return n == 1;
    if (given_[at(id)] && b_.lengths[at(id)] != n) return false;
    given_[at(id)] = true;
    b_.lengths[at(id)] = n;
    return true;
  }
  bool bind(const plan::Plan& plan, const BlockInput& in) {
    const BlockValue& from = value(in.source);
    const bool is_desc = !in.source.constant
                             ? frames_.back().procedure->value_types[at(in.source.number)] == Type::kSegdes
                             : type_of(plan_.constants[at(in.source.number)].word) == Type::kSegdes;
    std::vector<Element>& x = b_.vectors[at(in.var)];
    const plan::Var& v = plan.vars[at(in.var)];
    switch (in.what) {
      case BlockInput::What::kValue:
        x = from.elements;
        b_.descs[at(in.var)] = from.lengths;
        break;
      case BlockInput::What::kLengths:
        for (const std::int64_t n : from.lengths) x.push_back({n, 0});
        break;
      case BlockInput::What::kCount:
        x = {{static_cast<std::int64_t>(is_desc ? from.lengths.size() : from.elements.size()), 0}};
        break;
      case BlockInput::What::kTotal: x = {{total(from.lengths), 0}}; break;
    }
    if (!v.is_desc) return give(plan, v.length, static_cast<std::int64_t>(x.size()));
    return give(plan, v.length, static_cast<std::int64_t>(from.lengths.size())) &&
           give(plan, v.total, total(from.lengths));
  }

  void run_plan(const PlanBlock& block) {
    const plan::Plan& plan = block.plan;
    b_ = {};
    b_.vectors.resize(plan.vars.size());
    b_.descs.resize(plan.vars.size());
    b_.lengths.assign(plan.lengths.size(), 0);
    given_.assign(plan.lengths.size(), false);
    for (std::size_t n = 0; n < plan.lengths.size(); ++n)
      if (plan.lengths[n] == plan::LengthKind::kOne) b_.lengths[n] = 1;
    for (const BlockInput& in : block.inputs)
      if (!bind(plan, in)) return give_up("lengths differ at x" + std::to_string(in.var));
    const std::int64_t most = plan::MemoryBound(plan).bytes(b_.lengths);
    if (!evaluate(plan, b_)) return give_up("a check fails");
    for (std::size_t x = 0; x < plan.vars.size(); ++x) {  // nothing makes these
      const plan::Var& v = plan.vars[x];
      if (v.role == plan::VarRole::kInput || !v.is_desc || !b_.descs[x].empty()) continue;
      if (v.form == plan::DescForm::kOneSegment) b_.descs[x] = {b_.lengths[at(v.total)]};
    }
    run_.within_bounds = run_.within_bounds && made_bytes(plan) <= most;
    for (const plan::BlockOutput& out : block.outputs)
      frames_.back().values[at(out.value)] = {b_.vectors[at(out.var)], b_.descs[at(out.var)]};
  }
  [[nodiscard]] std::int64_t made_bytes(const plan::Plan& plan) const {
    std::int64_t bytes = 0;
    for (std::size_t x = 0; x < plan.vars.size(); ++x) {
      const plan::Var& v = plan.vars[x];
      if (v.role == plan::VarRole::kInput) continue;
      bytes += static_cast<std::int64_t>(v.is_desc ? 8 * (b_.descs[x].size() + 1)
                                                   : storage_bytes(v.storage) * b_.vectors[x].size());
    }
    return bytes;
  }

  const plan::BlockPlan& plan_;
  std::size_t most_frames_;
  std::vector<BlockValue> constants_;
  std::vector<Frame> frames_;
  BlockRun run_;
  bool given_up_ = false;
  Bindings b_;
  std::vector<bool> given_;
};

}  // namespace

BlockRun evaluate(const plan::BlockPlan& plan, std::vector<BlockValue> arguments, std::size_t most_frames) {
  return BlockEvaluator(plan, most_frames).run(std::move(arguments));
}

}  // namespace nvm::testing
