// What the instructions of a region cost, for who watches: elements, of which executing the region may find
// the number.
#pragma once

#include <span>
#include <vector>

#include "bytecode/soac/region.h"
#include "vm/data/value.h"
#include "vm/interp/observer.h"

namespace nvm::vm {

// Where executing a region leaves a length of its line: a symbol of the region, or the value of an output.
struct CountedAt {
  soac::LengthId length = soac::kNone;
  soac::VarId number = soac::kNone;
};

class Charges {
 public:
  // The observer outlives this.
  explicit Charges(const Observer* observer) : observer_(observer) {}
  // Whether what is added from now on counts.
  void count(bool wanted) { wanted_ = wanted; }
  // `elements`: a symbol of the line.
  void add(const ssa::Inst& inst, const Site& site, soac::LengthId elements) { add(inst, site, elements, 0); }
  void add_known(const ssa::Inst& inst, const Site& site, std::int64_t elements) {
    add(inst, site, soac::kNone, elements);
  }
  // Does somebody want to know exactly, also what nobody needs computed?
  [[nodiscard]] bool asks() const {
    return !empty() && observer_->sees_recorded() == Observer::Recorded::kWork;
  }
  [[nodiscard]] bool empty() const { return work_.empty(); }
  [[nodiscard]] std::size_t size() const { return work_.size(); }
  // Those behind `n` are forgotten.
  void resize(std::size_t n) {
    work_.resize(n);
    elements_.resize(n);
  }
  [[nodiscard]] bool speak_of(soac::LengthId length) const;
  // Is each length known (`known`: by symbol of the line, negative where counted) or counted (`counted`:
  // likewise, or empty)?
  [[nodiscard]] bool countable(std::span<const std::int64_t> known, std::span<const CountedAt> counted) const;
  // Of a region that was executed, which found `lengths` and `outputs`.
  void settle(std::span<const std::int64_t> known, std::span<const CountedAt> counted,
              std::span<const std::int64_t> lengths, std::span<const Value> outputs);
  [[nodiscard]] std::span<const RecordedWork> settled() const { return work_; }

 private:
  void add(const ssa::Inst& inst, const Site& site, soac::LengthId elements, std::int64_t known) {
    if (!wanted_ || observer_ == nullptr || observer_->sees_recorded() == Observer::Recorded::kNothing)
      return;
    work_.push_back({&inst, site, known, observer_->place()});
    elements_.push_back(elements);
  }

  const Observer* observer_;
  bool wanted_ = true;
  std::vector<RecordedWork> work_;
  std::vector<soac::LengthId> elements_;  // by place in work_; kNone where the number is known
};

}  // namespace nvm::vm
