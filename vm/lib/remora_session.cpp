#include "vm/lib/remora_session.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ostream>
#include <system_error>

#include "bytecode/base/source_line.h"
#include "bytecode/base/stack.h"
#include "bytecode/base/utf8.h"
#include "bytecode/text/writer.h"
#include "frontend/markdown.h"
#include "frontend/print_core.h"
#include "frontend/remora/print_program.h"
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
    at += decode_utf8_at(text, at).bytes;
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

Remora::Impl::Ready Remora::Impl::ready(std::string_view text, const std::string& name) {
  if (in_use_.size() >= sweep_at_) {
    std::erase_if(in_use_, [](const auto& chunk) { return chunk.second.expired(); });
    sweep_at_ = 2 * in_use_.size() + 16;
  }
  std::uint32_t line = 1;
  while (!in_use_.empty() && in_use_.rbegin()->second.expired()) in_use_.erase(std::prev(in_use_.end()));
  if (!in_use_.empty()) {
    const ChunkRef last = in_use_.rbegin()->second.lock();
    line = last->first + static_cast<std::uint32_t>(std::count(last->text.begin(), last->text.end(), '\n'));
  }
  auto more = std::make_shared<Chunk>(Chunk{name, line, std::string(text)});
  if (!text.empty() && text.back() != '\n') more->text += '\n';
  in_use_[line] = more;
  Ready made;
  made.text = std::make_unique<remora::TopLevel::Text>(top, more->text, line);
  if (compiles && made.errors().empty()) made.text->with_all_older();
  std::map<std::uint32_t, ChunkRef> texts;
  for (const ChunkRef& chunk : whole) texts[chunk->first] = chunk;
  std::vector<Form>& forms = made.program().forms;
  for (std::size_t k = 0; k < made.text->own(); ++k)
    if (const auto it = definitions.find(forms[k].defines);
        it != definitions.end() && it->second.text != nullptr)
      texts[it->second.text->first] = it->second.text;
  texts[line] = std::move(more);
  for (auto& [first, chunk] : texts) made.texts.push_back(std::move(chunk));
  const std::size_t n = made.texts.size();
  for (std::size_t k = n - std::min<std::size_t>(n, kMostOriginSource); k < n; ++k) {
    made.files.push_back(made.texts[k]->name);
    made.first_lines.push_back(made.texts[k]->first);
  }
  if (made.first_lines[0] == 1) made.own = 1;
  if (!made.errors().empty()) return made;
  for (std::size_t k = made.text->own(); k < forms.size(); ++k) {
    const bool alone = !forms[k].continues && (k + 1 == forms.size() || !forms[k + 1].continues);
    if (forms[k].defines >= 0 && options.interactive && alone &&
        !remora::has_function(type_of(made.program(), forms[k])))
      forms[k].use = Form::Use::kKept;
  }
  return made;
}

SourcePos Remora::Impl::Ready::whole(Origin o) const {
  const std::uint32_t source = origin_source_of(o) == 0 ? own : origin_source_of(o);
  if (o == 0 || source == 0 || source > first_lines.size()) return {};
  return {origin_line_of(o) + first_lines[source - 1] - 1, origin_column_of(o)};
}

const Remora::Impl::Chunk& Remora::Impl::Ready::chunk_at(std::uint32_t line) const {
  const auto behind = std::upper_bound(texts.begin(), texts.end(), line,
                                       [](std::uint32_t at, const ChunkRef& c) { return at < c->first; });
  return behind == texts.begin() ? more() : *behind[-1];
}

void Remora::Impl::accept(Ready& ready, std::map<std::size_t, std::vector<vm::Value>> kept) {
  const remora::Program& program = ready.program();
  std::map<remora::ValueId, Definition> by_form;
  for (std::size_t k = ready.text->own(); k < program.forms.size(); ++k) {
    const Form& form = program.forms[k];
    if (form.defines < 0) continue;
    Definition& made = by_form[static_cast<remora::ValueId>(k)];
    const SourcePos at = program.values[static_cast<std::size_t>(form.defines)].pos;
    made.place = ready.more().name + ":" + std::to_string(at.line - ready.more().first + 1) + ":" +
                 std::to_string(at.column);
    if (form.use == Form::Use::kKept)
      made.slots = std::move(kept.at(k));
    else
      made.text = ready.texts.back();
  }
  if (!own_file) own_file = ready.more().name;
  if (compiles) whole.push_back(ready.texts.back());
  carry_out(ready.text->accept(compiles), std::move(by_form));
}

// Cannot fail: the top level has changed.
void Remora::Impl::carry_out(const remora::TopLevel::Change& change,
                             std::map<remora::ValueId, Definition> by_form) {
  for (const remora::ValueId gone : change.gone) definitions.erase(gone);
  for (const auto& [form, value] : change.came) {
    auto made = by_form.extract(static_cast<remora::ValueId>(form));
    if (made.empty()) continue;  // it has gone again
    made.key() = value;
    definitions.erase(value);
    definitions.insert(std::move(made));
  }
}

std::vector<LanguageMessage> Remora::Impl::located(const Ready& ready,
                                                   const std::vector<remora::Error>& errors) const {
  std::vector<LanguageMessage> all;
  for (const remora::Error& e : errors) {
    const Chunk& in = ready.chunk_at(e.pos.line);
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
      text += ready.more().name + ": " + std::to_string(errors.size() - shown) + " more messages not shown\n";
      break;
    }
    const Message& at = m.message;
    const Chunk& in = ready.chunk_at(errors[shown++].pos.line);
    text += at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": error[" + m.kind +
            "]: " + at.text + "\n" + shown_line(in.text, in_bytes(in.text, {at.line, at.column}));
  }
  out << std::flush;
  err << text << std::flush;
}

bool Remora::Impl::good(const Ready& ready) {
  if (ready.errors().empty()) return true;
  report(ready, ready.errors());
  return false;
}

std::optional<std::string> Remora::Impl::read(const std::string& path) {
  errno = 0;
  auto text = vm::read_file(world_of(options.vm.watchers), path);
  if (text && frontend::is_markdown(path)) {
    const auto blocks = frontend::code_blocks(*text, "remora");
    return frontend::only_blocks(std::move(*text), blocks);
  }
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
  const bool fine = ready.errors().empty();
  if (messages != nullptr) {
    *messages = located(ready, ready.errors());
    return fine ? LanguageStatus::kOk : LanguageStatus::kCompileError;
  }
  if (!good(ready)) return LanguageStatus::kCompileError;
  std::string types;
  for (const RemoraInput& input : inputs)
    types += input.given.name + " : " +
             remora::print(top.type_of(top.find(input.given.name)), top.variables()) + "\n";
  const remora::Program& program = ready.program();
  for (std::size_t k = ready.text->own(); k < program.forms.size(); ++k) {
    const Form& form = program.forms[k];
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
  const auto& forms = ready.program().forms;
  SourcePos last{ready.more().first, 1};
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
  frontend::EmitOptions made{own_file.value_or(ready.more().name), true, cancelled};
  made.own = ready.own;
  made.sources = ready.files;
  made.first_lines = ready.first_lines;
  return made;
}

std::vector<vm::Value> Remora::Impl::values_of(const Ready& ready,
                                               const std::vector<frontend::VariableSlot>& slots) const {
  std::vector<vm::Value> values;
  for (const frontend::VariableSlot& s : slots)
    values.push_back(
        definitions.at(ready.program().forms[s.variable].defines).slots[static_cast<std::size_t>(s.slot)]);
  return values;
}

std::optional<std::vector<vm::Value>> Remora::Impl::results(const Ready& ready,
                                                            const remora::Translated& translated) {
  frontend::Emitted<ssa::Module> emitted;
  if (!translating(ready, [&] { emitted = frontend::emit_ssa(translated.program, emit_options(ready)); }))
    return std::nullopt;
  static_cast<void>(said.text());
  auto run = runner.run(std::move(emitted.code), values_of(ready, emitted.inputs));
  if (!run.failed) return std::move(run.values);
  const auto& forms = ready.program().forms;
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
    accept(ready, {});
    return LanguageStatus::kOk;
  }
  remora::Program& program = ready.program();
  remora::Translated translated;
  if (!translating(ready, [&] { translated = remora::translate(program); }))
    return LanguageStatus::kCompileError;
  auto slots = results(ready, translated);
  if (!slots) return LanguageStatus::kRunError;
  std::string text_shown;
  auto values = kept(program, translated.results, *slots, text_shown);
  slots.reset();
  const bool all = shows && (options.interactive || options.show_all);
  for (std::size_t k = ready.text->own(); all && k < program.forms.size(); ++k)
    if (program.forms[k].defines >= 0)
      text_shown += program.values[static_cast<std::size_t>(program.forms[k].defines)].name + " : " +
                    remora::print(type_of(program, program.forms[k]), program.variables) + "\n";
  accept(ready, std::move(values));
  out << text_shown << std::flush;
  return LanguageStatus::kOk;
}

std::map<std::size_t, std::vector<vm::Value>> Remora::Impl::kept(
    const remora::Program& program, const std::vector<remora::Translated::Result>& found,
    const std::vector<vm::Value>& slots, std::string& text) {
  std::map<std::size_t, std::vector<vm::Value>> kept;
  std::vector<lib::Value> values;
  for (const vm::Value& v : slots)
    values.emplace_back(std::make_shared<lib::Value::Impl>(lib::Value::Impl{nullptr, nullptr, v}));
  std::size_t at = 0;
  for (const remora::Translated::Result& r : found) {
    const std::size_t begin = at, end = at + slots_of(r.core);
    const auto cut = [&](const auto& all) {
      return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    if (program.forms[r.form].defines >= 0) {
      kept[r.form] = cut(slots);
      at = end;
      continue;
    }
    last = Value{r.type, r.core, cut(slots)};
    if (shows)
      text +=
          remora_value(r.type, r.core, values, at) + " : " + remora::print(r.type, program.variables) + "\n";
    at = end;
  }
  return kept;
}

// ---- compiling

std::optional<Remora::Impl::Ready> Remora::Impl::ready_for(const std::string& text) {
  Ready made = ready(text, "-e");
  if (!good(made)) return std::nullopt;
  Form* last_expression = nullptr;
  for (Form& form : made.program().forms)
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
    const remora::Translated translated = remora::translate(ready->program());
    auto emitted = frontend::emit_vcode(translated.program, emit_options(*ready));
    vcode = write_vcode(vm::with_values(std::move(emitted.code), values_of(*ready, emitted.inputs)));
  });
  return fine ? std::optional(vcode) : std::nullopt;
}

std::optional<std::string> Remora::Impl::listing(const std::string& text, std::string_view stages) {
  auto ready = ready_for(text);
  if (!ready) return std::nullopt;
  std::string listed;
  const bool fine = translating(*ready, [&] {
    remora::Program& program = ready->program();
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
    const remora::Translated translated = remora::translate(ready->program());
    auto emitted = frontend::emit_ssa(translated.program, emit_options(*ready));
    LoadOptions load;
    load.optimise = options.optimise;
    auto program = make_program(std::move(emitted.code), "Remora", load);
    if (!program) {
      err << program.failure().message << std::flush;
      return;
    }
    prepared.emplace(Nesl::Prepared{*program, {}});
    for (const vm::Value& v : values_of(*ready, emitted.inputs))
      prepared->inputs.emplace_back(
          std::make_shared<lib::Value::Impl>(lib::Value::Impl{nullptr, nullptr, v}));
  });
  return prepared;
}

// ---- files

namespace {

constexpr const char* kNoExpression = "no expression was evaluated; a value is written by NAME=FILE";

}  // namespace

std::optional<std::string> Remora::Impl::save(const std::string& name, ValueFile& file) {
  if (file.impl() == nullptr) return file.wrong();
  if (name != "it") {
    auto ready = ready_for(name);
    if (!ready) return "there is no value " + name;
    remora::Translated translated;
    if (!translating(*ready, [&] { translated = remora::translate(ready->program()); }))
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
  std::optional<remora::Type> type;
  {
    const Ready whole_text = ready(text, "");
    if (!whole_text.errors().empty()) return std::nullopt;  // said when it is run
    const remora::Program& program = whole_text.program();
    for (std::size_t k = whole_text.text->own(); k < program.forms.size(); ++k) {
      const Form& form = program.forms[k];
      const bool it = form.defines < 0;
      if (it ? name == "it" : program.values[static_cast<std::size_t>(form.defines)].name == name)
        type = type_of(program, form);
    }
  }
  const remora::ValueId older = top.find(name);
  if (!type && older >= 0) type = top.type_of(older);
  if (!type && name == "it") return last ? std::nullopt : std::optional<std::string>(kNoExpression);
  if (!type) {
    const bool there = ready(text + name + "\n", "").errors().empty();
    return there ? std::nullopt : std::optional("there is no value " + name);
  }
  const std::string why = remora_refuses(file.impl()->named.kind, *type);
  return why.empty() ? std::nullopt : std::optional(file.impl()->named.path + ": " + why);
}

}  // namespace nvm::lib
