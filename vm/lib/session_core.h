// What sessions in all languages share: one call at a time, within limits, and nothing thrown out of it.
#pragma once

#include <atomic>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/stack.h"
#include "vm/lib/counted_stream.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/language.hpp"
#include "vm/lib/nesl_runner.h"

namespace nvm::lib {

// Members are destroyed in reverse order: the values before the memory they stand in.
struct SessionCore {
  // f() of a session that nobody else uses, or `otherwise` of what fails. Its owner may be destroyed by what
  // it calls back: the session lives until it ends.
  template <typename R, typename P, typename F, typename G>
  static R call(const P& owned, F f, G otherwise) noexcept {
    const P session = owned;
    return guarded(
        [&]() -> R {
          if (session == nullptr) return otherwise(no_session());
          const Taken taken(session->busy);
          if (!taken) return otherwise(busy_failure());
          const Budget budget(session->account, session->time_limit, session->cancelled);
          return f();
        },
        otherwise);
  }
  // The same; what fails is reported.
  template <typename R, typename P, typename F>
  static R reporting(const P& owned, F f, R otherwise, R busy) noexcept {
    const P session = owned;
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
  static Failure busy_failure() { return refusal(kBusy); }
  static Failure no_session() {
    return refusal(
        "there is no session: memory, or its options, did not allow one, as was said when it was made");
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
      err << "nvm: " << spent.what() << " while " << language << " was compiled or shown\n" << std::flush;
      return otherwise;
    } catch (const std::ios_base::failure&) {
      counted.report_lost(err);
      return otherwise;
    } catch (const OutputUsedUp&) {
      counted.clear();
      err << "nvm: output limit: more bytes of output than allowed (--output-limit)\n" << std::flush;
      return otherwise;
    }
  }

  // What happens outside runs is reading, compiling and showing.
  template <typename P, typename F>
  static LanguageStatus between_runs(const P& owned, F f) noexcept {
    const P session = owned;
    return reporting(
        session,
        [&] {
          session->runner.begin_phase("compile and print");
          const auto status = static_cast<LanguageStatus>(f());
          session->runner.end_phase();
          return status;
        },
        LanguageStatus::kRunError, LanguageStatus::kBusy);
  }

  SessionCore(const LanguageOptions& options, std::ostream& o, std::ostream& e, std::string_view name)
      : language(name),
        time_limit(untrusted_limits(options.vm).time_limit),
        cancelled(options.vm.cancelled),
        account(account_of(untrusted_limits(options.vm))),
        files(pool_of(account)),
        runner(options, account, std::string(name)),
        counted(o, runner.machine()),
        out(untrusted_limits(options.vm).output_limit > 0 ? counted : o),
        err(e) {}

  std::string_view language;
  double time_limit;  // of a call
  const std::atomic<bool>* cancelled;
  std::shared_ptr<MemoryAccount> account;
  std::shared_ptr<vm::Pool> files;  // memory of what came from files
  Runner runner;
  CountedStream counted;  // where there is a limit
  std::ostream& out;
  std::ostream& err;
  std::atomic<bool> busy{false};
};

}  // namespace nvm::lib
