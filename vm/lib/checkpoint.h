// Runs that can be gone on with when their process is gone: what is in the file of a checkpoint, and who
// writes and reads it.
//
// A command runs programs one after the other. Those that have ended are there with their results and what
// they wrote, and are not run again; of the one that runs there is where it stands (vm/spmd/checkpoints.h).
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/interp/host_ops.h"
#include "vm/lib/impl.h"
#include "vm/lib/nvm.hpp"
#include "vm/lib/record_file.h"
#include "vm/spmd/checkpoints.h"

namespace nvm::lib {

// The run that a checkpoint was taken of.
struct StandingRun {
  std::uint64_t code = 0;
  vm::HostState host;
};

class Checkpoint final : public vm::spmd::Store {
 public:
  // After so many seconds, or rounds if there is a number of them.
  struct When {
    double seconds = 600;
    std::int64_t rounds = 0;
  };
  // What a run has to be to go on as another one.
  struct Identity {
    std::vector<std::string> words;                            // the command line
    std::vector<std::string> choices;                          // those of it that decide what comes out
    std::vector<std::pair<std::string, std::uint64_t>> files;  // that it reads, by name, and their hashes
    IntBits bits = IntBits::k64;
  };

  Checkpoint(std::string path, When when, Identity identity);
  // As this file says, of which the first rank has read and checked all; the reason it cannot. What is in
  // it, but for where the run stands.
  [[nodiscard]] static Result<std::string> read_file(const std::string& path);
  [[nodiscard]] static std::vector<std::string> words_in(const std::string& contents);
  // Runs go on from there. What is wrong with that, or "".
  [[nodiscard]] std::string go_on(const std::string& path, const std::string& contents);

  // A run that had ended: once more, with its results in that memory; nothing if it is to be run.
  [[nodiscard]] std::optional<Result<Run>> again(const std::shared_ptr<const Program::Impl>& program,
                                                 const std::shared_ptr<vm::Pool>& pool,
                                                 const Options& options);
  // Where that one left its random numbers.
  [[nodiscard]] const std::vector<std::uint64_t>& random() const { return ended_[again_ - 1].host.random; }
  // Whether the run that comes now stands somewhere; on all ranks.
  [[nodiscard]] bool continues() const { return standing_.has_value() && again_ == ended_.size(); }
  // On the first rank, around a run. `err`: who is told of a file that cannot be written. What is wrong with
  // going on with this program, or "".
  [[nodiscard]] std::string begin_run(const Program::Impl& program, vm::Host& host, std::FILE* err);
  void leave_run(vm::Host& host);
  // On each process: it has ended well.
  void end_run(Run& run);

  [[nodiscard]] bool due(std::int64_t rounds) override;
  [[nodiscard]] bool possible() override;
  void begin() override;
  void write(std::span<const std::byte> bytes) override;
  void end(std::int64_t rounds) override;
  [[nodiscard]] std::size_t read(std::span<std::byte> to) override;

 private:
  struct Ended {
    std::uint64_t code = 0;  // a checksum
    std::optional<bool> line_open;
    vm::HostState host;  // of it, what it has written and taken, and its random numbers
    std::vector<Value> values;
    std::vector<std::string> packed;  // or these, as they are in a file
  };

  void open();
  void flush();
  void close(std::int64_t rounds);
  void write_ended(const Ended& run);

  std::string path_;
  When when_;
  Identity identity_;
  std::FILE* err_ = nullptr;
  bool complained_ = false;

  std::vector<Ended> ended_;
  std::size_t again_ = 0;  // of these, how many have been met again
  std::optional<StandingRun> standing_;
  std::optional<RecordReader> from_;
  std::string piece_;  // of it
  std::size_t at_ = 0;

  std::uint64_t code_ = 0;  // of the run now
  vm::Host* host_ = nullptr;
  std::optional<vm::HostState> state_;
  bool lost_ = false;  // a run has read what cannot be read again
  std::optional<RecordWriter> to_;
  std::string buffer_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::int64_t last_rounds_ = 0;
  std::uint64_t taken_ = 0;  // in this run
};

}  // namespace nvm::lib
