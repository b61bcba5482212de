// The seam between an interpreter that works alone, such as a worker of block mode, and compiled straight
// lines. Lines are found when code is made (lines.cpp); nothing is recorded while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vm/data/value.h"
#include "vm/interp/code.h"

namespace nvm::vm {

class LineHook {
 public:
  enum class Answer : std::uint8_t {
    kDone,   // the frame is as after the line
    kSteps,  // nothing has happened: its steps are to be executed
    kTimed,  // likewise, and timed() is to be told how long that takes
  };
  // Lines are offered if something they begin with has this many elements.
  explicit LineHook(std::int64_t least) : least_(least) {}
  virtual ~LineHook() = default;
  [[nodiscard]] std::int64_t least() const { return least_; }
  // Executes `line` of `function` on `frame`. `constants` are those of the code, with the run's inputs.
  virtual Answer run(const CodeFunction& function, const Line& line, Value* frame,
                     std::span<const Value> constants) = 0;
  virtual void timed(const Line& line, double nanoseconds) = 0;

 private:
  std::int64_t least_;
};

// What the hooks of several interpreters share; they may ask at once.
class LineTier {
 public:
  virtual ~LineTier() = default;
  // For one interpreter, whose primitives `context` is for; both must outlive the hook.
  [[nodiscard]] virtual std::unique_ptr<LineHook> hook(const PrimContext& context) = 0;
};

}  // namespace nvm::vm
