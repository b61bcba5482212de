#include "vm/profile/source_map.h"

#include "bytecode/program/origin.h"

namespace nvm::vm {

std::int32_t SourceMap::name_number(const std::string& name) {
  const auto [at, fresh] = number_of_.try_emplace(name, static_cast<std::int32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  return at->second;
}

std::int32_t SourceMap::place_number(const SourcePlace& place) {
  const auto [at, fresh] = place_numbers_.try_emplace(place, static_cast<std::int32_t>(places_.size()));
  if (fresh) places_.push_back(place);
  return at->second;
}

void SourceMap::begin(const ssa::Module& module) {
  place_of_.clear();
  known_.fill({});
  function_names_.clear();
  for (const ssa::Function& f : module.functions)
    function_names_.push_back(name_number(f.origin.empty() ? f.name : f.origin));
  const std::int32_t file = name_number(module.file);
  if (home_ == 0) home_ = module.origins.own.empty() ? file : name_number(module.origins.own);
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (const ssa::Block& block : module.functions[f].blocks)
      for (const ssa::Inst& inst : block.insts) {
        const auto from = inst.origin_function >= 0 ? static_cast<std::size_t>(inst.origin_function) : f;
        const bool known = inst.origin_line > 0;
        place_of_[&inst] = place_number({function_names_[from],
                                         known ? name_number(module.origins.of(inst.origin_line)) : file,
                                         known ? origin_line_of(inst.origin_line) : inst.pos.line,
                                         known ? origin_column_of(inst.origin_line) : 0});
      }
}

std::string SourceMap::text(std::int32_t place) const {
  const SourcePlace& p = at(place);
  return name(p.function) + (p.line > 0 ? ":" + line_text(p.line, p.column) : "") +
         (p.line > 0 && p.file != home_ ? " in " + name(p.file) : "");
}

}  // namespace nvm::vm
