// Places of Remora as a machine carries them: lines of instructions with columns.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/origin.h"
#include "bytecode/ssa/ssa.h"
#include "frontend/core.h"

namespace nvm::lib {

// Code comes with numbers of places. The machine gets lines, with the column where NESL has the number of a
// text (bytecode/program/origin.h): a program of Remora is one text. A place whose column has no room there
// gets a line behind the last one.
class RemoraPlaces {
 public:
  explicit RemoraPlaces(const std::vector<SourcePos>& places) : places_(places) {
    for (const SourcePos& p : places) lines_ = std::max(lines_, p.line);
    for (const SourcePos& p : places)
      if (p.column > kMostOriginSource) far_.push_back(p);
  }
  void label(ssa::Module& module) const;
  // Lines without columns, for what is written as text.
  void use_lines(frontend::core::Program& program) const;
  // Of what label() gave; line 0 if there is none.
  [[nodiscard]] SourcePos at(std::uint32_t labelled) const;

 private:
  [[nodiscard]] std::uint32_t labelled(std::uint32_t number) const;

  std::vector<SourcePos> places_, far_;
  std::uint32_t lines_ = 0;
};

}  // namespace nvm::lib
