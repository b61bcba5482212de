// The tracing of the legacy interpreter (vinterp -d): trace_words.def.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "bytecode/program/program.h"
#include "vm/data/pool.h"
#include "vm/interp/stack_machine.h"

namespace nvm::lib {

enum class TraceWord : std::uint8_t {
#define TRACE_WORD(id, word, effect) id,
#include "vm/lib/trace_words.def"
};

[[nodiscard]] constexpr bool traces(std::uint32_t words, TraceWord word) {
  return (words >> static_cast<unsigned>(word) & 1) != 0;
}
// True if `words` wants to see instructions execute: only the stack machine can show them.
[[nodiscard]] bool traces_execution(std::uint32_t words);

// What concerns the text and the program as a whole: lex on `out`, link and program on `err`.
void trace_tokens(std::uint32_t words, std::string_view text, std::FILE* out);
void trace_program(std::uint32_t words, const nvm::Program& program, std::FILE* err);

// Writes what the stack machine does to `err`.
class StackTrace final : public vm::StackObserver {
 public:
  StackTrace(std::uint32_t words, const nvm::Program& program, const vm::Pool& pool, std::FILE* err);
  void before(std::int32_t function, std::size_t at, std::span<const vm::Value> stack) override;
  void moved(const char* how, std::int32_t function, std::size_t depth) override;

 private:
  std::uint32_t words_;
  const nvm::Program& program_;
  const vm::Pool& pool_;
  std::FILE* err_;
  std::vector<std::size_t> begins_;  // index of each function's first instruction in the program
};

}  // namespace nvm::lib
