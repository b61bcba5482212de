#include "vm/lib/remora.hpp"

#include <ostream>

#include "bytecode/base/source_line.h"
#include "frontend/remora/flatten.h"
#include "frontend/remora/program.h"
#include "frontend/remora/utf8.h"
#include "vm/lib/remora_print.h"

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

namespace {

std::string result_line(const remora::FlatResult& r, const Value& v) {
  using remora::AtomKind;
  const std::function<std::int64_t(std::int64_t)> code = [&](std::int64_t k) { return v.int_at(k); };
  const auto atom = [&](std::int64_t k) -> std::string {
    switch (r.kind) {
      case AtomKind::kFloat: return remora_float(v.float_at(k));
      case AtomKind::kBool: return v.int_at(k) != 0 ? "#t" : "#f";
      case AtomKind::kChar: return remora_char(v.int_at(k));
      default: return std::to_string(v.int_at(k));
    }
  };
  return remora_array(r.shape, atom, r.kind == AtomKind::kChar ? &code : nullptr) + " : " + r.type + "\n";
}

const char* failure_text(std::string_view kind) {
  if (kind == "division") return "a division by zero";
  if (kind == "bounds") return "an index outside of the array";
  return "a value for which this is not defined";
}

}  // namespace

RemoraRun run_remora(std::string_view text, const std::string& name, const NeslOptions& options) {
  const auto refused = [&](const remora::Error& e) {
    return RemoraRun{"", messages_of(text, name, {{e.kind, e.pos.line, e.pos.column, e.text}}), true};
  };
  const remora::Checked checked = remora::check_program(text);
  if (!checked.errors.empty()) return {"", check_remora(text, name).messages, true};
  remora::FlatProgram flat;
  try {
    flat = remora::flatten(checked.program);
  } catch (const remora::Error& e) {
    return refused(e);
  }
  std::ostream nowhere(nullptr);
  Nesl nesl(options, nowhere, nowhere);
  const auto prepared = nesl.prepare(flat.nesl);
  if (!prepared) return refused({"unsupported", {1, 1}, "a program of this size cannot be run yet"});
  Vm vm(options.vm);
  auto run = vm.run(prepared->program, prepared->inputs);
  if (!run) return {"", "nvm: " + name + ": " + run.failure().reason + "\n", false};
  std::size_t at = 2;  // each sequence is a descriptor and its elements
  for (std::size_t k = 0; k < flat.checks.size(); ++k)
    if (run->values.at(1).bool_at(static_cast<std::int64_t>(k))) {
      const remora::FlatCheck& c = flat.checks[k];
      return {"", messages_of(text, name, {{c.kind, c.pos.line, c.pos.column, failure_text(c.kind)}}), false};
    }
  RemoraRun done;
  for (const remora::FlatResult& r : flat.results) {
    if (r.kind == remora::AtomKind::kFunction) {
      done.results += "#<function> : " + r.type + "\n";
      continue;
    }
    done.results += result_line(r, run->values.at(at + 1));
    at += 2;
  }
  return done;
}

}  // namespace nvm::lib
