#include "frontend/nesl/examples.h"

#include <algorithm>
#include <iterator>

namespace nvm::frontend {

namespace {

constexpr Example kExamples[] = {
#define EXAMPLE(name, expression, value) {name, expression, value},
#include "frontend/nesl/examples.def"
};

constexpr bool before(const Example& a, const Example& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kExamples), std::end(kExamples), before));

// A backquote is a character too; one space on each side is dropped.
std::string code(std::string_view text) {
  const bool quoted = text.find('`') != text.npos;
  return (quoted ? "`` " : "`") + std::string(text) + (quoted ? " ``" : "`");
}

}  // namespace

const Example* example_of(std::string_view name) {
  const auto found =
      std::lower_bound(std::begin(kExamples), std::end(kExamples), Example{name, "", ""}, before);
  return found != std::end(kExamples) && found->name == name ? found : nullptr;
}

std::string markdown(const Example& example) {
  return code(example.expression) + " is " + code(example.value);
}

}  // namespace nvm::frontend
