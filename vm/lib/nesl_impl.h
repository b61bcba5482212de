// What is behind a Nesl.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/lib/nesl.hpp"
#include "vm/lib/nesl_calls.h"
#include "vm/lib/nesl_session.h"
#include "vm/lib/session_core.h"

namespace nvm::lib {

[[nodiscard]] vm::SessionOptions session_options(const NeslOptions& options);

// Members are destroyed in reverse order: the values before the memory they stand in.
struct Nesl::Impl : SessionCore {
  // What comes from outside takes a name only here. The answer is what is wrong with that.
  std::optional<std::string> bind_value(const std::string& name, const frontend::Type* type,
                                        std::vector<vm::Value> slots);
  std::optional<std::string> bind_text(const std::string& name, const std::string& text);
  std::optional<std::string> bind(const std::string& name, const std::string& type,
                                  std::span<const Value> slots);
  std::optional<Prepared> prepare(const std::string& text);
  std::optional<std::string> refuses(const Texts& texts, const std::string& name, const ValueFile& file);
  // Nothing is run; types are shown, or messages collected.
  void check_only(std::vector<Message>* messages);

  vm::NeslSession session;
  Impl(const NeslOptions& options, std::ostream& o, std::ostream& e)
      : SessionCore(options, o, e, "NESL"),
        session(runner, out, err, session_options(options)),
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
