// The commands of the NESL top level: load, describe, apropos, show, set, dump, ... (spec: commands).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vm/lib/nesl_session.h"

namespace nvm::vm {

class SessionCommands {
 public:
  SessionCommands(NeslSession& session, Diagnostics& diagnostics) : s_(session), diagnostics_(diagnostics) {}

  // Carries out a form of kind kCommand, kDefconfig or kBackground; `argument` is its compiled expression, if
  // it has one. Errors go to the diagnostics.
  SessionStatus run(const frontend::Form& form, const frontend::CompiledForm* argument);

 private:
  using Words = std::vector<frontend::Word>;
  using Instrumented = NeslSession::Instrumented;

  // Names that stand for nothing a user can write.
  [[nodiscard]] static bool is_internal(const std::string& name);
  SessionStatus load(const frontend::Form& form, const frontend::CompiledForm* argument);
  std::optional<std::string> text_beside(std::string& file);
  SessionStatus load_file(const frontend::Form& form, std::string file, Show show, bool notice);
  SessionStatus background(const frontend::Form& form, const frontend::CompiledForm& argument);
  void describe(const Words& words);
  void apropos(const Words& words);
  void show(const frontend::Form& form);
  const frontend::Binding* defined_function(const std::string& name);
  void show_code(const frontend::Form& form);
  void show_compiled(const frontend::Form& form);
  void show_config();
  void show_status();
  void set(const frontend::Form& form);
  void set_trace(const frontend::Form& form);
  void set_profile(const frontend::Form& form);
  void instrument_all(const frontend::Form& form);
  bool instrument(const frontend::Form& form, const std::string& name, Instrumented& i);
  void dump(const frontend::Form& form, const frontend::CompiledForm* argument);
  void dump_vcode(const frontend::Form& form, const frontend::CompiledForm* argument);
  void dump_world(const frontend::Form& form);
  void shell(const frontend::Form& form);
  // Whether a command with effects may be carried out now. It may not where nothing is run, nor where it is
  // not granted: that is said.
  [[nodiscard]] bool may(const frontend::Form& form, WayOut way, const std::string& subject);
  // Writes a file as a whole, or says why not.
  [[nodiscard]] bool write(const frontend::Form& form, WayOut way, const std::string& file,
                           const std::string& text);
  SessionStatus edit(const frontend::Form& form);
  void get(const frontend::Form& form);
  void help(const Words& words);
  bool on_off(const frontend::Form& form, bool& setting);
  void error(const frontend::Form& form, const std::string& message) {
    diagnostics_.error(form.pos, message);
  }
  void unknown(const frontend::Form& form, const std::string& what);

  NeslSession& s_;
  Diagnostics& diagnostics_;
  bool refused_ = false;
};

}  // namespace nvm::vm
