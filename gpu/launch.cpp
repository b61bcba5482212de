#include "gpu/launch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "bytecode/base/at.h"

namespace nvm::gpu {

namespace {

using plan::LengthKind;
using plan::RunStatus;
using plan::VarRole;

constexpr std::int64_t kUnknown = -1;
constexpr int kNoLane = -1, kSeveralLanes = -2;

bool counts(const plan::Kernel& kernel, LengthId n) {
  return std::any_of(kernel.sinks.begin(), kernel.sinks.end(),
                     [&](const plan::Sink& s) { return s.out_length == n; });
}

// A vector of one element is also given unboxed; `cell`: of a scalar.
void unbox(plan::Array& a, std::uint64_t cell) {
  if (a.length != 1) return;
  std::uint64_t bits = cell;
  if (a.data != nullptr) {
    bits = 0;
    std::memcpy(&bits, a.data, storage_bytes(a.storage));
    if (a.storage == Storage::kI8) bits = static_cast<std::uint64_t>(static_cast<std::int8_t>(bits));
    if (a.storage == Storage::kI32) bits = static_cast<std::uint64_t>(static_cast<std::int32_t>(bits));
  }
  a.scalar = static_cast<std::int64_t>(bits);
  if (a.storage == Storage::kF64) a.real = std::bit_cast<double>(bits);
}

class CodeRun {
 public:
  CodeRun(const Code& code, const plan::Run& run, Queue& queue)
      : code_(code),
        plan_(code.plan),
        run_(run),
        queue_(queue),
        memory_(plan_.vars.size(), 0),
        room_(plan_.vars.size(), 0),
        offsets_(plan_.vars.size(), 0),
        cells_(cell_count(plan_), 0),
        lengths_(plan_.lengths.size(), kUnknown),
        home_(plan_.vars.size(), false) {}
  ~CodeRun() {
    for (const Address a : owned_) queue_.free(a);
    for (std::size_t i = 0; i < run_.arrays.size(); ++i)
      if (home_[i] && plan_.vars[i].role == VarRole::kTemp) run_.arrays[i].remote = nullptr;
  }
  CodeRun(const CodeRun&) = delete;
  CodeRun& operator=(const CodeRun&) = delete;

  RunStatus run() {
    bind_lengths();
    if (!bind_inputs()) return failed();
    find_last_readers();
    timed_ = run_.host->wants_device_times();
    if (timed_) begin_times();
    for (std::size_t k = 0; k < code_.kernels.size(); ++k) {
      if (run_.host->cancelled()) return settle(RunStatus::kCancelled);
      if (left_to_host(plan_.kernels[k]) ? !primitive(k) : !kernel(k)) return failed();
      for (const VarId v : dead_after_[k]) release(memory_[at(v)]);
    }
    queue_.lane(0);
    const RunStatus status = publish();
    if (status != RunStatus::kDone) return status;
    if (timed_) tell_times();
    for (const plan::Kernel& k : plan_.kernels)
      if (!left_to_host(k)) run_.host->ran(plan::KernelWay::kOnDevice);
    return status;
  }

 private:
  [[nodiscard]] const plan::Var& var(VarId v) const { return plan_.vars[at(v)]; }
  [[nodiscard]] bool scalar(VarId v) const {
    return !var(v).is_desc && plan_.lengths[at(var(v).length)] == LengthKind::kOne;
  }
  [[nodiscard]] Storage storage(VarId v) const { return var(v).is_desc ? Storage::kI64 : var(v).storage; }
  RunStatus settle(RunStatus status) {
    for (std::size_t i = 0; i < run_.arrays.size(); ++i)
      if (plan_.vars[i].role == VarRole::kOutput) run_.arrays[i].remote = run_.descs[i].remote = nullptr;
    static_cast<void>(queue_.wait());  // copies from host memory may still be under way
    return status;
  }
  RunStatus failed() { return settle(failure_); }

  Address allocate(std::size_t bytes) {
    const Address a = queue_.allocate(std::max<std::size_t>(bytes, 8));
    if (a != 0) owned_.push_back(a);
    return a;
  }
  void release(Address& a) {
    const auto it = std::find(owned_.begin(), owned_.end(), a);
    if (it == owned_.end()) return;
    queue_.free(a);
    owned_.erase(it);
    a = 0;
  }

  void bind_lengths() {
    for (std::size_t n = 0; n < lengths_.size(); ++n) {
      if (plan_.lengths[n] == LengthKind::kOne) lengths_[n] = 1;
      if (plan_.lengths[n] == LengthKind::kBound) lengths_[n] = run_.lengths[n];
      cells_[at(length_cell(static_cast<LengthId>(n)))] = static_cast<std::uint64_t>(lengths_[n]);
    }
  }

  bool bind_inputs() {
    for (std::size_t i = 0; i < run_.arrays.size(); ++i) {
      const auto v = static_cast<VarId>(i);
      if (var(v).is_desc ? !bind_desc(v) : var(v).role == VarRole::kInput && !bind_vector(v)) return false;
    }
    cells_memory_ = allocate(8 * cells_.size());
    if (cells_memory_ == 0) return false;
    queue_.upload(cells_memory_, cells_.data(), 8 * cells_.size());
    return true;
  }
  bool bind_vector(VarId v) {
    plan::Array& a = run_.arrays[at(v)];
    const std::uint64_t bits = var(v).type == Type::kFloat ? std::bit_cast<std::uint64_t>(a.real)
                                                           : static_cast<std::uint64_t>(a.scalar);
    if (scalar(v)) {
      cells_[at(scalar_cell(plan_, v))] = bits;
      return true;
    }
    const std::size_t bytes = ByteCount::of(a.length, storage_bytes(storage(v))).get();
    if (a.length > 1) {
      memory_[at(v)] = queue_.bring(a.remote, a.data, bytes);
      return memory_[at(v)] != 0;
    }
    memory_[at(v)] = allocate(bytes);
    if (memory_[at(v)] == 0) return false;
    if (a.length == 1) {  // unboxed; the low bytes of the cell come first
      cells_[at(scalar_cell(plan_, v))] = bits;
      queue_.upload(memory_[at(v)], &cells_[at(scalar_cell(plan_, v))], bytes);
    }
    return true;
  }
  bool bind_desc(VarId v) {
    if (var(v).role != VarRole::kInput || var(v).form != plan::DescForm::kIrregular) return true;
    plan::Desc& d = run_.descs[at(v)];
    const std::size_t bytes = 8 * (static_cast<std::size_t>(d.segments) + 1);
    if (d.offsets != nullptr) {
      offsets_[at(v)] = queue_.bring(d.remote, d.offsets, bytes);
    } else {
      made_offsets_.emplace_back(static_cast<std::size_t>(d.segments) + 1);
      for (std::int64_t s = 0; s <= d.segments; ++s)
        made_offsets_.back()[static_cast<std::size_t>(s)] = s * d.regular_length;
      offsets_[at(v)] = allocate(bytes);
      if (offsets_[at(v)] != 0) queue_.upload(offsets_[at(v)], made_offsets_.back().data(), bytes);
    }
    return offsets_[at(v)] != 0;
  }

  // Memory that one lane alone has used is free behind the last kernel that reads it.
  void find_last_readers() {
    dead_after_.resize(plan_.kernels.size());
    std::vector<std::size_t> last(plan_.vars.size(), plan_.kernels.size());
    std::vector<int> lane(plan_.vars.size(), kNoLane);
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const int here = code_.kernels[k].lane;
      const auto use = [&](VarId v, bool reads) {
        if (v == kNone) return;
        if (reads) last[at(v)] = k;
        lane[at(v)] = lane[at(v)] == kNoLane || lane[at(v)] == here ? here : kSeveralLanes;
      };
      for (const soac::BodyInst& in : plan_.kernels[k].body.insts)
        for (const VarId v : {in.var, in.desc, in.desc2}) use(v, true);
      for (const plan::Sink& s : plan_.kernels[k].sinks) {
        for (const VarId v : {s.out, s.desc, s.init}) use(v, true);
        use(s.out_desc, false);
      }
    }
    for (std::size_t v = 0; v < run_.arrays.size(); ++v)
      if (last[v] < plan_.kernels.size() && lane[v] != kSeveralLanes && !plan_.vars[v].is_desc &&
          plan_.vars[v].role != VarRole::kOutput)
        dead_after_[last[v]].push_back(static_cast<VarId>(v));
  }

  // The value of a length; waits for the device if it was counted there.
  std::optional<std::int64_t> length(LengthId n) {
    if (lengths_[at(n)] == kUnknown && !fetch_cells()) return std::nullopt;
    return lengths_[at(n)];
  }
  bool fetch_cells() {
    queue_.download(cells_.data(), cells_memory_, 8 * cells_.size());
    if (!queue_.wait()) return false;
    if (cells_[0] != 0) {
      failure_ = RunStatus::kTrapped;
      return false;
    }
    for (std::size_t n = 0; n < lengths_.size(); ++n)
      lengths_[n] = static_cast<std::int64_t>(cells_[at(length_cell(static_cast<LengthId>(n)))]);
    find_equal();
    return true;
  }

  // Descriptors of computed lengths that are all equal; of what has not run yet the cells say so, too, and
  // the total is not known.
  void find_equal() {
    for (std::size_t d = 0; d < run_.descs.size(); ++d) {
      const VarId differs = code_.differs_of[d];
      if (differs == kNone || cells_[at(scalar_cell(plan_, differs))] != 0) continue;
      const std::int64_t segments = lengths_[at(plan_.vars[d].length)];
      const std::int64_t total = lengths_[at(plan_.vars[d].total)];
      if (segments < 2 || total < 0) continue;
      plan::Desc& desc = run_.descs[d];
      desc.segments = segments;
      desc.total = total;
      desc.regular_length = total / segments;
    }
  }

  bool kernel(std::size_t k) {
    const KernelCode& code = code_.kernels[k];
    const auto space = length(code.space);
    if (!space) return false;
    queue_.lane(code.lane);
    for (const int other : code.after) queue_.after(other);
    if (!make_results(plan_.kernels[k], *space) || !find_draws(k)) return false;
    std::vector<Address> scratch;
    bool ok = make_scratch(code, scratch);
    if (timed_) times_.push_back({code.origin, std::chrono::steady_clock::now(), queue_.mark(), 0});
    for (std::size_t l = 0; ok && l < code.launches.size(); ++l) ok = launch(code.launches[l], scratch);
    if (timed_) times_.back().end = queue_.mark();
    for (Address& a : scratch) release(a);
    if (ok) finish_offsets(plan_.kernels[k]);
    return ok;
  }

  // The device's clock is set by the host's where it has nothing to do yet.
  void begin_times() {
    static_cast<void>(queue_.wait());
    clock_ = std::chrono::steady_clock::now();
    static_cast<void>(queue_.mark());
  }
  void tell_times() {
    for (const KernelTimes& t : times_) {
      const double begin = queue_.seconds_at(t.begin), end = queue_.seconds_at(t.end);
      if (t.kernel == kNone || begin < 0 || end < begin) continue;
      const auto since = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(begin));
      run_.host->device_kernel(at(t.kernel), {t.asked, clock_ + since, end - begin});
    }
  }

  bool make_results(const plan::Kernel& kernel, std::int64_t space) {
    for (const plan::Sink& s : kernel.sinks) {
      for (const VarId v : {s.out, s.out_desc}) {
        if (v == kNone || scalar(v) || memory_[at(v)] != 0) continue;
        // What this kernel counts is at most its space.
        const LengthId n = var(v).length;
        const bool counted_here = lengths_[at(n)] == kUnknown && counts(kernel, n);
        const auto count = counted_here ? space : length(n);
        if (!count) return false;
        // One more for offsets, whose last entry is the total.
        room_[at(v)] = ByteCount::of(*count + 1, storage_bytes(storage(v))).get();
        memory_[at(v)] = allocate(room_[at(v)]);
        if (memory_[at(v)] == 0) return false;
      }
    }
    return true;
  }
  bool find_draws(std::size_t k) {
    const auto& sinks = plan_.kernels[k].sinks;
    if (sinks.empty() || sinks.front().kind != plan::SinkKind::kRandom) return true;
    const auto draws = run_.host->draws(at(code_.kernels[k].origin));
    if (draws) draws_ = *draws;
    return draws.has_value();
  }
  // Offsets that were scanned get their last entry, unless their kernel has written it. A kernel of guards
  // alone has no sinks.
  void finish_offsets(const plan::Kernel& kernel) {
    if (kernel.sinks.empty()) return;
    const plan::Sink& last = kernel.sinks.back();
    for (std::size_t d = 0; d < code_.offsets_of.size(); ++d) {
      const VarId made = code_.offsets_of[d];
      if (made == kNone || last.out != made) continue;
      offsets_[d] = memory_[at(made)];
      if (last.kind == plan::SinkKind::kSegdes) continue;
      const plan::Var& desc = plan_.vars[d];
      queue_.copy(offsets_[d] + 8 * static_cast<Address>(lengths_[at(desc.length)]),
                  cells_memory_ + 8 * static_cast<Address>(length_cell(desc.total)), 8);
    }
  }

  bool make_scratch(const KernelCode& code, std::vector<Address>& scratch) {
    for (const Scratch& s : code.scratch) {
      std::int64_t entries = s.least;
      if (s.length != kNone) {
        const auto n = length(s.length);
        if (!n) return false;
        entries = std::max(entries, (*n + s.unit - 1) / s.unit);
      }
      if (entries > s.most) return false;
      entries = std::min(entries, s.enough);
      const auto bytes = static_cast<std::size_t>(entries * s.bytes);
      const Address a = allocate(bytes);
      if (a == 0) return false;
      if (s.zeroed) queue_.clear(a, bytes);
      scratch.push_back(a);
    }
    return true;
  }

  bool launch(const Launch& l, const std::vector<Address>& scratch) {
    const auto over = length(l.over);
    if (!over) return false;
    std::vector<std::uint64_t> words;
    for (const Arg& arg : l.args) words.push_back(word(arg, l, scratch));
    const std::int64_t blocks = std::max<std::int64_t>(1, (*over + l.items - 1) / l.items) + l.extra;
    queue_.launch(l.entry, blocks, l.threads, words, 0);
    return true;
  }
  std::uint64_t word(const Arg& arg, const Launch& l, const std::vector<Address>& scratch) {
    switch (arg.kind) {
      case ArgKind::kCells: return cells_memory_;
      case ArgKind::kLength: return static_cast<std::uint64_t>(length(arg.id).value_or(0));
      case ArgKind::kData:
        return scalar(arg.id) ? cells_memory_ + 8 * static_cast<Address>(scalar_cell(plan_, arg.id))
                              : memory_[at(arg.id)];
      case ArgKind::kOffsets: return offsets_[at(arg.id)];
      case ArgKind::kRegularLength: return static_cast<std::uint64_t>(run_.descs[at(arg.id)].regular_length);
      case ArgKind::kScratch: return scratch[at(arg.id)];
      case ArgKind::kConstant: return static_cast<std::uint64_t>(arg.id);
      case ArgKind::kBits: return l.bits[at(arg.id)];
      case ArgKind::kDraws: return arg.id == 0 ? draws_.seed : draws_.first;
    }
    return 0;
  }

  // What a kernel is for that is left to a primitive. The host waits for what it needs.
  bool primitive(std::size_t k) {
    const plan::Sink& sink = plan_.kernels[k].sinks.front();
    const VarId from = plan_.kernels[k].body.insts[at(sink.value)].var;
    if (!fetch_cells()) return false;
    queue_.lane(0);
    plan::PrimitiveStep step;
    step.kernel = at(code_.kernels[k].origin);
    const bool made_here = var(from).role != VarRole::kInput;
    if (made_here && !bring_home(from)) return false;
    if (sink.desc != kNone && !segments(sink.desc, step.segments)) return false;
    if (!queue_.wait()) return false;
    if (made_here) unbox(run_.arrays[at(from)], cells_[at(scalar_cell(plan_, from))]);
    step.operand = run_.arrays[at(from)];
    run_.host->begin_kernel(step.kernel);
    const RunStatus status = run_.host->primitive(step);
    run_.host->end_kernel(step.kernel);
    if (status == RunStatus::kDone) return bind_made(sink.out, std::move(step.result));
    failure_ = status;
    return false;
  }
  // The host has a vector, or a place for what a device keeps.
  bool bring_home(VarId v) {
    if (home_[at(v)]) return true;
    home_[at(v)] = true;
    return publish(v);
  }
  bool segments(VarId d, plan::Desc& to) {
    if (var(d).role == VarRole::kInput) {
      to = run_.descs[at(d)];
      return true;
    }
    to.segments = lengths_[at(var(d).length)];
    to.total = lengths_[at(var(d).total)];
    std::vector<std::int64_t>& offsets =
        made_offsets_.emplace_back(static_cast<std::size_t>(to.segments) + 1);
    offsets.back() = to.total;
    if (offsets_[at(d)] != 0) queue_.download(offsets.data(), offsets_[at(d)], 8 * offsets.size());
    to.offsets = offsets.data();
    return true;
  }
  bool bind_made(VarId v, plan::Array made) {
    run_.arrays[at(v)] = std::move(made);
    home_[at(v)] = true;
    if (!bind_vector(v)) return false;
    if (run_.arrays[at(v)].length == 1) upload_cell(scalar_cell(plan_, v));
    return true;
  }
  void upload_cell(std::int32_t cell) {
    queue_.upload(cells_memory_ + 8 * static_cast<Address>(cell), &cells_[at(cell)], 8);
  }

  // Where all lengths are known, all is asked for before the host waits.
  RunStatus publish() {
    const bool counts = std::find(lengths_.begin(), lengths_.end(), kUnknown) != lengths_.end();
    if (counts && !fetch_cells()) return failed();
    for (std::size_t n = 0; n < lengths_.size(); ++n) run_.lengths[n] = lengths_[n];
    for (std::size_t i = 0; i < run_.arrays.size(); ++i)
      if (plan_.vars[i].role == VarRole::kOutput && !home_[i] && !publish(static_cast<VarId>(i)))
        return settle(RunStatus::kNoMemory);
    if (!counts && !fetch_cells()) return failed();
    if (!queue_.wait()) return settle(RunStatus::kNoMemory);
    for (std::size_t i = 0; i < run_.arrays.size(); ++i)
      if (plan_.vars[i].role == VarRole::kOutput)
        unbox(run_.arrays[i], cells_[at(scalar_cell(plan_, static_cast<VarId>(i)))]);
    return RunStatus::kDone;
  }
  bool publish(VarId v) {
    plan::Array& a = run_.arrays[at(v)];
    if (var(v).is_desc && memory_[at(v)] == 0) return true;  // known by its total
    a.length = lengths_[at(var(v).length)];
    a.storage = storage(v);
    a.data = nullptr;
    if (scalar(v) || a.length == 0) return true;
    if (var(v).is_desc && run_.descs[at(v)].segments == a.length) return true;  // known by one length
    if (var(v).is_desc && a.length > 1) give_offsets(v);
    const std::size_t bytes = ByteCount::of(a.length, storage_bytes(a.storage)).get();
    a.data = run_.host->allocate(v, a.storage, a.length);
    if (a.data == nullptr) return false;
    if (a.length == 1 || !trim(v, bytes))
      queue_.download(a.data, memory_[at(v)], bytes);
    else if (queue_.share(a.remote, memory_[at(v)], a.data, bytes))
      owned_.erase(std::find(owned_.begin(), owned_.end(), memory_[at(v)]));
    return true;
  }
  // Offsets that were made stay on the device, too. Without them the host makes them of the lengths.
  void give_offsets(VarId d) {
    if (offsets_[at(d)] == 0) return;
    const auto own = std::find(owned_.begin(), owned_.end(), offsets_[at(d)]);
    std::int64_t* const home =
        own == owned_.end() ? nullptr : run_.host->allocate_offsets(d, lengths_[at(var(d).length)]);
    if (home == nullptr) return;
    plan::Desc& desc = run_.descs[at(d)];
    desc.offsets = home;
    const std::size_t bytes = 8 * (static_cast<std::size_t>(lengths_[at(var(d).length)]) + 1);
    if (queue_.share(desc.remote, *own, home, bytes)) owned_.erase(own);
  }
  // What was counted may be much less than there was room for. False: no memory for a smaller copy.
  bool trim(VarId v, std::size_t bytes) {
    if (room_[at(v)] < 2 * bytes + 4096) return true;
    const Address small = allocate(bytes);
    if (small == 0) return false;
    queue_.copy(small, memory_[at(v)], bytes);
    release(memory_[at(v)]);
    memory_[at(v)] = small;
    return true;
  }

  const Code& code_;
  const plan::Plan& plan_;
  const plan::Run& run_;
  Queue& queue_;
  std::vector<Address> memory_;    // by VarId; counts for descriptors made here
  std::vector<std::size_t> room_;  // bytes there, of what is made here
  std::vector<Address> offsets_;   // by VarId of a descriptor
  std::vector<std::uint64_t> cells_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::vector<std::int64_t>> made_offsets_;
  std::vector<std::vector<VarId>> dead_after_;
  std::vector<Address> owned_;
  std::vector<bool> home_;  // by VarId: made here, and the host has it or the place for it
  struct KernelTimes {
    std::int32_t kernel = kNone;  // of the plan that was given
    std::chrono::steady_clock::time_point asked;
    std::size_t begin = 0, end = 0;  // marks
  };
  std::vector<KernelTimes> times_;
  std::chrono::steady_clock::time_point clock_;
  bool timed_ = false;
  Address cells_memory_ = 0;
  Draws draws_;                               // of the kernel being launched
  RunStatus failure_ = RunStatus::kNoMemory;  // of a run that fails
};

}  // namespace

RunStatus run_code(const Code& code, const plan::Run& run, Queue& queue) {
  return CodeRun(code, run, queue).run();
}

}  // namespace nvm::gpu
