// How find_lifted judges one function; see lifted.cpp for the argument.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/instances.h"

namespace nvm::ssa {

// How a value is composed.
struct Piece {
  enum class Kind : std::uint8_t {
    kUnknown,  // in no way that is understood
    kSame,     // the same for every set of instances: constants and what follows from them
    kPieces,   // one piece per instance, end to end
    kOffsets,  // pieces of indices into something laid out over all instances; the term counts from the
               // instance's own beginning
    kFrame,    // a descriptor of one segment, its length the sum over instances
    kCount,    // an Int of length one, a sum over instances
    kIfEmpty,  // a Bool of length one: has the group no instances?
    kIfAll,    // a Bool of length one: do all instances of the group have the flag?
    kIfNone,   // a Bool of length one: is this number, a sum over instances, zero?
  } kind = Kind::kUnknown;
  bool negated = false;       // kIfEmpty, kIfAll, kIfNone
  Group group = kAll;         // kPieces, kOffsets, kIfEmpty, kIfAll
  Term term = kNoTerm;        // kSame, kPieces, kOffsets; kIfAll: the flag
  Term layout = kNoTerm;      // kOffsets: sizes of what each instance has in the thing indexed
  Total total;                // kFrame, kCount; kOffsets: size of the thing indexed
  Symbol number = kNoSymbol;  // kIfNone
  friend bool operator==(const Piece&, const Piece&) = default;
};

// As Inst has it.
struct InstCost {
  bool unpaid = false;
  std::int32_t flat_work = 0;
  std::int32_t twin = 0;
};

// Judges one function, whose frame and cut are known.
class LiftedProof {
 public:
  using Kind = Piece::Kind;

  LiftedProof(const Module& m, const Function& f, const FunctionFacts& facts,
              const std::vector<bool>& assumed)
      : m_(m),
        f_(f),
        facts_(facts),
        assumed_(assumed),
        pieces_(f.value_types.size()),
        idom_(immediate_dominators(f)),
        from_(predecessors(f)),
        stops_(blocks_that_stop(f)) {}

  // Empty if the function is lifted, else why not.
  std::string run();
  // Of a function that is: empty if its cost adds up, given that of the functions that `add_up`; else why
  // not. By instruction, block after block.
  // `occupied`: no group calls it without instances.
  std::string judge_costs(const std::vector<bool>& add_up, bool occupied, std::vector<InstCost>& costs);
  // The functions that a group may call without instances, which has some itself if `occupied`.
  std::vector<FunctionId> idle_calls(bool occupied);

 private:
  // ---- results and reasons

  void refuse(const std::string& why, SourcePos pos);

  const Piece& piece(ValueId v) const { return pieces_[static_cast<std::size_t>(v)]; }
  const Piece& operand(const Inst& in, std::uint32_t i) const { return piece(f_.operands_of(in)[i]); }
  void set(const Inst& in, std::uint32_t r, Piece p);
  void set(ValueId v, Piece p);
  // Has the vector one element for each instance of its group?
  [[nodiscard]] bool one_each(ValueId v);
  static Piece same(Term t) { return {Kind::kSame, false, kAll, t, kNoTerm, {}, kNoSymbol}; }
  static Piece pieces(Group g, Term t) { return {Kind::kPieces, false, g, t, kNoTerm, {}, kNoSymbol}; }
  static Piece frame(Total t) {
    return {Kind::kFrame, false, kAll, kNoTerm, kNoTerm, std::move(t), kNoSymbol};
  }
  static Piece count(Total t) {
    return {Kind::kCount, false, kAll, kNoTerm, kNoTerm, std::move(t), kNoSymbol};
  }
  static Piece offsets(Group g, Term t, Term layout, Total of);
  // Are these offsets into one thing?
  static bool alike(const Piece& a, const Piece& b) { return a.layout == b.layout && a.total == b.total; }

  void parameter(std::size_t i);

  // ---- control

  // A block that can only end in a stop: what a failed check does.
  static std::vector<bool> blocks_that_stop(const Function& f);

  void block(std::size_t b);

  [[nodiscard]] bool stops_at(BlockId b) const { return stops_[static_cast<std::size_t>(b)]; }

  // A branch that may end the program. If it does for the whole it must do so for some group, which then
  // gives the call back. A question about instances is answered alike by a group that has the instance; but
  // the group must come to the question: a group that goes round it has no instance that it is about.
  void check(std::size_t b, SourcePos pos);
  bool asked_alike(const Terminator& question, const Piece& way, BlockId head);

  void join(std::size_t b);

  // The piece of a value that is `yes` if the (unnegated) condition holds, else `no`.
  Piece meet(const Piece& condition, ValueId from_yes, ValueId from_no, SourcePos pos);

  // Is the value what `no` is when the group has no instances, and `no` something of that group?
  bool empty_like(ValueId value, const Piece& no, Group group);

  // Is `yes` what `no` is when all of the group have the flag?
  bool agree_if_all(const Piece& yes, const Piece& no, Group group, Term flag);

  // Is `yes` what `no` is when this number is zero: empty?
  bool vanishes(ValueId yes, ValueId no, Symbol number) const;
  Piece meet_same(Term condition, const Piece& yes, const Piece& no);
  void refuse_join(const std::string& why, SourcePos pos);
  [[nodiscard]] bool is_number(Symbol s, std::int64_t number) const;

  // ---- instructions

  void inst(const Inst& in);

  [[nodiscard]] bool all(const Inst& in, Kind kind) const;
  // All operands are pieces of the same group.
  [[nodiscard]] bool together(const Inst& in) const;
  Term apply(const Inst& in, std::uint32_t result, std::uint32_t operands);

  // What acts on every segment, and so on every instance, alone. Indices into the whole may be carried along
  // as data by what only moves them.
  void segmented(const Inst& in);

  // Lengths and descriptors: the lengths of pieces are the same pieces, of a frame a count.
  void shape(const Inst& in);
  void set_count(const Inst& in, Total total);

  void dist(const Inst& in);

  // 0, 1, ... over a frame, or from offsets that say where each segment begins.
  void index(const Inst& in);
  [[nodiscard]] bool is_constant(const Piece& p, std::int64_t value);
  [[nodiscard]] bool counts_by_one(const Piece& p);
  [[nodiscard]] bool is_constant_term(Term t, std::int64_t value);
  [[nodiscard]] std::optional<Term> zero_term();
  [[nodiscard]] bool counts_from_zero(Term indices, Term lengths);

  // DPERMUTE, segment by segment, of what only the instances with a flag have.
  bool put_chosen(const Inst& in);

  // Choosing instances by one flag each, their segments by the flag copied over them, or elements.
  void pack(const Inst& in);

  void map(const Inst& in);

  void negate_condition(const Inst& in);

  // Sums, differences and comparisons of counts.
  void on_counts(const Inst& in);

  // Number of instances = 0 or > 0; number with the flag = number of all, or = 0 or > 0.
  void compare(const Inst& in, const Piece& a, const Piece& b);

  // Reductions over everything: sums, and "all" and "any" of one flag per instance.
  void reduce(const Inst& in);

  // Sums of lengths over everything say where segments begin.
  void scan(const Inst& in);

  // Do these indices go through all that the instances of their group have in the thing indexed?
  [[nodiscard]] bool runs_through(const Piece& indices);
  // The group whose instances lie in the thing indexed.
  [[nodiscard]] std::optional<Group> indexed(const Piece& indices);

  void gather(const Inst& in);

  // Every instance reads what all share.
  void gather_same(const Inst& in);

  void scatter(const Inst& in);

  // Do the operands belong together as the callee's parameters are cut?
  [[nodiscard]] bool cut_like(const Inst& in, const Function& callee) const;
  // A lifted callee works on each instance of its own frame alone, and so on each of ours.
  void call(const Inst& in);

  // ---- costs (lifted_costs.cpp)

  // Who comes to a block, besides what all instances decide alike.
  struct Way {
    bool all = false;           // only if all instances of some group go this way, or none exists
    bool unknown = false;       // or how it is decided is not understood
    bool mixed = false;         // if there are instances of two kinds
    std::optional<Group> some;  // if there is one of this group
    Symbol number = kNoSymbol;  // if this is not zero; none of these: always
  };
  // What an operand or a result counts.
  struct Length {
    bool known = false;
    std::optional<Total> of;  // a sum over instances of these groups
    std::int32_t flat = 0;    // if not that
    Symbol number = kNoSymbol;
  };
  // A question about instances that led to a block, and whether what is asked (unnegated) was the case.
  struct Decision {
    BlockId at = 0;
    bool holds = false;
  };
  [[nodiscard]] std::vector<Decision> decisions(BlockId b) const;  // the last one first
  [[nodiscard]] Way way_to(BlockId b);
  [[nodiscard]] Length length(ValueId v);
  [[nodiscard]] bool within(const Total& total, Symbol number, const Way& way) const;
  [[nodiscard]] std::vector<ValueId> counted(const Inst& in) const;
  // What stands twice (lifted_twins.cpp).
  void find_twins();
  void find_twins(BlockId question);
  [[nodiscard]] bool has_instances(const Inst& call, const Way& way, bool occupied);
  [[nodiscard]] bool counts_some(Term t) const;
  [[nodiscard]] bool goes_where(const Decision& decision, Group group);
  [[nodiscard]] bool twins(const Inst& all, const Inst& some, const Piece& asked, Group flagged);
  [[nodiscard]] bool judge_twin(const Inst& in, std::int32_t stretch, InstCost& cost);
  [[nodiscard]] bool judge_cost(const Inst& in, const Way& way, InstCost& cost);
  [[nodiscard]] bool judge_call(const Inst& in, const Way& way, const std::vector<bool>& add_up);

  const Module& m_;
  const Function& f_;
  const FunctionFacts& facts_;
  const std::vector<bool>& assumed_;
  std::vector<Piece> pieces_;
  Dominators idom_;
  std::vector<std::vector<BlockId>> from_;
  std::vector<bool> stops_;
  Instances terms_;
  std::map<Symbol, Total> totals_;  // what a number counts, by its symbol
  std::map<Term, Term> spread_;  // flags copied over segments, in any number of steps: one for each instance
  std::map<const Inst*, std::int32_t> twins_;  // as Inst::twin
  std::int32_t stretches_ = 0;
  bool returned_ = false;
  std::string refusal_;
  SourcePos unknown_at_;  // the first value that is not understood, for the refusal
  std::string unknown_;
};

}  // namespace nvm::ssa
