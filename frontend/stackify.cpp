// Flat code to stack code. What the schedule does not make where it is used is copied, or at its last use
// moved.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "bytecode/program/builder.h"
#include "frontend/emit.h"
#include "frontend/schedule.h"

namespace nvm::frontend::flat {
namespace {

using Counts = std::unordered_map<Atom, int>;

constexpr int kMostMoved = 100;  // by a CPOP of the legacy interpreter

// How often each block uses what: in it and in those inside it, of what they make themselves only in it.
class Uses {
 public:
  explicit Uses(const Function& function) : made_in_(function.kinds.size()) { count(function.body); }
  [[nodiscard]] const Counts& of(const Block& block) const { return counts_.at(&block); }

 private:
  void count(const Block& block) {
    check_stack();
    Counts counts;
    for (const Stmt& stmt : block.stmts) {
      check_budget();
      for (const Atom atom : stmt.results) made_in_[static_cast<std::size_t>(atom)] = &block;
      for (const Atom atom : stmt.args) ++counts[atom];
      if (stmt.kind != Stmt::Kind::kIf) continue;
      for (const Block* inside : {stmt.then_block.get(), stmt.else_block.get()}) {
        count(*inside);
        for (const auto& [atom, uses] : of(*inside))
          if (made_in_[static_cast<std::size_t>(atom)] != inside) {
            check_budget();
            counts[atom] += uses;
          }
      }
    }
    for (const Atom atom : block.yields) ++counts[atom];
    counts_.emplace(&block, std::move(counts));
  }

  std::vector<const Block*> made_in_;  // by atom
  std::unordered_map<const Block*, Counts> counts_;
};

class Stackifier {
 public:
  Stackifier(ProgramBuilder& out, const Program& program, const EmitOptions& options)
      : out_(out), program_(program), options_(options) {}

  void function(const Function& f, const std::string& name);

 private:
  // What is known while the code of one block is made.
  struct Frame {
    const std::set<Atom>* live_out;
    bool exits;   // the stack no longer matters
    Counts left;  // uses in this block still to come
  };
  struct Shuffle {
    Op op;
    int count, depth;
  };

  void block(const Block& block, const std::set<Atom>& live_out);
  void statement(Frame& frame, const Stmt& stmt);
  void conditional(Frame& frame, const Stmt& stmt);
  void results(Frame& frame, const Stmt& stmt);
  void push_all(Frame& frame, const Atoms& args);
  void make(Frame& frame, const Stmt& stmt);
  void push(Frame& frame, Atom atom);
  void fetch(Atom atom, bool move);
  static Atom operand(Atom atom) { return -1 - atom; }
  std::size_t in_place(const Frame& frame, const Atoms& args) const;
  void drop_dead(const Frame& frame);
  void instruction(const Stmt& stmt);
  void shuffle(Op op, int count, int depth);
  void move(int count, int depth);
  void flush();

  [[nodiscard]] bool dies(const Frame& frame, Atom atom, int uses) const {
    const auto it = frame.left.find(atom);
    return (it == frame.left.end() || it->second <= uses) && !frame.live_out->contains(atom);
  }

  ProgramBuilder& out_;
  const Program& program_;
  const EmitOptions& options_;
  const Schedule* schedule_ = nullptr;  // of the function
  const Uses* uses_ = nullptr;          // likewise
  Atoms stack_;
  Origin line_ = 0;                // of what is being made, or was made last
  std::vector<Shuffle> shuffles_;  // not yet written, mergeable
};

void Stackifier::move(int count, int depth) {
  for (int moved = 0; moved < count; moved += kMostMoved) {
    const int now = std::min(kMostMoved, count - moved);
    out_.cpop(now, depth + count - now);  // the deepest that are left; those above them count on
  }
}

void Stackifier::flush() {
  for (const Shuffle& s : shuffles_) {
    if (s.op == Op::kCopy) out_.copy(s.count, s.depth);
    if (s.op == Op::kCpop && s.depth > 0) move(s.count, s.depth);
    if (s.op == Op::kPop) out_.pop(s.count, s.depth);
  }
  shuffles_.clear();
}

// Moves or copies of neighbours, one after the other, are one: k times "1 d" is "k d-k+1".
void Stackifier::shuffle(Op op, int count, int depth) {
  if (!shuffles_.empty()) {
    Shuffle& last = shuffles_.back();
    if (last.op == op && op != Op::kPop && count == 1 && last.depth > 0 &&
        last.depth + last.count - 1 == depth) {
      ++last.count;
      --last.depth;
      return;
    }
    if (last.op == op && op == Op::kPop && last.depth == depth + count) {  // deeper one first: not adjacent
    } else if (last.op == op && op == Op::kPop && last.depth == depth) {
      last.count += count;
      return;
    }
  }
  shuffles_.push_back({op, count, depth});
}

void Stackifier::instruction(const Stmt& stmt) {
  flush();
  out_.origin_line(options_.line(stmt.line));
  switch (stmt.kind) {
    case Stmt::Kind::kOp: out_.emit(stmt.op, stmt.word); break;
    case Stmt::Kind::kConst: out_.constant(program_.constants[static_cast<std::size_t>(stmt.target)]); break;
    case Stmt::Kind::kCall: out_.call(program_.functions[static_cast<std::size_t>(stmt.target)].name); break;
    case Stmt::Kind::kIf: out_.emit(Op::kIf); break;
  }
}

// How many leading operands stand on top of the stack already, each at its last use.
std::size_t Stackifier::in_place(const Frame& frame, const Atoms& args) const {
  for (std::size_t k = std::min(args.size(), stack_.size()); k > 0; --k) {
    bool fits = std::equal(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(k),
                           stack_.end() - static_cast<std::ptrdiff_t>(k));
    for (std::size_t i = 0; fits && i < k; ++i) {
      const auto uses = std::count(args.begin(), args.end(), args[i]);
      const auto before = std::count(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(i), args[i]);
      fits = before == 0 && dies(frame, args[i], static_cast<int>(uses));
    }
    if (fits) return k;
  }
  return 0;
}

// Pushes a value that stands on the stack. What has been pushed for an instruction is no longer found as
// itself: its entry becomes operand(atom).
void Stackifier::fetch(Atom atom, bool move) {
  auto at = std::find(stack_.rbegin(), stack_.rend(), atom);
  if (at == stack_.rend()) at = std::find(stack_.rbegin(), stack_.rend(), operand(atom));
  NVM_CHECK(at != stack_.rend(), "value on the stack");
  shuffle(move ? Op::kCpop : Op::kCopy, 1, static_cast<int>(at - stack_.rbegin()));
  if (move) stack_.erase(std::next(at).base());
  stack_.push_back(operand(atom));
}

void Stackifier::push(Frame& frame, Atom atom) {
  if (const std::int32_t constant = schedule_->at_uses(atom); constant >= 0) {
    flush();
    out_.origin_line(line_);
    out_.constant(program_.constants[static_cast<std::size_t>(constant)]);
    stack_.push_back(operand(atom));
    return;
  }
  if (const Stmt* stmt = schedule_->at_use(atom)) {
    --frame.left[atom];
    const Origin user = line_;
    make(frame, *stmt);
    line_ = user;
    stack_.push_back(operand(atom));
    return;
  }
  const bool move = dies(frame, atom, 1);
  --frame.left[atom];
  fetch(atom, move);
}

// Takes the operands; the results are still to be put on the stack.
void Stackifier::make(Frame& frame, const Stmt& stmt) {
  line_ = options_.line(stmt.line);
  push_all(frame, stmt.args);
  instruction(stmt);
  stack_.resize(stack_.size() - stmt.args.size());
}

void Stackifier::push_all(Frame& frame, const Atoms& args) {
  check_stack();
  const std::size_t k = in_place(frame, args);
  const Atoms claimed(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(k));
  for (const Atom atom : claimed) --frame.left[atom];
  for (std::size_t i = 0; i < k; ++i) stack_[stack_.size() - k + i] = operand(claimed[i]);
  for (std::size_t i = k; i < args.size(); ++i) {
    if (std::find(claimed.begin(), claimed.end(), args[i]) != claimed.end()) {
      --frame.left[args[i]];
      fetch(args[i], false);
    } else {
      push(frame, args[i]);
    }
  }
}

// Results nobody uses go at once.
void Stackifier::results(Frame& frame, const Stmt& stmt) {
  for (const Atom atom : stmt.results) stack_.push_back(atom);
  for (std::size_t i = stmt.results.size(); i-- > 0 && !frame.exits;) {
    const Atom atom = stmt.results[i];
    if (!dies(frame, atom, 0)) continue;
    const auto at = std::find(stack_.rbegin(), stack_.rend(), atom);
    shuffle(Op::kPop, 1, static_cast<int>(at - stack_.rbegin()));
    stack_.erase(std::next(at).base());
  }
}

void Stackifier::drop_dead(const Frame& frame) {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i] < 0 || !dies(frame, stack_[i], 0)) continue;
    shuffle(Op::kPop, 1, static_cast<int>(stack_.size() - 1 - i));
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Stackifier::conditional(Frame& frame, const Stmt& stmt) {
  make(frame, stmt);
  // What a branch needs has been made: only uses of its own block wait.
  for (const Block* inside : {stmt.then_block.get(), stmt.else_block.get()})
    for (const auto& [atom, uses] : uses_->of(*inside))
      if (const auto it = frame.left.find(atom); it != frame.left.end()) it->second -= uses;
  std::set<Atom> live = *frame.live_out;
  for (const Atom atom : stack_)
    if (!dies(frame, atom, 0)) live.insert(atom);
  const Atoms before = stack_;
  block(*stmt.then_block, live);
  flush();
  const Atoms after_then = stack_;
  stack_ = before;
  const auto otherwise = [&] { block(*stmt.else_block, live); };
  const bool pops =
      std::any_of(before.begin(), before.end(), [&](Atom atom) { return !live.contains(atom); });
  if (pops || !stmt.else_block->stmts.empty() || !stmt.else_block->yields.empty()) {
    out_.emit(Op::kElse);
    otherwise();
    flush();
  }
  if (stmt.else_block->exits) stack_ = after_then;
  out_.emit(Op::kEndif);
  stack_.resize(stack_.size() - stmt.results.size());
  results(frame, stmt);
}

void Stackifier::statement(Frame& frame, const Stmt& stmt) {
  if (stmt.kind == Stmt::Kind::kIf) return conditional(frame, stmt);
  make(frame, stmt);
  results(frame, stmt);
}

void Stackifier::block(const Block& block, const std::set<Atom>& live_out) {
  check_stack();
  Frame frame{&live_out, block.exits, uses_->of(block)};
  if (!block.exits) drop_dead(frame);
  for (const Stmt* stmt : schedule_->of(block)) statement(frame, *stmt);
  if (block.exits) return;
  push_all(frame, block.yields);
  // What is left below the results and not needed later dies here.
  const std::size_t base = stack_.size() - block.yields.size();
  for (std::size_t i = base; i-- > 0;) {
    if (stack_[i] < 0 || live_out.contains(stack_[i])) continue;
    shuffle(Op::kPop, 1, static_cast<int>(stack_.size() - 1 - i));
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Stackifier::function(const Function& f, const std::string& name) {
  out_.begin_function(name);
  out_.current().origin = f.origin;
  out_.current().lifted = f.lifted;
  out_.current().tail_parallel = f.tail_parallel;
  stack_ = f.params;
  line_ = 0;
  const Schedule schedule(program_, f);
  schedule_ = &schedule;
  const Uses uses(f);
  uses_ = &uses;
  const std::set<Atom> nothing;
  block(f.body, nothing);
  flush();
  out_.end_function();
}

}  // namespace

nvm::Program to_stack_code(const Program& program, const EmitOptions& options) {
  const std::string& file = options.file;
  ProgramBuilder out(file);
  out.origins({file, {options.sources.begin(), options.sources.end()}});
  Stackifier stackifier(out, program, options);
  for (const Function& f : program.functions) {
    check_cancelled(options.cancelled);
    stackifier.function(f, f.name);
  }
  Diagnostics diagnostics(file, "");
  nvm::Program result = out.finish(diagnostics);
  NVM_CHECK(!diagnostics.failed(), "flat code resolves");
  return result;
}

}  // namespace nvm::frontend::flat
