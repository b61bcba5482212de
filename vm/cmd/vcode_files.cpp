#include "vm/cmd/vcode_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "vm/cmd/commands.h"

namespace nvm::cmd {

namespace {

// LEFT=RIGHT; LEFT is empty where there is no =.
std::pair<std::string, std::string> split(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {"", word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

[[noreturn]] void refuse(const std::string& word, const std::string& why) {
  throw UsageError{"--in " + word + ": " + why};
}

// The value that --out PLACE=FILE means; null if there is none.
const lib::Value* value_at(const std::string& place, std::span<const lib::Value> values) {
  std::size_t n = values.size();
  const char* end = place.data() + place.size();
  if (!place.empty()) {
    const auto [stop, error] = std::from_chars(place.data(), end, n);
    if (error != std::errc{} || stop != end) return nullptr;
  }
  return n >= 1 && n <= values.size() ? &values[n - 1] : nullptr;
}

}  // namespace

std::vector<lib::Value> read_inputs(const Arguments& arguments,
                                    std::span<const std::shared_ptr<lib::Watcher>> watchers) {
  std::vector<lib::Value> values;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const auto [name, file] = split(word);
    if (name == "segdes") {
      auto segdes = lib::read_segdes(file, watchers);
      if (!segdes) refuse(word, segdes.failure().reason);
      values.push_back(*segdes);
      continue;
    }
    if (!name.empty()) refuse(word, "inputs of VCODE have no names: expected FILE or segdes=FILE");
    auto more = lib::read_values(file, watchers);
    if (!more) refuse(word, more.failure().reason);
    values.insert(values.end(), more->begin(), more->end());
  }
  return values;
}

std::vector<lib::Kind> kinds_of(std::span<const lib::Value> values) {
  std::vector<lib::Kind> kinds;
  for (const lib::Value& value : values) kinds.push_back(value.kind());
  return kinds;
}

int write_outputs(const Arguments& arguments, std::span<const lib::Value> values) {
  int status = kGood;
  for (const std::string& word : arguments.all(Option::kOut)) {
    const auto [place, file] = split(word);
    const lib::Value* value = value_at(place, values);
    const auto wrong = value != nullptr ? lib::write_value(file, *value)
                                        : "expected FILE or N=FILE; the program left " +
                                              std::to_string(values.size()) + " values";
    if (!wrong) continue;
    std::fprintf(stderr, "nvm: --out %s: %s\n", word.c_str(), wrong->c_str());
    status = kFault;
  }
  return status;
}

}  // namespace nvm::cmd
