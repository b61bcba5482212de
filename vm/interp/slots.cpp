#include "vm/interp/slots.h"

#include <algorithm>
#include <set>

namespace nvm::vm {

namespace {

using ssa::ValueId;

class Scan {
 public:
  explicit Scan(const ssa::Function& f) : f_(f), last_use_(static_cast<std::size_t>(f.values()), -1) {
    result_.slot.assign(static_cast<std::size_t>(f.values()), kNoSlot);
    result_.occupied.resize(f.blocks.size());
    hint_.assign(static_cast<std::size_t>(f.values()), ssa::kNoValue);
  }

  Slots run() {
    find_uses();
    std::int32_t position = 0;
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const ssa::Block& block = f_.blocks[b];
      for (const ValueId p : block.parameters) {
        // The function's own parameters arrive in the first slots, used or not.
        if (b == 0 || used(p)) take(p);
      }
      if (b == 0) {
        for (const ValueId p : block.parameters)
          if (!used(p)) free_.insert(slot(p));
      }
      for (const ssa::Inst& inst : block.insts) {
        release(position++);
        if (inst.op != Op::kConst) {
          for (std::uint32_t r = 0; r < inst.results; ++r)
            if (used(inst.first_result + static_cast<ValueId>(r)))
              take(inst.first_result + static_cast<ValueId>(r));
        }
        result_.occupied[b].push_back(high_water());
      }
      release(position++);
    }
    return std::move(result_);
  }

 private:
  std::int32_t& slot(ValueId v) { return result_.slot[static_cast<std::size_t>(v)]; }
  bool used(ValueId v) const { return last_use_[static_cast<std::size_t>(v)] >= 0; }

  void use(ValueId v, std::int32_t position) {
    last_use_[static_cast<std::size_t>(v)] = std::max(last_use_[static_cast<std::size_t>(v)], position);
  }

  void find_uses() {
    std::int32_t position = 0;
    for (const ssa::Block& block : f_.blocks) {
      for (const ssa::Inst& inst : block.insts) {
        for (std::uint32_t i = 0; i < inst.operands; ++i) use(f_.operands_of(inst)[i], position);
        ++position;
      }
      if (block.end.condition != ssa::kNoValue) use(block.end.condition, position);
      for (std::size_t i = 0; i < block.end.arguments.size(); ++i) {
        use(block.end.arguments[i], position);
        if (block.end.kind == ssa::Exit::kJump) suggest(block.end, i);
      }
      ++position;
    }
    expiring_.resize(static_cast<std::size_t>(position));
    for (ValueId v = 0; v < f_.values(); ++v)
      if (used(v)) expiring_[static_cast<std::size_t>(last_use_[static_cast<std::size_t>(v)])].push_back(v);
  }

  // A block parameter had best get the slot of its argument: then the jump moves nothing.
  void suggest(const ssa::Terminator& jump, std::size_t i) {
    const ValueId parameter = f_.blocks[static_cast<std::size_t>(jump.target)].parameters[i];
    hint_[static_cast<std::size_t>(parameter)] = jump.arguments[i];
  }

  void take(ValueId v) {
    const ValueId like = hint_[static_cast<std::size_t>(v)];
    auto at = free_.end();
    if (like != ssa::kNoValue && slot(like) != kNoSlot) at = free_.find(slot(like));
    if (at == free_.end()) at = free_.begin();
    if (at == free_.end()) {
      slot(v) = result_.count++;
    } else {
      slot(v) = *at;
      free_.erase(at);
    }
  }

  void release(std::int32_t position) {
    for (const ValueId v : expiring_[static_cast<std::size_t>(position)])
      if (slot(v) != kNoSlot) free_.insert(slot(v));
  }

  // One above the highest slot in use.
  std::int32_t high_water() const {
    std::int32_t top = result_.count;
    for (auto it = free_.rbegin(); it != free_.rend() && *it == top - 1; ++it) --top;
    return top;
  }

  const ssa::Function& f_;
  std::vector<std::int32_t> last_use_;
  std::vector<ValueId> hint_;
  std::vector<std::vector<ValueId>> expiring_;
  std::set<std::int32_t> free_;
  Slots result_;
};

}  // namespace

Slots assign_slots(const ssa::Function& function) { return Scan(function).run(); }

}  // namespace nvm::vm
