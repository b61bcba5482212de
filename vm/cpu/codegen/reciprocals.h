// Divisions of INT by a number that is the same for all iterations of a stage: multiplications instead of
// division instructions (vm/simd/reciprocal.h). Dividends that are proved to be small take the short way;
// of the others every vector is asked.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

class Reciprocals {
 public:
  // Finds the divisions among the values that are `computed`. `settled`: the cell of a pull that is the same
  // for all iterations; none of one that is not.
  using CellOf = std::function<std::optional<x86::Mem>(std::size_t value)>;
  Reciprocals(Lanes& lanes, const StageSpec& spec) : lanes_(lanes), cc_(lanes.cc()), spec_(spec) {}
  // In front of the loop, where no lane is in a register yet: the host makes the reciprocals.
  void prepare(const std::vector<bool>& computed, const CellOf& cell_of);
  // Behind set_active(), in front of the loop.
  void hoist();

  [[nodiscard]] bool has(std::size_t value) const {
    return value < division_of_.size() && division_of_[value] != soac::kNone;
  }
  // Do some dividends have to be asked, but none if the numbers that are the same for all iterations are of
  // 32 bits? And: what is emitted from now on may take that as given.
  [[nodiscard]] bool small_of_words() const;
  void assume_words(bool assumed) { words_ = assumed; }
  // Quotient or remainder; traps as the table says.
  [[nodiscard]] Lane emit(std::size_t value, const std::vector<Lane>& values);

 private:
  // One for each number that is divided by.
  struct Divisor {
    std::int32_t value = soac::kNone;  // of the body
    x86::Mem cells;                    // a Reciprocal
    Lane inverse, as_float, is_zero;
  };
  struct Division {
    std::size_t divisor = 0;
    std::int32_t dividend = soac::kNone;
    std::int32_t where = soac::kNone;  // flag: elsewhere the divisor is one
    bool remainder = false;
    bool is_small = false;
    bool is_small_of_words = false;  // if what is the same for all iterations is of 32 bits
  };
  [[nodiscard]] std::optional<Division> division(std::size_t value, const CellOf& cell_of);
  [[nodiscard]] std::optional<std::size_t> divisor(std::int32_t value, const CellOf& cell_of);
  [[nodiscard]] x86::Mem cell(const Divisor& d, std::size_t offset) const;
  [[nodiscard]] Lane broadcast(const Divisor& d, Type type, std::size_t offset);
  void trap(const Division& division, const Lane& bad, const std::vector<Lane>& values);

  [[nodiscard]] Lane by_inverse(const Division& division, const Lane& a);
  [[nodiscard]] Lane by_product(const Division& division, const Lane& a, const std::vector<Lane>& values);
  [[nodiscard]] Lane either(const Division& division, const Lane& a, const std::vector<Lane>& values);
  void jump_unless_small(const Lane& a, const asmjit::Label& to);
  [[nodiscard]] x86::Vec small_to_float(const Lane& a);
  [[nodiscard]] Lane whole_to_int(const x86::Vec& v);
  [[nodiscard]] x86::Vec high_product(const Divisor& d, const x86::Vec& a);
  [[nodiscard]] x86::Vec shifted_down(const Divisor& d, const x86::Vec& a);
  [[nodiscard]] x86::Vec signs(const x86::Vec& a);
  [[nodiscard]] x86::Vec logic(asmjit::InstId vex, asmjit::InstId evex, const x86::Vec& a, const x86::Vec& b);

  Lanes& lanes_;
  x86::Compiler& cc_;
  const StageSpec& spec_;
  std::vector<Divisor> divisors_;
  std::vector<Division> divisions_;
  std::vector<std::int32_t> division_of_;  // by value
  bool words_ = false;
};

}  // namespace nvm::vm::cpu
