// Any text: reader, checker and translator report errors and never crash; what is translated is emitted, too.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/emit.h"
#include "frontend/remora/program.h"
#include "frontend/remora/translate.h"

using namespace nvm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  remora::Checked checked = remora::check_program(text);
  if (!checked.errors.empty()) return 0;
  try {
    const Budget budget(nullptr, 10, nullptr);
    const remora::Translated translated = remora::translate(checked.program);
    static_cast<void>(frontend::emit_ssa(translated.program, {"fuzz.remora", true, nullptr, 0, {}}));
  } catch (const remora::Error&) {  // what cannot be run
  } catch (const TooDeep&) {        // nested functions or types
  } catch (const Cancelled&) {      // functions that are inlined a great number of times
  }
  return 0;
}
