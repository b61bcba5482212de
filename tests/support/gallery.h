// Programs of the gallery as texts for tests.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace nvm::test {

// The first definition in programs/NAME.nesl, with its terminator.
inline std::string first_definition(const std::string& name) {
  std::ifstream file(std::string(NVM_SOURCE_DIR) + "/programs/" + name + ".nesl");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.substr(0, text.find('$') + 1) + "\n";
}

}  // namespace nvm::test
