// libnvm: a second wall around a process that runs programs of strangers, held by the kernel. The first one
// is that nothing in the library opens a file or starts a process for a program (Capabilities).
#pragma once

#include <string>
#include <vector>

namespace nvm::lib {

// What this process, all of it and for good, may do from now on: to be called before threads are made.
struct Confinement {
  std::vector<std::string> read;   // files and folders that may be read
  std::vector<std::string> write;  // folders below which files may be written and made
};

// Asks for it: files by Landlock, and by seccomp no program may be started, no process traced and no
// connection made. Memory may still be made executable, for compiled code. What the kernel lacks is left out.
// What holds, in words: "landlock, seccomp", "seccomp", ... or "".
std::string confine(const Confinement& to);

// What the kernel could hold, in the same words, or "none".
[[nodiscard]] std::string describe_confinement();

}  // namespace nvm::lib
