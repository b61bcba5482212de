#include "vm/cmd/vcode_files.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "vm/cmd/commands.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/terminal.h"

namespace nvm::cmd {

namespace {

[[noreturn]] void refuse(const std::string& word, const std::string& why) {
  throw UsageError{"--in " + word + ": " + why};
}

// The value of `count`, from 0, that --out PLACE=FILE means; nothing if there is none.
std::optional<std::size_t> place_of(const std::string& place, std::size_t count) {
  std::size_t n = count;
  const char* end = place.data() + place.size();
  if (!place.empty()) {
    const auto [stop, error] = std::from_chars(place.data(), end, n);
    if (error != std::errc{} || stop != end) return std::nullopt;
  }
  if (n < 1 || n > count) return std::nullopt;
  return n - 1;
}

std::optional<std::string> no_place(std::size_t count) {
  if (count == 0) return "the program leaves no values";
  return "expected FILE, or N=FILE with N from 1 to " + std::to_string(count) +
         ", which is how many values " + "the program leaves";
}

}  // namespace

std::vector<lib::Value> read_inputs(const Arguments& arguments,
                                    std::span<const std::shared_ptr<lib::Watcher>> watchers) {
  check_standard_input(arguments);
  std::vector<lib::Value> values;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const auto [name, file] = split_binding(word);
    if (file.empty()) refuse(word, "expected FILE or segdes=FILE");
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

void check_outputs(const Outputs& outputs, std::span<const lib::Kind> kinds) {
  for (const Output& output : outputs) {
    const auto place = place_of(output.place, kinds.size());
    const auto wrong = place ? output.file.refuses(kinds[*place]) : no_place(kinds.size());
    if (wrong) throw UsageError{wrong_output(output, *wrong)};
  }
}

int write_outputs(Outputs& outputs, std::span<const lib::Value> values) {
  int status = kGood;
  for (Output& output : outputs) {
    const auto place = place_of(output.place, values.size());
    const auto wrong = place ? output.file.write(values[*place]) : no_place(values.size());
    if (!wrong) continue;
    complain(wrong_output(output, *wrong));
    status = kFault;
  }
  return status;
}

}  // namespace nvm::cmd
