// find_lifted.
//
// Requires: check(); works best on optimised code. Ensures: Function::lifted says which functions treat the
// instances of their frame independently, proved, and why the others do not. Changes no code. Cost: code size
// times the rounds until no function loses its place (a few).
//
// The proof. All functions with a frame are assumed to be lifted, those that fail lose the assumption, until
// nothing changes: an induction over the depth of calls. Within a function every value gets a Piece: how it
// is composed of what single instances compute (see instances.h). Elementwise instructions on pieces, and
// segmented ones whose descriptor is made of pieces, act on each instance alone: so do calls of lifted
// functions. Indices into the whole frame are tracked as offsets from each instance's own beginning, so that
// gathering and scattering groups of instances is seen as what it is. What is known about sizes is worked out
// for any call with parameters cut as LiftedInfo says, so it holds for a single instance too. Where two ways
// meet after "are all flags set?" or "are there no instances?", the terms must agree: that of the special way
// must be what the general way computes when all flags are set. Checks that may fail are taken to succeed,
// see LiftedInfo: where operands agree in length in every group they are paired in the whole as they are in
// the groups, and a place that lies with a neighbour lies at the same distance in a group, or outside of its
// vectors. A call of a lifted function must pass what is cut as its parameters are, so that what was guessed
// of them and looked at when block mode cuts holds inwards.
#include <algorithm>
#include <memory>
#include <optional>

#include "bytecode/ssa/lifted_internal.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/table/op_kind.h"

namespace nvm::ssa {

namespace {

constexpr std::size_t kMaxInsts = 20000;  // of a function that is looked at

// Frame and parameters of a function: what has to be proved for its results.
bool find_frame(Function& f, const FunctionFacts& facts) {
  const std::vector<ValueId>& parameters = f.blocks[0].parameters;
  auto type = [&](ValueId v) { return f.value_types[static_cast<std::size_t>(v)]; };
  LiftedInfo& info = f.lifted;
  info.frame = kNoValue;
  for (const ValueId p : parameters)
    if (type(p) == Type::kSegdes && facts.is_scalar(p) && !facts.symbols.is_constant(facts.of(p).sum))
      info.frame = p;  // the last one: legacy functions get their context on top
  info.parameters.assign(parameters.size(), {});
  if (info.frame == kNoValue) return false;
  // From the frame inwards: what has one element per instance, then what lies under descriptors found.
  const Symbol instances = facts.of(info.frame).sum;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Split& split = info.parameters[i];
      if (split.kind != Split::Kind::kSame) continue;
      if (parameters[i] == info.frame) split.kind = Split::Kind::kFrame;
      if (split.kind == Split::Kind::kSame && facts.of(parameters[i]).length == instances)
        split.kind = Split::Kind::kInstances;
      for (std::size_t d = 0; d < parameters.size() && split.kind == Split::Kind::kSame; ++d) {
        const bool above = info.parameters[d].kind == Split::Kind::kInstances ||
                           info.parameters[d].kind == Split::Kind::kUnder;
        if (!above || d == i || type(parameters[d]) != Type::kSegdes) continue;
        const Symbol total = facts.of(parameters[d]).sum;
        if (facts.of(parameters[i]).length != total || facts.symbols.is_constant(total)) continue;
        split = {Split::Kind::kUnder, static_cast<std::int32_t>(d)};
      }
      found |= split.kind != Split::Kind::kSame;
    }
  }
  return true;
}

// The least that holds of the parameters however the instances are cut: what the cut itself says, and what is
// known about parameters that are not cut.
ParameterClasses classes_of_cut(const Function& f, const FunctionFacts& facts) {
  const auto n = static_cast<std::int32_t>(f.lifted.parameters.size());
  ParameterClasses classes;
  std::int32_t frame = 0;
  for (std::int32_t i = 0; i < n; ++i)
    if (f.lifted.parameters[static_cast<std::size_t>(i)].kind == Split::Kind::kFrame) frame = i;
  for (std::int32_t i = 0; i < n; ++i) {
    const Split& split = f.lifted.parameters[static_cast<std::size_t>(i)];
    if (split.kind == Split::Kind::kSame) {
      const ValueFacts& same = facts.of(f.blocks[0].parameters[static_cast<std::size_t>(i)]);
      for (const Symbol s : {same.length, same.sum})
        classes.push_back(s == facts.one ? kClassOne : 2 * n + s);
      continue;
    }
    std::int32_t length = 2 * i;
    if (split.kind == Split::Kind::kFrame) length = kClassOne;
    if (split.kind == Split::Kind::kInstances) length = 2 * frame + 1;
    if (split.kind == Split::Kind::kUnder) length = 2 * split.under + 1;
    classes.push_back(length);
    classes.push_back(2 * i + 1);
  }
  return classes;
}

std::size_t size_of(const Function& f) {
  std::size_t n = 0;
  for (const Block& block : f.blocks) n += block.insts.size();
  return n;
}

// Finds frames and cuts such that the facts, worked out from the cuts alone, confirm the cuts. True by
// function if it has a frame.
std::vector<FunctionFacts> find_cuts(Module& module, std::vector<bool>& has_frame) {
  constexpr int kMaxRounds = 8;  // each round takes away relations between parameters
  std::vector<FunctionFacts> facts = analyse_sizes(module);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<ParameterClasses> most(module.functions.size());
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      Function& f = module.functions[i];
      if (f.removed || f.blocks[0].parameters.empty()) continue;
      has_frame[i] = find_frame(f, facts[i]);
      if (has_frame[i]) most[i] = classes_of_cut(f, facts[i]);
    }
    std::vector<FunctionFacts> confirmed = analyse_sizes(module, most);
    bool same = true;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!has_frame[i]) continue;
      const LiftedInfo before = module.functions[i].lifted;
      same &= find_frame(module.functions[i], confirmed[i]) &&
              module.functions[i].lifted.frame == before.frame &&
              module.functions[i].lifted.parameters == before.parameters;
    }
    facts = std::move(confirmed);
    if (same) return facts;
  }
  has_frame.assign(module.functions.size(), false);
  return facts;
}

// Leaves those that the proof holds for, given the others; why it does not hold for the rest.
void judge(Module& module, const std::vector<FunctionFacts>& facts, std::vector<bool>& assumed) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!assumed[i]) continue;
      std::string& refusal = module.functions[i].lifted.refusal;
      refusal = LiftedProof(module, module.functions[i], facts[i], assumed).run();
      if (refusal.empty()) continue;
      assumed[i] = false;
      changed = true;
    }
  }
}

// Which of them always have instances when a group of a caller's instances calls them.
std::vector<bool> find_occupied(const std::vector<std::unique_ptr<LiftedProof>>& proofs) {
  std::vector<bool> occupied(proofs.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < proofs.size(); ++i) {
      if (!proofs[i]) continue;
      for (const FunctionId callee : proofs[i]->idle_calls(occupied[i])) {
        changed = changed || occupied[static_cast<std::size_t>(callee)];
        occupied[static_cast<std::size_t>(callee)] = false;
      }
    }
  }
  return occupied;
}

// Of those that are lifted: which costs add up, given the others, and what instructions count.
void judge_costs(Module& module, const std::vector<FunctionFacts>& facts, const std::vector<bool>& lifted) {
  const std::size_t n = module.functions.size();
  std::vector<bool> add_up = lifted;
  std::vector<std::vector<InstCost>> costs(n);
  std::vector<std::unique_ptr<LiftedProof>> proofs(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!lifted[i]) continue;
    proofs[i] = std::make_unique<LiftedProof>(module, module.functions[i], facts[i], lifted);
    static_cast<void>(proofs[i]->run());
  }
  const std::vector<bool> occupied = find_occupied(proofs);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (!add_up[i]) continue;
      Function& f = module.functions[i];
      f.lifted.cost_refusal = proofs[i]->judge_costs(add_up, occupied[i], costs[i]);
      if (f.lifted.cost_refusal.empty()) continue;
      add_up[i] = false;
      changed = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    module.functions[i].lifted.adds_up = add_up[i];
    std::size_t at = 0;
    for (Block& block : module.functions[i].blocks)
      for (Inst& in : block.insts) {
        const InstCost cost = add_up[i] ? costs[i][at++] : InstCost{};
        in.unpaid = cost.unpaid;
        in.flat_work = cost.flat_work;
        in.twin = cost.twin;
      }
  }
}

// Parameters whose elements an instruction keeps or combines under the frame: it has to be one for each
// instance.
bool guess_instances(Function& f) {
  bool any = false;
  const std::vector<ValueId>& parameters = f.blocks[0].parameters;
  for (const Block& block : f.blocks)
    for (const Inst& in : block.insts) {
      const OpKind kind = op_kind(in.op);
      if (kind != OpKind::kFilter && kind != OpKind::kReduce) continue;
      const auto operands = f.operands_of(in);
      if (operands[in.operands - 1] != f.lifted.frame) continue;
      const auto it = std::find(parameters.begin(), parameters.end(), operands[0]);
      if (it == parameters.end()) continue;
      Split& split = f.lifted.parameters[static_cast<std::size_t>(it - parameters.begin())];
      if (split.kind != Split::Kind::kSame) continue;
      split.kind = Split::Kind::kInstances;
      any = true;
    }
  return any;
}

// What calls do not show may hold all the same, and block mode looks before it cuts. By the custom of
// compilers a descriptor that nothing is known of has one segment for each instance, and a vector lies under
// the descriptor in front of it. Changes the cut of `f`; false if there is nothing to guess.
bool guess_cuts(Function& f, const FunctionFacts& facts) {
  const std::vector<ValueId>& parameters = f.blocks[0].parameters;
  std::vector<Split>& splits = f.lifted.parameters;
  bool any = guess_instances(f);
  std::optional<std::size_t> descriptor;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type type = f.value_types[static_cast<std::size_t>(parameters[i])];
    const bool is_descriptor = type == Type::kSegdes;
    const auto above = descriptor;
    if (is_descriptor) descriptor = i;
    if (splits[i].kind != Split::Kind::kSame || type == Type::kPair) continue;
    if (facts.symbols.is_constant(facts.of(parameters[i]).length)) continue;
    if (!is_descriptor && (!above || splits[*above].kind == Split::Kind::kSame)) continue;
    const bool one_each = is_descriptor || splits[*above].kind == Split::Kind::kFrame;
    splits[i] = one_each ? Split{Split::Kind::kInstances}
                         : Split{Split::Kind::kUnder, static_cast<std::int32_t>(*above)};
    any = true;
  }
  return any;
}

// Functions that are not lifted are judged once more with guessed cuts. What was found stays found: if one of
// the others needs a fact that this takes away, nothing is guessed.
void find_by_guess(Module& module, std::vector<FunctionFacts> facts, const std::vector<bool>& has_frame) {
  const std::size_t n = module.functions.size();
  std::vector<LiftedInfo> before;
  std::vector<ParameterClasses> most(n);
  std::vector<bool> guessed(n, false), assumed(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    Function& f = module.functions[i];
    before.push_back(f.lifted);
    if (!has_frame[i]) continue;
    guessed[i] = !f.lifted.lifted && guess_cuts(f, facts[i]);
    assumed[i] = f.lifted.lifted || guessed[i];
    most[i] = classes_of_cut(f, facts[i]);
  }
  if (std::find(guessed.begin(), guessed.end(), true) == guessed.end()) return;
  facts = analyse_sizes(module, most, guessed);
  judge(module, facts, assumed);
  for (std::size_t i = 0; i < n; ++i) {
    Function& f = module.functions[i];
    if (before[i].lifted && !assumed[i]) {
      for (std::size_t k = 0; k < n; ++k) module.functions[k].lifted = before[k];
      return;
    }
    if (guessed[i] && !assumed[i]) f.lifted = before[i];
    f.lifted.lifted = assumed[i];
  }
  judge_costs(module, facts, assumed);
}

}  // namespace

void find_lifted(Module& module) {
  std::vector<bool> assumed(module.functions.size(), false);
  const std::vector<FunctionFacts> facts = find_cuts(module, assumed);
  const std::vector<bool> has_frame = assumed;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    LiftedInfo& info = module.functions[i].lifted;
    info.refusal.clear();
    info.lifted = false;
    if (module.functions[i].removed) continue;
    if (!assumed[i]) {
      info.refusal = "it has no frame: no parameter is a descriptor that always has one segment";
    } else if (size_of(module.functions[i]) > kMaxInsts) {
      info.refusal = "it is too large to look at";
      assumed[i] = false;
    }
  }
  judge(module, facts, assumed);
  for (std::size_t i = 0; i < module.functions.size(); ++i) module.functions[i].lifted.lifted = assumed[i];
  judge_costs(module, facts, assumed);
  find_by_guess(module, facts, has_frame);
}

}  // namespace nvm::ssa
