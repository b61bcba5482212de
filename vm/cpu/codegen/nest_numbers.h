// Numbers of an instance in registers: INT and BOOL in general ones, FLOAT by its bits. What general
// registers have no instruction for is computed in lanes.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "bytecode/plan/nest.h"
#include "vm/cpu/codegen/lanes.h"

namespace nvm::vm::cpu {

class NestNumbers {
 public:
  // Those that have been computed on the way here.
  using Known = std::map<std::int32_t, x86::Gp>;

  // `args` are the function's NestArgs.
  NestNumbers(Lanes& lanes, const plan::Nest& nest, const plan::NestStorage& storage, const x86::Gp& args,
              const x86::Gp& instance, const asmjit::Label& failed)
      : lanes_(lanes),
        cc_(lanes.cc()),
        nest_(nest),
        storage_(storage),
        args_(args),
        instance_(instance),
        failed_(failed) {}

  // A register that nobody writes to.
  [[nodiscard]] x86::Gp get(std::int32_t v);
  [[nodiscard]] Lane in_lanes(std::int32_t v);
  // `to` where the flag is F.
  void jump_unless(std::int32_t flag, const asmjit::Label& to);
  // Of a list that a filter makes.
  void set(std::int32_t v, const x86::Gp& is) { known_.emplace(v, is); }
  [[nodiscard]] bool has(std::int32_t v) const { return known_.count(v) > 0; }
  [[nodiscard]] const Known& known() const { return known_; }
  void restore(const Known& known) { known_ = known; }
  [[nodiscard]] x86::Mem cell(std::int32_t input) const { return x86::qword_ptr(instance_, 8 * (input + 1)); }
  // Where a list begins, unless it is a parameter's as given; then targets.
  [[nodiscard]] x86::Mem slot(std::size_t number) const;
  // One element, as 8 bytes.
  void load(const x86::Gp& to, Storage storage, x86::Mem at);

 private:
  [[nodiscard]] x86::Gp compute(const soac::BodyInst& in);
  [[nodiscard]] x86::Gp gather(const soac::BodyInst& in);
  [[nodiscard]] x86::Gp fold(const soac::BodyInst& in);
  [[nodiscard]] std::optional<x86::Gp> apply(const soac::BodyInst& in);
  [[nodiscard]] x86::Gp by_lanes(const soac::BodyInst& in);
  [[nodiscard]] x86::Gp divide_by_power(const x86::Gp& a, std::int32_t bits);
  [[nodiscard]] const soac::BodyInst& inst(std::int32_t v) const {
    return nest_.body.insts[static_cast<std::size_t>(v)];
  }

  Lanes& lanes_;
  x86::Compiler& cc_;
  const plan::Nest& nest_;
  const plan::NestStorage& storage_;
  x86::Gp args_, instance_;
  asmjit::Label failed_;
  Known known_;
};

}  // namespace nvm::vm::cpu
