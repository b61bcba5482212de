#include "frontend/flat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"

namespace nvm::frontend::flat {
namespace {

bool same(const Constant& a, const Constant& b) {  // -0.0 is not 0.0
  return a.word == b.word && a.ints == b.ints && a.input == b.input && a.floats.size() == b.floats.size() &&
         std::equal(a.floats.begin(), a.floats.end(), b.floats.begin(),
                    [](double x, double y) { return x == y && std::signbit(x) == std::signbit(y); });
}

std::size_t hash_of(const Constant& constant) {
  std::size_t hash = static_cast<std::size_t>(constant.word) + 31 * constant.size();
  const auto mix = [&](std::uint64_t bits) { hash = (hash ^ bits) * 0x9E3779B97F4A7C15U; };
  for (const std::int64_t value : constant.ints) mix(static_cast<std::uint64_t>(value));
  for (const double value : constant.floats) mix(std::bit_cast<std::uint64_t>(value));
  return hash;
}

std::int32_t constant_index(Program& program, Constant constant) {
  auto& all = program.constants;
  const std::size_t hash = hash_of(constant);
  const auto [first, last] = program.index.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (same(all[static_cast<std::size_t>(it->second)], constant)) return it->second;
  all.push_back(std::move(constant));
  const auto index = static_cast<std::int32_t>(all.size()) - 1;
  program.index.emplace(hash, index);
  return index;
}

}  // namespace

Builder::Builder(Program& program, Function& function) : program_(program), function_(function) { open(); }

void Builder::open() {
  scopes_.push_back({{}, asked_.now(), ordered_.now(), refined_.now()});
  numbering_.open();
}

std::unique_ptr<Block> Builder::close() {
  Scope& scope = scopes_.back();
  asked_.back_to(scope.asked);
  ordered_.back_to(scope.ordered);
  refined_.back_to(scope.refined);
  numbering_.close();
  auto block = std::make_unique<Block>(std::move(scope.block));
  scopes_.pop_back();
  return block;
}

Atom Builder::fresh(nvm::Type kind) {
  function_.kinds.push_back(kind);
  numbers_.push_back({all_numbers(kind, kWidths[0]), all_numbers(kind, kWidths[1])});
  statement_.emplace_back();
  return static_cast<Atom>(function_.kinds.size()) - 1;
}

Atom Builder::param(nvm::Type kind) {
  function_.params.push_back(fresh(kind));
  return function_.params.back();
}

Stmt& Builder::add(Stmt stmt) {
  stmt.line = line_;
  auto& stmts = scopes_.back().block.stmts;
  for (const Atom atom : stmt.results)
    statement_[static_cast<std::size_t>(atom)] = {static_cast<std::uint32_t>(scopes_.size() - 1),
                                                  static_cast<std::uint32_t>(stmts.size())};
  stmts.push_back(std::move(stmt));
  return stmts.back();
}

Atoms Builder::ops(Op op, TypeWord word, Atoms args) {
  const OpInfo& info = op_info(op);
  const bool ordered = info.effect == Effect::kOrdered;
  const Numbering::Key key(op, word, args);
  if (!ordered)
    if (const Atoms* before = numbering_.find(key)) return *before;
  Stmt stmt;
  stmt.op = op;
  stmt.word = word;
  stmt.keep = ordered;
  stmt.barrier = op == Op::kStartTimer || op == Op::kStopTimer;
  stmt.args = std::move(args);
  for (const char letter : info.results) stmt.results.push_back(fresh(letter_type(letter, word)));
  Atoms results = stmt.results;
  if (!results.empty()) {
    const Made made{op, word, stmt.args};
    for (std::size_t w = 0; w < kWidths.size(); ++w)
      numbers_[static_cast<std::size_t>(results.front())][w] = computed(made, kWidths[w], 0);
    if (!ordered) made_[results.front()] = made;
  }
  // Behind a descriptor, the numbers that it was made of are lengths.
  if (op == Op::kMakeSegdes)
    refine(stmt.args[0],
           {all_numbers(nvm::Type::kSegdes, kWidths[0]), all_numbers(nvm::Type::kSegdes, kWidths[1])});
  add(std::move(stmt));
  if (!ordered) numbering_.add(key, results);
  return results;
}

Atom Builder::op(Op op, TypeWord word, Atoms args) {
  if (const auto folded = fold(op, word, args)) return *folded;
  return ops(op, word, std::move(args)).front();
}

Atom Builder::constant(Constant constant) {
  const nvm::Type kind = type_of(constant.word);
  const std::int32_t index = constant_index(program_, std::move(constant));
  const Numbering::Key key = Numbering::Key::constant(index);
  if (const Atoms* before = numbering_.find(key)) return before->front();
  Stmt stmt;
  stmt.kind = Stmt::Kind::kConst;
  stmt.target = index;
  stmt.results = {fresh(kind)};
  const Atom result = stmt.results.front();
  add(std::move(stmt));
  numbering_.add(key, {result});
  constants_[result] = index;
  if (const Constant* numbers = constant_of(result))
    for (std::size_t w = 0; w < kWidths.size(); ++w)
      numbers_[static_cast<std::size_t>(result)][w] = constant_numbers(kind, kWidths[w], numbers->ints);
  return result;
}

const Constant* Builder::constant_of(Atom atom) const {
  const auto it = constants_.find(atom);
  if (it == constants_.end()) return nullptr;
  const Constant& constant = program_.constants[static_cast<std::size_t>(it->second)];
  return constant.input < 0 ? &constant : nullptr;
}

const Constant* Builder::known(Atom atom) const {
  const Constant* constant = constant_of(atom);
  return constant && constant->size() == 1 ? constant : nullptr;
}

void Builder::same(Op op, TypeWord word, const Atoms& args, Atom result) {
  numbering_.add({op, word, args}, {result});
  made_.try_emplace(result, Made{op, word, args});
}

std::optional<Atom> Builder::done(Op op, TypeWord word, const Atoms& args) const {
  const Atoms* before = numbering_.find({op, word, args});
  return before == nullptr ? std::nullopt : std::optional(before->front());
}

bool Builder::first_time(Atom atom) {
  if (asked_.find(atom)) return false;
  asked_.set(atom, true);
  return true;
}

Atoms Builder::call(std::int32_t callee, Atoms args, const std::vector<nvm::Type>& results, bool keep) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::kCall;
  stmt.target = callee;
  stmt.keep = keep;
  stmt.args = std::move(args);
  for (const nvm::Type kind : results) stmt.results.push_back(fresh(kind));
  return add(std::move(stmt)).results;
}

Atoms Builder::branch(Atom condition, const std::function<Atoms()>& then_branch,
                      const std::function<Atoms()>& else_branch) {
  if (const Constant* value = known(condition)) return value->ints[0] != 0 ? then_branch() : else_branch();
  Stmt stmt;
  stmt.kind = Stmt::Kind::kIf;
  stmt.args = {condition};
  const Origin line = line_;
  open();
  scopes_.back().block.yields = then_branch();
  stmt.then_block = close();
  line_ = line;
  open();
  scopes_.back().block.yields = else_branch();
  stmt.else_block = close();
  line_ = line;
  NVM_CHECK(stmt.then_block->yields.size() == stmt.else_block->yields.size(), "branches yield alike");
  for (std::size_t i = 0; i < stmt.then_block->yields.size(); ++i) {
    const Atom yes = stmt.then_block->yields[i], no = stmt.else_block->yields[i];
    stmt.results.push_back(fresh(kind(yes)));
    for (std::size_t w = 0; w < kWidths.size(); ++w)
      numbers_.back()[w] =
          hull(numbers_[static_cast<std::size_t>(yes)][w], numbers_[static_cast<std::size_t>(no)][w]);
  }
  return add(std::move(stmt)).results;
}

void Builder::stop_if(Atom condition, const std::function<void()>& then_branch) {
  if (const Constant* value = known(condition); value && value->ints[0] == 0) return;
  Stmt stmt;
  stmt.kind = Stmt::Kind::kIf;
  stmt.keep = true;
  stmt.args = {condition};
  open();
  then_branch();
  stop();
  scopes_.back().block.exits = true;
  stmt.then_block = close();
  stmt.else_block = std::make_unique<Block>();
  add(std::move(stmt));
}

void Builder::keep(Atom atom) {
  const auto [scope, at] = statement_[static_cast<std::size_t>(atom)];
  if (scope >= scopes_.size() || at >= scopes_[scope].block.stmts.size()) return;
  Stmt& stmt = scopes_[scope].block.stmts[at];
  if (std::find(stmt.results.begin(), stmt.results.end(), atom) != stmt.results.end()) stmt.keep = true;
}

void Builder::finish(Atoms results) {
  scopes_.back().block.yields = std::move(results);
  function_.body = std::move(*close());
}

namespace {

class DeadCode {
 public:
  void block(Block& block) {
    check_stack();
    for (const Atom atom : block.yields) needed_.insert(atom);
    for (auto it = block.stmts.rbegin(); it != block.stmts.rend(); ++it)
      if (!statement(*it)) it->op = Op::kRet;  // no statement is a kRet: marks the dead
    std::erase_if(block.stmts, [](const Stmt& s) { return s.kind == Stmt::Kind::kOp && s.op == Op::kRet; });
  }

 private:
  [[nodiscard]] bool is_needed(Atom atom) const { return needed_.contains(atom); }

  bool statement(Stmt& stmt) {
    if (stmt.kind == Stmt::Kind::kIf) return conditional(stmt);
    const bool live = stmt.keep || std::any_of(stmt.results.begin(), stmt.results.end(),
                                               [this](Atom atom) { return is_needed(atom); });
    if (live)
      needed_.insert(stmt.args.begin(), stmt.args.end());
    else
      stmt.kind = Stmt::Kind::kOp;
    return live;
  }

  bool conditional(Stmt& stmt) {
    std::vector<bool> kept;
    for (const Atom atom : stmt.results) kept.push_back(is_needed(atom));
    for (Atoms* atoms : {&stmt.results, &stmt.then_block->yields, &stmt.else_block->yields})
      if (!atoms->empty()) keep_only(*atoms, kept);
    block(*stmt.then_block);
    block(*stmt.else_block);
    const bool live =
        !stmt.results.empty() || !stmt.then_block->stmts.empty() || !stmt.else_block->stmts.empty();
    if (live)
      needed_.insert(stmt.args.begin(), stmt.args.end());
    else
      stmt.kind = Stmt::Kind::kOp;
    return live;
  }

  std::set<Atom> needed_;
};

void print_block(std::ostream& out, const Block& block, const Program& program, int indent);

void print_atoms(std::ostream& out, const Atoms& atoms) {
  for (const Atom atom : atoms) out << " v" << atom;
}

void print_stmt(std::ostream& out, const Stmt& stmt, const Program& program, int indent) {
  out << std::string(static_cast<std::size_t>(indent), ' ');
  for (const Atom atom : stmt.results) out << 'v' << atom << ' ';
  if (!stmt.results.empty()) out << "= ";
  switch (stmt.kind) {
    case Stmt::Kind::kOp:
      out << op_info(stmt.op).text;
      if (stmt.word != TypeWord::kNone) out << ' ' << type_word_text(stmt.word);
      break;
    case Stmt::Kind::kConst: out << "CONST #" << stmt.target; break;
    case Stmt::Kind::kCall:
      out << "CALL " << program.functions[static_cast<std::size_t>(stmt.target)].name;
      break;
    case Stmt::Kind::kIf: out << "IF"; break;
  }
  print_atoms(out, stmt.args);
  out << '\n';
  if (stmt.kind != Stmt::Kind::kIf) return;
  print_block(out, *stmt.then_block, program, indent + 2);
  out << std::string(static_cast<std::size_t>(indent), ' ') << "ELSE\n";
  print_block(out, *stmt.else_block, program, indent + 2);
}

void print_block(std::ostream& out, const Block& block, const Program& program, int indent) {
  check_stack();
  for (const Stmt& stmt : block.stmts) print_stmt(out, stmt, program, indent);
  out << std::string(static_cast<std::size_t>(indent), ' ') << (block.exits ? "exits" : "yields");
  print_atoms(out, block.yields);
  out << '\n';
}

}  // namespace

void keep_only(Atoms& atoms, const std::vector<bool>& kept) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    if (kept[i]) atoms[n++] = atoms[i];
  atoms.resize(n);
}

void remove_dead(Function& function) { DeadCode().block(function.body); }

std::string print(const Function& function, const Program& program) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);  // else what there is no memory for is left out
  out << function.name << (function.lifted ? " lifted" : "");
  print_atoms(out, function.params);
  out << '\n';
  print_block(out, function.body, program, 2);
  return out.str();
}

}  // namespace nvm::frontend::flat
