// How functions of lazy.hpp record: in the session of their operands, while nobody else uses it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vm/lib/elements.h"
#include "vm/lib/lazy.hpp"

namespace nvm::lib::lazily {

using CoreRef = std::shared_ptr<ArraySession::Core>;

// An operand in the session.
struct Part {
  Promise values;
  SizeRef size;
};
using Recording = std::function<Result<Lazy>(const CoreRef&, const Part*)>;

// f(session, operands) of operands that all belong to one session.
[[nodiscard]] Result<Lazy> together(std::span<const Lazy> operands, const Recording& f);
// The result of an instruction; no size: what its second result says, a descriptor of one segment.
[[nodiscard]] Result<Lazy> emit(const CoreRef& core, std::string_view text, std::span<const Promise> operands,
                                SizeRef size);
[[nodiscard]] Lazy made(const CoreRef& core, Promise values, SizeRef size);
// A number in as many elements as the size says; a vector as it is.
[[nodiscard]] Promise spread(const Part& x, const SizeRef& size);
[[nodiscard]] Promise whole(const CoreRef& core, std::int64_t x);
// "NAME INT", with the type of a vector.
[[nodiscard]] std::string typed(const char* name, const Promise& of);
[[nodiscard]] Failure refused(const std::string& reason, Failure::Cause cause = Failure::Cause::kLength);
// Do both have lengths, and other ones?
[[nodiscard]] bool differ(const Part& a, const Part& b);
[[nodiscard]] std::string text_of(std::optional<std::int64_t> n);

}  // namespace nvm::lib::lazily
