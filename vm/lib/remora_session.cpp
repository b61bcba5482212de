#include "vm/lib/remora_session.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <system_error>

#include "bytecode/base/source_line.h"
#include "bytecode/base/stack.h"
#include "bytecode/text/writer.h"
#include "frontend/print_core.h"
#include "frontend/remora/print_program.h"
#include "frontend/remora/utf8.h"
#include "frontend/remora/values.h"
#include "vm/data/kept.h"
#include "vm/interp/world.h"
#include "vm/lib/baked.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/meanwhile.h"
#include "vm/lib/remora_values.h"
#include "vm/lib/value_file.h"

namespace nvm::lib {

using remora::Form;

Said::Said() : file_(open_memstream(&text_, &size_)) {}
Said::~Said() {
  if (file_ != nullptr) static_cast<void>(std::fclose(file_));
  std::free(text_);
}

std::string Said::text() {
  if (file_ == nullptr) return "";
  static_cast<void>(std::fflush(file_));
  return std::string(text_, size_).substr(std::exchange(taken_, size_));
}

namespace {

LanguageOptions said_to(LanguageOptions options, const Said& said) {
  if (said.file() != nullptr) options.vm.err = said.file();
  return options;
}

// A column of code points in bytes.
SourcePos in_bytes(std::string_view text, SourcePos pos) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < pos.line; ++line) at = text.find('\n', at) + 1;
  const std::size_t begin = at;
  for (std::uint32_t column = 1; column < pos.column && at < text.size(); ++column)
    at += remora::decode_one(text, at).bytes;
  return {pos.line, static_cast<std::uint32_t>(at - begin) + 1};
}

// Of "PLACE: RUNTIME ERROR: KIND: TEXT".
remora::Error failed_check(SourcePos pos, std::string_view said) {
  constexpr std::string_view kMark = "RUNTIME ERROR: ";
  const std::size_t mark = said.find(kMark);
  std::string_view text = mark == said.npos ? said : said.substr(mark + kMark.size());
  text = text.substr(0, text.find('\n'));
  const std::size_t colon = text.find(": ");
  if (mark == said.npos || colon == text.npos) return {"internal", pos, std::string(text)};
  return {std::string(text.substr(0, colon)), pos, std::string(text.substr(colon + 2))};
}

std::size_t slots_of(const frontend::core::Type* type) {
  using frontend::core::TypeKind;
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return 0;
    case TypeKind::kPair: return slots_of(type->a) + slots_of(type->b);
    case TypeKind::kSeq: return 1 + slots_of(type->a);
    default: return 1;
  }
}

}  // namespace

Remora::Impl::Impl(const LanguageOptions& o, std::ostream& out_stream, std::ostream& err_stream)
    : SessionCore(said_to(o, said), out_stream, err_stream, "Remora"),
      options(o),
      shows(o.vm.explain.empty()) {}

// ---- texts

Remora::Impl::Ready Remora::Impl::ready(std::string_view text, const std::string& name) const {
  Ready made{
      {name, static_cast<std::uint32_t>(std::count(whole.begin(), whole.end(), '\n')) + 1, std::string(text)},
      {},
      {},
      {}};
  if (!text.empty() && text.back() != '\n') made.more.text += '\n';
  const std::size_t known = chunks.size() + 1 - std::min<std::size_t>(chunks.size() + 1, kMostOriginSource);
  for (std::size_t k = known; k <= chunks.size(); ++k) {
    const Chunk& text_of = k < chunks.size() ? chunks[k] : made.more;
    made.files.push_back(text_of.name);
    made.first_lines.push_back(text_of.first);
  }
  made.own = known == 0 ? 1 : 0;
  std::vector<remora::Given> given;
  for (const RemoraInput& input : inputs) given.push_back(input.given);
  made.checked = remora::check_program(whole + made.more.text, given);
  if (!made.checked.errors.empty()) return made;
  std::vector<Form>& forms = made.checked.program.forms;
  for (std::size_t k = inputs.size(); k < forms.size(); ++k) {
    Form& form = forms[k];
    const bool old = form.body->pos.line < made.more.first;
    const bool alone = !form.continues && (k + 1 == forms.size() || !forms[k + 1].continues);
    if (form.defines < 0) {
      if (old) form.use = Form::Use::kSkip;
    } else if (old) {
      if (kept.count(k - inputs.size()) != 0) form.use = Form::Use::kGiven;
    } else if (options.interactive && alone && !remora::has_function(type_of(made.checked.program, form))) {
      form.use = Form::Use::kKept;
    }
  }
  return made;
}

SourcePos Remora::Impl::Ready::whole(Origin o) const {
  const std::uint32_t source = origin_source_of(o) == 0 ? own : origin_source_of(o);
  if (o == 0 || source == 0 || source > first_lines.size()) return {};
  return {origin_line_of(o) + first_lines[source - 1] - 1, origin_column_of(o)};
}

void Remora::Impl::accept(Chunk chunk) {
  whole += chunk.text;
  chunks.push_back(std::move(chunk));
}

const Remora::Impl::Chunk& Remora::Impl::chunk_at(const Chunk& more, std::uint32_t line) const {
  if (line >= more.first || chunks.empty()) return more;
  const auto behind = std::upper_bound(chunks.begin(), chunks.end(), line,
                                       [](std::uint32_t at, const Chunk& c) { return at < c.first; });
  return behind == chunks.begin() ? chunks.front() : behind[-1];
}

std::vector<LanguageMessage> Remora::Impl::located(const Ready& ready,
                                                   const std::vector<remora::Error>& errors) const {
  std::vector<LanguageMessage> all;
  for (const remora::Error& e : errors) {
    const Chunk& in = chunk_at(ready.more, e.pos.line);
    const std::uint32_t line = e.pos.line >= in.first ? e.pos.line - in.first + 1 : 1;
    all.push_back({{in.name, line, e.pos.column, Severity::kError, e.text}, e.kind});
  }
  return all;
}

void Remora::Impl::report(const Ready& ready, const std::vector<remora::Error>& errors) {
  std::size_t shown = 0;
  std::string text;
  for (const LanguageMessage& m : located(ready, errors)) {
    if (shown == Diagnostics::kMaxKept) {
      text += ready.more.name + ": " + std::to_string(errors.size() - shown) + " more messages not shown\n";
      break;
    }
    const Message& at = m.message;
    const Chunk& in = chunk_at(ready.more, errors[shown++].pos.line);
    text += at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": error[" + m.kind +
            "]: " + at.text + "\n" + shown_line(in.text, in_bytes(in.text, {at.line, at.column}));
  }
  out << std::flush;
  err << text << std::flush;
}

bool Remora::Impl::good(const Ready& ready) {
  if (ready.checked.errors.empty()) return true;
  report(ready, ready.checked.errors);
  return false;
}

std::optional<std::string> Remora::Impl::read(const std::string& path) {
  errno = 0;
  auto text = vm::read_file(world_of(options.vm.watchers), path);
  if (text) return text;
  const std::string why = std::generic_category().message(errno);
  err << "nvm: cannot read " << path << ": " << why << "\n" << std::flush;
  return std::nullopt;
}

LanguageStatus Remora::Impl::run_file(const std::string& path, bool shown) {
  const auto text = read(path);
  if (!text) return LanguageStatus::kCompileError;
  const vm::Meanwhile<bool> showing(shows, shows && shown);
  return run(*text, path);
}

// ---- checking

LanguageStatus Remora::Impl::check(std::string_view text, const std::string& name,
                                   std::vector<LanguageMessage>* messages) {
  const Ready ready = this->ready(text, name);
  const bool fine = ready.checked.errors.empty();
  if (messages != nullptr) {
    *messages = located(ready, ready.checked.errors);
    return fine ? LanguageStatus::kOk : LanguageStatus::kCompileError;
  }
  if (!good(ready)) return LanguageStatus::kCompileError;
  std::string types;
  const remora::Program& program = ready.checked.program;
  for (const Form& form : program.forms) {
    const std::string defined =
        form.defines < 0 ? "it" : program.values[static_cast<std::size_t>(form.defines)].name;
    types += defined + " : " + remora::print(type_of(program, form), program.variables) + "\n";
  }
  out << types << std::flush;
  return LanguageStatus::kOk;
}

// ---- running

template <typename F>
bool Remora::Impl::translating(const Ready& ready, F f) {
  // Where something that no place is known of stands: the last form of the text.
  const auto& forms = ready.checked.program.forms;
  SourcePos last{ready.more.first, 1};
  if (!forms.empty() && forms.back().body != nullptr) last = forms.back().body->pos;
  try {
    f();
    return true;
  } catch (const remora::Error& e) {
    report(ready, {e});
  } catch (const TooDeep& e) {
    report(ready, {{"unsupported", last, "the program, or a value of it, is " + std::string(e.what())}});
  }
  return false;
}

frontend::EmitOptions Remora::Impl::emit_options(const Ready& ready) const {
  frontend::EmitOptions made{chunks.empty() ? ready.more.name : chunks.front().name, true, cancelled};
  made.own = ready.own;
  made.sources = ready.files;
  made.first_lines = ready.first_lines;
  return made;
}

std::vector<vm::Value> Remora::Impl::values_of(const std::vector<frontend::VariableSlot>& slots) const {
  std::vector<vm::Value> values;
  for (const frontend::VariableSlot& s : slots) {
    const auto& all =
        s.variable < inputs.size() ? inputs[s.variable].slots : kept.at(s.variable - inputs.size());
    values.push_back(all[static_cast<std::size_t>(s.slot)]);
  }
  return values;
}

std::optional<std::vector<vm::Value>> Remora::Impl::results(const Ready& ready,
                                                            const remora::Translated& translated) {
  frontend::Emitted<ssa::Module> emitted;
  if (!translating(ready, [&] { emitted = frontend::emit_ssa(translated.program, emit_options(ready)); }))
    return std::nullopt;
  static_cast<void>(said.text());
  auto run = runner.run(std::move(emitted.code), values_of(emitted.inputs));
  if (!run.failed) return std::move(run.values);
  const auto& forms = ready.checked.program.forms;
  SourcePos at = ready.whole(run.line);
  if (at.line == 0) at = forms.back().body != nullptr ? forms.back().body->pos : SourcePos{1, 1};
  if (run.reason.empty()) {
    report(ready, {failed_check(at, said.text())});
  } else {
    const bool depth = run.reason.find("recursion limit") != std::string::npos;
    report(ready, {{depth ? "depth" : "stopped", at, run.reason}});
  }
  return std::nullopt;
}

LanguageStatus Remora::Impl::run(std::string_view text, const std::string& name) {
  if (command(text)) return LanguageStatus::kOk;
  Ready ready = this->ready(text, name);
  if (!good(ready)) return LanguageStatus::kCompileError;
  if (compiles) {
    accept(std::move(ready.more));
    return LanguageStatus::kOk;
  }
  remora::Program& program = ready.checked.program;
  remora::Translated translated;
  if (!translating(ready, [&] { translated = remora::translate(program); }))
    return LanguageStatus::kCompileError;
  auto slots = results(ready, translated);
  if (!slots) return LanguageStatus::kRunError;
  keep(program, translated.results, *slots);
  const bool all = shows && (options.interactive || options.show_all);
  std::string types;
  for (std::size_t k = inputs.size(); all && k < program.forms.size(); ++k)
    if (program.forms[k].defines >= 0 && program.forms[k].body->pos.line >= ready.more.first)
      types += program.values[static_cast<std::size_t>(program.forms[k].defines)].name + " : " +
               remora::print(type_of(program, program.forms[k]), program.variables) + "\n";
  out << types << std::flush;
  accept(std::move(ready.more));
  return LanguageStatus::kOk;
}

// Values are kept or shown.
void Remora::Impl::keep(const remora::Program& program, const std::vector<remora::Translated::Result>& found,
                        const std::vector<vm::Value>& slots) {
  std::vector<lib::Value> values;
  for (const vm::Value& v : slots)
    values.emplace_back(std::make_shared<lib::Value::Impl>(lib::Value::Impl{nullptr, nullptr, v}));
  std::size_t at = 0;
  std::string text;
  for (const remora::Translated::Result& r : found) {
    const std::size_t begin = at, end = at + slots_of(r.core);
    const auto cut = [&](const auto& all) {
      return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    if (program.forms[r.form].defines >= 0) {
      kept[r.form - inputs.size()] = cut(slots);
      at = end;
      continue;
    }
    last = Value{r.type, r.core, cut(slots)};
    if (shows)
      text +=
          remora_value(r.type, r.core, values, at) + " : " + remora::print(r.type, program.variables) + "\n";
    at = end;
  }
  out << text << std::flush;
}

// ---- compiling

std::optional<Remora::Impl::Ready> Remora::Impl::ready_for(const std::string& text) {
  Ready made = ready(text, "-e");
  if (!good(made)) return std::nullopt;
  Form* last_expression = nullptr;
  for (Form& form : made.checked.program.forms)
    if (form.defines < 0) {
      form.use = Form::Use::kSkip;
      last_expression = &form;
    } else if (form.use == Form::Use::kKept) {
      form.use = Form::Use::kCompute;
    }
  if (last_expression == nullptr) {
    err << "nvm: there is no expression to compile\n" << std::flush;
    return std::nullopt;
  }
  last_expression->use = Form::Use::kCompute;
  return made;
}

std::optional<std::string> Remora::Impl::compile(const std::string& text) {
  auto ready = ready_for(text);
  if (!ready) return std::nullopt;
  std::string vcode;
  const bool fine = translating(*ready, [&] {
    const remora::Translated translated = remora::translate(ready->checked.program);
    auto emitted = frontend::emit_vcode(translated.program, emit_options(*ready));
    vcode = write_vcode(vm::with_values(std::move(emitted.code), values_of(emitted.inputs)));
  });
  return fine ? std::optional(vcode) : std::nullopt;
}

std::optional<std::string> Remora::Impl::listing(const std::string& text, std::string_view stages) {
  auto ready = ready_for(text);
  if (!ready) return std::nullopt;
  std::string listed;
  const bool fine = translating(*ready, [&] {
    remora::Program& program = ready->checked.program;
    const remora::Translated translated = remora::translate(program);
    for (const char stage : stages) {
      if (stage == 'a')
        for (const Form& form : program.forms)
          if (form.use != Form::Use::kSkip) listed += remora::print(form, program) + "\n";
      if (stage == 'c') listed += frontend::core::print_core(translated.program);
      if (stage == 'f') listed += frontend::print_flat(translated.program, emit_options(*ready));
    }
  });
  return fine ? std::optional(listed) : std::nullopt;
}

std::optional<Nesl::Prepared> Remora::Impl::prepare(const std::string& text) {
  auto ready = ready_for(text);
  if (!ready) return std::nullopt;
  std::optional<Nesl::Prepared> prepared;
  translating(*ready, [&] {
    const remora::Translated translated = remora::translate(ready->checked.program);
    auto emitted = frontend::emit_ssa(translated.program, emit_options(*ready));
    LoadOptions load;
    load.optimise = options.optimise;
    auto program = make_program(std::move(emitted.code), "Remora", load);
    if (!program) {
      err << program.failure().message << std::flush;
      return;
    }
    prepared.emplace(Nesl::Prepared{*program, {}});
    for (const vm::Value& v : values_of(emitted.inputs))
      prepared->inputs.emplace_back(
          std::make_shared<lib::Value::Impl>(lib::Value::Impl{nullptr, nullptr, v}));
  });
  return prepared;
}

// ---- files

template <typename Make>
std::optional<std::string> Remora::Impl::bound(const std::string& name, Make make) {
  const bool plain = !name.empty() && name[0] != '@' &&
                     name.find_first_of("()[]{}|,;\"'` \t\n") == name.npos &&
                     name.find_first_not_of("-.0123456789") != name.npos;
  if (!plain) return name + " cannot name a value";
  if (!chunks.empty()) return "values of files are bound before anything else";
  RemoraInput input = make();
  const auto same = [&](const RemoraInput& i) { return i.given.name == name; };
  const auto before = std::find_if(inputs.begin(), inputs.end(), same);
  if (before != inputs.end())
    *before = std::move(input);
  else
    inputs.push_back(std::move(input));
  return std::nullopt;
}

std::optional<std::string> Remora::Impl::bind_file(const std::string& name, const std::string& word) {
  return bound(name, [&] { return remora_input(name, word, world_of(options.vm.watchers), *files); });
}

std::optional<std::string> Remora::Impl::bind(const std::string& name, const std::string& type,
                                              const lib::Value& atoms) {
  if (!atoms) return kNoMemory;
  return bound(name, [&] {
    const vm::Value value = vm::with_owner(atoms.impl()->value, atoms.impl());
    const auto* vector = std::get_if<vm::Vector>(&value);
    if (vector == nullptr) throw vm::Fault{vm::Fault::Kind::kIo, "a descriptor has no atoms"};
    return remora_array(name, type, *vector);
  });
}

namespace {

constexpr const char* kNoExpression = "no expression was evaluated; a value is written by NAME=FILE";

}  // namespace

std::optional<std::string> Remora::Impl::save(const std::string& name, ValueFile& file) {
  if (file.impl() == nullptr) return file.wrong();
  if (name != "it") {
    auto ready = ready_for(name);
    if (!ready) return "there is no value " + name;
    remora::Translated translated;
    if (!translating(*ready, [&] { translated = remora::translate(ready->checked.program); }))
      return "there is no value " + name;
    auto slots = results(*ready, translated);
    if (!slots) return "there is no value " + name;
    const auto& r = translated.results.back();
    last = Value{r.type, r.core, std::move(*slots)};
  }
  if (!last) return kNoExpression;
  write_remora(file.impl()->out, file.impl()->named, last->type, last->core, last->slots, *files);
  return std::nullopt;
}

std::optional<std::string> Remora::Impl::refuses(const Texts& texts, const std::string& name,
                                                 const ValueFile& file) {
  if (file.impl() == nullptr) return file.wrong();
  std::string text = texts.script + "\n";
  for (const std::string& e : texts.expressions) text += e + "\n";
  const remora::Checked checked = ready(text, "").checked;
  if (!checked.errors.empty()) return std::nullopt;  // said when it is run
  const remora::Program& program = checked.program;
  std::optional<remora::Type> type;
  for (const Form& form : program.forms) {
    const bool it = form.defines < 0;
    if (it ? name == "it" : program.values[static_cast<std::size_t>(form.defines)].name == name)
      type = type_of(program, form);
  }
  if (!type && name == "it") return last ? std::nullopt : std::optional<std::string>(kNoExpression);
  if (!type) {
    const bool there = ready(text + name + "\n", "").checked.errors.empty();
    return there ? std::nullopt : std::optional("there is no value " + name);
  }
  const std::string why = remora_refuses(file.impl()->named.kind, *type);
  return why.empty() ? std::nullopt : std::optional(file.impl()->named.path + ": " + why);
}

}  // namespace nvm::lib
