// Reference pages from the tables of commands and options (commands.def, options.def): what docs/cli.md, the
// manual page and the completions of shells are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nvm::cmd {

// `kind` is --markdown, --man, --bash, --zsh or --fish; nothing for any other.
[[nodiscard]] std::optional<std::string> generated_page(std::string_view kind);

}  // namespace nvm::cmd
