// A recorded straight line of vector instructions: what the tracer saw, and the facts it relies on. The facts
// are in the form itself: inputs of equal length share a length symbol, scalars have the symbol of one,
// descriptors say what is known of them. So the printed region is the guard: a run with the same text may use
// the same code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/soac/var.h"

namespace nvm::soac {

// The variables of an instruction, without memory of their own: regions are recorded again for every run.
class VarList {
 public:
  static constexpr std::size_t kMost = 6;
  VarList() = default;
  VarList(std::initializer_list<VarId> vars) : VarList(std::span(vars.begin(), vars.size())) {}
  explicit VarList(std::span<const VarId> vars) : size_(static_cast<std::uint8_t>(vars.size())) {
    NVM_CHECK(vars.size() <= kMost, "an instruction has more operands than any in the table");
    std::copy(vars.begin(), vars.end(), vars_.begin());
  }
  void push_back(VarId x) {
    NVM_CHECK(size_ < kMost, "an instruction has more results than any in the table");
    vars_[size_++] = x;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] VarId operator[](std::size_t i) const { return vars_[i]; }
  [[nodiscard]] VarId at(std::size_t i) const {
    NVM_CHECK(i < size_, "an instruction has fewer variables");
    return vars_[i];
  }
  [[nodiscard]] VarId* begin() { return vars_.data(); }
  [[nodiscard]] VarId* end() { return vars_.data() + size_; }
  [[nodiscard]] const VarId* begin() const { return vars_.data(); }
  [[nodiscard]] const VarId* end() const { return vars_.data() + size_; }

 private:
  std::array<VarId, kMost> vars_{};
  std::uint8_t size_ = 0;
};

// Op::kIf stands for a check conditional that was passed: its one operand is T if something is wrong, and the
// program then ends in a way that only the interpreter knows.
struct RegionInst {
  Op op = Op::kAdd;
  TypeWord word = TypeWord::kNone;
  VarList operands;  // deepest first, as in the instruction table
  VarList results;
  std::int32_t site = 0;      // the recorder's number of the place it came from; not part of the key
  std::int32_t draw = kNone;  // RAND: the recorder's number of what it draws; not part of the key
};

struct Region {
  IntBits int_bits = IntBits::k64;
  bool small = true;                // all lengths are below 2^31
  std::vector<LengthKind> lengths;  // by LengthId
  std::vector<Var> vars;            // by VarId; role kOutput: live after the region
  std::vector<RegionInst> insts;
};

// Canonical text: everything that the generated code depends on, nothing else.
[[nodiscard]] std::string print(const Region& region);
// The same facts as bytes: what regions are found again by. Equal keys, equal text.
[[nodiscard]] std::string key(const Region& region);

}  // namespace nvm::soac
