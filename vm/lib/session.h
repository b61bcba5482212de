// Arrays of a host language: single instructions on values, recorded and computed when somebody looks.
//
// A node is one instruction of VCODE. On a few elements it is executed at once; else it is a promise, and
// what is looked at becomes one program with all that it stands on. Graphs of one shape share that program,
// whatever the lengths and values.
//
// Nodes belong to an ExpressionGraph, which one thread uses at a time, with all its promises; a host whose
// threads share one has a lock for it. While a program runs the lock may be given away. Graphs share nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace nvm {
struct Range;
}

namespace nvm::lib {

// An instruction with its type word, "+ INT", or a constant, "CONST FLOAT 2.0": what has no effect, at most
// two results, and no more operands than kMostOperands. One object for each text; it lives as long as the
// process. Any thread may ask.
class Instruction;
inline constexpr int kMostOperands = 6;
// Null for any other text.
[[nodiscard]] const Instruction* find_instruction(std::string_view text);
[[nodiscard]] int operands_of(const Instruction& instruction);
[[nodiscard]] int results_of(const Instruction& instruction);
[[nodiscard]] Kind operand_kind(const Instruction& instruction, int operand);

// A place in the host's program; what `code` is only the host knows.
struct Place {
  void* code = nullptr;
  int offset = 0;
};
struct SourceLine {
  std::string file;
  int line = 0;
};
// How the host says where it is, and keeps what Place::code points to.
struct Places {
  Place (*here)() = nullptr;  // of who records now; release() gives it back
  void (*release)(void* code) = nullptr;
  SourceLine (*line_of)(const Place& place) = nullptr;  // for watchers
};

struct Node;
class ExpressionGraph;

// A result of an instruction, or a value that was given; a handle that keeps what it needs.
class Promise {
 public:
  Promise() = default;
  Promise(Node* node, int index);  // takes a share in the node
  Promise(const Promise& o);
  Promise(Promise&& o) noexcept : node_(std::exchange(o.node_, nullptr)), index_(o.index_) {}
  Promise& operator=(Promise o) noexcept {
    std::swap(node_, o.node_);
    index_ = o.index_;
    return *this;
  }
  ~Promise();

  [[nodiscard]] explicit operator bool() const { return node_ != nullptr; }
  [[nodiscard]] Node* node() const { return node_; }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] Node* detach() { return std::exchange(node_, nullptr); }  // its share is the caller's
  [[nodiscard]] ExpressionGraph& graph() const;
  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool evaluated() const;
  [[nodiscard]] const Value& value() const;             // if evaluated
  [[nodiscard]] int depth() const;                      // instructions on the longest way to values
  [[nodiscard]] Place place() const;                    // no code: unknown
  [[nodiscard]] const std::string& text() const;        // of the instruction, "" of a given value
  [[nodiscard]] std::vector<Promise> operands() const;  // of a promise

 private:
  Node* node_ = nullptr;
  int index_ = 0;
};

// Nodes that nobody holds any more, with their values; these may tell the owner of borrowed memory that it
// ends.
class DeadNodes {
 public:
  explicit DeadNodes(Node* first = nullptr) : first_(first) {}
  DeadNodes(DeadNodes&& o) noexcept : first_(std::exchange(o.first_, nullptr)) {}
  DeadNodes& operator=(DeadNodes&&) = delete;
  ~DeadNodes();

 private:
  Node* first_;
};

// What the promises of one user have in common: constants, and those that are alike. Outlives its promises.
class ExpressionGraph {
 public:
  struct State;
  enum class Dead : std::uint8_t { kFreed, kKept };
  explicit ExpressionGraph(const Places& places = {}, Dead dead = Dead::kFreed);
  ~ExpressionGraph();
  ExpressionGraph(const ExpressionGraph&) = delete;
  ExpressionGraph& operator=(const ExpressionGraph&) = delete;

  [[nodiscard]] Promise given(Value value);
  // A number of the program, not of its input: graphs with other ones have other programs. Where there are
  // too many in the process it is an input.
  [[nodiscard]] Promise constant(std::int64_t value);
  [[nodiscard]] Promise constant(double value);
  [[nodiscard]] Promise constant(bool value);
  // Stands for a value that is not there, in a graph to be kept as a Tape; it must not be computed. A
  // `magnitude` but zero: INTs from 0 to below 2^magnitude.
  [[nodiscard]] Promise parameter(Kind kind, int magnitude = 0);
  // Those that were kept: whoever takes them may free them when others use the graph.
  [[nodiscard]] DeadNodes take_dead();
  // How many instructions were recorded or executed.
  [[nodiscard]] std::uint64_t recorded() const;
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};
// Records an instruction in the graph of its operands, all of one and at least one, or executes it if
// they are values of a few elements; what fails then is recorded, and fails when somebody looks. Its results
// are numbered from the first; throws std::bad_alloc.
[[nodiscard]] Promise record(const Instruction& instruction, std::span<const Promise> operands);
// Between which numbers INT elements are, by what they are computed from.
[[nodiscard]] Range range_of(const Promise& promise);
// Of few different ones that for parameter() which holds for them; 0 if none does.
[[nodiscard]] int magnitude_of(const Promise& promise);
// A graph above some promises, without them: what is recorded again for other ones costs no more than its
// instructions. Values on which it stands besides are kept.
class Tape {
 public:
  Tape(std::span<const Promise> inputs, std::span<const Promise> results);
  // Inputs of the same kinds, as many, that are what the parameters say.
  [[nodiscard]] std::vector<Promise> record(std::span<const Promise> inputs) const;
  [[nodiscard]] std::size_t inputs() const { return inputs_; }

 private:
  struct Step {
    const Instruction* instruction;
    std::uint32_t operands[kMostOperands];  // numbers of values: inputs, kept ones, results in order
  };
  std::size_t inputs_;
  std::vector<Promise> kept_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> results_;
  std::size_t values_;  // how many there are
};

// Computes promises with one set of options, and keeps programs, machines and kernels for the next graph of
// the same shape. Used under the lock of the graphs that it computes.
class Session {
 public:
  // Runs the program. `long_run`: it may take long enough for somebody to want to interrupt it.
  using Runner = std::function<Result<Run>(Vm&, const Program&, std::span<const Value>, bool long_run)>;
  struct Unevaluated {
    Failure failure;
    Promise at;  // the instruction that failed; null if unknown
  };

  explicit Session(const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Computes them, and what they stand on and somebody else still holds. Afterwards these have their values;
  // if it fails all stay as they were.
  [[nodiscard]] std::optional<Unevaluated> evaluate(std::span<const Promise> wanted, const Runner& runner,
                                                    Run& run);
  // In a child process, where the threads that machines use are not: leaves machines alone for ever.
  void abandon();
  [[nodiscard]] const Options& options() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace nvm::lib
