#include "vm/lib/nesl.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>

#include "bytecode/text/writer.h"
#include "vm/lib/files.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl_session.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

namespace {

vm::SessionOptions session_options(const NeslOptions& o) {
  vm::SessionOptions options;
  options.show = o.show_all || o.interactive ? vm::Show::kAll : vm::Show::kExpressions;
  options.interactive = o.interactive;
  options.arg_check = o.arg_check;
  options.print.print_length = o.print_length;
  options.line_width = o.interactive ? 120 : 0;
  return options;
}

// Programs of a session run on one machine, whose memory holds the session's values.
class Runner : public vm::ProgramRunner {
 public:
  explicit Runner(const NeslOptions& o) : vm_(o.vm), watchers_(o.vm.watchers) { load_.int_bits = o.int_bits; }

  Result run(nvm::Program program, std::span<const vm::Value> inputs) override {
    begin_phase("load");
    auto loaded = make_program(std::move(program), "NESL", load_);
    end_phase();
    if (!loaded) return {true, "internal error: " + loaded.failure().message, 0, {}};
    std::vector<Value> given;
    for (const vm::Value& v : inputs)
      given.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, v}));
    auto done = vm_.run(*loaded, given);
    begin_phase("compile and print");
    if (!done) return {true, done.failure().reason, done.failure().origin_line, {}};
    add(done->counters);
    if (done->exited) return {true, "", done->exit_line, {}};
    Result result;
    for (const Value& v : done->values) {
      result.values.push_back(v.impl()->value);
      keep_constants(result.values.back(), *loaded);
    }
    return result;
  }

  void begin_phase(const char* name) const {
    for (const auto& watcher : watchers_) watcher->begin_phase(name);
  }
  void end_phase() const {
    for (const auto& watcher : watchers_) watcher->end_phase();
  }

  Vm& machine() { return vm_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void add(const Counters& c) {
    counters_.instructions += c.instructions;
    counters_.work += c.work;
    counters_.bytes += c.bytes;
    counters_.peak_bytes = std::max(counters_.peak_bytes, c.peak_bytes);
    counters_.mapped_bytes = std::max(counters_.mapped_bytes, c.mapped_bytes);
    counters_.seconds += c.seconds;
    counters_.regions += c.regions;
    counters_.fused += c.fused;
    counters_.compiled += c.compiled;
    counters_.block_calls += c.block_calls;
    counters_.block_groups += c.block_groups;
    counters_.compile_seconds += c.compile_seconds;
  }

  // A constant that became a value stands in the program's memory, not in the machine's.
  void keep_constants(const vm::Value& value, const Program& program) {
    const auto* v = std::get_if<vm::Vector>(&value);
    if (v != nullptr && !v->is_scalar() && v->buffer() && v->buffer().get()->pool != &program.impl()->pool)
      return;
    if (v != nullptr && (v->is_scalar() || !v->buffer())) return;
    if (const auto* s = std::get_if<vm::Segdes>(&value); s != nullptr && s->is_regular()) return;
    if (programs_.empty() || programs_.back().impl() != program.impl()) programs_.push_back(program);
  }

  Vm vm_;
  std::vector<std::shared_ptr<Watcher>> watchers_;
  Counters counters_;
  LoadOptions load_;
  std::vector<Program> programs_;
};

NeslStatus status_of(vm::SessionStatus status) { return static_cast<NeslStatus>(status); }

}  // namespace

// Members are destroyed in reverse order: the values before the memory they stand in.
struct Nesl::Impl {
  // What happens outside runs is reading, compiling and showing.
  template <typename F>
  NeslStatus between_runs(F f) {
    runner.begin_phase("compile and print");
    const NeslStatus status = status_of(f());
    runner.end_phase();
    return status;
  }

  vm::Pool files;  // memory of what came from files
  Runner runner;
  std::ostream& err;
  vm::NeslSession session;
  Impl(const NeslOptions& options, std::ostream& o, std::ostream& e)
      : runner(options), err(e), session(runner, o, e, session_options(options)) {}
};

Nesl::Nesl(const NeslOptions& options, std::ostream& out, std::ostream& err)
    : impl_(std::make_unique<Impl>(options, out, err)) {
  const auto variable = [](const char* name) {
    return std::string(std::getenv(name) ? std::getenv(name) : "");
  };
  bind_text("user", variable("USER"));
  bind_text("display", variable("DISPLAY"));
  bind_text("nesl_path", variable("NESL_PATH"));
}

void Nesl::bind_text(const std::string& name, const std::string& text) {
  auto [type, slots] = vm::text_value(text, impl_->session.environment().types(), impl_->files);
  impl_->session.bind(name, type, std::move(slots));
}

Nesl::~Nesl() = default;

NeslStatus Nesl::run_file(const std::string& path) {
  return impl_->between_runs([&] { return impl_->session.run_file(path); });
}

NeslStatus Nesl::run_text(std::string_view text, const std::string& name) {
  return impl_->between_runs([&] { return impl_->session.run_text({name, text, 1, false}); });
}

std::optional<std::string> Nesl::bind_file(const std::string& name, const std::string& path) {
  try {
    auto [type, slots] = vm::read_value(path, impl_->session.environment().types(), impl_->files);
    impl_->session.bind(name, type, std::move(slots));
  } catch (const vm::Fault& fault) {
    return fault.message;
  }
  return std::nullopt;
}

std::optional<std::string> Nesl::save_file(const std::string& name, const std::string& path) {
  const frontend::Type* type = nullptr;
  const auto* slots = impl_->session.value(name, type);
  if (slots == nullptr) return "there is no variable " + name;
  try {
    vm::write_value(path, type, *slots);
  } catch (const vm::Fault& fault) {
    return fault.message;
  }
  return std::nullopt;
}

NeslStatus Nesl::check_file(const std::string& path) {
  impl_->session.options().mode = vm::SessionMode::kCheck;
  return status_of(impl_->session.run_file(path));
}

void Nesl::compile_only() { impl_->session.options().mode = vm::SessionMode::kCompile; }

std::optional<std::string> Nesl::compile(const std::string& text) {
  const auto program = impl_->session.last_program(text);
  if (!program) return std::nullopt;
  return write_vcode(*program);
}

bool Nesl::incomplete(std::string_view text) {
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

std::vector<std::string> Nesl::names() { return impl_->session.environment().names(); }

const Counters& Nesl::counters() const { return impl_->runner.counters(); }

Vm& Nesl::machine() { return impl_->runner.machine(); }

}  // namespace nvm::lib
