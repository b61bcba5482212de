#include "vm/interp/error.h"

#include "bytecode/program/origin.h"

namespace nvm::vm {

namespace {

std::string place(const CallPlace& at, const std::string& origin_file) {
  std::string text = at.function;
  if (at.origin_line > 0)
    text += " (" + origin_file + ":" + std::to_string(origin_line_of(at.origin_line)) + ")";
  else if (at.pos.line > 0)
    text += " (line " + std::to_string(at.pos.line) + ")";
  return text;
}

}  // namespace

std::string describe_place(const RunError& error, const std::string& origin_file) {
  std::string text = "  in " + (error.instruction.empty() ? "" : error.instruction + ", ") + "function " +
                     place(error.at, origin_file) + "\n";
  for (const CallPlace& call : error.calls) text += "  called from " + place(call, origin_file) + "\n";
  const auto shown = static_cast<std::int64_t>(error.calls.size());
  if (error.depth > shown) text += "  ... and " + std::to_string(error.depth - shown) + " more calls\n";
  return text;
}

}  // namespace nvm::vm
