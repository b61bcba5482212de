#include "vm/interp/error.h"

namespace nvm::vm {

namespace {

std::string place(const CallPlace& at, const OriginFiles& origins) {
  std::string text = at.function;
  if (at.origin_line > 0)
    text += " (" + origins.place(at.origin_line) + ")";
  else if (at.pos.line > 0)
    text += " (line " + std::to_string(at.pos.line) + ")";
  return text;
}

}  // namespace

std::string describe_place(const RunError& error, const OriginFiles& origins) {
  std::string text = "  in " + (error.instruction.empty() ? "" : error.instruction + ", ") + "function " +
                     place(error.at, origins) + "\n";
  for (const CallPlace& call : error.calls) text += "  called from " + place(call, origins) + "\n";
  const auto shown = static_cast<std::int64_t>(error.calls.size());
  if (error.depth > shown) text += "  ... and " + std::to_string(error.depth - shown) + " more calls\n";
  return text;
}

}  // namespace nvm::vm
