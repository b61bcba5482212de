#include "bytecode/verify/typing.h"

#include <algorithm>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/base/hash.h"

namespace nvm {

namespace {

// Beyond these a program is left to the stack machine. Real programs stay thousands of times below: they
// bound what a hostile one can cost.
constexpr std::size_t kMaxWork = std::size_t{1} << 26;     // instructions typed plus entries moved
constexpr std::size_t kMaxEntries = std::size_t{1} << 22;  // entry types written out
constexpr std::int64_t kMaxPairNodes = 1000;

constexpr std::string_view kSlow = "; only the slower checking stack machine can run this";

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

bool accepts(const Instr& in, char letter, Kind kind) {
  if (letter == '*' || kind == kAnyKind) return true;
  if (letter == 'P') return is_pair(kind);
  return kind == kind_of(letter_type(letter, in.word));
}

// WRITE and FWRITE print an operand by its actual kind, whatever their word says (except CHAR).
bool writes_any_kind(const Instr& in, Kind kind) {
  return (in.op == Op::kWrite || in.op == Op::kFwrite) && in.word != TypeWord::kChar && !is_pair(kind);
}

std::string word_text(const Instr& in) {
  std::string out(op_info(in.op).text);
  if (in.word != TypeWord::kNone) out += " " + std::string(type_word_text(in.word));
  return out;
}

std::string_view wanted_name(const Instr& in, char letter) {
  return letter == '*' ? "any" : type_name(letter_type(letter, in.word));
}

std::string entries(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

}  // namespace

std::size_t Typing::KeyHash::operator()(const std::vector<Kind>& key) const {
  std::uint64_t h = kHashStart;
  for (const Kind k : key) h = hash_step(k, h);
  return static_cast<std::size_t>(h ^ h >> 29);
}

void Typing::run() {
  enqueue(find_or_make(program_.entry, {}));
  while (!queue_.empty() && !gave_up_) {
    const std::int32_t id = queue_.back();
    queue_.pop_back();
    typed(id).queued = false;
    start(id);
    while (!frames_.empty() && !gave_up_) resume();
  }
}

std::int32_t Typing::find_or_make(std::int32_t function, std::vector<Kind> operands) {
  std::vector<Kind> key = operands;
  key.push_back(static_cast<Kind>(function));
  const auto [it, fresh] = ids_.try_emplace(std::move(key), static_cast<std::int32_t>(instances_.size()));
  if (fresh) {
    Typed t;
    t.function = function;
    t.operands = std::move(operands);
    instances_.push_back(std::move(t));
  }
  return it->second;
}

void Typing::enqueue(std::int32_t id) {
  if (typed(id).queued) return;
  typed(id).queued = true;
  queue_.push_back(id);
}

void Typing::start(std::int32_t id) {
  Typed& t = typed(id);
  const std::size_t length = program_.functions[size_of(t.function)].code.size();
  t.callees.assign(length, -1);
  frames_.push_back({id, 0, {t.operands, true}, {}});
  spend(length);
}

// Runs the topmost frame to its end or to a call of an instance never evaluated, which then runs first.
void Typing::resume() {
  Frame& frame = frames_.back();
  const auto& code = program_.functions[size_of(typed(frame.instance).function)].code;
  while (frame.pc < code.size() && !gave_up_) {
    if (!step(frame, code[frame.pc])) return;
    ++frame.pc;
  }
  returned(frame);
  frames_.pop_back();
}

// False if another frame must run before this instruction.
bool Typing::step(Frame& frame, const Instr& in) {
  check_budget();
  if (in.op == Op::kElse) {
    Branch& b = frame.branches.back();
    b.then = std::exchange(frame.now, b.before);
    b.has_else = true;
  } else if (in.op == Op::kEndif) {
    end_branch(frame);
  } else if (in.op == Op::kIf) {
    if (frame.now.live) operation(frame, in);
    spend(frame.now.stack.size());
    frame.branches.push_back({frame.now, {}, false});
  } else if (frame.now.live) {
    if (in.op == Op::kCall) return call(frame, in);
    if (in.op == Op::kCopy || in.op == Op::kPop || in.op == Op::kCpop)
      block(frame, in);
    else
      operation(frame, in);
    if (in.op == Op::kExit) frame.now = {{}, false};
  }
  return true;
}

void Typing::end_branch(Frame& frame) {
  Branch b = std::move(frame.branches.back());
  frame.branches.pop_back();
  State& other = b.has_else ? b.then : b.before;
  State& now = frame.now;
  if (!other.live) return;
  if (!now.live) {
    now = std::move(other);
    return;
  }
  const std::int32_t function = typed(frame.instance).function;
  if (now.stack.size() != other.stack.size()) {
    varies(function, frame.pc,
           "the branches of this conditional leave " + entries(other.stack.size()) + " and " +
               entries(now.stack.size()) + " of this function");
    now = {{}, false};
    return;
  }
  spend(now.stack.size());
  for (std::size_t i = 0; i < now.stack.size(); ++i) {
    const Kind there = other.stack[i];
    Kind& here = now.stack[i];
    if (here == kAnyKind) here = there;
    if (here == there || there == kAnyKind) continue;
    varies(function, frame.pc,
           "the branches of this conditional leave different kinds: " + std::string(kind_name(there)) +
               " and " + std::string(kind_name(here)) + " at depth " +
               std::to_string(now.stack.size() - 1 - i));
    now = {{}, false};
    return;
  }
}

void Typing::returned(Frame& frame) {
  Typed& t = typed(frame.instance);
  if (!frame.now.live || t.returns) return;
  t.returns = true;
  t.results = std::move(frame.now.stack);
  for (const std::int32_t id : std::exchange(t.waiting, {})) enqueue(id);
}

bool Typing::call(Frame& frame, const Instr& in) {
  const StackEffect& effect = effects_[size_of(in.a)];
  std::vector<Kind>& stack = frame.now.stack;
  const std::size_t reach = size_of(effect.reach);
  if (stack.size() < reach) {
    underflow(frame, in, effect.reach);
    return true;
  }
  if (effect.state == StackEffect::State::kVaries) {
    varies_in_call(in.a);
    frame.now = {{}, false};
    return true;
  }
  spend(reach);
  const auto known = static_cast<std::int32_t>(instances_.size());
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(reach);
  const std::int32_t id = find_or_make(in.a, std::vector<Kind>(first, stack.end()));
  if (id == known) {
    typed(id).caller = frame.instance;
    typed(id).call_pc = static_cast<std::int32_t>(frame.pc);
    start(id);  // invalidates `frame`
    return false;
  }
  Typed& callee = typed(id);
  typed(frame.instance).callees[frame.pc] = id;
  if (!callee.returns) {
    if (callee.waiting.empty() || callee.waiting.back() != frame.instance)
      callee.waiting.push_back(frame.instance);
    frame.now = {{}, false};
    return true;
  }
  stack.erase(first, stack.end());
  stack.insert(stack.end(), callee.results.begin(), callee.results.end());
  spend(callee.results.size());
  return true;
}

void Typing::block(Frame& frame, const Instr& in) {
  if (in.a <= 0 || in.b < 0) return;
  std::vector<Kind>& stack = frame.now.stack;
  const std::size_t count = size_of(in.a);
  const std::size_t reach = count + size_of(in.b);
  if (stack.size() < reach) return underflow(frame, in, arity(in).takes);
  spend(reach);
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(reach);
  const auto last = first + in.a;
  if (in.op == Op::kPop) {
    stack.erase(first, last);
  } else if (in.op == Op::kCpop) {
    std::rotate(first, last, stack.end());
  } else {
    const std::vector<Kind> copied(first, last);
    stack.insert(stack.end(), copied.begin(), copied.end());
  }
}

void Typing::operation(Frame& frame, const Instr& in) {
  const std::string_view letters = op_info(in.op).operands;
  std::vector<Kind>& stack = frame.now.stack;
  if (stack.size() < letters.size()) return underflow(frame, in, static_cast<std::int64_t>(letters.size()));
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(letters.size());
  const std::vector<Kind> operands(first, stack.end());
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (accepts(in, letters[i], operands[i])) continue;
    if (writes_any_kind(in, operands[i]) && letters[i] == 't') {
      varies(typed(frame.instance).function, frame.pc,
             word_text(in) + " of a " + std::string(kind_name(operands[i])) + " is written as such");
      continue;
    }
    mismatch(frame, in, operands.data());
    break;
  }
  stack.erase(first, stack.end());
  push_results(frame, in, operands);
}

void Typing::push_results(Frame& frame, const Instr& in, const std::vector<Kind>& operands) {
  std::vector<Kind>& stack = frame.now.stack;
  if (in.op == Op::kPair) {
    stack.push_back(kinds_.pair(operands[0], operands[1]));
    if (kinds_.nodes(stack.back()) <= kMaxPairNodes) return;
    varies(typed(frame.instance).function, frame.pc, "a pair of more than 1000 parts");
    frame.now = {{}, false};
  } else if (in.op == Op::kUnpair) {
    const bool known = is_pair(operands[0]);
    stack.push_back(known ? kinds_.deeper(operands[0]) : kAnyKind);
    stack.push_back(known ? kinds_.upper(operands[0]) : kAnyKind);
  } else {
    for (const char letter : op_info(in.op).results) stack.push_back(kind_of(letter_type(letter, in.word)));
  }
}

void Typing::spend(std::size_t moved) {
  work_ += moved + 1;
  if (work_ <= kMaxWork || gave_up_) return;
  gave_up_ = true;
  dynamic_ = true;
  diagnostics_.warning({}, "typing this program takes too long" + std::string(kSlow));
}

bool Typing::first_report(std::int32_t function, std::size_t pc) {
  return reported_.insert(std::uint64_t{static_cast<std::uint32_t>(function)} << 32 | pc).second;
}

// An error at the frame's instruction, and how the program gets there.
void Typing::fault(Frame& frame, const std::string& message) {
  constexpr int kMaxNotes = 3;
  std::int32_t id = frame.instance;
  if (!first_report(typed(id).function, frame.pc)) return;
  const auto function = [&](std::int32_t i) -> const Function& {
    return program_.functions[size_of(typed(i).function)];
  };
  diagnostics_.error(function(id).code[frame.pc].pos, message);
  for (int n = 0; n < kMaxNotes && typed(id).caller >= 0; ++n) {
    const Typed& called = typed(id);
    const Function& caller = function(called.caller);
    diagnostics_.note(caller.code[size_of(called.call_pc)].pos,
                      function(id).name + " is called here, by " + caller.name);
    id = called.caller;
  }
}

void Typing::underflow(Frame& frame, const Instr& in, std::int64_t needs) {
  const std::string there = std::to_string(frame.now.stack.size());
  const std::string text(op_info(in.op).text);
  if (in.op == Op::kCopy || in.op == Op::kPop || in.op == Op::kCpop) {
    fault(frame, "can't do a " + text + " " + std::to_string(in.a) + " " + std::to_string(in.b) + "; only " +
                     there + " items on the stack.");
  } else if (in.op == Op::kCall) {
    fault(frame, "Only " + there + " values on stack; CALL " + program_.functions[size_of(in.a)].name +
                     " requires " + std::to_string(needs) + ".");
    // Follow the call to the instruction that takes the deepest entry.
    std::int32_t f = in.a;
    for (int steps = 0; steps < 100; ++steps) {
      const StackEffect& e = effects_[size_of(f)];
      const Function& function = program_.functions[size_of(f)];
      const Instr& at = function.code[size_of(e.deepest)];
      if (at.op != Op::kCall || steps == 99)
        return diagnostics_.note(at.pos, "the deepest of them is taken here, in " + function.name);
      f = at.a;
    }
  } else {
    fault(frame, "Only " + there + " values on stack; " + text + " requires " + std::to_string(needs) + ".");
  }
  frame.now = {{}, false};
}

void Typing::mismatch(Frame& frame, const Instr& in, const Kind* operands) {
  const OpInfo& info = op_info(in.op);
  const std::string text(info.text);
  const std::string found(kind_name(operands[0]));
  if (in.op == Op::kIf) return fault(frame, "IF: top of stack not bool scalar: found " + found);
  if (in.op == Op::kUnpair) return fault(frame, "attempting to UNPAIR a non-pair (" + found + ")");
  if (in.op == Op::kLength && operands[0] == kind_of(Type::kSegdes))
    return fault(frame, "applying LENGTH to a segment descriptor.");
  if (in.op == Op::kLengths)
    return fault(frame, "applying LENGTHS to a non-segment descriptor: found " + found);
  std::string message = "type mismatch.  ";
  std::string takes;
  std::string has;
  bool first = true;
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const std::string wanted(wanted_name(in, info.operands[i]));
    const std::string actual(kind_name(operands[i]));
    takes += " " + wanted;
    has += " " + actual;
    if (accepts(in, info.operands[i], operands[i])) continue;
    message += (first ? "Stack[" : ", Stack[") + std::to_string(i) + "] is " + actual + ", function " + text +
               " expects " + wanted;
    first = false;
  }
  if (info.operands.size() > 1) message += "; " + word_text(in) + " takes" + takes + ", found" + has;
  fault(frame, message);
}

void Typing::varies(std::int32_t function, std::size_t pc, const std::string& message) {
  dynamic_ = true;
  if (!first_report(function, pc)) return;
  diagnostics_.warning(program_.functions[size_of(function)].code[pc].pos, message + std::string(kSlow));
}

// Follows calls of varying functions to the conditional that makes them so.
void Typing::varies_in_call(std::int32_t function) {
  std::unordered_set<std::int32_t> seen;
  for (;;) {
    const auto pc = size_of(effects_[size_of(function)].cause);
    const Instr& in = program_.functions[size_of(function)].code[pc];
    if (in.op != Op::kCall || !seen.insert(function).second ||
        effects_[size_of(in.a)].state != StackEffect::State::kVaries)
      return varies(function, pc,
                    "how many entries " + program_.functions[size_of(function)].name +
                        " leaves on the stack, or takes, depends on data");
    function = in.a;
  }
}

bool Typing::take(Verified& out) const {
  std::int64_t nodes = 0;
  for (const Typed& t : instances_) {
    for (const Kind k : t.operands) nodes += kinds_.nodes(k);
    for (const Kind k : t.results) nodes += kinds_.nodes(k);
  }
  if (size_of(nodes) > kMaxEntries) return false;
  const auto expand = [&](const std::vector<Kind>& kinds) {
    std::vector<EntryType> types;
    types.reserve(kinds.size());
    for (const Kind k : kinds) types.push_back(kinds_.expand(k));
    return types;
  };
  for (const Typed& t : instances_)
    out.instances.push_back({t.function, expand(t.operands), expand(t.results), t.returns, t.callees});
  out.entry = 0;
  return true;
}

}  // namespace nvm
