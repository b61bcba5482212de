// The side of the commands that languages have: NESL and Remora.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <memory>
#include <optional>

#include "vm/cmd/arguments.h"
#include "vm/cmd/figures.h"
#include "vm/cmd/watch.h"
#include "vm/lib/language.hpp"

namespace nvm::cmd {

inline constexpr char kStandardInput[] = "standard input";  // its name in messages

// The language that is asked for: by --language, or the ending of the file, or an expression or a script (#!)
// for NESL; nothing for VCODE.
[[nodiscard]] std::optional<lib::LanguageKind> language_of(const Arguments& arguments, const Watch& watch);
// The one of a top level, which is never VCODE.
[[nodiscard]] lib::LanguageKind top_level_language(const Arguments& arguments);
// Options of sessions that look at programs, with what the command line says of the language. Throws
// UsageError for what the language does not have.
[[nodiscard]] lib::LanguageOptions language_options(const Arguments& arguments, lib::LanguageKind kind);
// Throws std::bad_alloc, as it ends a command.
[[nodiscard]] std::unique_ptr<lib::Language> open_session(lib::LanguageKind kind,
                                                          const lib::LanguageOptions& options,
                                                          std::ostream& out, std::ostream& err);
// Runs it; prints results or, if `explain` names stages, what the compiling tier did. `to` is the programs'
// standard output, unless --output says otherwise.
int run_language(lib::LanguageKind kind, const Arguments& arguments, const Watch& watch, std::FILE* to,
                 const std::string& explain = {});

[[nodiscard]] int status_of(lib::LanguageStatus status);
// Runs the file of the command line, or standard input if that is called "-", and then each expression.
[[nodiscard]] lib::LanguageStatus run_all(lib::Language& session, const Arguments& arguments,
                                          const Watch& watch);
// --in NAME=FILE, each; the lengths of those that are sequences or arrays
Lengths bind_inputs(lib::Language& session, const Arguments& arguments);

}  // namespace nvm::cmd
