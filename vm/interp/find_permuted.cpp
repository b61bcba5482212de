#include "bytecode/ssa/cfg.h"
#include "bytecode/table/op_kind.h"
#include "vm/interp/unwritten.h"
#include "vm/prims/alike.h"

namespace nvm::vm {

namespace {

using ssa::ValueId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Starts from all values and takes away those that somebody reads in another way, or passes on to one who
// does.
class Finder {
 public:
  explicit Finder(const ssa::Module& m) : m_(m) {
    for (const ssa::Function& f : m.functions) {
      const std::vector<bool> all(at(f.values()), true);
      found_.push_back({all, all});
    }
  }

  std::vector<Permuted> run() {
    for (std::size_t f = 0; f < m_.functions.size(); ++f) exclude_ends(f);
    do {
      changed_ = false;
      for (std::size_t f = 0; f < m_.functions.size(); ++f)
        ssa::each_inst(m_.functions[f], [&](const ssa::Inst& inst) { exclude_read(f, inst); });
    } while (changed_);
    return std::move(found_);
  }

 private:
  // What goes from block to block, and parameters of lifted functions, which block mode looks at.
  void exclude_ends(std::size_t id) {
    const ssa::Function& f = m_.functions[id];
    ssa::each_read(f, [&](ValueId v, const ssa::Inst* inst, std::uint32_t) {
      if (inst == nullptr) exclude(id, v, true, true);
    });
    if (f.lifted.lifted)
      for (const ValueId v : f.blocks[0].parameters) exclude(id, v, true, true);
  }

  void exclude_read(std::size_t id, const ssa::Inst& inst) {
    for (std::uint32_t i = 0; i < inst.operands; ++i) {
      bool run = inst.op == Op::kPermute && i < 2;
      bool repeated = reads_repeated(inst.op, i);
      if (inst.op == Op::kCall) {
        const ValueId parameter = m_.functions[at(inst.index)].blocks[0].parameters[i];
        run = found_[at(inst.index)].runs[at(parameter)];
        repeated = found_[at(inst.index)].repeated[at(parameter)];
      }
      exclude(id, m_.functions[id].operands_of(inst)[i], !run, !repeated);
    }
  }

  void exclude(std::size_t id, ValueId v, bool run, bool repeated) {
    const auto clear = [&](std::vector<bool>& may, bool yes) {
      if (!yes || !may[at(v)]) return;
      may[at(v)] = false;
      changed_ = true;
    };
    clear(found_[id].runs, run);
    clear(found_[id].repeated, repeated);
  }

  const ssa::Module& m_;
  std::vector<Permuted> found_;
  bool changed_ = false;
};

}  // namespace

bool reads_repeated(Op op, std::uint32_t i) {
  const OpInfo& info = op_info(op);
  if (op == Op::kPermute) return i == 0;
  if (info.kind == OpKind::kReduce)
    return i == 0 && (info.scalar == Scalar::kAnd || info.scalar == Scalar::kOr);
  return info.kind == OpKind::kMap && takes_repeated(op, i);
}

std::vector<Permuted> find_permuted(const ssa::Module& module) { return Finder(module).run(); }

}  // namespace nvm::vm
