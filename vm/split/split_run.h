// A run of a compiled plan, kernel by kernel, each in parts: memory is that of the run's host, records go
// from part to part (exchange.h), and what the parts make is joined.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bytecode/plan/engine.h"
#include "vm/split/exchange.h"

namespace nvm::vm {

// How kernels are cut, and who runs the parts.
class Crew {
 public:
  virtual ~Crew() = default;
  // Where the parts of a kernel over n iterations end, in ascending order, the last at n. One part: not cut.
  [[nodiscard]] virtual std::vector<std::int64_t> ends(const plan::Kernel& kernel, std::int64_t n,
                                                       std::span<const plan::Desc> descs) = 0;
  // Runs a part on so many threads; its iterations.
  using RunPart = std::function<std::int64_t(std::size_t part, int threads)>;
  // Parts 0..parts-1: begun in order, or each on a thread of its own, since one may wait for those before.
  virtual void work(std::size_t parts, int threads, const RunPart& run) = 0;
  // A part's arguments, before it is run: what it does not need (needs.h) may be taken away.
  virtual void lend(const plan::Plan& /*plan*/, const plan::Part& /*part*/,
                    std::vector<plan::Array>& /*arrays*/, const std::vector<plan::Desc>& /*descs*/) {}
};

struct SplitCounters {
  std::uint64_t kernels = 0;  // that were cut
  std::uint64_t parts = 0;    // of these
  std::uint64_t records = 0;  // handed on
  std::uint64_t words = 0;    // of them
  std::uint64_t writes = 0;   // of scatters, in lists
  std::uint64_t moved = 0;    // elements that a filter kept, to where the part before ends
};

class SplitRun {
 public:
  // All must outlive this. `code` splits.
  SplitRun(const plan::Code& code, const plan::Plan& plan, const plan::Run& run, Crew& crew);
  ~SplitRun();
  SplitRun(const SplitRun&) = delete;
  SplitRun& operator=(const SplitRun&) = delete;

  [[nodiscard]] plan::RunStatus run();
  [[nodiscard]] const SplitCounters& counters() const { return counters_; }

 private:
  class PartHost;
  struct PartArguments;

  [[nodiscard]] plan::RunStatus run_kernel(std::size_t k);
  [[nodiscard]] plan::RunStatus run_whole(std::size_t k);
  [[nodiscard]] plan::RunStatus run_parts(std::size_t k, const std::vector<std::int64_t>& ends);
  void run_part(const plan::Part& part, int threads, plan::Host& host, PartArguments& args);
  [[nodiscard]] bool prepare(const plan::Kernel& kernel, Records& records);
  void join(const plan::Kernel& kernel, std::vector<PartArguments>& parts, const Records& records);
  void join_kept(const plan::Sink& sink, std::vector<PartArguments>& parts);
  void join_writes(std::size_t sink, plan::VarId out, std::size_t parts, const Records& records);
  [[nodiscard]] bool fill(const plan::Sink& sink);
  void make_kept_descs(const plan::Kernel& kernel);
  void publish();
  [[nodiscard]] void* memory(plan::VarId var, Storage storage, std::int64_t length);

  const plan::Code& code_;
  const plan::Plan& plan_;
  const plan::Run& run_;
  Crew& crew_;
  SplitCounters counters_;
  std::vector<plan::Array> arrays_;
  std::vector<plan::Desc> descs_;
  std::vector<std::unique_ptr<std::int64_t[]>> offsets_;  // of descriptors made by filters
  std::mutex mutex_;
  std::map<plan::VarId, void*> memory_;  // that the host gave
};

}  // namespace nvm::vm
