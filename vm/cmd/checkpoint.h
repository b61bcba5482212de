// --checkpoint, and nvm resume.
#pragma once

#include <memory>

#include "vm/cmd/arguments.h"
#include "vm/lib/checkpoint.h"

namespace nvm::cmd {

// Null if none are to be taken. Throws UsageError.
[[nodiscard]] std::shared_ptr<lib::Checkpoint> checkpoint_of(const Arguments& arguments);

}  // namespace nvm::cmd
