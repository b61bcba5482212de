// What is behind a Nesl.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/stack.h"
#include "vm/lib/counted_stream.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nesl_calls.h"
#include "vm/lib/nesl_runner.h"
#include "vm/lib/nesl_session.h"

namespace nvm::lib {

[[nodiscard]] vm::SessionOptions session_options(const NeslOptions& options);

// Members are destroyed in reverse order: the values before the memory they stand in.
struct Nesl::Impl {
  // f() of a session that nobody else uses, or `otherwise` of what fails.
  template <typename R, typename F, typename G>
  static R call(const std::unique_ptr<Impl>& session, F f, G otherwise) noexcept {
    return guarded(
        [&]() -> R {
          if (session == nullptr) throw std::bad_alloc();  // when it was made
          const Taken taken(session->busy);
          if (!taken) return otherwise(busy_failure());
          const Budget budget(session->account, session->time_limit, session->session.options().cancelled);
          return f();
        },
        otherwise);
  }
  // The same; what fails is reported.
  template <typename R, typename F>
  static R reporting(const std::unique_ptr<Impl>& session, F f, R otherwise, R busy) noexcept {
    return call<R>(
        session, [&]() -> R { return session->uncancelled(f, otherwise); },
        [&](const Failure& failure) {
          if (failure.reason == kBusy) return std::move(busy);
          if (session != nullptr)
            static_cast<void>(guarded([&] { return (session->err << failure.message << std::flush).good(); },
                                      [](const Failure&) { return false; }));
          return std::move(otherwise);
        });
  }
  static Failure busy_failure() {
    Failure failure;
    failure.reason = kBusy;
    failure.message = std::string("nvm: ") + kBusy + "\n";
    return failure;
  }

  // f(), or `otherwise` if somebody wishes to stop.
  template <typename R, typename F>
  R uncancelled(F f, const R& otherwise) {
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

  // What happens outside runs is reading, compiling and showing.
  template <typename F>
  static NeslStatus between_runs(const std::unique_ptr<Impl>& session, F f) noexcept {
    return reporting(
        session,
        [&] {
          session->runner.begin_phase("compile and print");
          const auto status = static_cast<NeslStatus>(f());
          session->runner.end_phase();
          return status;
        },
        NeslStatus::kRunError, NeslStatus::kBusy);
  }

  void bind_text(const std::string& name, const std::string& text);
  std::optional<std::string> bind(const std::string& name, const std::string& type,
                                  std::span<const Value> slots);
  std::optional<Prepared> prepare(const std::string& text);
  std::optional<std::string> refuses(const Texts& texts, const std::string& name, const ValueFile& file);
  // Nothing is run; types are shown, or messages collected.
  void check_only(std::vector<Message>* messages);

  double time_limit;  // of a call
  std::shared_ptr<MemoryAccount> account;
  std::shared_ptr<vm::Pool> files;  // memory of what came from files
  Runner runner;
  CountedStream counted;  // where there is a limit
  std::ostream& err;
  vm::NeslSession session;
  std::atomic<bool> busy{false};
  Impl(const NeslOptions& options, std::ostream& o, std::ostream& e)
      : time_limit(untrusted_limits(options.vm).time_limit),
        account(account_of(untrusted_limits(options.vm))),
        files(pool_of(account)),
        runner(options, account),
        counted(o, runner.machine()),
        err(e),
        session(runner, untrusted_limits(options.vm).output_limit > 0 ? counted : o, e,
                session_options(options)),
        own_machines(untrusted_limits(options.vm).fuel == 0 &&
                     untrusted_limits(options.vm).output_limit == 0) {}

  struct Call;
  std::unordered_map<std::string, std::shared_ptr<Call>> calls;  // by function and types of arguments
  bool own_machines;  // a call keeps its kernels; else all runs share what they may do together
  Result<std::vector<std::string>> define(std::string_view text, const std::string& name);
  Result<Call*> compiled_call(const std::string& function, std::span<const NeslValue> arguments);
  Result<NeslValue> call_function(const std::string& function, std::span<const NeslValue> arguments);
};

}  // namespace nvm::lib
