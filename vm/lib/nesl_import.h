// Modules of a session: texts that a program imports, each compiled once, in names of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/nesl/modules.h"
#include "vm/lib/nesl_session.h"

namespace nvm::vm {

class SessionImports {
 public:
  SessionImports(NeslSession& session, Diagnostics& diagnostics) : s_(session), diagnostics_(diagnostics) {}

  // Makes the names of a module known behind a prefix. Its definitions, if nobody has imported it before,
  // wait behind `pending`. False, said, if they cannot be compiled.
  bool run(const frontend::Form& form, std::vector<NeslSession::Pending>& pending);

 private:
  using Pendings = std::vector<NeslSession::Pending>;
  // The module's file, by its name in the text that imports it; nothing, said, if there is none.
  [[nodiscard]] std::optional<std::string> file_of(const frontend::Form& form, const std::string& name,
                                                   std::optional<std::string>& text);
  bool compile(const frontend::Form& form, const std::string& file, std::string text, Pendings& pending);
  void definition(frontend::Form form, Diagnostics& said, Pendings& pending);
  bool error(const frontend::Form& form, const std::string& message);

  NeslSession& s_;
  Diagnostics& diagnostics_;
};

// The text of NAME, or of NAME.nesl if only that is a file, which becomes `file`. Throws Fault if the gate
// refuses it.
[[nodiscard]] std::optional<std::string> read_program(const Gate& gate, WayOut way, World* world,
                                                      std::string& file);

}  // namespace nvm::vm
