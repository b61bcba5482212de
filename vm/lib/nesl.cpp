#include "vm/lib/nesl.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "bytecode/base/cancel.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "bytecode/text/writer.h"
#include "frontend/nesl/lexer.h"
#include "vm/data/kept.h"
#include "vm/lib/counted_stream.h"
#include "vm/lib/files.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl_impl.h"
#include "vm/lib/nesl_session.h"
#include "vm/lib/nesl_slots.h"
#include "vm/lib/value_file.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

vm::SessionOptions session_options(const NeslOptions& o) {
  vm::SessionOptions options;
  options.show = !o.vm.explain.empty()         ? vm::Show::kNothing
                 : o.show_all || o.interactive ? vm::Show::kAll
                                               : vm::Show::kExpressions;
  options.interactive = o.interactive;
  options.arg_check = o.arg_check || o.vm.untrusted;
  options.int_bits = o.int_bits == 32 ? IntBits::k32 : IntBits::k64;
  options.untrusted = o.vm.untrusted;
  options.print.print_length = o.print_length;
  options.print.charts_as_svg = o.charts_as_svg;
  options.line_width = o.interactive ? 120 : 0;
  options.one_stream = o.vm.err == o.vm.out;
  options.gate = gate_of(o.vm);
  options.folder = o.folder;
  options.world = world_of(o.vm.watchers);
  options.cancelled = o.vm.cancelled;
  return options;
}

namespace {

bool names_variable(const std::string& name) {
  std::string lower;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    if (c != '_' && !letter && (!digit || lower.empty())) return false;
    lower += letter ? static_cast<char>(c | 32) : c;
  }
  return !lower.empty() && !frontend::is_reserved(lower);
}

// How a call says what is wrong.
std::optional<std::string> reason_of(Failure failure) { return std::move(failure.reason); }

// What the session is told of the environment; nothing if it is not trusted.
std::string variable(const NeslOptions& options, const char* name) {
  const char* value = options.vm.untrusted ? nullptr : std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Nesl::Nesl(const NeslOptions& options, std::ostream& out, std::ostream& err)
    : impl_(guarded(
          [&] {
            if (const auto wrong = wrong_int_bits(options.int_bits)) {
              err << "nvm: " << *wrong << "\n" << std::flush;
              return std::shared_ptr<Impl>();
            }
            auto impl = std::make_shared<Impl>(options, out, err);
            for (const auto& [name, from] :
                 {std::pair("user", "USER"), {"display", "DISPLAY"}, {"nesl_path", "NESL_PATH"}})
              static_cast<void>(impl->bind_text(name, variable(options, from)));  // names that can be bound
            return impl;
          },
          [&](const Failure& failure) {
            err << failure.message << std::flush;
            return std::shared_ptr<Impl>();
          })) {}

std::optional<std::string> Nesl::Impl::bind_value(const std::string& name, const frontend::Type* type,
                                                  std::vector<vm::Value> slots) {
  if (!names_variable(name)) return (name.empty() ? "an empty text" : name) + " cannot name a variable";
  session.bind(name, type, std::move(slots));
  return std::nullopt;
}

std::optional<std::string> Nesl::Impl::bind_text(const std::string& name, const std::string& text) {
  frontend::TypeArena passing;
  auto [type, slots] = vm::text_value(text, passing, *files);
  return bind_value(name, type, std::move(slots));
}

std::optional<std::string> Nesl::bind_text(const std::string& name, const std::string& text) {
  return Impl::call<std::optional<std::string>>(
      impl_, [&] { return impl_->bind_text(name, text); }, reason_of);
}

Nesl::~Nesl() = default;

NeslStatus Nesl::run_file(const std::string& path) {
  return Impl::between_runs(impl_, [&] { return impl_->session.run_file(path); });
}

NeslStatus Nesl::load_file(const std::string& path) {
  return Impl::between_runs(impl_, [&] { return impl_->session.load_file(path); });
}

NeslStatus Nesl::run_script(std::string text, const std::string& name) {
  return Impl::between_runs(impl_, [&] { return impl_->session.run_script(std::move(text), name); });
}

NeslStatus Nesl::run_text(std::string_view text, const std::string& name) {
  return Impl::between_runs(impl_, [&] { return impl_->session.run_text({name, text, 1, false}); });
}

NeslStatus Nesl::run_typed(std::string_view text, const std::string& name) {
  return Impl::between_runs(impl_, [&] { return impl_->session.run_typed({name, text, 1, false}); });
}

NeslStatus Nesl::run_expression(const std::string& text) {
  return Impl::between_runs(impl_, [&] { return impl_->session.run_expression(text); });
}

std::optional<std::string> Nesl::bind_file(const std::string& name, const std::string& path) {
  return Impl::call<std::optional<std::string>>(
      impl_,
      [&]() -> std::optional<std::string> {
        if (auto number = vm::number_value(path))
          return impl_->bind_value(name, number->first, std::move(number->second));
        const vm::NamedFile file = vm::named_file(path);
        InFile in = vm::input_file(impl_->session.options().world, file);
        frontend::TypeArena passing;
        auto [type, slots] = vm::read_value(file, in, passing, *impl_->files);
        return impl_->bind_value(name, type, std::move(slots));
      },
      reason_of);
}

std::optional<std::string> Nesl::bind(const std::string& name, const std::string& type,
                                      std::span<const Value> slots) {
  return Impl::call<std::optional<std::string>>(
      impl_, [&] { return impl_->bind(name, type, slots); }, reason_of);
}

std::optional<std::string> Nesl::Impl::bind(const std::string& name, const std::string& type,
                                            std::span<const Value> slots) {
  std::string no_type;
  const frontend::OwnedType t = session.read_type(type, no_type);
  if (t == nullptr) return no_type;
  frontend::TypeArena passing;
  const auto expected = frontend::slot_count(passing, t.get());
  if (static_cast<std::size_t>(expected) != slots.size())
    return "a value of type " + type + " has " + std::to_string(expected) + " parts, not " +
           std::to_string(slots.size());
  std::vector<vm::Value> values;
  for (const Value& slot : slots) {
    if (!slot) return kNoMemory;
    values.push_back(vm::with_owner(slot.impl()->value, slot.impl()));
  }
  if (const auto wrong = vm::misfit(passing, t.get(), values))
    return "the value of type " + type + " has " + *wrong;
  return bind_value(name, t.get(), std::move(values));
}

std::optional<std::int64_t> Nesl::length(const std::string& name) const {
  using Length = std::optional<std::int64_t>;
  return Impl::call<Length>(
      impl_,
      [&]() -> Length {
        const frontend::Type* type = nullptr;
        const auto* slots = impl_->session.value(name, type);
        if (slots == nullptr || slots->empty()) return std::nullopt;
        const auto* segdes = std::get_if<vm::Segdes>(&slots->front());
        if (segdes == nullptr || segdes->segments() != 1) return std::nullopt;
        return segdes->length(0);
      },
      [](const Failure&) { return Length(); });
}

namespace {

// Of a name to save, or of one of its columns.
std::string no_value(const std::string& name, std::string_view column) {
  return name == "it" ? "no expression was evaluated; a variable is written by NAME=FILE"
                      : "there is no variable " + std::string(column);
}

}  // namespace

std::optional<std::string> Nesl::save_file(const std::string& name, const std::string& word) {
  return guarded(
      [&] {
        ValueFile file(word);
        return save_file(name, file);
      },
      reason_of);
}

std::optional<std::string> Nesl::save_file(const std::string& name, ValueFile& file) {
  return Impl::call<std::optional<std::string>>(
      impl_,
      [&]() -> std::optional<std::string> {
        std::vector<std::string> titles;
        std::vector<const frontend::Type*> types;
        std::vector<vm::Value> values;
        for (const std::string_view column : parts_of(name, ',')) {
          const frontend::Type* type = nullptr;
          const auto* slots = impl_->session.value(std::string(column), type);
          if (slots == nullptr) return no_value(name, column);
          titles.emplace_back(column);
          types.push_back(type);
          values.insert(values.end(), slots->begin(), slots->end());
        }
        if (file.impl() == nullptr) return file.wrong();
        if (titles.size() == 1) titles.clear();
        frontend::TypeArena arena;
        const frontend::Type* type = types.size() == 1 ? types[0] : arena.tuple(types);
        vm::write_value(file.impl()->out, file.impl()->named, type, values, titles);
        return std::nullopt;
      },
      reason_of);
}

void Nesl::Impl::check_only(std::vector<Message>* messages) {
  session.options().mode = vm::SessionMode::kCheck;
  runner.machine().forbid_effects();
  if (messages == nullptr) return;
  session.options().show = vm::Show::kNothing;
  session.options().report = [messages](const Diagnostics& diagnostics) {
    const auto more = messages_of(diagnostics);
    messages->insert(messages->end(), more.begin(), more.end());
  };
}

NeslStatus Nesl::check_file(const std::string& path, std::vector<Message>* messages) {
  return Impl::between_runs(impl_, [&] {
    impl_->check_only(messages);
    return impl_->session.run_file(path);
  });
}

NeslStatus Nesl::check_script(std::string text, const std::string& name, std::vector<Message>* messages) {
  return Impl::between_runs(impl_, [&] {
    impl_->check_only(messages);
    return impl_->session.run_script(std::move(text), name);
  });
}

void Nesl::compile_only() {
  Impl::between_runs(impl_, [&] {
    impl_->session.options().mode = vm::SessionMode::kCompile;
    impl_->runner.machine().forbid_effects();
    return vm::SessionStatus::kOk;
  });
}

void Nesl::forbid_effects() {
  Impl::between_runs(impl_, [&] {
    impl_->session.options().gate = impl_->session.options().gate.reading_only();
    impl_->runner.machine().forbid_effects();
    return vm::SessionStatus::kOk;
  });
}

std::optional<std::string> Nesl::listing(const std::string& text, std::string_view stages) {
  using Text = std::optional<std::string>;
  return Impl::reporting(
      impl_, [&] { return impl_->session.listing(text, stages); }, Text(), Text());
}

std::optional<std::string> Nesl::compile(const std::string& text) {
  using Text = std::optional<std::string>;
  return Impl::reporting(
      impl_,
      [&]() -> Text {
        const auto program = impl_->session.last_program(text);
        if (!program) return std::nullopt;
        return write_vcode(*program);
      },
      Text(), Text());
}

std::optional<Nesl::Prepared> Nesl::prepare(const std::string& text) {
  using Made = std::optional<Prepared>;
  return Impl::reporting(
      impl_, [&] { return impl_->prepare(text); }, Made(), Made());
}

std::optional<Nesl::Prepared> Nesl::Impl::prepare(const std::string& text) {
  auto emitted = session.prepare(text);
  if (!emitted) return std::nullopt;
  auto program = make_program(std::move(emitted->first), "NESL", {});
  if (!program) {
    err << program.failure().message;
    return std::nullopt;
  }
  Prepared prepared{*program, {}};
  for (const vm::Value& v : emitted->second)
    prepared.inputs.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, v}));
  return prepared;
}

namespace {

bool is_incomplete(std::string_view text) {
  Diagnostics diagnostics("", text);
  const frontend::Source source{"", text, 1, false};
  frontend::Parser parser(source, diagnostics);
  while (!parser.at_end())
    if (!parser.next_form() && parser.incomplete()) return true;
  Diagnostics ignored("", text);
  frontend::Lexer lexer(source, ignored);  // a comment that is open at the end is no form
  while (lexer.next().kind != frontend::Tok::kEnd) continue;
  return lexer.unfinished();
}

bool all_parse(std::string_view text, bool ends_in_command) {
  Diagnostics diagnostics("", text);
  const frontend::Source source{"", text, 1, false};
  frontend::Parser parser(source, diagnostics);
  bool command = false;
  while (!parser.at_end()) {
    const auto form = parser.next_form();
    if (!form) return false;
    command = form->kind == frontend::FormKind::kCommand;
  }
  return !diagnostics.failed() && (command || !ends_in_command);
}

}  // namespace

bool Nesl::parses(std::string_view text, bool ends_in_command) {
  return guarded([&] { return all_parse(text, ends_in_command); }, [](const Failure&) { return false; });
}

bool Nesl::incomplete(std::string_view text) {
  return guarded([&] { return is_incomplete(text); }, [](const Failure&) { return false; });
}

std::optional<std::string> Nesl::refuses(const Texts& texts, const std::string& name, const ValueFile& file) {
  return Impl::call<std::optional<std::string>>(
      impl_, [&] { return impl_->refuses(texts, name, file); }, reason_of);
}

std::optional<std::string> Nesl::Impl::refuses(const Texts& texts, const std::string& name,
                                               const ValueFile& file) {
  if (file.impl() == nullptr) return file.wrong();
  std::ostream nowhere(nullptr);
  vm::SessionOptions options = session.options();
  options.mode = vm::SessionMode::kCheck;
  options.show = vm::Show::kNothing;
  bool unsure = false;  // a file that is not known before the run may define anything
  options.report = [&](const Diagnostics& said) { unsure |= !said.all().empty(); };
  vm::NeslSession check(runner, nowhere, nowhere, options);
  for (const std::string& input : texts.inputs) {
    const frontend::Type* type = nullptr;
    if (const auto* slots = session.value(input, type)) check.bind(input, type, *slots);
  }
  if (!texts.script.empty() && check.run_script(texts.script, texts.script_name) != vm::SessionStatus::kOk)
    return std::nullopt;  // said when it is run
  for (const std::string& text : texts.expressions)
    if (check.run_expression(text) != vm::SessionStatus::kOk) return std::nullopt;
  std::vector<const frontend::Type*> types;
  for (const std::string_view column : parts_of(name, ',')) {
    types.push_back(check.type_of(std::string(column)));
    const frontend::Type* before = nullptr;
    if (types.back() == nullptr)
      return unsure || session.value(std::string(column), before) != nullptr
                 ? std::nullopt
                 : std::optional(no_value(name, column));
  }
  frontend::TypeArena arena;
  const frontend::Type* type = types.size() == 1 ? types[0] : arena.tuple(types);
  const std::string why = vm::refuses(file.impl()->named.kind, type, types.size() == 1 ? 0 : types.size());
  if (why.empty()) return std::nullopt;
  return file.impl()->named.path + ": " + why;
}

std::vector<std::string> Nesl::names() {
  using Names = std::vector<std::string>;
  return Impl::reporting(
      impl_, [&] { return impl_->session.environment().names(); }, Names(), Names());
}

std::string Nesl::explanation() const {
  return Impl::reporting(
      impl_, [&] { return impl_->runner.explanation(); }, std::string(), std::string());
}

Counters Nesl::counters() const {
  return Impl::call<Counters>(
      impl_, [&] { return impl_->runner.counters(); }, [](const Failure&) { return Counters(); });
}

Vm& Nesl::machine() {
  static Vm none;
  return impl_ != nullptr ? impl_->runner.machine() : none;
}

}  // namespace nvm::lib
