#include "vm/lib/remora.hpp"

#include "vm/lib/remora_session.h"

namespace nvm::lib {

namespace {

std::optional<std::string> reason_of(Failure failure) { return std::move(failure.reason); }
using Text = std::optional<std::string>;

}  // namespace

Remora::Remora(const LanguageOptions& options, std::ostream& out, std::ostream& err)
    : impl_(guarded([&] { return std::make_shared<Impl>(options, out, err); },
                    [&](const Failure& failure) {
                      err << failure.message << std::flush;
                      return std::shared_ptr<Impl>();
                    })) {}
Remora::~Remora() = default;

const LanguageFacts& Remora::facts() const {
  static constexpr LanguageFacts kFacts = {
      "Remora",  ".remora",         "<Remora> ", "", "help lists the commands, exit leaves.",
      ".remora", " \t\n\"'`()[]{};"};
  return kFacts;
}

LanguageStatus Remora::run_file(const std::string& path) {
  return SessionCore::between_runs(impl_, [&] { return impl_->run_file(path, true); });
}

LanguageStatus Remora::load_file(const std::string& path) {
  return SessionCore::between_runs(impl_, [&] { return impl_->run_file(path, false); });
}

LanguageStatus Remora::run_script(std::string text, const std::string& name) { return run_text(text, name); }

LanguageStatus Remora::run_text(std::string_view text, const std::string& name) {
  return SessionCore::between_runs(impl_, [&] { return impl_->run(text, name); });
}

LanguageStatus Remora::run_typed(std::string_view text, const std::string& name) {
  return run_text(text, name);
}

LanguageStatus Remora::run_expression(const std::string& text) { return run_text(text, "-e"); }

std::optional<std::string> Remora::bind_file(const std::string& name, const std::string& word) {
  return SessionCore::call<Text>(
      impl_, [&] { return impl_->bind_file(name, word); }, reason_of);
}

std::optional<std::string> Remora::bind(const std::string& name, const std::string& type,
                                        const Value& atoms) {
  return SessionCore::call<Text>(
      impl_, [&] { return impl_->bind(name, type, atoms); }, reason_of);
}

std::optional<std::int64_t> Remora::length(const std::string& name) const {
  using Length = std::optional<std::int64_t>;
  return SessionCore::call<Length>(
      impl_,
      [&]() -> Length {
        for (const RemoraInput& input : impl_->inputs)
          if (input.given.name == name) return input.length;
        return std::nullopt;
      },
      [](const Failure&) { return Length(); });
}

std::optional<std::string> Remora::save_file(const std::string& name, ValueFile& file) {
  return SessionCore::call<Text>(
      impl_, [&] { return impl_->save(name, file); }, reason_of);
}

std::optional<std::string> Remora::refuses(const Texts& texts, const std::string& name,
                                           const ValueFile& file) {
  return SessionCore::call<Text>(
      impl_, [&] { return impl_->refuses(texts, name, file); }, reason_of);
}

LanguageStatus Remora::check_file(const std::string& path, std::vector<LanguageMessage>* messages) {
  return SessionCore::between_runs(impl_, [&] {
    const auto text = impl_->read(path);
    return text ? impl_->check(*text, path, messages) : LanguageStatus::kCompileError;
  });
}

LanguageStatus Remora::check_script(std::string text, const std::string& name,
                                    std::vector<LanguageMessage>* messages) {
  return SessionCore::between_runs(impl_, [&] { return impl_->check(text, name, messages); });
}

void Remora::compile_only() {
  SessionCore::between_runs(impl_, [&] {
    impl_->compiles = true;
    return LanguageStatus::kOk;
  });
}

std::optional<std::string> Remora::compile(const std::string& text) {
  return SessionCore::reporting(
      impl_, [&] { return impl_->compile(text); }, Text(), Text());
}

std::optional<std::string> Remora::listing(const std::string& text, std::string_view stages) {
  return SessionCore::reporting(
      impl_, [&] { return impl_->listing(text, stages); }, Text(), Text());
}

std::optional<Nesl::Prepared> Remora::prepare(const std::string& text) {
  using Made = std::optional<Nesl::Prepared>;
  return SessionCore::reporting(
      impl_, [&] { return impl_->prepare(text); }, Made(), Made());
}

bool Remora::wants_more(std::string_view text) const {
  return guarded([&] { return remora::ends_within(text); }, [](const Failure&) { return false; });
}

std::vector<std::string> Remora::names() {
  using Names = std::vector<std::string>;
  return SessionCore::reporting(
      impl_, [&] { return impl_->names(); }, Names(), Names());
}

std::string Remora::explanation() const {
  return SessionCore::reporting(
      impl_, [&] { return impl_->runner.explanation(); }, std::string(), std::string());
}

Counters Remora::counters() const {
  return SessionCore::call<Counters>(
      impl_, [&] { return impl_->runner.counters(); }, [](const Failure&) { return Counters(); });
}

Vm& Remora::machine() {
  static Vm none;
  return impl_ != nullptr ? impl_->runner.machine() : none;
}

}  // namespace nvm::lib
