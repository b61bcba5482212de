// Any text: parser, type checker and specialiser report errors and never crash; what parses prints to text
// that parses to the same tree.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytecode/base/check.h"
#include "frontend/nesl/compile.h"

using namespace nvm;
using namespace nvm::frontend;

namespace {

std::string parsed_again(const std::string& printed) {
  const std::string text = printed + ";";
  const Source source{"again.nesl", text};
  Diagnostics diagnostics("again.nesl", text);
  Parser parser(source, diagnostics);
  const auto form = parser.next_form();
  return form ? print_ast(*form) : diagnostics.render();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Source source{"fuzz.nesl", text};
  Diagnostics diagnostics("fuzz.nesl", text);
  Parser parser(source, diagnostics);
  Environment environment;
  while (!parser.at_end()) {
    auto form = parser.next_form();
    if (!form) continue;
    if (form->kind != FormKind::kCommand) {
      const std::string printed = print_ast(*form);
      NVM_CHECK(parsed_again(printed) == printed, "printing and parsing again changes a form");
    }
    const auto compiled = compile_form(environment, std::move(*form), diagnostics);
    if (compiled && compiled->core) bind_result(environment, *compiled);
  }
  return 0;
}
