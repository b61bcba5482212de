// --checkpoint, and nvm resume.
#pragma once

#include <memory>
#include <string>

#include "vm/cmd/arguments.h"
#include "vm/lib/checkpoint.h"

namespace nvm::cmd {

// The file that a word of --checkpoint names. Throws UsageError.
[[nodiscard]] std::string file_of_checkpoint(const std::string& word);
// Null if none are to be taken. Throws UsageError.
[[nodiscard]] std::shared_ptr<lib::Checkpoint> checkpoint_of(const Arguments& arguments);

}  // namespace nvm::cmd
