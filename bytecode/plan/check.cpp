#include <algorithm>
#include <string>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/plan/plan.h"
#include "bytecode/table/identities.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;

// Walks the kernels in order and knows what has been made so far.
class Checker {
 public:
  explicit Checker(const Plan& plan)
      : plan_(plan), made_(plan.vars.size(), false), bound_(plan.lengths.size()) {
    for (std::size_t i = 0; i < plan.vars.size(); ++i) {
      // A one-segment descriptor is known as soon as its total is; nothing makes it.
      const Var& v = plan.vars[i];
      made_[i] = v.role == VarRole::kInput || (v.is_desc && v.form == DescForm::kOneSegment);
    }
    for (std::size_t i = 0; i < plan.lengths.size(); ++i) bound_[i] = plan.lengths[i] != LengthKind::kCounted;
  }

  void run() {
    for (const Kernel& kernel : plan_.kernels) {
      require(bound_.at(static_cast<std::size_t>(kernel.space)), "the space of a kernel is known");
      check_body(kernel);
      check_sweeps(kernel);
      if (kernel.repeat) check_repeat(kernel, *kernel.repeat);
      for (std::size_t i = 0; i < kernel.sinks.size(); ++i) check_sink(kernel, i);
      for (const Sink& s : kernel.sinks) finish_sink(s);
    }
    for (std::size_t i = 0; i < plan_.vars.size(); ++i)
      require(made_[i] || plan_.vars[i].role == VarRole::kTemp, "every output is made");
  }

 private:
  void require(bool holds, const char* rule) const {
    NVM_CHECK(holds, std::string(rule) + "\n" + print(plan_));
  }
  [[nodiscard]] const Var& var(VarId v) const { return plan_.vars.at(static_cast<std::size_t>(v)); }
  void require_made(VarId v) const {
    require(made_.at(static_cast<std::size_t>(v)), "only what was made is read");
  }

  void check_body(const Kernel& kernel) {
    for (std::size_t i = 0; i < kernel.body.insts.size(); ++i) {
      const BodyInst& in = kernel.body.insts[i];
      if (in.var != kNone) require_made(in.var);
      if (in.desc != kNone) {
        require_made(in.desc);
        require(var(in.desc).total == kernel.space, "a descriptor pulled from covers the space");
      }
      if (in.desc2 != kNone) require_made(in.desc2);
      if (in.pull == Pull::kElement)
        require(var(in.var).length == kernel.space, "an element pull fits the space");
      if (in.pull == Pull::kScanned) {
        const SinkKind made = kernel.sinks.at(static_cast<std::size_t>(in.a)).kind;
        require(made == SinkKind::kScan || made == SinkKind::kSegScan, "scans are read");
        continue;
      }
      for (const std::int32_t arg : {in.a, in.b, in.c}) {
        if (arg == kNone) continue;
        require(arg >= 0 && static_cast<std::size_t>(arg) < i, "a body uses earlier values");
      }
    }
  }

  void check_repeat(const Kernel& kernel, const Repeat& repeat) const {
    const auto value = [&](std::int32_t v) { return kernel.body.insts.at(static_cast<std::size_t>(v)); };
    require(value(repeat.more).type == Type::kBool, "a flag says whether there is another round");
    require_made(repeat.limit);
    require(var(repeat.limit).type == Type::kInt && var(repeat.limit).length != kernel.space,
            "the limit of rounds is one INT");
    for (const Repeat::Carried& c : repeat.carried) {
      const Pull from = value(c.value).pull;
      require(from == Pull::kUniform || from == Pull::kElement, "what is carried begins as a pull");
      require(value(c.value).type == value(c.next).type, "what is carried keeps its type");
    }
    for (const BodyInst& in : kernel.body.insts)
      require(in.pull == Pull::kConst || in.pull == Pull::kUniform || in.pull == Pull::kElement ||
                  in.pull == Pull::kGather || in.pull == Pull::kApply || in.pull == Pull::kCheck,
              "a round computes of what it has");
    for (const Sink& s : kernel.sinks)
      require(s.kind == SinkKind::kStore && s.filter == kNone, "only the last round is stored");
  }

  // A scan reads earlier ones only; otherwise its own results would be among its operands.
  void check_sweeps(const Kernel& kernel) const {
    for (std::size_t i = 0; i < kernel.sinks.size(); ++i) {
      std::vector<bool> needed(kernel.body.insts.size(), false);
      const SinkKind kind = kernel.sinks[i].kind;
      if (kind != SinkKind::kScan && kind != SinkKind::kSegScan) continue;
      needed.at(static_cast<std::size_t>(kernel.sinks[i].value)) = true;
      for (std::size_t v = needed.size(); v-- > 0;) {
        const BodyInst& in = kernel.body.insts[v];
        if (!needed[v]) continue;
        if (in.pull == Pull::kScanned) {
          require(in.a < static_cast<std::int32_t>(i), "a scan reads earlier scans");
          continue;
        }
        for (const std::int32_t arg : {in.a, in.b, in.c})
          if (arg != kNone) needed[static_cast<std::size_t>(arg)] = true;
      }
    }
    for (const std::int32_t sweep : sweeps(kernel)) require(sweep < kMostSweeps, "a kernel has few sweeps");
  }

  void check_sink(const Kernel& kernel, std::size_t i) const {
    const Sink& s = kernel.sinks[i];
    require(s.value >= 0 && static_cast<std::size_t>(s.value) < kernel.body.insts.size(),
            "a sink has a value");
    if (s.filter != kNone) {
      require(kernel.sinks.at(static_cast<std::size_t>(s.filter)).kind == SinkKind::kCount,
              "a filter is a count");
      require(s.combine == Scalar::kNoScalar || (s.kind == SinkKind::kReduce && !any_order(s.type)),
              "of folds only FLOAT reductions pass over elements");
    }
    if (s.desc != kNone) require(var(s.desc).total == kernel.space, "a segmented sink covers the space");
    if (s.init != kNone) require_made(s.init);
    const auto parts = [&](const Sink& p) {
      return p.kind == SinkKind::kPartition && p.filter == static_cast<std::int32_t>(i);
    };
    require(s.kind != SinkKind::kCount || s.out_length != kNone ||
                std::any_of(kernel.sinks.begin(), kernel.sinks.end(), parts),
            "a count binds a length, or a partition asks it");
    require(s.kind != SinkKind::kPartition || (s.filter != kNone && s.init != kNone && s.out != kNone),
            "a partition has a count and a base");
    if (s.kind == SinkKind::kScatter) check_scatter(kernel, s);
    if (by_primitive(s)) check_primitive(kernel, s);
    require(!s.distinct || s.kind == SinkKind::kScatter, "places are those of scatters");
  }

  void check_scatter(const Kernel& kernel, const Sink& s) const {
    require(s.index >= 0 && static_cast<std::size_t>(s.index) < kernel.body.insts.size(),
            "a scatter has an index");
    require(s.out != kNone, "a scatter makes a vector");
  }

  void check_primitive(const Kernel& kernel, const Sink& s) const {
    const Pull pulled = kernel.body.insts[static_cast<std::size_t>(s.value)].pull;
    require(pulled == Pull::kElement || pulled == Pull::kUniform, "a primitive takes a vector");
    require(kernel.sinks.size() == 1 && kernel.body.insts.size() == 1, "a primitive shares no kernel");
    const bool describes = s.kind == SinkKind::kSegdes;
    require(describes == (s.out == kNone) && describes == (s.out_desc != kNone) &&
                describes == (s.out_length != kNone),
            "a primitive makes a vector, or a descriptor and its total");
    if (s.desc != kNone) require_made(s.desc);
  }

  void finish_sink(const Sink& s) {
    if (s.out != kNone) made_.at(static_cast<std::size_t>(s.out)) = true;
    if (s.out_desc != kNone) made_.at(static_cast<std::size_t>(s.out_desc)) = true;
    if (s.out_length != kNone) bound_.at(static_cast<std::size_t>(s.out_length)) = true;
  }

  const Plan& plan_;
  std::vector<bool> made_;
  std::vector<bool> bound_;
};

}  // namespace

void check(const Plan& plan) { Checker(plan).run(); }

}  // namespace nvm::plan
