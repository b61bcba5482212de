// Options of the machine and its files, shared by the commands that run programs.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "bytecode/base/out_file.h"
#include "vm/cmd/arguments.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The file of --input; null for the standard stream, which is meant if it names none, or `-`. Throws
// UsageError if the file cannot be opened.
[[nodiscard]] File input_of(const Arguments& arguments);
// The same for a file that an option has written.
[[nodiscard]] std::unique_ptr<OutFile> written_to(const Arguments& arguments, Option option);
// Finishes it if all went well; null means that there is none. The exit status of a command that came to
// `status` before.
[[nodiscard]] int finished(OutFile* file, int status);

// Where `nvm tune` collects what it has measured.
[[nodiscard]] std::FILE* tuning();
[[nodiscard]] std::string tuned();

// Before anything is opened: no file is written twice. --memory and --time-limit, or those of --untrusted,
// from now on; with that also the kernel's walls.
[[nodiscard]] lib::Limits limits_of(const Arguments& arguments);
// explain only looks.
[[nodiscard]] inline bool has_effects(const Arguments& arguments) { return arguments.command() != "explain"; }
[[nodiscard]] inline int int_bits(const Arguments& arguments) {
  return arguments.choice(Option::kIntBits) == 0 ? 32 : 64;
}
// Where a program writes and its results go: with --untrusted no byte of it moves a terminal's cursor.
[[nodiscard]] std::FILE* program_output(const Arguments& arguments, std::FILE* to);
// What a program may do and take that is looked at, and not run but for the values of its bindings.
[[nodiscard]] lib::Options looking_at(const Arguments& arguments);
// --allow
[[nodiscard]] lib::Capabilities allowed(const Arguments& arguments);
[[nodiscard]] lib::Options options_of(const Arguments& arguments);
// Throws UsageError if work is to be counted, which ranks cannot.
void check_uncounted(const Arguments& arguments);

}  // namespace nvm::cmd
