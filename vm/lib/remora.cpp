#include "vm/lib/remora.hpp"

#include <cstdio>
#include <cstdlib>

#include "bytecode/base/source_line.h"
#include "bytecode/base/stack.h"
#include "frontend/emit.h"
#include "frontend/remora/program.h"
#include "frontend/remora/translate.h"
#include "frontend/remora/utf8.h"
#include "vm/lib/impl.h"
#include "vm/lib/remora_values.h"

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

// What a failed check says goes to standard error, where nothing else goes.
class Captured {
 public:
  Captured() : file_(open_memstream(&text_, &size_)) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    if (file_ != nullptr) static_cast<void>(std::fclose(file_));
    std::free(text_);
  }
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string_view text() const {
    if (file_ != nullptr) static_cast<void>(std::fflush(file_));
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

RemoraError error_at(const remora::Translated& program, std::uint32_t line, std::string kind,
                     std::string text) {
  const SourcePos pos =
      line == 0 || line > program.places.size() ? SourcePos{1, 1} : program.places[line - 1];
  return {std::move(kind), pos.line, pos.column, std::move(text)};
}

// Of "PLACE: RUNTIME ERROR: KIND: TEXT".
RemoraError failed_check(const remora::Translated& program, std::uint32_t line, std::string_view said) {
  constexpr std::string_view kMark = "RUNTIME ERROR: ";
  const std::size_t mark = said.find(kMark);
  std::string_view text = mark == std::string_view::npos ? said : said.substr(mark + kMark.size());
  text = text.substr(0, text.find('\n'));
  const std::size_t colon = text.find(": ");
  if (mark == std::string_view::npos || colon == std::string_view::npos)
    return error_at(program, line, "internal", std::string(text));
  return error_at(program, line, std::string(text.substr(0, colon)), std::string(text.substr(colon + 2)));
}

}  // namespace

RemoraRun run_remora(std::string_view text, const std::string& name, const NeslOptions& options) {
  const auto report = [&](const RemoraError& e, bool refused) {
    return RemoraRun{"", messages_of(text, name, {e}), refused};
  };
  remora::Checked checked = remora::check_program(text);
  if (!checked.errors.empty()) return {"", check_remora(text, name).messages, true};
  remora::Translated translated;
  frontend::Emitted<ssa::Module> emitted;
  try {
    translated = remora::translate(checked.program);
    emitted = frontend::emit_ssa(translated.program, {name, true, options.vm.cancelled, 0, {}});
  } catch (const remora::Error& e) {
    return report({e.kind, e.pos.line, e.pos.column, e.text}, true);
  } catch (const TooDeep& e) {
    return report({"unsupported", 1, 1, "the program, or a value of it, is " + std::string(e.what())}, true);
  }
  LoadOptions load;
  load.optimise = options.optimise;
  load.cancelled = options.vm.cancelled;
  load.watchers = options.vm.watchers;
  auto program = make_program(std::move(emitted.code), name, load);
  if (!program) return {"", program.failure().message, true};
  const Captured said;
  Options machine = options.vm;
  if (said.file() != nullptr) machine.err = said.file();
  Vm vm(machine);
  auto run = vm.run(*program);
  if (!run) {
    const Failure& f = run.failure();
    if (f.reason.find("recursion limit") == std::string::npos)
      return {"", "nvm: " + name + ": " + f.reason + "\n", false};
    return report(error_at(translated, f.origin_line, "depth", f.reason), false);
  }
  if (run->exited) return report(failed_check(translated, run->exit_line, said.text()), false);
  RemoraRun done;
  std::size_t at = 0;
  for (const remora::Translated::Result& r : translated.results)
    done.results += remora_value(r.type, r.core, run->values, at) + " : " +
                    remora::print(r.type, checked.program.variables) + "\n";
  return done;
}

}  // namespace nvm::lib
