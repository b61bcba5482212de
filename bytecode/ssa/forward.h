// Forward analyses over calls: what callers tell their callees, and callees their callers, until nothing
// changes. One function is looked at from its first block to its last; a callee whose parameters have changed
// is looked at before the caller goes on, so that most functions are looked at once. Only functions that call
// each other, and those of which a later caller knows less, are looked at again.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "bytecode/ssa/cfg.h"

namespace nvm::ssa {

// What every look at a function needs to know of its code.
struct FunctionShape {
  explicit FunctionShape(const Function& function);
  std::vector<std::vector<BlockId>> from;  // predecessors()
  std::vector<const Inst*> makers;         // makers_of()
  Dominators idom;
};

// One look at a function.
class ForwardBody {
 public:
  ForwardBody(FunctionId id, const Function& f, const FunctionShape& shape)
      : id_(id), f_(f), shape_(shape), reached_(f.blocks.size(), false) {}
  virtual ~ForwardBody() = default;
  ForwardBody(const ForwardBody&) = delete;
  ForwardBody& operator=(const ForwardBody&) = delete;

  // Goes on to the end, or to a call whose callee is to be looked at before it is taken.
  [[nodiscard]] std::optional<FunctionId> advance();
  [[nodiscard]] FunctionId id() const { return id_; }
  // Is there a call that is not known to return?
  [[nodiscard]] bool open() const { return open_; }

 protected:
  virtual void enter() = 0;  // the function's parameters
  // Parameters of a block, from the ways in that are reached.
  virtual void join(std::size_t block, const std::vector<BlockId>& ways) = 0;
  virtual void inst(const Inst& in) = 0;  // not a call
  // Tells the callee about the operands. True if it is to be looked at first.
  virtual bool tell(const Inst& call) = 0;
  // Takes over what the callee says about its results. False if it is not known to return.
  virtual bool take(const Inst& call) = 0;
  virtual void unknown(ValueId v) = 0;  // of a value that is not reached
  virtual void leave() = 0;             // results, if one of the blocks in `returned_` is reached

  FunctionId id_;
  const Function& f_;
  const FunctionShape& shape_;
  std::vector<bool> reached_;          // by block
  std::vector<std::size_t> returned_;  // reached blocks that return

 private:
  std::optional<FunctionId> block(std::size_t b);
  void enter_block(std::size_t b);
  void fill(std::size_t b, std::size_t from);

  std::size_t b_ = 0, i_ = 0;  // where it goes on
  bool entered_ = false, told_ = false, open_ = false;
};

class ForwardAnalysis {
 public:
  explicit ForwardAnalysis(const Module& m);
  virtual ~ForwardAnalysis() = default;
  ForwardAnalysis(const ForwardAnalysis&) = delete;
  ForwardAnalysis& operator=(const ForwardAnalysis&) = delete;

  void run();
  // Looks at functions so far, and the instructions and blocks they have: what the analysis costs.
  [[nodiscard]] std::size_t steps() const { return steps_; }

  // ---- for bodies

  // What is known about the parameters of `f` has changed.
  void enqueue(FunctionId f);
  // To be looked at before its results are read? Not if it waits for that itself, or too many do.
  [[nodiscard]] bool due(FunctionId f) const {
    return queued_[index(f)] && !active_[index(f)] && stack_.size() < kMostActive;
  }
  [[nodiscard]] int looks(FunctionId f) const { return looks_[index(f)]; }
  // The innermost body takes the results of `callee` as they are, if there are any.
  void reads(FunctionId callee);
  // The results of `f` have changed.
  void publish(FunctionId f);
  // Functions that never return have had their chance: their results are anything.
  [[nodiscard]] bool giving_up() const { return giving_up_; }

 protected:
  static constexpr int kMaxLooks = 40;  // per function; far above what is seen, then nothing is assumed

  [[nodiscard]] static std::size_t index(FunctionId f) { return static_cast<std::size_t>(f); }
  virtual std::unique_ptr<ForwardBody> look_at(FunctionId f) = 0;
  virtual void enter_program() = 0;               // the parameters of the module's entry
  virtual void assume_nothing(FunctionId f) = 0;  // about its parameters

  const FunctionShape& shape(FunctionId f);

  const Module& m_;

 private:
  // So many bodies are kept at once; beyond, a callee waits for its turn.
  static constexpr std::size_t kMostActive = 500;

  struct Active {
    std::unique_ptr<ForwardBody> body;
    std::vector<std::pair<FunctionId, int>> read;  // which results, and which version of them
  };
  void drain();
  void start(FunctionId f);
  void finish();

  std::vector<std::unique_ptr<FunctionShape>> shapes_;
  std::deque<FunctionId> queue_;
  std::vector<bool> queued_, active_, open_;
  std::vector<int> looks_, version_;
  std::vector<std::vector<FunctionId>> readers_;  // of the latest version
  std::vector<Active> stack_;
  std::size_t steps_ = 0;
  bool giving_up_ = false;
};

}  // namespace nvm::ssa
