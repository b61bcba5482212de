#include "vm/lib/remora_places.h"

namespace nvm::lib {

std::uint32_t RemoraPlaces::labelled(std::uint32_t number) const {
  if (number == 0 || number > places_.size()) return 0;
  const SourcePos& p = places_[number - 1];
  if (p.column <= kMostOriginSource) return origin_number(p.column, p.line);
  const auto far = std::find(far_.begin(), far_.end(), p) - far_.begin();
  return origin_number(0, lines_ + 1 + static_cast<std::uint32_t>(far));
}

SourcePos RemoraPlaces::at(std::uint32_t labelled) const {
  const std::uint32_t line = origin_line_of(labelled), column = origin_source_of(labelled);
  if (column > 0 || line <= lines_) return {line, column};
  const std::size_t far = line - lines_ - 1;
  return far < far_.size() ? far_[far] : SourcePos{};
}

void RemoraPlaces::label(ssa::Module& module) const {
  for (ssa::Function& f : module.functions)
    for (ssa::Block& block : f.blocks)
      for (ssa::Inst& inst : block.insts) inst.origin_line = labelled(inst.origin_line);
}

void RemoraPlaces::use_lines(frontend::core::Program& program) const {
  const auto line = [&](std::uint32_t number) {
    return number == 0 || number > places_.size() ? 0 : places_[number - 1].line;
  };
  std::vector<frontend::core::Expr*> open;
  for (frontend::core::Function& f : program.functions) {
    f.line = line(f.line);
    open.push_back(f.body.get());
  }
  while (!open.empty()) {
    frontend::core::Expr& e = *open.back();
    open.pop_back();
    e.line = line(e.line);
    for (const frontend::core::ExprPtr& k : e.kids) open.push_back(k.get());
  }
}

}  // namespace nvm::lib
