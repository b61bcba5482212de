// Distributed block mode: a call of a lifted function whose instances can be dealt out to the ranks, about as
// much to each, is finished by every rank alone, however deep its recursion. Until then the call goes on in
// step, and calls within it are looked at again. Lengths of results make their cut; they are not moved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/block/policy.h"
#include "vm/interp/call_hook.h"
#include "vm/interp/code.h"
#include "vm/interp/machine.h"
#include "vm/spmd/parts.h"

namespace nvm::vm::spmd {

class Calls final : public CallHook {
 public:
  // `machine` executes what a rank finishes alone: as an ordinary run, but for the host. All must outlive it.
  Calls(const Code& code, const Machine& machine, std::span<const Value> inputs, Parts& parts);

  bool call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
            std::vector<Value>& results) override;
  // Calls that ranks have finished alone.
  [[nodiscard]] std::int64_t dealt_out() const { return dealt_out_; }

 private:
  using Bounds = std::vector<std::int64_t>;  // of the ranks' instances
  [[nodiscard]] std::optional<Bounds> deal_out(const block::Layout& layout) const;
  [[nodiscard]] std::vector<Value> own(const block::Layout& layout, std::span<const Value> arguments,
                                       const Bounds& bounds);
  [[nodiscard]] std::optional<std::vector<Value>> run_alone(ssa::FunctionId function, std::int64_t depth,
                                                            std::vector<Value> arguments);
  [[nodiscard]] bool join(ssa::FunctionId function, const std::optional<std::vector<Value>>& mine,
                          std::vector<Value>& results);
  [[nodiscard]] std::vector<std::vector<std::int64_t>> all_lengths(std::span<const Segdes> mine,
                                                                   std::span<const std::int64_t> segments);

  const Code& code_;
  Machine machine_;
  std::span<const Value> inputs_;
  Parts& parts_;
  block::Policy policy_;
  std::int64_t dealt_out_ = 0;
};

}  // namespace nvm::vm::spmd
