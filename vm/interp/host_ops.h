// The instructions that the host executes: random seed, timers, streams, files and processes.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/table/op_info.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"
#include "vm/interp/gate.h"
#include "vm/interp/output.h"
#include "vm/interp/random.h"
#include "vm/interp/streams.h"
#include "vm/interp/world.h"

namespace nvm::vm {

struct HostOptions {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  const Gate* gate = nullptr;  // to all beyond these streams; null: nothing is granted
  RandomKind random = RandomKind::kPhilox;
  World* world = nullptr;          // records what comes from outside, or plays it back
  OutputBudget* output = nullptr;  // of what is written to streams and files; null: no limit
};

// State of one run that host instructions read and change. Used by one thread at a time.
class Host {
 public:
  Host(const HostOptions& options, Pool& pool, IntBits bits);

  // Executes an instruction of kind kHost. Operand types are those of the table, except that WRITE and FWRITE
  // take any printable kind; no operand is Deferred. `pos` is named in the texts of slot errors. Failures of
  // the system are results, not faults. Throws Fault for lengths and for an illegal mode of FOPEN.
  void run(Op op, TypeWord word, SourcePos pos, std::span<Value> operands, std::span<Value> results);

  [[nodiscard]] RandomSource& random() { return *random_; }
  [[nodiscard]] Streams& streams() { return streams_; }
  // Whether the text on standard error ends inside of a line; nothing if there was none.
  [[nodiscard]] std::optional<bool> line_open() const { return line_open_; }

 private:
  [[nodiscard]] bool looks_outside(Op op, std::span<const Value> operands) const;

  struct Io;  // one execution of an instruction (host_ops.cpp)
  void execute(const Io& io);

  Pool& pool_;
  IntBits bits_;
  const Gate* gate_;
  World* world_;
  OutputBudget* output_;
  std::unique_ptr<RandomSource> random_;
  Streams streams_;
  std::chrono::steady_clock::time_point timer_ = std::chrono::steady_clock::now();
  std::optional<bool> line_open_;
  std::string last_error_;     // what FWRITE to the null stream reports
  std::vector<int> children_;  // process ids that may have to be reaped
};

}  // namespace nvm::vm
