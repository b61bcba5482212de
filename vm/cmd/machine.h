// Options of the machine and its files, shared by the commands that run programs.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "vm/cmd/arguments.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Throws UsageError if the file cannot be opened.
[[nodiscard]] File open_file(const std::string& path, const char* mode);

[[nodiscard]] lib::Options options_of(const Arguments& arguments);

}  // namespace nvm::cmd
