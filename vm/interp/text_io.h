// Values as text: the one output format, for results, WRITE and FWRITE, and the input format of READ and
// FREAD (spec: output format, input format).
#pragma once

#include <cstdio>
#include <string>

#include "bytecode/base/budget.h"
#include "bytecode/table/op_info.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Appends "( 1 2 3 )\n", "[ 3 1 ]\n" or "pair(Int,Float) \n". Not for deferred values.
void append_value(std::string& out, const Value& value);
// The same to a stream, in pieces, then flushes; false if the system refused (errno says why).
[[nodiscard]] bool print_value(std::FILE* file, const Value& value);

// C's "%.14e", "inf", "-inf", "nan" or "-nan" at `out`, which has room for 32 bytes; returns the end.
char* format_float(char* out, double value);

// The next byte of a stream, or EOF. Throws what Budget::look() does.
[[nodiscard]] inline int next_byte(std::FILE* file) {
  check_budget();
  const int c = std::getc(file);
  if (c == EOF) nvm::Budget::look();  // the wait for it may have been ended by the deadline
  return c;
}

// What reading one value gave: the value, or an empty vector and the error text.
struct ReadResult {
  Value value;
  std::string error;
};
[[nodiscard]] ReadResult read_value(std::FILE* file, TypeWord word, Pool& pool, IntBits bits);

}  // namespace nvm::vm
