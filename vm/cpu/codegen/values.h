// What an iteration of a stage evaluates: pulls, scalar operations and what is the same for all iterations,
// in lanes of the run's types or in narrow ones. The loops around it are those of map.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "vm/cpu/codegen/gather_emitter.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/outer_loop.h"
#include "vm/cpu/codegen/reciprocals.h"
#include "vm/cpu/codegen/scan_emitter.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"
#include "vm/cpu/codegen/strided.h"
#include "vm/cpu/codegen/stripe_loads.h"

namespace nvm::vm::cpu {

class StageValues {
 public:
  // Lanes beside the ordinary ones, and what stands in them.
  struct Other {
    std::unique_ptr<Lanes> lanes;
    std::vector<Lane> values;
  };

  StageValues(x86::Compiler& cc, Isa isa, const StageSpec& spec, StageFrame& frame);

  [[nodiscard]] Lane& operator[](std::int32_t v) { return values_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] std::vector<Lane>& all() { return values_; }
  [[nodiscard]] const std::vector<bool>& needed() const { return needed_; }
  [[nodiscard]] Lanes& lanes() { return *lanes_; }
  [[nodiscard]] GatherEmitter& gathers() { return gathers_; }
  [[nodiscard]] std::optional<OuterLoop>& outer() { return outer_; }
  [[nodiscard]] ScanEmitter& scans() { return scans_; }
  [[nodiscard]] StripeLoads& stripes() { return stripes_; }
  [[nodiscard]] Reciprocals& divisions() { return reciprocals_; }
  // May some needed value trap?
  [[nodiscard]] bool traps() const;

  // In front of everything else of the function.
  void prepare();
  // In front of the loop: what is the same for all iterations, and addresses.
  void hoist();
  [[nodiscard]] Other hoist_in(std::unique_ptr<Lanes> lanes, const std::vector<bool>& values);
  // In the loop: value i, of the vector of lanes that is `elements` further on.
  void emit(std::size_t i);
  void look_ahead(std::int64_t elements) { ahead_ = elements; }
  // What `evaluate` does, it does in the other lanes.
  template <typename Evaluate>
  void in(Other& other, Evaluate evaluate) {
    lanes_.swap(other.lanes);
    values_.swap(other.values);
    evaluate();
    lanes_.swap(other.lanes);
    values_.swap(other.values);
  }
  void step_index(std::int32_t by);
  // Element i behind the address in `slot`, of the vector that is meant.
  [[nodiscard]] x86::Mem element(const Slot& slot, Storage storage);

 private:
  [[nodiscard]] const plan::Var& var(std::int32_t v) const {
    return (*spec_.vars)[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] Lane operand(std::int32_t v) const {
    return v == soac::kNone ? Lane{} : values_[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] Slot element_slot(std::int32_t v) const;
  [[nodiscard]] Slot straight_slot(std::size_t i) const;

  void prepare_divisions();
  void hoist(std::size_t i);
  [[nodiscard]] Lane first_index();
  [[nodiscard]] Lane constant(const soac::BodyInst& in);
  void ask_ahead(x86::Mem from, std::size_t bytes);
  [[nodiscard]] Lane scanned(const soac::BodyInst& in);
  [[nodiscard]] Lane straight(std::size_t i, const soac::BodyInst& in);

  x86::Compiler& cc_;
  const StageSpec& spec_;
  StageFrame& frame_;
  std::unique_ptr<Lanes> lanes_;
  GatherEmitter gathers_;
  std::optional<OuterLoop> outer_;
  ScanEmitter scans_;
  StripeLoads stripes_;
  StridedLoads strided_;
  Reciprocals reciprocals_;
  std::vector<bool> needed_;
  std::vector<Lane> values_;
  std::vector<bool> straight_;  // gathers that are loads
  std::vector<const StageInput*> input_of_;
  bool scatters_ = false, computes_ = false;
  std::int64_t ahead_ = 0;  // elements: the vector of lanes that is meant
};

}  // namespace nvm::vm::cpu
