#include "vm/lib/remora.hpp"

#include "bytecode/base/source_line.h"
#include "frontend/remora/program.h"
#include "frontend/remora/utf8.h"

namespace nvm::lib {

namespace {

// A column of code points in bytes.
SourcePos in_bytes(std::string_view text, SourcePos pos) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < pos.line; ++line) at = text.find('\n', at) + 1;
  const std::size_t begin = at;
  for (std::uint32_t column = 1; column < pos.column && at < text.size(); ++column)
    at += remora::decode_one(text, at).bytes;
  return {pos.line, static_cast<std::uint32_t>(at - begin) + 1};
}

std::string messages_of(std::string_view text, const std::string& name,
                        const std::vector<RemoraError>& errors) {
  std::string out;
  std::size_t shown = 0;
  for (const RemoraError& e : errors) {
    if (shown == Diagnostics::kMaxKept) {
      out += name + ": " + std::to_string(errors.size() - shown) + " more messages not shown\n";
      break;
    }
    ++shown;
    out += name + ":" + std::to_string(e.line) + ":" + std::to_string(e.column) + ": error[" + e.kind +
           "]: " + e.text + "\n" + shown_line(text, in_bytes(text, {e.line, e.column}));
  }
  return out;
}

}  // namespace

RemoraCheck check_remora(std::string_view text, const std::string& name) {
  const remora::Checked checked = remora::check_program(text);
  RemoraCheck out;
  for (const remora::Error& e : checked.errors)
    out.errors.push_back({e.kind, e.pos.line, e.pos.column, e.text});
  out.messages = messages_of(text, name, out.errors);
  const remora::Program& program = checked.program;
  for (const remora::Form& form : program.forms) {
    const std::string defined =
        form.defines < 0 ? "it" : program.values[static_cast<std::size_t>(form.defines)].name;
    const remora::Type type = program.variables.resolved(form.body->type);
    out.types += defined + " : " + remora::print(type, program.variables) + "\n";
  }
  return out;
}

}  // namespace nvm::lib
