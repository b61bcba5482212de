// Modules: texts with names of their own. Whoever imports one writes its names behind a prefix: stats.mean.
#pragma once

#include <optional>
#include <string>

#include "frontend/nesl/environment.h"

namespace nvm::frontend {

// import "FILE"; or import "FILE" as PREFIX;
struct Import {
  std::string file;
  std::string prefix;  // as written, or the file's name without folder and ending
};
[[nodiscard]] bool is_import(const Form& form);
// Nothing, said, if the form says no file and prefix.
[[nodiscard]] std::optional<Import> read_import(const Form& form, Diagnostics& diagnostics);

// "stats" of "stats.mean"; "" of a name without a prefix.
[[nodiscard]] std::string_view prefix_of(std::string_view name);
// To blame where a module is at fault (Diagnostics::blame): uses of its names need no message of their own.
[[nodiscard]] inline std::string all_of_prefix(std::string_view prefix) { return std::string(prefix) + "."; }

// A name that means nothing: what failed to define it was reported, or why it cannot, or neither.
struct Unknown {
  bool reported = false;
  std::string why;
};

// The modules of an environment, by file.
class Modules {
 public:
  explicit Modules(Environment& environment) : environment_(environment) {}

  // While it lives, the user's names are those that the text of a module defines; then what they were.
  class Scope {
   public:
    explicit Scope(Environment& environment);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();
    // What they mean now is the module `file`.
    void keep(const std::string& file) const;

   private:
    Environment& environment_;
  };

  [[nodiscard]] bool knows(const std::string& file) const { return environment_.modules_.contains(file); }
  // The file that a prefix stands for; null if for none.
  [[nodiscard]] const std::string* file_of(std::string_view prefix) const;
  // PREFIX.NAME means what NAME means in the module, which is known.
  void import(const std::string& file, const std::string& prefix);
  [[nodiscard]] Unknown unknown(const std::string& name, const Diagnostics& diagnostics) const;
  // Nothing is known any more of modules with a binding that was withdrawn: they did not run as a whole.
  void drop_withdrawn();

 private:
  Environment& environment_;
};

}  // namespace nvm::frontend
