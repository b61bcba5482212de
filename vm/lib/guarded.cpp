#include "vm/lib/guarded.h"

#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/stack.h"
#include "vm/data/value.h"
#include "vm/ranks/ranks.h"

namespace nvm::lib {

namespace {

using Cause = Failure::Cause;
static_assert(static_cast<int>(Cause::kDevice) == static_cast<int>(vm::Fault::Kind::kDevice) &&
              static_cast<int>(Cause::kDivide) == static_cast<int>(vm::Fault::Kind::kDivide));

Failure failure_of(const char* reason, Cause cause = Cause::kOther) {
  Failure failure;
  failure.cause = cause;
  failure.kind = Failure::Class::kRuntime;
  failure.reason = reason;
  failure.message = std::string("nvm: ") + reason + "\n";
  return failure;
}

// Words that fit into a string itself.
Failure no_memory() noexcept {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.reason = kNoMemory;
  failure.cause = Cause::kMemory;
  try {
    failure.message = std::string("nvm: ") + kNoMemory + "\n";
  } catch (const std::bad_alloc&) {
    failure.message = "out of memory\n";
  }
  return failure;
}

Failure described() {
  try {
    throw;
  } catch (const vm::Fault& fault) {
    return failure_of(fault.message.c_str(), static_cast<Cause>(fault.kind));
  } catch (const Cancelled& spent) {
    return failure_of(spent.what(), Cause::kInterrupted);
  } catch (const ranks::Broken& broken) {
    return failure_of(broken.text().c_str(), Cause::kInterrupted);
  } catch (const TooDeep& e) {
    return failure_of((std::string("a value is ") + e.what()).c_str());
  } catch (const OutOfMemory& spent) {
    return failure_of(spent.what(), Cause::kMemory);
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // a string or vector of more than there can be
    return no_memory();
  } catch (const std::system_error& e) {
    return e.code() == std::errc::not_enough_memory ? no_memory() : failure_of(e.what());
  } catch (const std::exception& e) {
    return failure_of((std::string("internal error: ") + e.what()).c_str());
  } catch (...) {
    return failure_of("internal error: an exception that is none of ours");
  }
}

}  // namespace

Failure refusal(const std::string& reason) {
  Failure failure;
  failure.reason = reason;
  failure.message = "nvm: " + reason + "\n";
  return failure;
}

Failure failure_thrown() noexcept {
  try {
    return described();
  } catch (...) {
    return no_memory();
  }
}

}  // namespace nvm::lib
