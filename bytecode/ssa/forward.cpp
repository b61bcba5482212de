#include "bytecode/ssa/forward.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

FunctionShape::FunctionShape(const Function& function)
    : from(predecessors(function)), makers(makers_of(function)), idom(immediate_dominators(function)) {}

std::optional<FunctionId> ForwardBody::advance() {
  for (; b_ < f_.blocks.size(); ++b_) {
    if (const auto callee = block(b_)) return callee;
    entered_ = false;
    i_ = 0;
  }
  if (!returned_.empty()) leave();
  return std::nullopt;
}

void ForwardBody::enter_block(std::size_t b) {
  entered_ = true;
  if (b == 0) {
    reached_[0] = true;
    return enter();
  }
  std::vector<BlockId> ways;
  for (const BlockId p : shape_.from[b])
    if (reached_[static_cast<std::size_t>(p)]) ways.push_back(p);
  if (ways.empty()) return;
  reached_[b] = true;
  join(b, ways);
}

std::optional<FunctionId> ForwardBody::block(std::size_t b) {
  const Block& block = f_.blocks[b];
  if (!entered_) enter_block(b);
  if (!reached_[b]) {
    for (const ValueId p : block.parameters) unknown(p);
    fill(b, 0);
    return std::nullopt;
  }
  for (; i_ < block.insts.size(); ++i_) {
    check_budget();
    const Inst& in = block.insts[i_];
    if (in.op != Op::kCall) {
      inst(in);
      continue;
    }
    if (!told_ && tell(in)) {
      told_ = true;
      return in.index;
    }
    told_ = false;
    if (take(in)) continue;
    open_ = true;
    reached_[b] = false;
    fill(b, i_);
    return std::nullopt;
  }
  if (block.end.kind == Exit::kReturn) returned_.push_back(b);
  return std::nullopt;
}

// What a run does not get to, as far as is known.
void ForwardBody::fill(std::size_t b, std::size_t from) {
  const std::vector<Inst>& insts = f_.blocks[b].insts;
  for (std::size_t i = from; i < insts.size(); ++i)
    for (std::uint32_t r = 0; r < insts[i].results; ++r)
      unknown(insts[i].first_result + static_cast<ValueId>(r));
}

ForwardAnalysis::ForwardAnalysis(const Module& m)
    : m_(m),
      shapes_(m.functions.size()),
      queued_(m.functions.size(), false),
      active_(m.functions.size(), false),
      open_(m.functions.size(), false),
      looks_(m.functions.size(), 0),
      version_(m.functions.size(), 0),
      readers_(m.functions.size()) {}

void ForwardAnalysis::run() {
  enter_program();
  enqueue(m_.entry);
  drain();
  // What the entry does not reach: nothing is known about its parameters.
  for (std::size_t f = 0; f < m_.functions.size(); ++f) {
    if (looks_[f] > 0) continue;
    assume_nothing(static_cast<FunctionId>(f));
    enqueue(static_cast<FunctionId>(f));
  }
  drain();
  giving_up_ = true;
  for (std::size_t f = 0; f < m_.functions.size(); ++f)
    if (open_[f]) static_cast<void>(look_at(static_cast<FunctionId>(f))->advance());
}

const FunctionShape& ForwardAnalysis::shape(FunctionId f) {
  std::unique_ptr<FunctionShape>& known = shapes_[index(f)];
  if (!known) known = std::make_unique<FunctionShape>(m_.functions[index(f)]);
  return *known;
}

void ForwardAnalysis::enqueue(FunctionId f) {
  if (queued_[index(f)]) return;
  queued_[index(f)] = true;
  queue_.push_back(f);
}

void ForwardAnalysis::reads(FunctionId callee) {
  if (giving_up_) return;
  Active& now = stack_.back();
  now.read.emplace_back(callee, version_[index(callee)]);
  std::vector<FunctionId>& readers = readers_[index(callee)];
  if (readers.empty() || readers.back() != now.body->id()) readers.push_back(now.body->id());
}

void ForwardAnalysis::publish(FunctionId f) {
  ++version_[index(f)];
  if (giving_up_) return;
  for (const FunctionId reader : readers_[index(f)])
    if (!active_[index(reader)]) enqueue(reader);
  readers_[index(f)].clear();
}

void ForwardAnalysis::drain() {
  while (!queue_.empty()) {
    const FunctionId f = queue_.front();
    queue_.pop_front();
    if (!queued_[index(f)]) continue;  // looked at on behalf of a caller
    start(f);
    while (!stack_.empty()) {
      if (const auto callee = stack_.back().body->advance())
        start(*callee);
      else
        finish();
    }
  }
}

void ForwardAnalysis::start(FunctionId f) {
  queued_[index(f)] = false;
  active_[index(f)] = true;
  if (++looks_[index(f)] > kMaxLooks) assume_nothing(f);
  for (const Block& block : m_.functions[index(f)].blocks) steps_ += 1 + block.insts.size();
  stack_.push_back({look_at(f), {}});
}

void ForwardAnalysis::finish() {
  const Active done = std::move(stack_.back());
  stack_.pop_back();
  const FunctionId f = done.body->id();
  active_[index(f)] = false;
  open_[index(f)] = done.body->open();
  const bool stale = std::any_of(done.read.begin(), done.read.end(), [&](const auto& read) {
    return version_[index(read.first)] != read.second;
  });
  if (stale) enqueue(f);
}

}  // namespace nvm::ssa
