// Straight lines of steps that compiled code may take over (line_hook.h).
#include <algorithm>
#include <chrono>

#include "vm/interp/interp.h"
#include "vm/interp/line_hook.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kMost = 64;    // steps
constexpr std::int64_t kFewest = 3;  // primitives: of less nothing is gained

// The line from step `first` on. Jumps are followed forwards, so that it ends.
Line line_from(const CodeFunction& f, std::int32_t first) {
  Line line;
  std::int64_t primitives = 0;
  std::int32_t at = first;
  while (line.steps.size() < kMost) {
    const Step& step = f.steps[static_cast<std::size_t>(at)];
    const bool jumps = step.kind == StepKind::kJump && step.target > at;
    if (!step.joins && !jumps && step.kind != StepKind::kDrop) break;
    primitives += step.joins ? 1 : 0;
    line.steps.push_back(at);
    at = jumps ? step.target : at + 1;
  }
  line.end = at;
  if (primitives < kFewest) line.steps.clear();
  return line;
}

}  // namespace

bool joins_lines(Op op) {
  switch (op_info(op).kind) {
    case OpKind::kMap:
    case OpKind::kDist:
    case OpKind::kReduce:
    case OpKind::kScan:
    case OpKind::kFilter:
    case OpKind::kIota: return true;
    default: return false;
  }
}

// A line begins where the step before does not belong to it: behind another kind of step, or at the start of
// a block.
void find_lines(CodeFunction& f, std::size_t first) {
  ssa::BlockId block = -1;
  bool inside = false;
  for (std::size_t i = 0; i < f.steps.size(); ++i) {
    Step& step = f.steps[i];
    if (step.site.block != block && step.inst != nullptr) {
      block = step.site.block;
      inside = false;
    }
    if (step.joins && !inside) {
      Line line = line_from(f, static_cast<std::int32_t>(i));
      if (!line.steps.empty()) {
        step.line = static_cast<std::int32_t>(f.lines.size());
        line.number = static_cast<std::int32_t>(first + f.lines.size());
        f.lines.push_back(std::move(line));
      }
    }
    inside = step.joins || (inside && step.kind == StepKind::kDrop);
  }
}

// False: the step is to be executed alone.
bool Interp::run_line(const Step& step) {
  const Operand* operands = at_.operands_of(step);
  const bool worth = std::any_of(operands, operands + step.operands, [&](Operand o) {
    return elements_of(at_.peek(o)) >= machine_.lines->least();
  });
  if (!worth) return false;
  const Line& line = at_.function->lines[static_cast<std::size_t>(step.line)];
  accounts_.note_line(step);
  const LineHook::Answer answer = machine_.lines->run(*at_.function, line, at_.frame, at_.constants);
  if (answer == LineHook::Answer::kSteps) return false;
  if (answer == LineHook::Answer::kTimed) {
    const auto begin = std::chrono::steady_clock::now();
    for (const std::int32_t i : line.steps) {
      at_.step = at_.function->steps.data() + i;
      if (at_.step->kind == StepKind::kPrimitive)
        exec_.primitive(*at_.step);
      else
        shuffle(*at_.step);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    machine_.lines->timed(line, took.count());
  }
  if (answer == LineHook::Answer::kDone) took(machine_.prims, FastPath::kLineCompiled);
  at_.step = at_.function->steps.data() + line.end;
  return true;
}

// A jump within a line, or a drop.
void Interp::shuffle(const Step& step) {
  if (step.kind == StepKind::kJump) return jump(step);
  const std::int32_t* slots = at_.slots_of(step);
  for (std::uint32_t i = 0; i < step.results; ++i) release(at_.frame[slots[i]]);
}

}  // namespace nvm::vm
