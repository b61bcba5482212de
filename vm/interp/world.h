// The seam for what comes to a run from outside: files, standard input, processes, clocks. A run whose
// outside is played back takes the same way again.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bytecode/table/op_info.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// The contents of a file, "-" being the rest of standard input; nothing if it cannot be read (errno).
[[nodiscard]] std::optional<std::string> read_outside(const std::string& path);
// What is left to read; nothing if that fails (errno).
[[nodiscard]] std::optional<std::string> read_rest(std::FILE* file);

class World {
 public:
  virtual ~World() = default;
  // Whether the outside is that of another run: nothing that goes out is done.
  [[nodiscard]] virtual bool plays() const { return false; }
  // The contents of a file that the run reads as a whole, nothing if it cannot be read. `outside` reads it,
  // if this is the run that does.
  using Reader = std::function<std::optional<std::string>(const std::string&)>;
  virtual std::optional<std::string> read_file(const std::string& path, const Reader& outside) = 0;
  // Whether that counts as outside which a run writes to the streams that it was given.
  [[nodiscard]] virtual bool sees_output() const { return false; }
  // Before a host instruction whose results depend on the outside. True: `results` are those of another run,
  // and it is not executed. Throws Fault kIo if that run did something else here.
  virtual bool play(Op op, Pool& pool, std::span<Value> results) = 0;
  // Whether the other run ended with the instruction that comes now: then it is looked at, not executed.
  [[nodiscard]] virtual bool ended() const { return false; }
  // After it was executed.
  virtual void note(Op op, std::span<const Value> results) = 0;
};

// The same of a world that may be null: then the file is read.
[[nodiscard]] std::optional<std::string> read_file(World* world, const std::string& path,
                                                   const World::Reader& outside = read_outside);

}  // namespace nvm::vm
