#include "vm/cmd/outputs.h"

#include <algorithm>

namespace nvm::cmd {

std::string wrong_output(const Output& output, const std::string& why) {
  return "--out " + output.word + ": " + why;
}

std::pair<std::string, std::string> split_binding(const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  if (equals == word.size()) return {"", word};
  const std::size_t colon = word.substr(0, equals).find(':');
  if (colon == std::string::npos) return {word.substr(0, equals), word.substr(equals + 1)};
  return {word.substr(0, colon), word.substr(colon + 1, equals - colon - 1) + ":" + word.substr(equals + 1)};
}

Outputs open_outputs(const Arguments& arguments) {
  Outputs outputs;
  for (const std::string& word : arguments.all(Option::kOut)) {
    auto [place, file] = split_binding(word);
    outputs.push_back({word, std::move(place), lib::ValueFile(file)});
    const Output& output = outputs.back();
    if (!output.file.wrong().empty()) throw UsageError{wrong_output(output, output.file.wrong())};
  }
  return outputs;
}

}  // namespace nvm::cmd
