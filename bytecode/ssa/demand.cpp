#include "bytecode/ssa/demand.h"

#include <string>
#include <utility>

#include "bytecode/base/at.h"
#include "bytecode/base/budget.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

namespace {

// Forms that hold what they are made of: they are for readers that come soon.
constexpr Forms kHolding{Form::kPending, Form::kSlices};
// What is found last: an instruction that can leave its result in another form leaves none of these.
constexpr Forms kLast{Form::kSlices, Form::kStrided};

// What one function needs.
class Solver {
 public:
  Solver(const Module& module, const Function& f, Demand& own)
      : module_(module), f_(f), own_(own), makers_(makers_of(f)), reads_(reads_of(f)) {}

  void solve() {
    begin();
    run(Forms::all().without(kLast));
    run(kLast);
  }

 private:
  void begin() {
    own_.forms.assign(at(f_.values()), kFound);
    each_inst(f_, [&](const Inst& inst) {
      if (inst.results > 0) own_.forms[at(inst.first_result)] = kFound | op_views(inst.op).leaves;
    });
    each_read(f_, [&](ValueId v, const Inst* inst, std::uint32_t) {
      if (inst == nullptr) own_.forms[at(v)] = {};
    });
    exclude_late();
  }

  // Until nothing changes, from the last instruction to the first.
  void run(Forms which) {
    do {
      changed_ = false;
      for (auto block = f_.blocks.rbegin(); block != f_.blocks.rend(); ++block)
        for (auto inst = block->insts.rbegin(); inst != block->insts.rend(); ++inst) {
          check_budget();
          leave(*inst, which);
          read(*inst, which);
        }
    } while (changed_);
  }
  void take(ValueId v, Forms away) {
    const Forms left = own_.of(v).without(away);
    if (left == own_.of(v)) return;
    own_.forms[at(v)] = left;
    changed_ = true;
  }
  [[nodiscard]] ValueId operand(const Inst& inst, std::uint32_t i) const { return f_.operands_of(inst)[i]; }

  // What is read behind a call or in another block, slices further on than in the next: not at all.
  void exclude_late() {
    std::vector<std::int32_t> before(f_.blocks.size(), -1);
    for (std::int32_t b = 0; b < static_cast<std::int32_t>(f_.blocks.size()); ++b) {
      const Terminator& end = f_.blocks[at(b)].end;
      if (end.kind == Exit::kBranch) before[at(end.otherwise)] = b;
      if (end.kind == Exit::kBranch || end.kind == Exit::kJump) before[at(end.target)] = b;
    }
    // Stretches are numbered: one begins with each block and behind each call.
    std::int32_t stretch = 0;
    std::vector<std::int32_t> made(own_.forms.size(), -1), last(f_.blocks.size(), -1);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      std::int32_t reaches = before[b] >= 0 ? last[at(before[b])] : -1;  // the stretch before, up to a call
      for (const Inst& inst : f_.blocks[b].insts) {
        for (std::uint32_t i = 0; i < inst.operands; ++i) {
          const std::int32_t from = made[at(operand(inst, i))];
          if (from == stretch && from >= 0) continue;
          take(operand(inst, i), from >= 0 && from == reaches ? Forms{Form::kPending} : kHolding);
        }
        if (inst.op == Op::kCall) ++stretch, reaches = -1;
        for (std::uint32_t r = 0; r < inst.results; ++r)
          made[at(inst.first_result + static_cast<ValueId>(r))] = stretch;
      }
      last[b] = stretch++;
    }
  }

  // --- Who leaves a result ---

  // Is there an operand that the row takes in this form, and that may have it?
  [[nodiscard]] bool gets(const Inst& inst, Form form) const {
    const OpViews& row = op_views(inst.op);
    for (std::uint32_t i = 0; i < inst.operands && i < OpViews::kMostOperands; ++i)
      if ((row.takes[i] | row.takes_with[i]).has(form) && own_.may(operand(inst, i), form)) return true;
    return false;
  }
  // Does it move along numbers that are counted up and not written?
  [[nodiscard]] bool moves_by_runs(const Inst& inst) const {
    const OpKind kind = op_info(inst.op).kind;
    return (kind == OpKind::kGather || kind == OpKind::kScatter) && own_.may(operand(inst, 1), Form::kRuns);
  }
  // Can the instruction leave its result in this form?
  [[nodiscard]] bool leaves(const Inst& inst, Form form) const {
    switch (form) {
      case Form::kStrided: return reads_[at(inst.first_result)] == 1;
      case Form::kGrowing:
        return inst.word == TypeWord::kInt && (gets(inst, Form::kGrowing) || gets(inst, Form::kSums));
      case Form::kSlices: return leaves_slices(inst);
      default: return true;
    }
  }
  [[nodiscard]] bool leaves_slices(const Inst& inst) const {
    if (reads_[at(inst.first_result)] == 0 || own_.may(inst.first_result, {Form::kFlags, Form::kGrowing}))
      return false;
    return is_total_map(inst.op, inst.word) ? gets(inst, Form::kSlices) : moves_by_runs(inst);
  }
  void leave(const Inst& inst, Forms which) {
    if (inst.results == 0) return;
    (own_.of(inst.first_result).without(kFound) & which).each([&](Form form) {
      if (!leaves(inst, form)) take(inst.first_result, {form});
    });
  }

  // --- Who reads one ---

  void read(const Inst& inst, Forms which) {
    for (std::uint32_t i = 0; i < inst.operands; ++i) {
      const ValueId v = operand(inst, i);
      take(v, (own_.of(v) & which).without(taken(inst, i)));
    }
    if (which.has(Form::kStrided) && op_views(inst.op).takes[0].has(Form::kStrided)) read_strided(inst);
  }
  [[nodiscard]] Forms taken(const Inst& inst, std::uint32_t i) const {
    if (inst.op == Op::kCall || i >= OpViews::kMostOperands) return {};
    const OpViews& row = op_views(inst.op);
    Forms forms = row.takes[i];
    row.takes_with[i].each([&](Form form) {
      if (own_.may(inst.first_result, row.gives(form))) forms = forms | Forms{form};
    });
    if (forms.has(Form::kSlices) && !is_total_map(inst.op, inst.word) && !moves_by_runs(inst))
      forms = forms.without({Form::kSlices});
    return forms;
  }
  // A scatter of one value to places a stride apart, which is not known to be one: both stay delayed, or
  // none.
  void read_strided(const Inst& inst) {
    const ValueId value = operand(inst, 0);
    const ValueId places = operand(inst, 1);
    const auto made_by = [&](ValueId v, OpKind kind) {
      return makers_[at(v)] != nullptr && op_info(makers_[at(v)]->op).kind == kind;
    };
    const bool both = made_by(value, OpKind::kDist) && made_by(places, OpKind::kIota) &&
                      own_.may(value, Form::kStrided) && own_.may(places, Form::kStrided) &&
                      !all_elements(module_, f_, operand(*makers_[at(places)], 1), makers_, 1);
    if (both) return;
    take(value, {Form::kStrided});
    take(places, {Form::kStrided});
  }

  const Module& module_;
  const Function& f_;
  Demand& own_;
  std::vector<const Inst*> makers_;
  std::vector<int> reads_;
  bool changed_ = false;
};

}  // namespace

std::vector<Demand> analyse_demand(const Module& module) {
  std::vector<Demand> all(module.functions.size());
  for (std::size_t f = 0; f < all.size(); ++f) Solver(module, module.functions[f], all[f]).solve();
  return all;
}

std::string print_demand(const Module& module) {
  const std::vector<Demand> all = analyse_demand(module);
  std::string text;
  for (std::size_t f = 0; f < all.size(); ++f) {
    if (module.functions[f].removed) continue;
    text += module.functions[f].name + " may leave\n";
    for (ValueId v = 0; v < module.functions[f].values(); ++v) {
      const Forms forms = all[f].of(v).without(kFound);
      if (forms.none()) continue;
      text += "  %" + std::to_string(v) + ": ";
      forms.each([&](Form form) { text += kFormLetters[static_cast<std::size_t>(form)]; });
      text += "\n";
    }
  }
  return text;
}

}  // namespace nvm::ssa
