// The calls that are open, and what is told of them: to observers, with recorded instructions, in messages.
#pragma once

#include <optional>
#include <vector>

#include "vm/interp/machine.h"
#include "vm/interp/registers.h"

namespace nvm::vm {

// A call that is open: what to go on with after it.
struct Activation {
  const CodeFunction* function;
  const Step* step;
  Value* frame;
  std::uint64_t serial;
};

// All calls but the innermost, where the registers stand.
class CallStack final : public OpenCalls, public Callers {
 public:
  CallStack(const Code& code, const Machine& machine, const Registers& at)
      : code_(code), machine_(machine), at_(at) {}

  // `outside` more calls are open there, and count as depth.
  void begin(std::int64_t outside) {
    outside_ = outside;
    diverted_.reset();
  }
  void number() { serial_ = ++last_serial_; }
  void push() {
    if (calls_.size() == calls_.capacity()) [[unlikely]]
      grow();
    calls_.push_back({at_.function, at_.step, at_.frame, serial_});
  }
  // What is returned to.
  Activation pop() {
    const Activation caller = calls_.back();
    calls_.pop_back();
    serial_ = caller.serial;
    return caller;
  }
  void clear() { calls_.clear(); }
  // Control goes to where it was, within these calls, and returns to none of them.
  void divert(const CallTrail& callers) {
    calls_.clear();
    diverted_ = callers;
  }
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] const std::vector<Activation>& all() const { return calls_; }
  // Where control stands.
  [[nodiscard]] Standing here() const;
  void go_to(std::vector<Activation> calls, std::uint64_t serial) {
    calls_ = std::move(calls);
    serial_ = serial;
  }

  [[nodiscard]] std::uint64_t serial() const override { return serial_; }
  [[nodiscard]] std::uint64_t last_serial() const { return last_serial_; }
  [[nodiscard]] std::int64_t outside() const { return outside_; }
  [[nodiscard]] std::int64_t depth() const { return outside_ + static_cast<std::int64_t>(calls_.size()); }
  // May one more be open?
  void check_depth() const {
    if (machine_.max_depth > 0 && depth() >= machine_.max_depth) throw depth_fault(machine_.max_depth);
  }
  [[nodiscard]] CallTrail trail() const override;
  std::size_t list(std::size_t most, std::vector<OpenCall>& calls) const override;
  // What went wrong, and where.
  [[nodiscard]] RunError locate(const Fault& fault) const;
  // Of the NESL source, the innermost that is known.
  [[nodiscard]] Origin source_line() const;

 private:
  void grow();
  [[nodiscard]] std::vector<CallPlace> places(const ssa::Inst* inst, const Site& site, SourcePos pos) const;

  const Code& code_;
  const Machine& machine_;
  const Registers& at_;
  std::vector<Activation> calls_;
  std::optional<CallTrail> diverted_;
  std::int64_t outside_ = 0;
  std::uint64_t serial_ = 0;       // of the innermost call
  std::uint64_t last_serial_ = 0;  // given to a call
};

}  // namespace nvm::vm
