#include "vm/cmd/outputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "vm/cmd/checkpoint.h"
#include "vm/lib/files.h"

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

std::string file_of_binding(const std::string& word) {
  std::string file = split_binding(word).second;
  std::error_code unknown;
  if (const std::size_t colon = file.find(':');
      colon != std::string::npos && !std::filesystem::exists(file, unknown))
    file.erase(0, colon + 1);  // KIND:FILE
  double number = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), number);
  const bool is_number = error == std::errc() && end == file.data() + file.size();
  return is_number && !std::filesystem::exists(file, unknown) ? "" : file;
}

namespace {

// The file that a name leads to; nothing for what is written in place, and takes any number of values.
std::optional<std::filesystem::path> whole_file(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  const auto kind = status.type();
  const bool in_place = kind != std::filesystem::file_type::not_found &&
                        kind != std::filesystem::file_type::none &&
                        kind != std::filesystem::file_type::regular;
  if (in_place || path == "/dev/stdout" || path == "/dev/stderr") return std::nullopt;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  return whole.empty() ? std::filesystem::path(path) : whole;
}

}  // namespace

std::vector<WrittenFile> written_files(const Arguments& arguments) {
  std::vector<WrittenFile> files;
  const auto add = [&](Option option, const std::string& word, const std::string& path) {
    const bool log = option == Option::kTrace || option == Option::kRecord;
    if (path != "-")
      files.push_back({"--" + std::string(option_info(option).name()) + " " + word, path, log});
  };
  for (const Option option : {Option::kOutput, Option::kTrace, Option::kRecord, Option::kHtml,
                              Option::kFolded, Option::kSpeedscope})
    if (arguments.given(option)) add(option, arguments.text(option), arguments.text(option));
  if (arguments.given(Option::kCheckpoint)) {
    const std::string word = arguments.text(Option::kCheckpoint);
    add(Option::kCheckpoint, word, file_of_checkpoint(word));
  }
  for (const std::string& word : arguments.all(Option::kOut)) {
    try {
      add(Option::kOut, word, vm::named_file(split_binding(word).second, vm::FileUse::kWrite).path);
    } catch (const vm::Fault&) {
      continue;  // of no kind that nvm writes: told when it is to be opened
    }
  }
  return files;
}

void check_written_files(const Arguments& arguments) {
  std::map<std::filesystem::path, std::string> writers;
  for (const WrittenFile& file : written_files(arguments)) {
    const auto whole = whole_file(file.path);
    if (!whole) continue;
    std::vector<std::filesystem::path> names = {*whole};
    if (file.log) names.push_back(whole->string() + ".part");
    for (const auto& name : names)
      if (const auto [other, first] = writers.try_emplace(name, file.option); !first)
        throw UsageError{file.option + ": " + other->second + " writes this file, too; name another one"};
  }
}

bool is_standard_input(const std::string& file) { return file == "-" || file == "/dev/stdin"; }

void check_standard_input(const Arguments& arguments) {
  const auto& files = arguments.operands();
  bool taken = std::any_of(files.begin(), files.end(), is_standard_input);
  for (const std::string& word : arguments.all(Option::kIn)) {
    if (is_standard_input(file_of_binding(word)) && std::exchange(taken, true))
      throw UsageError{"--in " + word + ": standard input is read already; make a file of it for both"};
  }
}

Outputs open_outputs(const Arguments& arguments) {
  Outputs outputs;
  for (const std::string& word : arguments.all(Option::kOut)) {
    auto [place, file] = split_binding(word);
    if (file.empty()) throw UsageError{"--out '" + word + "': expected FILE or NAME=FILE"};
    outputs.push_back({word, std::move(place), lib::ValueFile(file)});
    const Output& output = outputs.back();
    if (!output.file.wrong().empty()) throw UsageError{wrong_output(output, output.file.wrong())};
  }
  return outputs;
}

}  // namespace nvm::cmd
