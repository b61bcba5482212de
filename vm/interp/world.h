// The seam for what comes to a run from outside: files, standard input, processes, clocks. A run whose
// outside is played back takes the same way again.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bytecode/table/op_info.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// The contents of a file, "-" being the rest of standard input; nothing if it cannot be read (errno).
[[nodiscard]] std::optional<std::string> read_outside(const std::string& path);

class World {
 public:
  virtual ~World() = default;
  // The contents of a file that the run reads as a whole; nothing if it cannot be read.
  virtual std::optional<std::string> read_file(const std::string& path) = 0;
  // Before a host instruction whose results depend on the outside. True: `results` are those of another run,
  // and it is not executed. Throws Fault kIo if that run did something else here.
  virtual bool play(Op op, Pool& pool, std::span<Value> results) = 0;
  // Whether the other run ended with the instruction that comes now: then it is looked at, not executed.
  [[nodiscard]] virtual bool ended() const { return false; }
  // After it was executed.
  virtual void note(Op op, std::span<const Value> results) = 0;
};

}  // namespace nvm::vm
