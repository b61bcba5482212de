// --in and --out: files for values; those that are written are opened before anything runs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/cmd/arguments.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

struct Output {
  std::string word;   // as on the command line
  std::string place;  // before the =, "" if there is none
  lib::ValueFile file;
};
using Outputs = std::vector<Output>;

// The words of --in and --out: NAME=FILE, NAME:KIND=FILE, which is NAME=KIND:FILE, or a FILE without a name.
[[nodiscard]] std::pair<std::string, std::string> split_binding(const std::string& word);

// A file that the command will write, by one of its options, "--out x=a.npy". A log is written as it comes
// up, to PATH.part.
struct WrittenFile {
  std::string option, path;
  bool log = false;
};
// All of them but standard output; no new option writes a file that is not among these.
[[nodiscard]] std::vector<WrittenFile> written_files(const Arguments& arguments);
// Throws UsageError if two of them are one.
void check_written_files(const Arguments& arguments);

// The file that is named by a word of --in; "" if it is a number.
[[nodiscard]] std::string file_of_binding(const std::string& word);
[[nodiscard]] bool is_standard_input(const std::string& file);
// Throws UsageError if the program and --in, or several of --in, are standard input: the second would be
// empty.
void check_standard_input(const Arguments& arguments);

// Throws UsageError for a file that cannot be written, or of a kind that nvm does not write.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments);

// What is wrong with an output, as the commands say it.
[[nodiscard]] std::string wrong_output(const Output& output, const std::string& why);

}  // namespace nvm::cmd
