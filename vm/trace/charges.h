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
  // `elements`: a symbol of the line.
  void add(RecordedWork work, soac::LengthId elements) {
    work_.push_back(work);
    elements_.push_back(elements);
  }
  // Whose number is known.
  void add(RecordedWork work) { add(work, soac::kNone); }
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
  std::vector<RecordedWork> work_;
  std::vector<soac::LengthId> elements_;  // by place in work_; kNone where the number is known
};

}  // namespace nvm::vm
