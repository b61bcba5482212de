#include "vm/profile/reasons.h"

namespace nvm::vm {

std::string_view stop_words(std::string_view name) {
#define STOP(id, key, text) \
  if (name == key) return text;
#include "vm/trace/stop.def"
  return name;
}

std::string_view help_for(std::string_view reason) {
#define WHY(words, help) \
  if (reason.starts_with(words)) return help;
#include "vm/profile/why_not.def"
  return "";
}

}  // namespace nvm::vm
