#include <string>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/plan/plan.h"

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
    scanned_.assign(kernel.body.insts.size(), false);
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
        scanned_[i] = true;
        continue;
      }
      for (const std::int32_t arg : {in.a, in.b, in.c}) {
        if (arg == kNone) continue;
        require(arg >= 0 && static_cast<std::size_t>(arg) < i, "a body uses earlier values");
        if (scanned_[static_cast<std::size_t>(arg)]) scanned_[i] = true;
      }
    }
  }

  void check_sink(const Kernel& kernel, std::size_t i) const {
    const Sink& s = kernel.sinks[i];
    require(s.value >= 0 && static_cast<std::size_t>(s.value) < kernel.body.insts.size(),
            "a sink has a value");
    const bool first_sweep =
        s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan || s.kind == SinkKind::kCount;
    if (first_sweep)
      require(!scanned_[static_cast<std::size_t>(s.value)], "no scan feeds a scan of its kernel");
    if (s.filter != kNone)
      require(kernel.sinks.at(static_cast<std::size_t>(s.filter)).kind == SinkKind::kCount,
              "a filter is a count");
    if (s.desc != kNone) require(var(s.desc).total == kernel.space, "a segmented sink covers the space");
    if (s.init != kNone) require_made(s.init);
    require(s.kind != SinkKind::kCount || s.out_length != kNone, "a count binds a length");
  }

  void finish_sink(const Sink& s) {
    if (s.out != kNone) made_.at(static_cast<std::size_t>(s.out)) = true;
    if (s.out_desc != kNone) made_.at(static_cast<std::size_t>(s.out_desc)) = true;
    if (s.out_length != kNone) bound_.at(static_cast<std::size_t>(s.out_length)) = true;
  }

  const Plan& plan_;
  std::vector<bool> made_;
  std::vector<bool> bound_;
  std::vector<bool> scanned_;
};

}  // namespace

void check(const Plan& plan) { Checker(plan).run(); }

}  // namespace nvm::plan
