// The text of a module. Numbers stand for themselves, so equal modules print equally and a golden text shows
// the form completely (positions aside).
#include <cstdio>

#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

constexpr std::size_t kMaxElements = 16;  // of a constant; the rest is counted

std::string name(ValueId v) { return "%" + std::to_string(v); }
std::string name_block(BlockId b) { return "b" + std::to_string(b); }

std::string element(const Constant& c, std::size_t i) {
  if (c.word == TypeWord::kBool) return c.ints[i] != 0 ? "T" : "F";
  if (c.word != TypeWord::kFloat) return std::to_string(c.ints[i]);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", c.floats[i]);
  return text;
}

std::string constant(const Constant& c) {
  if (c.input >= 0) return "input " + std::to_string(c.input);
  const std::size_t n = c.word == TypeWord::kFloat ? c.floats.size() : c.ints.size();
  if (n == 1) return c.word == TypeWord::kSegdes ? "[" + element(c, 0) + "]" : element(c, 0);
  std::string text;
  for (std::size_t i = 0; i < n && i < kMaxElements; ++i) text += (i == 0 ? "" : " ") + element(c, i);
  if (n > kMaxElements) text += " ... " + std::to_string(n) + " elements";
  return c.word == TypeWord::kSegdes ? "[" + text + "]" : "(" + text + ")";
}

std::string list(const ValueId* values, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + name(values[i]);
  return text;
}

std::string typed(const Function& f, ValueId v) {
  return name(v) + ": " + std::string(type_name(f.value_types[static_cast<std::size_t>(v)]));
}

std::string print_inst(const Module& m, const Function& f, const Inst& in) {
  std::string text = "  ";
  for (std::uint32_t r = 0; r < in.results; ++r)
    text += (r == 0 ? "" : ", ") + typed(f, in.first_result + static_cast<ValueId>(r));
  if (in.results > 0) text += " = ";
  text += op_info(in.op).text;
  if (in.word != TypeWord::kNone) text += " " + std::string(type_word_text(in.word));
  if (in.op == Op::kConst) text += " " + constant(m.constants[static_cast<std::size_t>(in.index)]);
  if (in.op == Op::kCall)
    text += " f" + std::to_string(in.index) + " " + m.functions[static_cast<std::size_t>(in.index)].name;
  if (in.operands > 0) text += " " + list(f.operands_of(in), in.operands);
  return text + "\n";
}

std::string print_end(const Terminator& end) {
  const std::string arguments =
      end.arguments.empty() ? "" : " " + list(end.arguments.data(), end.arguments.size());
  switch (end.kind) {
    case Exit::kJump: return "  jump " + name_block(end.target) + arguments + "\n";
    case Exit::kBranch:
      return "  branch " + name(end.condition) + " " + name_block(end.target) + " " +
             name_block(end.otherwise) + "\n";
    case Exit::kReturn: return "  return" + arguments + "\n";
    case Exit::kStop: return "  stop\n";
  }
  return "";
}

}  // namespace

std::string print(const Module& module, const Function& function) {
  std::string text = function.name + " ->";
  for (const Type t : function.results) text += " " + std::string(type_name(t));
  if (!function.origin.empty()) text += "  { " + function.origin + " }";
  if (function.lifted.lifted) text += "  { lifted }";
  if (function.lifted.lifted && !function.lifted.adds_up)
    text += "  { costs of groups do not add up: " + function.lifted.cost_refusal + " }";
  if (function.lifted.frame != kNoValue && !function.lifted.refusal.empty())
    text += "  { not lifted: " + function.lifted.refusal + " }";
  text += "\n";
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    text += name_block(static_cast<BlockId>(b));
    for (std::size_t i = 0; i < block.parameters.size(); ++i)
      text += (i == 0 ? " " : ", ") + typed(function, block.parameters[i]);
    text += ":\n";
    for (const Inst& in : block.insts) text += print_inst(module, function, in);
    text += print_end(block.end);
  }
  return text;
}

std::string print(const Module& module) {
  std::string text;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].removed) continue;
    text += "func f" + std::to_string(i) + " ";
    if (static_cast<FunctionId>(i) == module.entry) text += "entry ";
    text += print(module, module.functions[i]);
  }
  return text;
}

}  // namespace nvm::ssa
