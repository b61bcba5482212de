// `nvm run` as a launcher starts it, on several ranks: all of them read the command line and the program; the
// first one speaks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

// The status of `run` for these words of `nvm run` or, a file in front of them, `nvm resume`, which all ranks
// of the launcher execute together if there is one that started more than one.
[[nodiscard]] int run_launched(const Words& words, bool resumes, const std::function<int(const Words&)>& run);

// Says, once, that this command runs in each process of a launcher for itself.
void note_copies(const std::string& command);

// Null if no launcher started this process together with others.
[[nodiscard]] std::shared_ptr<lib::Carrier> this_rank();
// What is read on the first rank, for all: launchers give standard input to that one.
[[nodiscard]] std::optional<std::string> of_first_rank(
    const std::function<std::optional<std::string>()>& read);
// What this rank is to do of it: all of it on the first one.
[[nodiscard]] Words words_of_rank(const Arguments& arguments);
// What a rank uses by itself where the options do not say: its share of the host.
void take_share(lib::Options& options);

}  // namespace nvm::cmd
