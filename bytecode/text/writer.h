// Program to VCODE text that the legacy interpreter accepts too: annotations travel in comments.
//
//   {nvm source FILE}            before the first function: the NESL file it came from
//   {nvm function NAME [lifted] [tail]}   directly after FUNC name: origin and claims
//   {nvm line N}                 the instructions that follow came from this line of the NESL source
//
// Reading what was written gives the same program (positions aside), byte for byte when written again.
#pragma once

#include <string>

#include "bytecode/program/program.h"

namespace nvm {

struct WriteOptions {
  bool annotations = true;
  bool indent = true;  // two spaces per open IF, one instruction a line
};
[[nodiscard]] std::string write_vcode(const Program& program, WriteOptions options = {});

}  // namespace nvm
