#include <cerrno>
#include <system_error>

#include "bytecode/base/cancel.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "bytecode/plan/nest.h"
#include "bytecode/program/origin.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "vm/interp/error.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/legacy_trace.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

namespace {

TypeWord word_of(Kind kind) {
  switch (kind) {
    case Kind::kFloat: return TypeWord::kFloat;
    case Kind::kBool: return TypeWord::kBool;
    case Kind::kSegdes: return TypeWord::kSegdes;
    default: return TypeWord::kInt;
  }
}

constexpr char kInputs[] = "(inputs)";  // no name in VCODE

// Puts a function in front that pushes the inputs and calls the start function.
bool bind_inputs(nvm::Program& program, const LoadOptions& options, Diagnostics& diagnostics) {
  std::int32_t start = program.entry;
  for (std::size_t f = 0; !options.function.empty() && f < program.functions.size(); ++f)
    if (program.functions[f].name == options.function) start = static_cast<std::int32_t>(f);
  if (!options.function.empty() &&
      program.functions[static_cast<std::size_t>(start)].name != options.function) {
    diagnostics.error({}, "there is no function " + options.function);
    return false;
  }
  if (options.inputs.empty()) {
    program.entry = start;
    return true;
  }
  Function driver;
  driver.name = kInputs;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    if (options.inputs[i] >= Kind::kPair) {
      diagnostics.error({}, "input " + std::to_string(i) + " is neither a vector nor a descriptor");
      return false;
    }
    const TypeWord word = word_of(options.inputs[i]);
    Instr push;
    push.op = Op::kConst;
    push.word = word;
    push.a = static_cast<std::int32_t>(program.constants.size());
    driver.code.push_back(push);
    program.constants.push_back({word, {}, {}, static_cast<std::int32_t>(i)});
  }
  Instr call;
  call.op = Op::kCall;
  call.a = start;
  driver.code.push_back(call);
  driver.code.push_back(Instr{});
  program.entry = static_cast<std::int32_t>(program.functions.size());
  program.functions.push_back(std::move(driver));
  return true;
}

// As VCODE writes it.
std::string_view kind_text(Type type) {
  switch (type) {
    case Type::kInt: return "INT";
    case Type::kFloat: return "FLOAT";
    case Type::kBool: return "BOOL";
    case Type::kSegdes: return "SEGDES";
    case Type::kPair: return "PAIR";
  }
  return "";
}

Failure load_failure(const Program::Impl& impl) {
  Failure failure;
  for (const Diagnostic& d : impl.diagnostics.all()) {
    if (d.severity != nvm::Severity::kError) continue;
    if (failure.line == 0) failure.line = d.pos.line, failure.column = d.pos.column;
    if (impl.legacy)
      failure.message += "vinterp: line " + std::to_string(d.pos.line) + ": " + d.message + "\n";
  }
  failure.message = impl.legacy ? failure.message + "Parse failure\n" : impl.diagnostics.render();
  failure.messages = messages_of(impl.diagnostics);
  return failure;
}

// Prepares what `load` gives with the options that it is handed.
template <typename Load>
Result<Program> finish(std::shared_ptr<Program::Impl> impl, const LoadOptions& options, Load loaded) try {
  nvm::LoadOptions load;
  load.int_bits = impl->bits;
  load.optimise = options.optimise;
  load.prefix_lengths = options.legacy;
  load.checked = options.check;
  load.cancelled = options.cancelled;
  impl->loaded = loaded(load);
  // Legacy programs may be wrong where nothing runs: the stack machine checks what it executes.
  if (impl->loaded.verdict == Verdict::kError && options.legacy)
    impl->loaded.verdict = Verdict::kDynamicStack;
  if (impl->loaded.verdict == Verdict::kError) return load_failure(*impl);
  if (impl->loaded.verdict == Verdict::kOk) {
    try {
      impl->code = vm::make_code(impl->loaded.module, impl->pool);
    } catch (const vm::Fault& fault) {
      const bool memory = fault.kind == vm::Fault::Kind::kMemory;
      return Failure{memory ? Failure::Class::kRuntime : Failure::Class::kProgram,
                     impl->file + ": error: " + fault.message + "\n", 0, 0, fault.message};
    }
  }
  return Program(std::move(impl));
} catch (const TooDeep& e) {
  return Failure{Failure::Class::kProgram, impl->file + ": error: " + e.what() + "\n", 0, 0, e.what()};
} catch (const Cancelled& spent) {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.reason = spent.what();
  failure.message = "nvm: " + failure.reason + " while the program was loaded\n";
  return failure;
}

}  // namespace

bool Program::looks_like_vcode(std::string_view text) {
  return guarded([&] { return nvm::looks_like_vcode(text); }, [](const Failure&) { return false; });
}

namespace {

Result<Program> load_text(std::string_view text, std::string name, const LoadOptions& options) {
  if (const auto wrong = wrong_int_bits(options.int_bits))
    return Failure{Failure::Class::kProgram, name + ": " + *wrong + "\n", 0, 0, *wrong};
  auto impl = std::make_shared<Program::Impl>(std::move(name), text);
  impl->legacy = options.legacy;
  impl->bits = options.int_bits == 32 ? IntBits::k32 : IntBits::k64;
  trace_tokens(options.legacy_trace, text, stdout);
  nvm::Program program = read_vcode(text, impl->diagnostics);
  if (impl->diagnostics.failed() || !bind_inputs(program, options, impl->diagnostics))
    return load_failure(*impl);
  impl->inputs = options.inputs.size();
  trace_program(options.legacy_trace, program, stderr);
  Diagnostics& diagnostics = impl->diagnostics;
  return finish(std::move(impl), options, [&](const nvm::LoadOptions& load) {
    return load_program(std::move(program), diagnostics, load);
  });
}

}  // namespace

Result<Program> Program::from_text(std::string_view text, std::string name, const LoadOptions& options) {
  return guarded([&] { return load_text(text, std::move(name), options); });
}

std::vector<Message> messages_of(const Diagnostics& diagnostics) {
  std::vector<Message> messages;
  for (const Diagnostic& d : diagnostics.all())
    messages.push_back(
        {diagnostics.file(), d.pos.line, d.pos.column, static_cast<Severity>(d.severity), d.message});
  return messages;
}

Result<Program> make_program(ssa::Module module, std::string name, const LoadOptions& options) {
  auto impl = std::make_shared<Program::Impl>(std::move(name), "");
  impl->bits = module.int_bits;
  return finish(std::move(impl), options,
                [&](const nvm::LoadOptions& load) { return load_module(std::move(module), load); });
}

Result<Program> Program::from_file(const std::string& path, const LoadOptions& options) {
  return guarded([&]() -> Result<Program> {
    errno = 0;
    const auto text = read_file(path, options.watchers);
    if (text && (!text->empty() || (options.legacy && errno == 0))) return load_text(*text, path, options);
    const std::string reason = errno != 0 ? std::generic_category().message(errno)
                               : text     ? "the file is empty"
                                          : "it was not recorded";
    // The legacy command was given a name like others.
    const std::string given = path == "./-" ? "-" : path;
    Failure failure;
    failure.message = options.legacy ? "vinterp: Error opening input file " + given + ": " + reason + "\n"
                                     : "nvm: cannot read " + path + ": " + reason + "\n";
    failure.reason = "cannot read " + path + ": " + reason;
    return failure;
  });
}

std::string Program::warnings() const { return impl_->diagnostics.render(); }
std::vector<Message> Program::messages() const { return messages_of(impl_->diagnostics); }

std::string Program::signatures() const {
  if (impl_->loaded.verdict != Verdict::kOk) return "dynamic stack\n";
  std::string text;
  const auto append = [&](std::string_view word) { text.append(" ").append(word); };
  for (const ssa::Function& f : impl_->loaded.module.functions) {
    if (f.removed || f.name == kInputs) continue;
    text += f.name + " :";
    for (const ssa::ValueId v : f.blocks.front().parameters)
      append(kind_text(f.value_types[static_cast<std::size_t>(v)]));
    text += " ->";
    for (const Type t : f.results) append(kind_text(t));
    text += "\n";
  }
  return text;
}
std::optional<std::vector<Kind>> Program::results() const {
  using Kinds = std::optional<std::vector<Kind>>;
  return guarded(
      [&]() -> Kinds {
        if (impl_->loaded.verdict != Verdict::kOk) return std::nullopt;
        const ssa::Module& module = impl_->loaded.module;
        Kinds kinds(std::in_place);
        for (const Type t : module.functions[static_cast<std::size_t>(module.entry)].results)
          kinds->push_back(static_cast<Kind>(t));
        return kinds;
      },
      [](const Failure&) { return Kinds(); });
}

std::string Program::ssa_text() const { return ssa::print(impl_->loaded.module); }
std::string Program::nests_text() const { return plan::print_nests(impl_->loaded.module); }
std::string Program::vcode_text() const {
  if (!impl_->has_stack_code()) return "";
  if (impl_->loaded.program.functions.back().name != kInputs) return write_vcode(impl_->loaded.program);
  nvm::Program as_read = impl_->loaded.program;
  as_read.functions.pop_back();
  return write_vcode(as_read);
}

namespace {

std::string render_legacy(const vm::RunError& error) {
  if (error.kind == vm::Fault::Kind::kMemory)
    return "vinterp: ran out of vector memory.  Rerun using larger -m argument.\n";
  std::string text;
  for (const std::string_view line : lines_of(error.message)) {
    const bool general = line.starts_with("aborting") || line.starts_with("internal error");
    text += "vinterp: " + (general ? "" : "line " + std::to_string(error.at.pos.line) + ": ");
    text.append(line).append("\n");
  }
  return text;
}

}  // namespace

Origin origin_of(const vm::RunError& error) {
  if (error.at.origin_line > 0) return error.at.origin_line;
  for (const vm::CallPlace& call : error.calls)
    if (call.origin_line > 0) return call.origin_line;
  return 0;
}

std::string render(const vm::RunError& error, const Program::Impl& program) {
  if (program.legacy) return render_legacy(error);
  const OriginFiles& origins = program.loaded.program.origins;
  std::string text;
  if (error.at.origin_line > 0) {
    text = origins.place(error.at.origin_line) + ": error: " + error.message + "\n";
  } else {
    Diagnostics one(program.file, program.text);
    one.error(error.at.pos, error.message);
    text = one.render();
  }
  return text + vm::describe_place(error, origins);
}

}  // namespace nvm::lib
