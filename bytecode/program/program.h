// A VCODE program as data: functions of instructions over an operand stack, and constants. Made only through
// ProgramBuilder (builder.h), by the VCODE reader and by the NESL front end. Nothing here executes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/origin.h"
#include "bytecode/table/op_info.h"

namespace nvm {

// A vector constant. Int, characters and Segdes lengths stand in `ints` (64 bits; wrapped to the run's width
// when loaded), Float in `floats`, Bool in `ints` as 0 or 1.
struct Constant {
  TypeWord word = TypeWord::kInt;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  // >= 0: an input. The value has the type of `word` and is handed to the run as its input of this number;
  // ints and floats are empty and nothing else about it is known before. Has no text form.
  std::int32_t input = -1;
  bool is_single = false;  // of an input: always one element, or one segment
  [[nodiscard]] std::size_t size() const { return word == TypeWord::kFloat ? floats.size() : ints.size(); }
  friend bool operator==(const Constant&, const Constant&) = default;
};

struct Instr {
  Op op = Op::kRet;
  TypeWord word = TypeWord::kNone;
  // kCopy kPop kCpop: count and depth. kConst: a = index into Program::constants. kCall: a = index into
  // Program::functions. kIf: a = index (in this function) of its kElse or kEndif; kElse: a = index of its
  // kEndif.
  std::int32_t a = 0;
  std::int32_t b = 0;
  SourcePos pos;           // in the VCODE text
  Origin origin_line = 0;  // where in the source it came from (origin.h), 0 if unknown
};

struct Function {
  std::string name;
  SourcePos pos;
  std::vector<Instr> code;  // ends with kRet
  // Annotations from comments (see text/writer.h); both survive a round trip.
  std::string origin;          // NESL function it was compiled from, "" if none
  bool lifted = false;         // claimed by the front end: treats the segments of its frame independently
  bool tail_parallel = false;  // claimed: results of the recursive calls are only concatenated
};

struct Program {
  std::string file;  // name for messages
  OriginFiles origins;
  std::vector<Function> functions;
  std::vector<Constant> constants;
  bool legacy = false;     // its text says that the legacy compiler made it, which relies on the legacy
                           // interpreter's laxness
  std::int32_t entry = 0;  // MAIN if there is one, else the first function
};

}  // namespace nvm
