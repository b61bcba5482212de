// How far all ranks have come, written by the first one so that any number of ranks can go on from there:
// vectors are whole, whoever had which part. The first rank says in a round when it is time; all write at
// the next transfer of control, where they stand at the same instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/interp/checkpoints.h"
#include "vm/interp/code.h"
#include "vm/interp/random.h"
#include "vm/spmd/parts.h"

namespace nvm::vm::spmd {

// What the first rank writes to and reads from.
class Store {
 public:
  virtual ~Store() = default;
  // Before a round, so many having been made: is a checkpoint due?
  [[nodiscard]] virtual bool due(std::int64_t rounds) = 0;
  // Can one be taken now? Not while something is open outside.
  [[nodiscard]] virtual bool possible() = 0;
  virtual void begin() = 0;
  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual void end(std::int64_t rounds) = 0;
  // What was written, piece by piece; fewer bytes at its end.
  [[nodiscard]] virtual std::size_t read(std::span<std::byte> to) = 0;
};

class Checkpointing final : public Checkpoints {
 public:
  // All must outlive it. `store`: of the first rank, null on others. `continues`: what the store has is to be
  // read.
  Checkpointing(const Code& code, Parts& parts, Generator& random, Store* store, bool continues);
  ~Checkpointing() override;
  Checkpointing(const Checkpointing&) = delete;
  Checkpointing& operator=(const Checkpointing&) = delete;

  bool due() override;
  void take(const Standing& here) override;
  std::optional<Standing> from() override;

 private:
  [[nodiscard]] bool all_can();

  const Code& code_;
  Parts& parts_;
  Generator& random_;
  Store* store_;
  bool continues_;
};

}  // namespace nvm::vm::spmd
