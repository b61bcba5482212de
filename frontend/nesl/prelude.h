// The NESL prelude: every built-in name that is not a primitive (prims.def), written in NESL (prelude.nesl)
// and compiled into the binary. Seven conventions hold in that text and nowhere else:
//
//  - Type case. A forward declaration that gets no body, e.g.
//        function string(v) : a -> [char] :: (a in any);
//    is resolved when it is specialised, by the concrete type of the first component of its argument (records
//    count as their component tuple): string__int, string__float, string__bool, string__char, string__seq,
//    string__pair or string__fn is called in its place with the same argument. Recursion through the declared
//    name is how structure is walked: string__pair(a, b) calls string(a) and string(b), each at its own type.
//  - What a primitive does with values that its instruction does not take, `<` with strings, is a function of
//    its name and __other.
//  - Names with `__` are internal: not nameable in a user's program, not listed by apropos.
//  - "Internal. " begins the documentation of what release 3.1 had for its own use. Programs may use such
//    names, and may define them anew; the prelude's own uses keep theirs.
//  - "Of nvm. " begins the documentation of what release 3.1 has not. Programs define such names as any
//  other.
//  - `[] a` may name a type variable of the function's own signature: what the argument and the result of the
//    call have in its place.
//  - A run-time error raised inside prelude code is reported at the nearest caller that stands in a user's
//    file: instructions compiled from the prelude carry no origin line (Instr::origin_line 0).
//
// Every form begins in the first column of a line and its further lines are indented, so that forms are found
// without parsing. Definitions refer to each other only backwards or through a forward declaration, like in
// any NESL file, so the text can be parsed lazily, one definition at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvm::frontend {

// The whole text, and the name it has in messages.
[[nodiscard]] std::string_view prelude_text();
inline constexpr std::string_view kPreludeFile = "prelude.nesl";

// One top-level form of the prelude, found without parsing it.
struct PreludeEntry {
  std::string_view name;  // defined name: function, datatype or variable, lower case
  std::string_view text;  // the whole form with its terminator
  std::size_t line = 0;   // line of prelude_text() on which it begins
  bool forward = false;   // a forward declaration
};

// All forms in order; made on first use, thread-safe. Single ones cost nothing to find.
[[nodiscard]] std::span<const PreludeEntry> prelude_entries();
[[nodiscard]] PreludeEntry prelude_entry(std::size_t row);
// Their places, sorted by name; of equal names declarations stand before definitions.
[[nodiscard]] std::span<const std::uint16_t> prelude_by_name();

}  // namespace nvm::frontend
