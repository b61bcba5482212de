// Combining scatters in the words of the legacy interpreter, which has none: the values that go to one place
// are moved behind each other and reduced.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "bytecode/table/op_of.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {
namespace {

class Expander {
 public:
  explicit Expander(Program& program) : program_(program) {}

  void run() {
    for (Function& f : program_.functions) {
      function_ = &f;
      block(f.body);
    }
  }

 private:
  void block(Block& b) {
    check_stack();
    std::vector<Stmt> before = std::exchange(b.stmts, {});
    for (Stmt& stmt : before) {
      check_budget();
      if (stmt.kind == Stmt::Kind::kIf) {
        block(*stmt.then_block);
        block(*stmt.else_block);
      }
      if (stmt.kind == Stmt::Kind::kOp && op_kind(stmt.op) == OpKind::kCombine)
        expand(stmt, b.stmts);
      else
        b.stmts.push_back(std::move(stmt));
    }
  }

  void expand(const Stmt& scatter, std::vector<Stmt>& out) {
    out_ = &out;
    line_ = scatter.line;
    const TypeWord word = scatter.word, whole = TypeWord::kInt;
    const Atom v = scatter.args[0], i = scatter.args[1], d = scatter.args[2], ss = scatter.args[3],
               ds = scatter.args[4];
    const Atom values = one_segment(v, word), places = one_segment(d, word);
    // Where values go among all places, in order.
    const Atom lengths = op(Op::kLengths, TypeWord::kNone, {ds});
    const Atom begin = op(*op_of(OpKind::kScan, Scalar::kAdd), whole, {lengths, one_segment(lengths, whole)});
    const Atom at = each(Scalar::kAdd, whole, {i, op(Op::kDist, whole, {begin, ss})});
    const Atom rank = op(rank_op(false), whole, {at, values});
    const Atom sorted = op(Op::kPermute, whole, {at, rank, values});
    const Atom moved = op(Op::kPermute, word, {v, rank, values});
    // How many go to each: of equal places the last one is written.
    const Atom zeros = op(Op::kDist, whole, {integer(0), places});
    const Atom behind = op(Op::kIndex, TypeWord::kNone, {integer(1), integer(1), values});
    const Atom end = op(Op::kDpermute, whole, {behind, sorted, zeros, values, places});
    const Atom none = each(Scalar::kEq, whole, {end, zeros});
    const Atom most = op(*op_of(OpKind::kScan, Scalar::kMax), whole, {end, places});
    const Atom low = each(Scalar::kLt, whole, {most, zeros});  // the identity, in front of the first
    const Atom start = each(Scalar::kSelect, whole, {low, zeros, most});
    const Atom count = each(Scalar::kSelect, whole, {none, zeros, each(Scalar::kSub, whole, {end, start})});
    const Atom groups = op(Op::kMakeSegdes, TypeWord::kNone, {count});
    const Scalar scalar = op_info(scatter.op).scalar;
    const Atom folded = op(*op_of(OpKind::kReduce, scalar), word, {moved, groups});
    add(*op_of(OpKind::kMap, Scalar::kSelect), word, {none, d, combined(scalar, word, d, folded)},
        scatter.results[0]);
  }
  Atom combined(Scalar scalar, TypeWord word, Atom a, Atom b) {
    if (op_of(OpKind::kMap, scalar)) return each(scalar, word, {a, b});
    const Scalar first = scalar == Scalar::kMax ? Scalar::kGt : Scalar::kLt;  // there is no MAX of two
    return each(Scalar::kSelect, word, {each(first, word, {a, b}), a, b});
  }

  Atom each(Scalar scalar, TypeWord word, Atoms args) {
    return op(*op_of(OpKind::kMap, scalar), word, std::move(args));
  }
  Atom one_segment(Atom vector, TypeWord word) {
    return op(Op::kMakeSegdes, TypeWord::kNone, {op(Op::kLength, word, {vector})});
  }
  Atom integer(std::int64_t value) {
    Stmt made;
    made.kind = Stmt::Kind::kConst;
    made.target = static_cast<std::int32_t>(program_.constants.size());
    made.line = line_;
    const Atom atom = fresh(Type::kInt);
    made.results = {atom};
    program_.constants.push_back({TypeWord::kInt, {value}, {}});
    out_->push_back(std::move(made));
    return atom;
  }
  Atom op(Op op, TypeWord word, Atoms args) {
    const Atom result = fresh(letter_type(op_info(op).results[0], word));
    add(op, word, std::move(args), result);
    return result;
  }
  void add(Op op, TypeWord word, Atoms args, Atom result) {
    Stmt made;
    made.op = op;
    made.word = word;
    made.line = line_;
    made.args = std::move(args);
    made.results = {result};
    out_->push_back(std::move(made));
  }
  Atom fresh(nvm::Type kind) {
    function_->kinds.push_back(kind);
    return static_cast<Atom>(function_->kinds.size() - 1);
  }

  Program& program_;
  Function* function_ = nullptr;
  std::vector<Stmt>* out_ = nullptr;
  Origin line_ = 0;
};

}  // namespace

void expand_combining_scatters(Program& program) { Expander(program).run(); }

}  // namespace nvm::frontend::flat
