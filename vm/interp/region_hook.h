// The seam between the interpreter and the tracing tier. The interpreter offers every pure instruction; the
// tier either executes nothing and promises the results (Deferred values), or leaves the instruction to the
// interpreter. Whoever must look at a value asks for it first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Where an instruction stands, for messages, profiles and penalties.
struct Site {
  ssa::FunctionId function = 0;
  ssa::BlockId block = 0;
  std::int32_t index = 0;
};

// The calls that were open around an instruction, for its message should it fail when they have returned.
struct CallTrail {
  struct Call {
    const ssa::Inst* inst = nullptr;
    Site site;
  };
  static constexpr std::size_t kMost = 8;
  std::uint64_t serial = 0;       // of the innermost activation; those of one have the same trail
  std::int64_t depth = 0;         // number of calls
  std::array<Call, kMost> calls;  // innermost first, min(depth, kMost) of them
};

// Who knows them.
class Callers {
 public:
  virtual ~Callers() = default;
  [[nodiscard]] virtual std::uint64_t serial() const = 0;
  [[nodiscard]] virtual CallTrail trail() const = 0;
};

// A check conditional that was passed on trust has turned out to fail: nothing behind it happened.
struct FailedCheck {
  Site site;                // of the branch
  std::int32_t guard = -1;  // or it was a guard of the region, this one
  CallTrail callers;
};

// Where control stands at a conditional, to go on from there once more. What else is in it is the
// interpreter's.
struct Crossing {
  std::vector<Value> values;  // of all open frames
  virtual ~Crossing() = default;
  // It has turned out that control goes on from here, and nothing behind it happened.
  virtual void undo() = 0;
};

// A guard has failed: nothing behind its conditional happened, which goes the other way. The values of the
// crossing are computed.
struct MissedGuard {
  std::shared_ptr<Crossing> from;
  bool way = false;  // that it really goes
};

// How a call is made: its instructions are offered; likewise, and the hook is told when it ends; or none is
// offered before it ends.
enum class CallWay : std::uint8_t { kRecorded, kWatched, kUnrecorded };

// Throws, where Fault is mentioned, also FailedCheck or MissedGuard, if it comes first in program order.
class RegionHook {
 public:
  virtual ~RegionHook() = default;

  // Offers an instruction of kind kMap .. kRandom. True: taken; `results` are set (deferred or not) and the
  // operands consumed. False: not taken; no operand is Deferred any more, the interpreter executes it.
  // Throws Fault, located by `located_at` if it belongs to an earlier instruction.
  virtual bool offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                     std::span<Value> results) = 0;

  // Do instructions that are offered count, for who counts recorded ones? Not where they did before.
  virtual void count_offers(bool /*wanted*/) {}

  // Was the last offer refused because recording it does not pay? Then one value distributed may stay one
  // (Vector::repeated); who reads that is not recorded either.
  [[nodiscard]] virtual bool declined() const = 0;
  // Does it take any Vector::repeated among operands, and leave such?
  [[nodiscard]] virtual bool repeats() const = 0;

  // Are there parts of vectors here only? Then each instruction is offered as it is written: no vector is
  // left delayed, and none is executed together with others.
  [[nodiscard]] virtual bool has_parts() const { return false; }

  // A call that is about to be opened `depth` deep; promised arguments are not asked for. Never kUnrecorded
  // if guards() or has_parts().
  [[nodiscard]] virtual CallWay call_begins(ssa::FunctionId /*function*/,
                                            std::span<const Value> /*arguments*/, std::int64_t /*depth*/) {
    return CallWay::kRecorded;
  }
  // Those so deep and deeper have ended. The depth of the innermost open one that is watched; -1: none is.
  virtual std::int64_t call_ends(std::int64_t /*depth*/) { return -1; }

  // Offers the condition of a check conditional (ssa/cfg.h). True: trust that it is F; should it not be, a
  // later call throws FailedCheck.
  virtual bool trust(const Value& condition, const Site& branch) = 0;

  // Are other conditionals passed on trust, too, the way that they went before?
  [[nodiscard]] virtual bool guards() const = 0;
  // If so, the way that this one is expected to go; then guard() must follow, and a later call throws
  // MissedGuard should it go the other. Else the condition is asked for and decided() told.
  [[nodiscard]] virtual std::optional<bool> foresee(const Value& condition, const Site& branch) = 0;
  virtual void guard(const Value& condition, const Site& branch, bool way,
                     std::shared_ptr<Crossing> from) = 0;
  virtual void decided(const Site& branch, bool way) = 0;
  // Is anything taken on trust that MissedGuard may take back? What cannot be taken back calls finish()
  // first.
  [[nodiscard]] virtual bool guarded() const = 0;

  // Replaces a Deferred value by the computed one; does nothing to others. Called before the host looks at a
  // value: conditions, host operations, program results.
  virtual void force(Value& value) = 0;

  // Computes all that is promised: before side effects, so that errors come in program order, and before the
  // clock is read.
  virtual void finish() = 0;

  // The instruction that the last Fault thrown from here belongs to, its place and who had called; null if it
  // is the one just offered.
  [[nodiscard]] virtual const ssa::Inst* located_at(Site& site, CallTrail& trail) const = 0;

  // Who offers from now on; the answer is who did. One gives the hook to the next with nothing promised.
  virtual const Callers* offered_by(const Callers* callers) = 0;
};

}  // namespace nvm::vm
