#include "vm/cmd/outputs.h"

namespace nvm::cmd {

std::string wrong_output(const Output& output, const std::string& why) {
  return "--out " + output.word + ": " + why;
}

Outputs open_outputs(const Arguments& arguments) {
  Outputs outputs;
  for (const std::string& word : arguments.all(Option::kOut)) {
    const std::size_t equals = word.find('=');
    const bool placed = equals != std::string::npos;
    outputs.push_back({word, placed ? word.substr(0, equals) : "",
                       lib::ValueFile(placed ? word.substr(equals + 1) : word)});
    const Output& output = outputs.back();
    if (!output.file.wrong().empty()) throw UsageError{wrong_output(output, output.file.wrong())};
  }
  return outputs;
}

}  // namespace nvm::cmd
