#include "vm/lib/nesl.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "bytecode/base/cancel.h"
#include "bytecode/base/stack.h"
#include "bytecode/text/writer.h"
#include "frontend/lexer.h"
#include "vm/data/kept.h"
#include "vm/lib/counted_stream.h"
#include "vm/lib/files.h"
#include "vm/lib/from_world.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl_session.h"
#include "vm/lib/nesl_slots.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

namespace {

vm::SessionOptions session_options(const NeslOptions& o) {
  vm::SessionOptions options;
  options.show = !o.vm.explain.empty()         ? vm::Show::kNothing
                 : o.show_all || o.interactive ? vm::Show::kAll
                                               : vm::Show::kExpressions;
  options.interactive = o.interactive;
  options.arg_check = o.arg_check || o.vm.untrusted;
  options.untrusted = o.vm.untrusted;
  options.print.print_length = o.print_length;
  options.line_width = o.interactive ? 120 : 0;
  options.gate = gate_of(o.vm);
  options.world = world_of(o.vm.watchers);
  options.cancelled = o.vm.cancelled;
  return options;
}

// Programs of a session run on one machine, whose memory holds the session's values.
class Runner : public vm::ProgramRunner {
 public:
  Runner(const NeslOptions& o, const std::shared_ptr<MemoryAccount>& account)
      : vm_(charged_to(account, o.vm)), watchers_(o.vm.watchers) {
    load_.int_bits = o.int_bits;
    load_.optimise = o.optimise;
    load_.cancelled = o.vm.cancelled;
  }

  Result run(nvm::Program program, std::span<const vm::Value> inputs) override {
    begin_phase("load");
    auto loaded = make_program(std::move(program), "NESL", load_);
    end_phase();
    if (!loaded && loaded.failure().kind == Failure::Class::kRuntime)
      return {true, loaded.failure().reason, loaded.failure().origin_line, {}};
    if (!loaded) return {true, "internal error: " + loaded.failure().message, 0, {}};
    std::vector<Value> given;
    for (const vm::Value& v : inputs)
      given.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, v}));
    auto done = vm_.run(*loaded, given);
    begin_phase("compile and print");
    if (!done) return {true, done.failure().reason, done.failure().origin_line, {}, done.failure().line_open};
    add(done->counters);
    if (done->counters.regions > 0) explanation_ += done->explanation;
    if (done->exited) return {true, "", done->exit_line, {}, done->line_open};
    Result result;
    result.line_open = done->line_open;
    for (const Value& v : done->values)
      result.values.push_back(vm::moved_out(v.impl()->value, loaded->impl()->pool, *v.impl()->pool));
    return result;
  }

  void begin_phase(const char* name) const {
    for (const auto& watcher : watchers_) watcher->begin_phase(name);
  }
  void end_phase() const {
    for (const auto& watcher : watchers_) watcher->end_phase();
  }

  Vm& machine() { return vm_; }
  [[nodiscard]] int int_bits() const { return load_.int_bits; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const std::string& explanation() const { return explanation_; }

 private:
  void add(const Counters& c) {
    counters_.instructions += c.instructions;
    counters_.work += c.work;
    counters_.uncharged += c.uncharged;
    counters_.bytes += c.bytes;
    counters_.peak_bytes = std::max(counters_.peak_bytes, c.peak_bytes);
    counters_.mapped_bytes = std::max(counters_.mapped_bytes, c.mapped_bytes);
    counters_.seconds += c.seconds;
    counters_.regions += c.regions;
    counters_.fused += c.fused;
    counters_.compiled += c.compiled;
    counters_.block_calls += c.block_calls;
    counters_.block_groups += c.block_groups;
    counters_.block_levels += c.block_levels;
    counters_.compile_seconds += c.compile_seconds;
  }

  static Vm charged_to(const std::shared_ptr<MemoryAccount>& account, const Options& options) {
    const Budget budget(account);
    return Vm(options);
  }

  Vm vm_;
  std::vector<std::shared_ptr<Watcher>> watchers_;
  Counters counters_;
  std::string explanation_;
  LoadOptions load_;
};

NeslStatus status_of(vm::SessionStatus status) { return static_cast<NeslStatus>(status); }

bool names_variable(const std::string& name) {
  std::string lower;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    if (c != '_' && !letter && (!digit || lower.empty())) return false;
    lower += letter ? static_cast<char>(c | 32) : c;
  }
  return !lower.empty() && !frontend::is_reserved(lower);
}

}  // namespace

// Members are destroyed in reverse order: the values before the memory they stand in.
struct Nesl::Impl {
  // `f`, or `otherwise` if somebody wishes to stop.
  template <typename T, typename F>
  T uncancelled(F f, T otherwise) {
    const Budget budget(account, time_limit, session.options().cancelled);
    try {
      return f();
    } catch (const vm::ShowingCancelled&) {
      err << "\nnvm: interrupted while a result was shown\n" << std::flush;
      return otherwise;
    } catch (const TooDeep& e) {
      err << "nvm: the program, or a value of it, is " << e.what() << "\n" << std::flush;
      return otherwise;
    } catch (const Cancelled& spent) {
      err << "nvm: " << spent.what() << " while NESL was compiled or shown\n" << std::flush;
      return otherwise;
    } catch (const std::bad_alloc& spent) {
      err << failure_of(spent).message << std::flush;
      return otherwise;
    } catch (const std::ios_base::failure&) {
      counted.clear();
      err << "nvm: cannot write the results\n" << std::flush;
      return otherwise;
    } catch (const OutputUsedUp&) {
      counted.clear();
      err << "nvm: output limit: more bytes of output than allowed (--output-limit)\n" << std::flush;
      return otherwise;
    }
  }

  // What `f` answers, or what is wrong.
  template <typename F>
  std::optional<std::string> answered(F f) {
    const Budget budget(account, time_limit, session.options().cancelled);
    try {
      return f();
    } catch (const vm::Fault& fault) {
      return fault.message;
    } catch (const Cancelled& spent) {
      return failure_of(spent).reason;
    } catch (const std::bad_alloc& spent) {
      return failure_of(spent).reason;
    }
  }

  // What happens outside runs is reading, compiling and showing.
  template <typename F>
  NeslStatus between_runs(F f) {
    runner.begin_phase("compile and print");
    const NeslStatus status = uncancelled<NeslStatus>([&] { return status_of(f()); }, NeslStatus::kRunError);
    runner.end_phase();
    return status;
  }

  // Nothing is run; types are shown, or messages collected.
  void check_only(std::vector<Message>* messages);

  double time_limit;  // of a call
  std::shared_ptr<MemoryAccount> account;
  std::shared_ptr<vm::Pool> files;  // memory of what came from files
  Runner runner;
  CountedStream counted;  // where there is a limit
  std::ostream& err;
  vm::NeslSession session;
  Impl(const NeslOptions& options, std::ostream& o, std::ostream& e)
      : time_limit(untrusted_limits(options.vm).time_limit),
        account(account_of(untrusted_limits(options.vm))),
        files(pool_of(account)),
        runner(options, account),
        counted(o, runner.machine()),
        err(e),
        session(runner, untrusted_limits(options.vm).output_limit > 0 ? counted : o, e,
                session_options(options)) {}
};

Nesl::Nesl(const NeslOptions& options, std::ostream& out, std::ostream& err)
    : impl_(std::make_unique<Impl>(options, out, err)) {
  const auto variable = [&options](const char* name) {
    const char* value = options.vm.untrusted ? nullptr : std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  bind_text("user", variable("USER"));
  bind_text("display", variable("DISPLAY"));
  bind_text("nesl_path", variable("NESL_PATH"));
}

void Nesl::bind_text(const std::string& name, const std::string& text) {
  frontend::TypeArena passing;
  auto [type, slots] = vm::text_value(text, passing, *impl_->files);
  impl_->session.bind(name, type, std::move(slots));
}

Nesl::~Nesl() = default;

NeslStatus Nesl::run_file(const std::string& path) {
  return impl_->between_runs([&] { return impl_->session.run_file(path); });
}

NeslStatus Nesl::load_file(const std::string& path) {
  return impl_->between_runs([&] { return impl_->session.load_file(path); });
}

NeslStatus Nesl::run_script(std::string text, const std::string& name) {
  return impl_->between_runs([&] { return impl_->session.run_script(std::move(text), name); });
}

NeslStatus Nesl::run_text(std::string_view text, const std::string& name) {
  return impl_->between_runs([&] { return impl_->session.run_text({name, text, 1, false}); });
}

NeslStatus Nesl::run_typed(std::string_view text, const std::string& name) {
  return impl_->between_runs([&] { return impl_->session.run_typed({name, text, 1, false}); });
}

NeslStatus Nesl::run_expression(const std::string& text) {
  return impl_->between_runs([&] { return impl_->session.run_expression(text); });
}

std::optional<std::string> Nesl::bind_file(const std::string& name, const std::string& path) {
  if (!names_variable(name)) return name + " cannot name a variable";
  return impl_->answered([&]() -> std::optional<std::string> {
    const FromWorld file(impl_->session.options().world, path);
    frontend::TypeArena passing;
    auto [type, slots] = vm::read_value(file.path(), passing, *impl_->files);
    impl_->session.bind(name, type, std::move(slots));
    return std::nullopt;
  });
}

std::optional<std::string> Nesl::bind(const std::string& name, const std::string& type,
                                      std::span<const Value> slots) {
  const frontend::OwnedType t = impl_->uncancelled<frontend::OwnedType>(
      [&] { return impl_->session.read_type(type); }, frontend::OwnedType());
  if (t == nullptr) return "there is no type " + type;
  frontend::TypeArena passing;
  const auto expected = frontend::slot_count(passing, t.get());
  if (static_cast<std::size_t>(expected) != slots.size())
    return "a value of type " + type + " has " + std::to_string(expected) + " parts, not " +
           std::to_string(slots.size());
  std::vector<vm::Value> values;
  for (const Value& slot : slots) values.push_back(vm::with_owner(slot.impl()->value, slot.impl()));
  if (const auto wrong = vm::misfit(passing, t.get(), values))
    return "the value of type " + type + " has " + *wrong;
  impl_->session.bind(name, t.get(), std::move(values));
  return std::nullopt;
}

std::optional<std::int64_t> Nesl::length(const std::string& name) const {
  const frontend::Type* type = nullptr;
  const auto* slots = impl_->session.value(name, type);
  if (slots == nullptr || slots->empty()) return std::nullopt;
  const auto* segdes = std::get_if<vm::Segdes>(&slots->front());
  if (segdes == nullptr || segdes->segments() != 1) return std::nullopt;
  return segdes->length(0);
}

std::optional<std::string> Nesl::save_file(const std::string& name, const std::string& path) {
  const frontend::Type* type = nullptr;
  const auto* slots = impl_->session.value(name, type);
  if (slots == nullptr)
    return name == "it" ? "no expression was evaluated; a variable is written by NAME=FILE"
                        : "there is no variable " + name;
  return impl_->answered([&]() -> std::optional<std::string> {
    vm::write_value(path, type, *slots);
    return std::nullopt;
  });
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
  impl_->check_only(messages);
  return impl_->between_runs([&] { return impl_->session.run_file(path); });
}

NeslStatus Nesl::check_script(std::string text, const std::string& name, std::vector<Message>* messages) {
  impl_->check_only(messages);
  return impl_->between_runs([&] { return impl_->session.run_script(std::move(text), name); });
}

void Nesl::compile_only() {
  impl_->session.options().mode = vm::SessionMode::kCompile;
  impl_->runner.machine().forbid_effects();
}

void Nesl::forbid_effects() {
  impl_->session.options().gate = impl_->session.options().gate.reading_only();
  impl_->runner.machine().forbid_effects();
}

std::optional<std::string> Nesl::listing(const std::string& text, std::string_view stages) {
  return impl_->uncancelled<std::optional<std::string>>([&] { return impl_->session.listing(text, stages); },
                                                        std::nullopt);
}

std::optional<std::string> Nesl::compile(const std::string& text) {
  const auto program = impl_->uncancelled<std::optional<nvm::Program>>(
      [&] { return impl_->session.last_program(text); }, std::nullopt);
  if (!program) return std::nullopt;
  return write_vcode(*program);
}

std::optional<Nesl::Prepared> Nesl::prepare(const std::string& text) {
  auto emitted = impl_->uncancelled<std::optional<std::pair<nvm::Program, std::vector<vm::Value>>>>(
      [&] { return impl_->session.prepare(text); }, std::nullopt);
  if (!emitted) return std::nullopt;
  LoadOptions load;
  load.int_bits = impl_->runner.int_bits();
  auto program = make_program(std::move(emitted->first), "NESL", load);
  if (!program) {
    impl_->err << program.failure().message;
    return std::nullopt;
  }
  Prepared prepared{*program, {}};
  for (const vm::Value& v : emitted->second)
    prepared.inputs.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, v}));
  return prepared;
}

// What is too much to be read is read again, with a message.
bool Nesl::incomplete(std::string_view text) try {
  Diagnostics diagnostics("", text);
  const frontend::Source source{"", text, 1, false};
  frontend::Parser parser(source, diagnostics);
  while (!parser.at_end())
    if (!parser.next_form() && parser.incomplete()) return true;
  Diagnostics ignored("", text);
  frontend::Lexer lexer(source, ignored);  // a comment that is open at the end is no form
  while (lexer.next().kind != frontend::Tok::kEnd) continue;
  return lexer.unfinished();
} catch (const std::bad_alloc&) {
  return false;
}

std::vector<std::string> Nesl::names() { return impl_->session.environment().names(); }

const std::string& Nesl::explanation() const { return impl_->runner.explanation(); }

const Counters& Nesl::counters() const { return impl_->runner.counters(); }

Vm& Nesl::machine() { return impl_->runner.machine(); }

}  // namespace nvm::lib
