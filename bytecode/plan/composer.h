// Composes pull thunks into the body of one kernel: the fusion rules as far as they rewrite. Used by the
// schedulers to ask whether a node may join a kernel and what the kernel then reads, and by build() to make
// its body.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/plan/order.h"
#include "bytecode/plan/schedule.h"

namespace nvm::plan {

class Composer {
 public:
  // Composes into `body` for kernel number `kernel` over `base`. The schedule names the kernels of earlier
  // nodes and what is stored. Kernels run by number, or if there is an `order`, by that.
  Composer(const soac::Graph& graph, const Schedule& schedule, std::int32_t kernel, LengthId base, Body& body,
           const KernelOrder* order = nullptr)
      : graph_(graph), schedule_(schedule), kernel_(kernel), base_(base), body_(body), order_(order) {}

  // The value at the kernel's iteration of value `v` of node `n`; nullopt if the node cannot run in this
  // kernel, then refusal() says why. kScanned names the scan by its node; build() puts the sink there.
  std::optional<std::int32_t> value_of(std::int32_t n, std::int32_t v);
  // The flag under which an iteration of the kernel belongs to `space`; kNone if all do.
  std::optional<std::int32_t> predicate(LengthId space);
  // `value` where the flag holds, else the identity of the node's combination, which is exact in any order.
  std::int32_t or_identity(const soac::Node& node, std::int32_t flag, std::int32_t value);
  // Traps at iterations that the predicate (kNone: all) lets through and whose flag is T.
  void check(std::int32_t predicate, std::int32_t flag);
  // Traps at iterations that the predicate lets through and whose INT `value` does not fit in four bytes.
  void check_narrow(std::int32_t predicate, std::int32_t value);
  // The descriptor over the base space that stands for `desc` of a space that filters narrowed; nullopt if it
  // is not known before the kernel.
  std::optional<VarId> segments(VarId desc);
  // How many sweeps must be complete before body value v can be computed: the longest chain of scans of this
  // kernel that it depends on.
  [[nodiscard]] std::int32_t sweep_of(std::int32_t v);

  // Whether x may be read from memory: it is given, or made by a kernel that can run before this one.
  [[nodiscard]] bool made_before(VarId x);
  // Whether node n and another of this kernel may not be together, because a primitive makes one of them.
  [[nodiscard]] bool keeps_apart(std::int32_t n) const;
  // Whether the length is known when this kernel begins.
  [[nodiscard]] bool counted_before(LengthId length);
  // The kernels that must run before this one, for all that was asked so far; some twice.
  [[nodiscard]] const std::vector<std::int32_t>& reads() const { return reads_; }

  [[nodiscard]] Refusal refusal() const { return refusal_; }
  void record(std::vector<RuleEvent>* events, std::int32_t consumer) {
    events_ = events;
    consumer_ = consumer;
    results_.clear();  // so that what this consumer pulls is told again
  }

 private:
  // value_of the node's value. A value that is used often is composed once.
  std::optional<std::int32_t> result_of(std::int32_t n);
  std::nullopt_t refuse(Refusal r) {
    refusal_ = r;
    return std::nullopt;
  }
  VarId base_desc(VarId desc) const;
  void fired(Rule rule, std::int32_t from);
  std::optional<std::int32_t> inst(const soac::Node& node, const soac::BodyInst& in,
                                   const std::vector<std::int32_t>& done);
  std::optional<std::int32_t> element(VarId x);
  std::optional<std::int32_t> uniform(VarId x);
  std::optional<std::int32_t> gathered(VarId x, std::int32_t index, std::int32_t flag);
  std::optional<std::int32_t> map_at(std::int32_t n, std::int32_t index, std::int32_t flag);
  [[nodiscard]] bool gathers_own(VarId x, std::int32_t index) const;
  std::optional<std::int32_t> own(const soac::BodyInst& in, std::int32_t flag);
  std::optional<std::int32_t> guarded(LengthId space, std::int32_t flag);
  std::optional<std::int32_t> kept_or_one(LengthId space, std::int32_t divisor);
  std::optional<std::int32_t> load(VarId x);
  [[nodiscard]] bool runs_before(std::int32_t k);
  std::int32_t pull(soac::Pull kind, VarId x);
  std::int32_t apply(Scalar s, Type type, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone);

  const soac::Graph& graph_;
  const Schedule& schedule_;
  std::int32_t kernel_;
  LengthId base_;
  Body& body_;
  const KernelOrder* order_;
  std::vector<std::int32_t> reads_;
  std::vector<std::int32_t> results_;  // by node
  std::vector<std::int32_t> sweeps_;   // by body value: what sweep_of found, kNone if not asked yet
  Refusal refusal_ = Refusal::kNone;
  std::vector<RuleEvent>* events_ = nullptr;
  std::int32_t consumer_ = kNone;
};

// Nodes whose vector must be in memory whatever the schedule: live ones, sources of gathers that cannot be
// composed, per-segment values, defaults of a PERMUTE, scalars used by other spaces; and MAPs that would
// otherwise be computed too often (recompute.h).
[[nodiscard]] std::vector<bool> must_store(const soac::Graph& graph);
// True if elements of the MAP `n` may be computed at gathered indices: none of them can fail.
[[nodiscard]] bool gatherable(const soac::Graph& graph, std::int32_t n);
// The filter whose kept elements `space` counts, kNone if none.
[[nodiscard]] std::int32_t filter_of(const soac::Graph& graph, LengthId space);
// The same, or the node that makes the descriptor whose total it is.
[[nodiscard]] std::int32_t finder_of(const soac::Graph& graph, LengthId length);

}  // namespace nvm::plan
