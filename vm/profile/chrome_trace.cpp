#include "vm/profile/chrome_trace.h"

#include <algorithm>
#include <utility>

#include "vm/profile/reasons.h"

namespace nvm::vm {

namespace {

constexpr std::int32_t kHostTrack = 1, kKernelTrack = 2, kDeviceTrack = 3, kFirstWorkerTrack = 10;
constexpr std::int64_t kLengthsLookedAt = 512;  // of a descriptor
constexpr std::size_t kMostCalls = 500;         // that are noted at a time: the outermost
// Of vectors. A kernel of so many elements takes a hundred times what it costs to note.
constexpr std::int64_t kLong = 1 << 20;
constexpr std::int64_t kBrief = 1000;  // nanoseconds; a share of a kernel that found nothing left to do

}  // namespace

ChromeTrace::ChromeTrace(Sink sink, const TraceOptions& options)
    : Observer(true, Recorded::kNothing),
      options_(options),
      start_(std::chrono::steady_clock::now()),
      ring_(options.ring),
      kernels_left_(options.kernels),
      budget_(options.budget),
      sink_(std::move(sink)) {
  see_work(false);
  see_device_times(true);
  put("[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"ts\":0,\"name\":\"process_name\",\"args\":{\"name\":\"nvm\"}}");
  name_track(kHostTrack, "host", 0);
  name_track(kKernelTrack, "kernels", 1);
  if (options_.period > 0) {
    if (!options_.keep) drain();
    writer_.start([this] { write_loop(); });
  }
}

ChromeTrace::~ChromeTrace() {
  try {
    close();
  } catch (...) {  // who wants to know has closed it
    good_ = false;
  }
}

std::int64_t ChromeTrace::now() { return last_ = std::max(last_ + 1, clock()); }

void ChromeTrace::complete(std::int32_t track, const char* category, const std::string* name,
                           std::int64_t since, const EventArgs& args) {
  const std::int64_t end = track == kHostTrack ? now() : clock();
  ring_.push(
      {Phase::kComplete, track, since, std::max<std::int64_t>(end - since, 0), 0, category, name, args});
}

void ChromeTrace::instant(const char* category, std::string_view name, const EventArgs& args) {
  ring_.push({Phase::kInstant, kHostTrack, now(), 0, 0, category, names_.words(name), args});
}

void ChromeTrace::name_track(std::int32_t track, const std::string& name, int order) {
  ring_.push({Phase::kMetadata, track, 0, 0, 0, "", names_.words("thread_name"),
              EventArgs().add("name", names_.words(name))});
  ring_.push({Phase::kMetadata, track, 0, 0, 0, "", names_.words("thread_sort_index"),
              EventArgs().add("sort_index", std::int64_t{order})});
}

void ChromeTrace::begin_phase(const std::string& name) {
  end_phase();
  phase_ = name;
  phase_since_ = now();
}

void ChromeTrace::end_phase() {
  if (phase_since_ != kUnknown) complete(kHostTrack, "phase", names_.words(phase_), phase_since_);
  phase_since_ = kUnknown;
}

void ChromeTrace::begin_run(const ssa::Module& module, const Pool& pool) {
  module_ = &module;
  names_.begin(module);
  levels_.begin(module.functions.size());
  compiled_at_.clear();
  const std::lock_guard lock(pool_mutex_);
  pool_ = &pool;
}

void ChromeTrace::begin_calls(const OpenCalls& calls) {
  open_calls_ = &calls;
  last_serial_ = 0;
}

void ChromeTrace::end_calls(std::uint64_t made) {
  left_out_ += made - std::min(made, last_serial_);
  last_serial_ = made;
  open_calls_ = nullptr;
}

void ChromeTrace::end_run() {
  close_all();
  sample_memory();
  module_ = nullptr;
  const std::lock_guard lock(pool_mutex_);
  pool_ = nullptr;
}

// True: the next call or line may be noted.
bool ChromeTrace::afford() {
  if (period_.load(std::memory_order_relaxed) != seen_period_) new_period();
  if (options_.budget == 0 || budget_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
  look_away();
  return false;
}

void ChromeTrace::look_away() {
  if (away_) return;
  away_ = true;
  away_since_ = now();
  close_line(away_since_);
  see_instructions(false);
  see_calls(false);
}

// Finds out which calls are open: those that were left meanwhile ended no earlier than when it looked away.
void ChromeTrace::look_again() {
  if (!away_) return;
  away_ = false;
  std::vector<OpenCall> open;
  const std::size_t all = open_calls_ == nullptr ? 0 : open_calls_->list(kMostCalls, open);
  std::size_t same = 0;
  while (same < calls_.size() && same < open.size() && calls_[same].serial == open[same].serial) ++same;
  while (calls_.size() > same) {
    close_call(away_since_);
    calls_.pop_back();
  }
  begun_ = std::min(begun_, same);
  levels_.restart(open);
  deeper_ = all - std::min(all, open.size());
  std::map<ssa::FunctionId, std::int32_t> level;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::int32_t l = level[open[i].function]++;
    if (i < same) continue;
    Call call;
    call.name = names_.source().function(open[i].function);
    call.place = open[i].inst == nullptr ? 0 : names_.source().place(open[i].inst);
    call.level = l;
    call.serial = open[i].serial;
    calls_.push_back(call);
  }
}

// Begins to note the calls that are open, and writes down that they are.
void ChromeTrace::new_period() {
  seen_period_ = period_.load(std::memory_order_relaxed);
  kernels_left_ = options_.kernels;
  look_again();
  if (begun_ < calls_.size()) close_line(now());
  for (; begun_ < calls_.size(); ++begun_) {
    Call& call = calls_[begun_];
    if (call.since == kUnknown) call.since = now();
    call.begun = true;
    ring_.push({Phase::kBegin, kHostTrack, call.since, 0, static_cast<std::int64_t>(begun_), "call",
                names_.name(call.name), call_args(call)});
  }
}

EventArgs ChromeTrace::call_args(const Call& call) {
  EventArgs args;
  args.add("level", std::int64_t{call.level});
  if (call.place > 0) args.add("called from", names_.place(call.place));
  return args;
}

void ChromeTrace::close_line(std::int64_t at) {
  if (line_since_ == kUnknown) return;
  const SourcePlace& place = names_.source().at(line_);
  EventArgs args;
  args.add("function", names_.name(place.function));
  args.add("file", names_.file(line_)).add("line", std::int64_t{place.line});
  if (place.column > 0) args.add("column", std::int64_t{place.column});
  ring_.push(
      {Phase::kComplete, kHostTrack, line_since_, at - line_since_, 0, "line", names_.place(line_), args});
  line_since_ = kUnknown;
}

void ChromeTrace::begin(const ssa::Inst& inst, const Site&, std::int64_t) {
  const std::int32_t place = names_.source().place(&inst);
  if (line_since_ != kUnknown && place == line_) return;
  if (!afford()) return;
  close_line(now());
  line_ = place;
  line_since_ = just_after();
}

void ChromeTrace::enter(const CallStart& call) {
  look_at_promises();
  left_out_ += call.serial - std::min(call.serial, last_serial_ + 1);
  last_serial_ = call.serial;
  const bool was_away = away_;
  const bool affordable = afford();
  if (was_away && !away_) return;  // it is among the calls that were found open
  if (!affordable || calls_.size() >= kMostCalls) {
    if (affordable) ++deeper_;
    ++left_out_;
    return;
  }
  close_line(now());
  Call frame;
  frame.name = names_.source().function(call.function);
  frame.place = call.inst == nullptr ? 0 : names_.source().place(call.inst);
  frame.level = levels_.enter(call);
  frame.serial = call.serial;
  frame.since = just_after();
  note_segments(call, frame);
  calls_.push_back(frame);
}

void ChromeTrace::leave(ssa::FunctionId) {
  look_at_promises();
  if (period_.load(std::memory_order_relaxed) != seen_period_) new_period();
  if (away_) return;
  if (deeper_ > 0) {
    --deeper_;
    return;
  }
  levels_.leave();
  if (calls_.empty()) return;
  const std::int64_t at = now();
  close_line(at);
  close_call(at);
  calls_.pop_back();
  begun_ = std::min(begun_, calls_.size());
}

void ChromeTrace::close_call(std::int64_t at) {
  const Call& call = calls_.back();
  if (call.since == kUnknown) return;
  if (call.begun)
    ring_.push({Phase::kEnd, kHostTrack, at, 0, static_cast<std::int64_t>(calls_.size()) - 1, "call",
                names_.name(call.name)});
  else
    ring_.push({Phase::kComplete, kHostTrack, call.since, at - call.since, 0, "call", names_.name(call.name),
                call_args(call)});
}

// After a run, also one that ended by a fault.
void ChromeTrace::close_all() {
  look_at_promises();
  away_ = false;
  deeper_ = 0;
  see_calls(true);
  promised_.clear();
  close_line(now());
  while (!calls_.empty()) {
    close_call(now());
    calls_.pop_back();
  }
  begun_ = 0;
  region_since_ = kUnknown;
}

void ChromeTrace::note_segments(const CallStart& call, const Call& frame) {
  constexpr std::size_t kMostPromises = 8;
  const ssa::Function& f = module_->functions[static_cast<std::size_t>(call.function)];
  const Value* value = instances_of(f, call.arguments);
  if (value == nullptr) return;
  SegdesLater later(*value);
  if (const Segdes* segdes = later.get())
    show_segments(*segdes, frame.name, frame.level, frame.since);
  else if (promised_.size() < kMostPromises)
    promised_.push_back({std::move(later), frame.name, frame.level, frame.since});
}

void ChromeTrace::look_at_promises() {
  std::erase_if(promised_, [&](PromisedSegments& p) {
    const Segdes* segdes = p.segments.get();
    if (segdes != nullptr) show_segments(*segdes, p.name, p.level, p.at);
    return segdes != nullptr || p.segments.gone();
  });
}

void ChromeTrace::show_segments(const Segdes& segdes, std::int32_t name, std::int32_t level,
                                std::int64_t at) {
  const SegmentShape shape = shape_of(segdes, kLengthsLookedAt);
  EventArgs args;
  args.add("level", std::int64_t{level}).add("segments", shape.segments).add("elements", shape.elements);
  args.add("longest", shape.longest);
  if (shape.sampled) args.plain("of", "a sample");
  ring_.push({Phase::kInstant, kHostTrack, at, 0, 0, "level", names_.level(name, level), args,
              "\"lengths\":" + histogram_json(shape)});
  ring_.push({Phase::kCounter, kHostTrack, at, 0, 0, "level",
              names_.words("segments of " + names_.source().name(name)),
              EventArgs().add("segments", shape.segments)});
}

bool ChromeTrace::wants_region(std::int64_t longest) {
  if (period_.load(std::memory_order_relaxed) != seen_period_) new_period();
  region_wanted_ = options_.kernels == 0 || longest >= kLong || kernels_left_ > 0;
  if (!region_wanted_) ++left_out_regions_;
  return region_wanted_;
}

// Others may have wanted it.

void ChromeTrace::begin_region(const ssa::Inst* first, std::string_view stop) {
  if (!region_wanted_) return;
  close_line(now());
  region_since_ = just_after();
  region_stop_ = names_.words(stop_words(stop));
  region_place_ = first == nullptr ? 0 : names_.source().place(first);
}

void ChromeTrace::end_region(std::span<const RecordedWork>, const RegionRun& run) {
  if (run.trapped)
    instant("guard", "guard failed",
            EventArgs().plain("why", "a check failed in compiled code; executed again by the primitives"));
  if (!std::exchange(region_wanted_, true) || region_since_ == kUnknown) return;
  kernels_left_ -= std::max<std::int64_t>(static_cast<std::int64_t>(run.kernels), 1);
  EventArgs args;
  const SourcePlace& place = names_.source().at(region_place_);
  args.add("line", std::int64_t{place.line}).add("ended because", region_stop_);
  if (place.column > 0) args.add("column", std::int64_t{place.column});
  args.add("kernels", static_cast<std::int64_t>(run.kernels)).add("bytes", run.bytes);
  args.add("elements", run.elements).plain("mode", run.kernels > 0 ? "fused" : "interpreted");
  if (!run.reason.empty()) args.add("why", names_.words(run.reason));
  complete(kHostTrack, "region", names_.region(region_place_), region_since_, args);
  region_since_ = kUnknown;
  sample_memory();  // runs that end before the first period does show some, too
  look_at_promises();
}

void ChromeTrace::begin_compile() { compile_since_ = now(); }

void ChromeTrace::end_compile(const Compilation& c) {
  names_.compiled(c);
  const auto node = std::ranges::find_if(c.nodes, [](const FusionNode& n) { return n.inst != nullptr; });
  const std::int32_t place = node == c.nodes.end() ? region_place_ : names_.source().place(node->inst);
  EventArgs args;
  args.add("kernels", static_cast<std::int64_t>(c.kernels.size()));
  args.add("combinators", static_cast<std::int64_t>(c.nodes.size()));
  if (!c.reason.empty()) args.add("refused", names_.words(c.reason));
  complete(kHostTrack, "compile", names_.words("compile " + names_.source().text(place)), compile_since_,
           args);
  const auto [first, fresh] = compiled_at_.try_emplace(place, c.region);
  if (!fresh)
    instant("guard", "guard failed",
            EventArgs()
                .plain("why", "other storage, descriptors or equal lengths than code that is there relies on")
                .add("place", names_.place(place)));
}

void ChromeTrace::begin_kernel(std::uint32_t, std::uint32_t) { kernel_since_ = now(); }

void ChromeTrace::end_kernel(const KernelRun& run) {
  if (!region_wanted_) return;
  show_kernel(run, kKernelTrack, "cpu", kernel_since_, kernel_since_, now() - kernel_since_);
}

void ChromeTrace::name_device() {
  if (!device_named_) name_track(kDeviceTrack, "GPU stream", 2);
  device_named_ = true;
}

void ChromeTrace::device_kernel(const KernelRun& run, const DeviceTimes& times) {
  if (!region_wanted_) return;
  name_device();
  const std::int64_t asked = since_start(times.asked);
  show_kernel(run, kDeviceTrack, "cuda", asked, std::max(asked, since_start(times.begun)),
              static_cast<std::int64_t>(times.seconds * 1e9));
}

void ChromeTrace::show_kernel(const KernelRun& run, std::int32_t track, const char* mode, std::int64_t asked,
                              std::int64_t begun, std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 1);
  const KernelNames& names = names_.kernel(run);
  EventArgs args;
  args.add("combinators", names.combinators).add("elements", run.elements).add("bytes", run.bytes);
  args.add("GB/s", static_cast<double>(run.bytes) / static_cast<double>(ns)).plain("mode", mode);
  args.add("lines", names.lines);
  arrow_to(track, asked, begun);
  ring_.push({Phase::kComplete, track, begun, ns, 0, "kernel", names.name, args});
}

// From where the host asked for it.
void ChromeTrace::arrow_to(std::int32_t track, std::int64_t asked, std::int64_t begun) {
  const std::int64_t arrow = ++arrows_;
  const std::string* launch = names_.words("launch");
  ring_.push({Phase::kFlowStart, kHostTrack, asked, 0, arrow, "launch", launch});
  ring_.push({Phase::kFlowEnd, track, begun, 0, arrow, "launch", launch});
}

void ChromeTrace::begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) {
  look_at_promises();
  close_line(now());
  groups_since_ = just_after();
  groups_ = names_.source().name(names_.source().function(call.function));
  groups_instances_ = instances;
  groups_count_ = groups;
  Call frame;
  frame.name = names_.source().function(call.function);
  frame.level = levels_.enter(call);
  levels_.leave();
  frame.since = groups_since_;
  note_segments(call, frame);
}

void ChromeTrace::groups_spent(const GroupsSpent& spent) {
  for (const DeviceGroups& d : spent.device) {
    name_device();
    const std::int64_t asked = since_start(d.times.asked);
    const std::int64_t begun = std::max(asked, since_start(d.times.begun));
    const auto ns = std::max<std::int64_t>(static_cast<std::int64_t>(d.times.seconds * 1e9), 1);
    EventArgs args;
    args.add("groups", static_cast<std::int64_t>(d.groups))
        .plain("mode", d.shared ? "shared-memory block" : "block");
    if (d.moved > 0) args.add("bytes", d.moved);
    arrow_to(kDeviceTrack, asked, begun);
    ring_.push({Phase::kComplete, kDeviceTrack, begun, ns, 0, "block",
                names_.words(groups_ + " groups on the GPU"), args});
  }
}

void ChromeTrace::end_groups(bool done, std::int64_t moved) {
  EventArgs args;
  args.add("instances", groups_instances_).add("groups", static_cast<std::int64_t>(groups_count_));
  if (moved > 0) args.add("bytes", moved);
  args.plain("mode", "block");
  if (!done) args.plain("failed", "a group failed; the call is made in the ordinary way");
  complete(kHostTrack, "block", names_.words(groups_ + " in groups"), groups_since_, args);
  sample_memory();
}

ChromeTrace::Worker& ChromeTrace::worker() {
  const std::lock_guard lock(workers_mutex_);
  const auto [at, fresh] = workers_.try_emplace(std::this_thread::get_id());
  if (fresh) {
    const int n = static_cast<int>(workers_.size());
    at->second.track = kFirstWorkerTrack + n;
    name_track(at->second.track, "worker " + std::to_string(n), kFirstWorkerTrack + n);
  }
  return at->second;
}

void ChromeTrace::begin_group(std::size_t, std::int64_t instances) {
  Worker& w = worker();
  w.since = clock();
  w.instances = instances;
}

void ChromeTrace::end_group(std::size_t group, std::int64_t moved) {
  const Worker& w = worker();
  EventArgs args;
  args.add("instances", w.instances);
  if (moved > 0) args.add("bytes", moved);
  complete(w.track, "block", names_.words(groups_ + " group " + std::to_string(group)), w.since, args);
}

void ChromeTrace::begin_share() { worker().since = clock(); }
void ChromeTrace::end_share() {
  const Worker& w = worker();
  if (!region_wanted_ || clock() - w.since < kBrief) return;
  complete(w.track, "kernel", names_.words("kernel share"), w.since);
}

}  // namespace nvm::vm
