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
  bool keeps = false;              // what it writes to these streams, for state()
};

// What another run needs to go on as this one would.
struct HostState {
  struct Text {
    std::int64_t stream = 0;
    std::string text;
  };
  std::vector<Text> written;  // to the streams that it was given, in order
  std::int64_t taken = 0;     // bytes of the first one
  double timer = 0;           // seconds
  std::string last_error;
  std::optional<bool> line_open;
  std::vector<std::uint64_t> random;  // of its generator
};

// State of one run that host instructions read and change. Used by one thread at a time.
class Host {
 public:
  Host(const HostOptions& options, Pool& pool, IntBits bits);

  // Executes an instruction of kind kHost. Operand types are those of the table, except that WRITE and FWRITE
  // take any printable kind; no operand is Deferred. `pos` is named in the texts of slot errors. Failures of
  // the system are results, not faults. Throws Fault for lengths and for an illegal mode of FOPEN.
  void run(Op op, TypeWord word, SourcePos pos, std::span<Value> operands, std::span<Value> results);

  [[nodiscard]] Generator& random() { return *random_; }
  [[nodiscard]] Streams& streams() { return streams_; }
  // Nothing where it is not enough: files or processes are open, which does not matter when the run has
  // ended, or a pipe has been read from.
  [[nodiscard]] std::optional<HostState> state(bool ended = false);
  // Writes what was written. False if the input is another one.
  [[nodiscard]] bool set_state(HostState state);
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
  std::unique_ptr<Generator> random_;
  Streams streams_;
  std::chrono::steady_clock::time_point timer_ = std::chrono::steady_clock::now();
  std::optional<bool> line_open_;
  std::string last_error_;     // what FWRITE to the null stream reports
  std::vector<int> children_;  // process ids that may have to be reaped
  bool keeps_;
  bool has_read_ = false;  // from the first stream
  std::vector<HostState::Text> written_;
};

}  // namespace nvm::vm
