// The one place where a program's text gets out of the process: to files and to other processes. What is not
// granted is refused, and nothing is granted by default.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/interp/beneath.h"
#include "vm/interp/spawn.h"

namespace nvm::vm {

enum class Capability : std::uint8_t { kRead, kWrite, kSpawn };

enum class WayOut : std::uint8_t {
#define WAY_OUT(id, ...) id,
#include "vm/interp/ways_out.def"
};

// What is granted.
struct Grants {
  std::vector<std::string> read, write;  // files below these folders; "/": any file
  bool spawn = false;                    // start processes, which may do what their user may
};

enum class FileMode : std::uint8_t { kRead, kWrite, kAppend };

class Gate {
 public:
  Gate() = default;
  // Folders are opened here, and stay those whatever becomes of their names. One that cannot be opened grants
  // nothing.
  explicit Gate(const Grants& grants);
  // Everything is granted.
  [[nodiscard]] static Gate wide_open();
  // Nothing is granted, and nothing can be; says so when it refuses.
  [[nodiscard]] static Gate shut();
  // The same as this one, and reading below one more folder, unless that is the root of all.
  [[nodiscard]] Gate and_below(const std::string& folder) const;
  // The same without anything that has effects; says so when it refuses.
  [[nodiscard]] Gate reading_only() const;

  // Throws Fault kIo, with the cure, if this way out is not granted. A file may yet be refused by open(): a
  // link may lead elsewhere.
  void check(WayOut way, const std::string& subject) const;
  // A stream on the file; null and errno if the system refuses. Throws as check() does.
  [[nodiscard]] std::FILE* open(WayOut way, const std::string& path, FileMode mode) const;
  // The contents of a regular file; nothing and errno if it cannot be read. Throws as check() does.
  [[nodiscard]] std::optional<std::string> read(WayOut way, const std::string& path) const;
  // As spawn() of spawn.h. Throws as check() does.
  [[nodiscard]] Spawned spawn(WayOut way, const std::string& command, std::FILE* const streams[3]) const;
  // Has the shell do it; whether it went well. Throws as check() does.
  [[nodiscard]] bool shell(WayOut way, const std::string& command) const;

 private:
  using Folders = std::vector<std::shared_ptr<const Folder>>;
  struct Files {
    bool all = false;
    Folders below;
  };

  [[nodiscard]] static Files files_of(const std::vector<std::string>& folders);
  [[nodiscard]] const Files& files(WayOut way) const;
  [[nodiscard]] int open_file(WayOut way, const std::string& path, int flags) const;
  [[noreturn]] void deny(WayOut way, const std::string& subject) const;

  Files read_, write_;
  bool spawn_ = false;
  enum class Cure : std::uint8_t { kAllow, kRun, kNone } cure_ = Cure::kAllow;
};

}  // namespace nvm::vm
