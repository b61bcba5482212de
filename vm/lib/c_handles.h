// What is behind the handles of nvm.h, and how failures leave its functions.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bytecode/base/extent.h"
#include "vm/data/value.h"
#include "vm/lib/guarded.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nvm.h"
#include "vm/lib/nvm.hpp"

struct nvm_program {
  nvm::lib::Program program;
};
struct nvm_vm {
  nvm::lib::Vm vm;
};
struct nvm_value {
  nvm::lib::Value value;
};
struct nvm_results {
  nvm::lib::Run run;
};

namespace nvm::lib {

// Makes it what nvm_error() and its like tell the calling thread.
void keep_error(Failure failure) noexcept;

// Nothing is thrown into C: a failure becomes the error, and the answer `otherwise`.
template <typename F>
auto guarded_c(F f, decltype(f()) otherwise = {}) noexcept -> decltype(f()) {
  return guarded(f, [&](Failure failure) {
    keep_error(std::move(failure));
    return otherwise;
  });
}

// What a caller may not ask.
[[noreturn]] void refuse(std::string why);
void check_inputs(const void* inputs, int count);
void check_count(const void* elements, std::int64_t n);
[[nodiscard]] Options options_of(const nvm_options* given);

// A handle of C for a T, or the error of why there is none.
template <typename Handle, typename T>
Handle* handle_of(Result<T> made) {
  if (made) return new Handle{std::move(*made)};
  keep_error(std::move(made).failure());
  return nullptr;
}

template <typename T>
std::span<const T> elements_of(const T* elements, std::int64_t n) {
  check_count(elements, n);
  return {elements, static_cast<std::size_t>(n)};
}

[[nodiscard]] nvm_value* handle(Value value);

}  // namespace nvm::lib
