// The only way to make a Program. Calls may name functions that are defined later; finish() resolves them,
// matches IF/ELSE/ENDIF, applies "the last definition of a name wins" and finds the entry.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/program/program.h"

namespace nvm {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string file) { program_.file = std::move(file); }

  // Starts a function; the one before must have been ended.
  void begin_function(std::string name, SourcePos pos = {});
  Function& current() { return program_.functions.back(); }
  void end_function(SourcePos pos = {});  // adds kRet
  [[nodiscard]] bool in_function() const { return open_; }

  // Position and place in the source given to the instructions that follow.
  void at(SourcePos pos) { pos_ = pos; }
  void origin_line(Origin line) { origin_line_ = line; }
  void origins(OriginFiles files) { program_.origins = std::move(files); }
  OriginFiles& origins() { return program_.origins; }
  // The number of a place in a file; "" is the program's own.
  [[nodiscard]] Origin line_of(const std::string& file, std::uint32_t line, std::uint32_t column = 0);

  void emit(Op op, TypeWord word = TypeWord::kNone);
  void copy(std::int32_t count, std::int32_t depth);
  void pop(std::int32_t count, std::int32_t depth);
  void cpop(std::int32_t count, std::int32_t depth);
  void call(std::string_view name);
  void constant(Constant constant);  // no NaN: VCODE cannot write it
  void const_int(std::int64_t value) { constant({TypeWord::kInt, {value}, {}}); }
  void const_float(double value) { constant({TypeWord::kFloat, {}, {value}}); }
  void const_bool(bool value) { constant({TypeWord::kBool, {value ? 1 : 0}, {}}); }

  // Resolves calls and conditionals. Errors (unknown function, two MAINs, improper nesting, no function) and
  // warnings (redefinition) go to `diagnostics`; the program is usable only if it did not fail.
  [[nodiscard]] Program finish(Diagnostics& diagnostics);

 private:
  void unresolved(SourcePos pos, const std::string& name, Diagnostics& diagnostics) const;
  void nest_conditionals(Function& f, Diagnostics& diagnostics) const;

  Program program_;
  std::vector<std::string> call_names_;  // Instr::a of a kCall indexes these until finish()
  std::unordered_map<std::string, std::int32_t> call_ids_;
  SourcePos pos_;
  Origin origin_line_ = 0;
  bool open_ = false;
};

}  // namespace nvm
