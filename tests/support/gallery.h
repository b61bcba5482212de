// Programs of the gallery as texts for tests.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace nvm::test {

// The first definition in programs/NAME.nesl, with its terminator.
inline std::string first_definition(const std::string& name, int count = 1) {
  std::ifstream file(std::string(NVM_SOURCE_DIR) + "/programs/" + name + ".nesl");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t end = 0;
  for (; count > 0; --count) end = text.find('$', end) + 1;
  return text.substr(0, end) + "\n";
}

}  // namespace nvm::test
