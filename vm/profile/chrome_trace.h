// The observer behind --trace: what a run does, over time, in Chrome's trace event format, which Perfetto and
// chrome://tracing open. Tracks: the host with calls and lines nested in each other, regions, compilations;
// kernels; the stream of a GPU; the workers of block mode and of kernels; memory.
//
// Costs less than a fiftieth of the run: calls and lines are noted until the budget of a period is used up,
// then nobody looks at them until the next period, which begins with the calls that are open then. So are
// regions and their kernels, unless vectors are long. Everything else is noted always: it is long enough.
// What was left out is said at the end.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bytecode/base/thread.h"
#include "vm/interp/levels.h"
#include "vm/profile/event_ring.h"
#include "vm/profile/segments.h"
#include "vm/profile/trace_names.h"

namespace nvm::vm {

struct TraceOptions {
  std::size_t ring = 1 << 15;  // events kept until they are written
  double period = 0.05;        // seconds; 0: nothing is written before close, the ring holds what it can
  int write_every = 2;         // periods, or sooner if the ring is half full
  std::int64_t budget = 60;    // calls and lines noted in a period; 0: all
  std::int64_t kernels = 20;   // likewise kernels with their regions, but for long vectors; 0: all
  bool keep = false;           // nothing is written before close: the latest events that the ring holds
};

class ChromeTrace final : public Observer {
 public:
  // Takes the next bytes of the file; false if they cannot be written. Called on one thread at a time.
  using Sink = std::function<bool(std::string_view)>;
  explicit ChromeTrace(Sink sink, const TraceOptions& options = {});
  ~ChromeTrace() override;

  // What the host does outside runs, as a slice; on the thread that runs. Phases do not overlap runs.
  void begin_phase(const std::string& name);
  void end_phase();
  // Writes the rest. False if something could not be written. Nothing is noted afterwards.
  bool close();

  void begin_run(const ssa::Module& module, const Pool& pool) override;
  void end_run() override;
  void begin_calls(const OpenCalls& calls) override;
  void end_calls(std::uint64_t made) override;
  void begin(const ssa::Inst& inst, const Site& site, std::int64_t work) override;
  void enter(const CallStart& call) override;
  void leave(ssa::FunctionId function) override;
  [[nodiscard]] bool wants_region(std::int64_t longest) override;
  void begin_region(const ssa::Inst* first, std::string_view stop) override;
  void end_region(std::span<const RecordedWork> recorded, const RegionRun& run) override;
  void begin_compile() override;
  void end_compile(const Compilation& compilation) override;
  void begin_kernel(std::uint32_t region, std::uint32_t kernel) override;
  void end_kernel(const KernelRun& run) override;
  void device_kernel(const KernelRun& run, const DeviceTimes& times) override;
  void begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) override;
  void groups_spent(const GroupsSpent& spent) override;
  void end_groups(bool done, std::int64_t moved) override;
  void begin_group(std::size_t group, std::int64_t instances) override;
  void end_group(std::size_t group, std::int64_t moved) override;
  void begin_share() override;
  void end_share() override;

 private:
  static constexpr std::int64_t kUnknown = -1;
  struct Call {
    std::int32_t name = 0;
    std::int32_t place = 0;  // of the calling instruction
    std::int32_t level = 0;
    std::uint64_t serial = 0;
    bool begun = false;             // its beginning has been written already
    std::int64_t since = kUnknown;  // not noted
  };
  struct PromisedSegments {
    SegdesLater segments;
    std::int32_t name, level;
    std::int64_t at;
  };
  struct Worker {
    std::int32_t track = 0;
    std::int64_t since = 0;
    std::int64_t instances = 0;
  };

  [[nodiscard]] std::int64_t now();  // later than every time it said before on this thread
  [[nodiscard]] std::int64_t just_after() { return ++last_; }
  [[nodiscard]] std::int64_t clock() const { return since_start(std::chrono::steady_clock::now()); }
  [[nodiscard]] std::int64_t since_start(std::chrono::steady_clock::time_point at) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at - start_).count();
  }
  void name_device();
  void arrow_to(std::int32_t track, std::int64_t asked, std::int64_t begun);
  void show_kernel(const KernelRun& run, std::int32_t track, const char* mode, std::int64_t asked,
                   std::int64_t begun, std::int64_t ns);
  void complete(std::int32_t track, const char* category, const std::string* name, std::int64_t since,
                const EventArgs& args = {});
  void instant(const char* category, std::string_view name, const EventArgs& args);
  void name_track(std::int32_t track, const std::string& name, int order);
  [[nodiscard]] bool afford();
  void look_away();
  void look_again();
  void new_period();
  void close_line(std::int64_t at);
  void close_call(std::int64_t at);
  void close_all();
  void note_segments(const CallStart& call, const Call& frame);
  void look_at_promises();
  void show_segments(const Segdes& segdes, std::int32_t name, std::int32_t level, std::int64_t at);
  [[nodiscard]] EventArgs call_args(const Call& call);
  [[nodiscard]] Worker& worker();

  void write_loop();
  void drain();
  void write_event(const Event& event);
  void put(const std::string& text);
  void sample_memory();

  TraceOptions options_;
  std::chrono::steady_clock::time_point start_;
  EventRing ring_;

  // The run's thread.
  TraceNames names_;
  Levels levels_;
  const ssa::Module* module_ = nullptr;
  const OpenCalls* open_calls_ = nullptr;
  std::vector<Call> calls_;  // the outermost ones that are open
  std::size_t deeper_ = 0;   // calls that are open inside of those
  std::size_t begun_ = 0;    // calls whose beginning has been written; the outer ones
  bool away_ = false;        // calls and lines are not seen
  std::int64_t away_since_ = 0;
  std::uint64_t last_serial_ = 0;  // of the calls that were seen or left out
  std::int32_t line_ = 0;          // place of the open line
  std::int64_t line_since_ = kUnknown;
  std::int64_t last_ = 0;
  std::uint64_t left_out_ = 0, left_out_regions_ = 0;
  std::int64_t kernels_left_;  // to be noted in this period
  bool region_wanted_ = true;  // the one that is executed
  std::uint64_t seen_period_ = 0;
  std::int64_t phase_since_ = kUnknown, region_since_ = kUnknown, compile_since_ = 0, kernel_since_ = 0,
               groups_since_ = 0;
  std::string phase_, groups_;
  const std::string* region_stop_ = nullptr;
  std::int32_t region_place_ = 0;
  std::int64_t groups_instances_ = 0;
  std::size_t groups_count_ = 0;
  std::int64_t arrows_ = 0;
  bool device_named_ = false;
  std::map<std::int32_t, std::uint32_t> compiled_at_;  // by place: the first region compiled there
  std::vector<PromisedSegments> promised_;

  std::atomic<std::int64_t> budget_;
  std::atomic<std::uint64_t> period_{1};

  std::mutex workers_mutex_;
  std::map<std::thread::id, Worker> workers_;

  // The writer.
  Sink sink_;
  bool good_ = true, closed_ = false;
  std::string pending_;            // lines not yet handed to the sink
  std::int64_t open_written_ = 0;  // calls whose beginning, but not whose end, has been written
  std::uint64_t lost_ = 0;
  std::mutex pool_mutex_;
  const Pool* pool_ = nullptr;
  std::array<std::size_t, 3> memory_{};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  Thread writer_;
};

}  // namespace nvm::vm
