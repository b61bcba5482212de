#include <algorithm>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/workspace.h"

namespace nvm::vm::cpu {

using plan::RunStatus;

namespace {

// `each`: segments of one iteration each.
void seek_providers(const KernelCode& code, RunContext& context, const plan::Desc& each, Work& w,
                    std::int64_t at) {
  for (std::size_t p = 0; p < code.providers.size(); ++p) {
    const std::int32_t desc = code.providers[p].desc;
    w.cursors[p] = seek(desc == soac::kNone ? each : context.desc(desc), at);
  }
}

// Iterations that take unequally long: so many at most that no thread has much left in the end; whole rounds
// of two or three vectors (codegen/rounds.h).
std::int64_t uneven_chunk(std::int64_t space, int threads, int lanes) {
  constexpr std::int64_t kMost = 480;
  const std::int64_t turn = std::int64_t{6} * lanes;
  return std::clamp(space / (8 * std::max(1, threads)) / turn * turn, turn, kMost);
}

// Short spaces are combined from left to right: no lane may take two elements. Nor from inside of a block on.
std::int64_t block_length(const KernelCode& code, const PartRun& part, const Work& w) {
  constexpr std::int64_t kUnheard = std::int64_t{1} << 16;  // who asks to stop waits for no more than these
  const std::int64_t left = w.chunk_end - w.begin;
  if (!code.blocked) return code.sinks.empty() ? std::min(kUnheard, left) : left;
  if (code.folds.empty()) return std::min(kBlock, left);
  if (part.space() <= kSequentialMax) return std::min(kReduceLanes, left);
  const std::int64_t whole = (part.begin() + kBlock - 1) / kBlock * kBlock;
  if (w.begin >= whole || !part.begins_inside()) return std::min(kBlock, left);
  return std::min({kReduceLanes, whole - w.begin, left});
}

}  // namespace

bool RunContext::allocate(std::int32_t v, std::int64_t count) {
  Bound& b = var(v);
  const plan::Var& declared = plan->vars[static_cast<std::size_t>(v)];
  b.storage = declared.is_desc ? Storage::kI64 : declared.storage;
  b.length = count;
  b.data = &b.cell;
  if (count == 1) return true;
  b.allocated = true;
  b.data = run->host->allocate(v, b.storage, count);
  return b.data != nullptr;
}

// Chunks that end where segments end, or inside a long one a multiple of the largest chunk from its start.
void KernelRun::cut_by_segments(const plan::Desc& d) {
  for (std::int64_t p = wave_begin_; p < wave_end_;) {
    const SegmentCursor c = seek(d, p);
    std::int64_t stop = std::min(p + code_.chunk, wave_end_);
    if (!c.fresh) {
      const std::int64_t in_block = (p - segment_offset(d, c.segment)) % kBlock;
      stop = std::min({p - in_block + code_.chunk, segment_offset(d, c.segment + 1), wave_end_});
    } else if (stop < part_.space()) {
      const SegmentCursor last = seek(d, stop);  // whole segments only, if there are any
      const std::int64_t whole = last.fresh ? stop : segment_offset(d, last.segment);
      if (whole > p) stop = whole;
    }
    bounds_->push_back(stop);
    p = stop;
  }
}

// Chunks that leave nothing behind but what they write may be longer: fewer breaks in what is read and
// written. Each worker's share of the wave begins with long ones and ends with short ones, which others may
// take, so that all end together.
void KernelRun::cut_in_shares() {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const std::int64_t wave = wave_end_ - wave_begin_;
  const std::int64_t most = std::min<std::int64_t>(code_.serial ? 1 : context_.run->threads, Shares::kMost);
  const std::int64_t shares =
      std::clamp<std::int64_t>((wave + code_.chunk - 1) / code_.chunk, 1, std::max<std::int64_t>(most, 1));
  for (std::int64_t p = wave_begin_, s = 1; s <= shares; ++s) {
    const std::int64_t end = s == shares ? wave_end_ : wave_begin_ + wave * s / shares / kBlock * kBlock;
    while (p < end) {
      p = std::min(p + std::clamp((end - p) / 2 / kBlock * kBlock, code_.chunk, kMost), end);
      bounds_->push_back(p);
    }
    share_ends_[share_count_++] = static_cast<std::int64_t>(chunks());
  }
}

void KernelRun::cut() {
  bounds_->assign(1, wave_begin_);
  share_count_ = 0;
  if (!code_.uneven && (code_.whole || wave_end_ - wave_begin_ <= kBlock)) {
    bounds_->push_back(wave_end_);
  } else if (code_.cut != soac::kNone) {
    cut_by_segments(context_.desc(code_.cut));
  } else if (!code_.uneven && !code_.blocked && code_.sinks.empty()) {
    cut_in_shares();
  } else {
    // Tiles are of whole chunks: a few for each thread, of whole turns.
    const std::int64_t part = (wave_end_ - wave_begin_) / (4 * std::max(1, context_.run->threads));
    std::int64_t chunk =
        tiles_.turn == 0 ? code_.chunk : std::max(part / tiles_.turn, std::int64_t{1}) * tiles_.turn;
    if (code_.uneven) chunk = uneven_chunk(part_.space(), context_.run->threads, lanes());
    // From a part's begin to where a block of folds does.
    const std::int64_t in_block = code_.uneven || tiles_.turn != 0 ? 0 : wave_begin_ % kBlock;
    for (std::int64_t p = wave_begin_ - in_block; p < wave_end_;) {
      p = std::min(p + chunk, wave_end_);
      bounds_->push_back(p);
    }
  }
}

// Cuts the next wave of chunks; false if there is none.
bool KernelRun::next_wave() {
  if (wave_end_ == part_.end() && !bounds_->empty()) return false;
  wave_begin_ = bounds_->empty() ? part_.begin() : wave_end_;
  wave_end_ = code_.in_waves ? std::min(part_.end(), wave_begin_ / kBlock * kBlock + kWave * code_.chunk)
                             : part_.end();
  cut();
  return true;
}

// What is kept of every chunk until the end; not counted as memory of vectors.
bool KernelRun::too_many_chunks() const {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  const auto each = static_cast<std::int64_t>(code_.chunk_bytes + sizeof(std::int64_t));
  return !code_.in_waves && !code_.whole && (part_.end() - part_.begin()) / code_.chunk > kMostBytes / each;
}

std::size_t KernelRun::workspace_bytes() const {
  std::size_t args = args_bytes(code_.main);
  for (const Stage& sweep : code_.sweeps) args = std::max(args, args_bytes(sweep));
  for (const Stage* stage : {main_, row_})
    if (stage != nullptr) args = std::max(args, args_bytes(*stage));
  return scratch_bytes() + code_.worker_bytes + round64(code_.providers.size() * sizeof(SegmentCursor)) +
         round64(args) + (code_.stored.size() + code_.advanced.size()) * kTailBytes +
         code_.folds.size() * kLanesBytes;
}

bool KernelRun::stopped() const {
  return context_.trapped.load(std::memory_order_relaxed) || part_.deserted() ||
         context_.run->host->cancelled();
}

RunStatus KernelRun::run() {
  part_.set(context_.length(code_.space), context_.run->part);
  each_ = {part_.space(), part_.space(), 1, nullptr, nullptr};
  if (too_many_chunks()) return RunStatus::kNoMemory;
  static_cast<void>(next_wave());
  const int threads = code_.serial || chunks() == 1 ? 1 : std::max(1, context_.run->threads);
  looks_back_ = code_.counts && !code_.scans && chunks() > 1;
  // Filters beside scans need the counts of all chunks first; a part tells its totals before it goes on.
  const bool first = code_.scans && ((code_.counts && chunks() > 1) || (!part_.whole() && !code_.whole));
  striped_ = code_.stripes && part_.whole() && part_.space() >= kLeastStriped &&
             (code_.stripes_alone || threads > 1);
  links_ = code_.scans && !first && (striped_ || (!code_.counts && chunks() > 1 && threads > 1));
  in_order_ = !first && !looks_back_ && !links_;
  chains_ = looks_back_ || (first && code_.folds_kept);
  threads_ = in_order_ && code_.scans ? 1 : threads;
  carries_at_ = chunks() * code_.chunk_bytes;
  chunk_memory_->resize(carries_at_ + code_.carry_bytes);
  for (const std::int32_t v : code_.stored) {
    const plan::LengthId length = context_.plan->vars[static_cast<std::size_t>(v)].length;
    if (!context_.allocate(v, context_.length(length))) return RunStatus::kNoMemory;
  }
  for (const auto& sink : code_.sinks)
    if (!sink->bind(*this)) return RunStatus::kNoMemory;
  main_ = &main_stage();
  row_ = row_stage();
  if (row_ == nullptr) look_for_stretches(*main_);
  for (const Stage& sweep : code_.sweeps) look_for_stretches(sweep);
  if (row_ != nullptr) context_.run->host->ran(plan::KernelWay::kRows);
  if (!stretches_.empty()) context_.run->host->ran(plan::KernelWay::kStretches);
  const Stage* stage = row_ != nullptr                   ? row_
                       : stretches_of(*main_) != nullptr ? stretches_of(*main_)->loads
                                                         : main_;
  if (stage->narrow_bytes != 0 && part_.space() >= lanes() * 8 / stage->narrow_bytes)
    context_.run->host->ran(plan::KernelWay::kNarrowLanes);
  if (first && !first_sweeps()) return stopped() ? status() : RunStatus::kNoMemory;
  do {
    over_chunks([this](Work& w) { links_ ? linked_sweeps(w) : last_sweep(w); });
    if (stopped()) return status();
    for (const auto& sink : code_.sinks) sink->settle(*this);
  } while (next_wave());
  finish();
  return RunStatus::kDone;
}

RunStatus KernelRun::status() const {
  return context_.trapped.load(std::memory_order_relaxed) ? RunStatus::kTrapped : RunStatus::kCancelled;
}

void KernelRun::finish() {
  for (const auto& sink : code_.sinks) sink->finish(*this);
  for (const std::int32_t v : code_.stored) {
    Bound& b = context_.var(v);
    if (b.length == 1) b.cell = load_cell(&b.cell, b.storage, 0);
  }
  if (context_.run->part != nullptr) return;
  for (const KernelCode::MadeDesc& made : code_.made)
    make_kept_desc(context_, made.desc, context_.length(made.total));
}

// Streaming stores pay when results are large and addresses allow them.
const Stage& KernelRun::main_stage() {
  if (code_.main.function == nullptr || code_.cut != soac::kNone || tiles_.turn != 0 ||
      part_.begin() % kBlock != 0)
    return code_.main;
  std::int64_t bytes = 0;
  for (const std::int32_t v : code_.stored) {
    const Bound& b = context_.var(v);
    bytes += b.length * static_cast<std::int64_t>(storage_bytes(b.storage));
    if (reinterpret_cast<std::uintptr_t>(b.data) % 64 != 0) return code_.main;
  }
  if (bytes < kStreamingBytes) return code_.main;
  code_.streaming_once([&] {
    StageSpec spec = code_.main_spec;
    spec.streaming = true;
    std::string reason;
    if (!machine_.memory.compile(spec, code_.name + ".streaming", code_.streaming, reason))
      code_.streaming = {};
  });
  return code_.streaming.function != nullptr ? code_.streaming : code_.main;
}

const Stage* KernelRun::row_stage() {
  if (!code_.row_spec || main_ != &code_.main || code_.main.function == nullptr) return nullptr;
  const plan::Desc& d = context_.desc(code_.row_spec->row);
  if (d.total != part_.space() || d.segments == 0 || part_.space() / d.segments < kLeastRow) return nullptr;
  for (const std::int32_t v : code_.row_spec->straight.lists) {
    const std::int32_t list = code_.body.insts[static_cast<std::size_t>(v)].var;
    const Bound& b = context_.var(list);
    const auto is_it = [list](const auto& known) { return known.first == list; };
    if (std::any_of(lists_.begin(), lists_.end(), is_it)) continue;
    if (b.length < 2 || b.length > part_.space() / kRowsForList) return nullptr;
    auto runs = ListRuns::of(b.data, b.storage, b.length);
    if (!runs) return nullptr;
    lists_.emplace_back(list, std::move(*runs));
  }
  code_.row_once([&] {
    std::string reason;
    if (!machine_.memory.compile(*code_.row_spec, code_.name + ".rows", code_.row, reason)) code_.row = {};
  });
  if (code_.row.function == nullptr) return nullptr;
  if (d.offsets == nullptr)
    same_in_rows_ = RowStretches(code_.row_spec->straight, code_.body, context_.plan->int_bits,
                                 d.regular_length, stretch_facts());
  return &code_.row;
}

// Chunks that wait for the one before must be begun in order.
Shares KernelRun::shares() const {
  if (share_count_ != 0) return Shares(std::span(share_ends_).first(share_count_));
  return {chains_ || links_ ? 1 : threads_, static_cast<std::int64_t>(chunks())};
}

template <typename F>
void KernelRun::over_chunks(F body) {
  Shares open = shares();
  const auto worker = [&](int number) {
    const Threads::Workspace space(machine_.threads, workspace_bytes());
    Work w;
    w.kernel = this;
    w.memory = space.data();
    w.cursors = reinterpret_cast<SegmentCursor*>(w.memory + scratch_bytes() + code_.worker_bytes);
    for (std::int64_t c = open.next(number); c >= 0 && !stopped(); c = open.next(number)) {
      w.chunk = static_cast<std::size_t>(c);
      w.chunk_begin = (*bounds_)[w.chunk];
      w.chunk_end = (*bounds_)[w.chunk + 1];
      w.from = w.chunk_begin;
      body(w);
    }
  };
  if (threads_ == 1 || chunks() == 1) return worker(0);
  const auto share = [&](int number) {
    context_.run->host->begin_share();
    worker(number);
    context_.run->host->end_share();
  };
  part_.shared() != nullptr ? Threads::run_apart(threads_, share) : machine_.threads.run(threads_, share);
}

// At least once, for the sake of segments that are empty.
template <typename F>
void KernelRun::over_blocks(Work& w, F body) {
  seek_providers(code_, context_, each_, w, w.chunk_begin);
  if (tiles_.turn != 0)
    return for_each_tile(tiles_, w.from, w.chunk_end, [&](std::int64_t begin, std::int64_t end) {
      w.begin = begin;
      w.n = end - begin;
      if (!context_.trapped.load(std::memory_order_relaxed)) body();
    });
  w.begin = w.from;
  do {
    w.n = block_length(code_, part_, w);
    if (row_ == nullptr) expand(w);
    w.expanded = false;
    body();
    w.begin += w.n;
  } while (w.begin < w.chunk_end && !stopped());
}

// False: stopped, or out of memory.
bool KernelRun::first_sweeps() {
  const auto settle = [this](std::int32_t sweep) {
    return std::all_of(code_.sinks.begin(), code_.sinks.end(),
                       [&](const auto& sink) { return sink->sweep != sweep || sink->between(*this); });
  };
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(code_.sweeps.size()); ++s) {
    over_chunks([&](Work& w) { first_sweep(w, s); });
    if (stopped() || !settle(s)) return false;
  }
  return settle(soac::kNone);
}

void KernelRun::first_sweep(Work& w, std::int32_t sweep) {
  for (const auto& sink : code_.sinks) {
    if (sink->sweep == sweep) sink->first_begin(w);
    if (sink->sweep != soac::kNone && sink->sweep < sweep) sink->begin(w);
  }
  if (striped_) run_stripes(code_.sweeps[static_cast<std::size_t>(sweep)], w, sweep);
  over_blocks(w, [&] {
    for (std::int32_t s = 0; s < sweep && !code_.runs_scans; ++s) swept_block(w, s);
    run_stage(code_.sweeps[static_cast<std::size_t>(sweep)], w);
    for (const auto& sink : code_.sinks)
      if (sink->sweep == sweep) sink->first_block(w);
  });
  for (const auto& sink : code_.sinks)
    if (sink->sweep == sweep) sink->first_end(w);
}

void KernelRun::swept_block(Work& w, std::int32_t sweep) {
  run_stage(code_.sweeps[static_cast<std::size_t>(sweep)], w);
  for (const auto& sink : code_.sinks)
    if (sink->sweep == sweep) sink->scan_block(w);
}

void KernelRun::last_sweep(Work& w) {
  for (const auto& sink : code_.sinks) sink->begin(w);
  if (striped_) run_stripes(*main_, w, static_cast<std::int32_t>(code_.sweeps.size()));
  over_blocks(w, [&] {
    if (code_.scans && !code_.runs_scans)
      for (std::size_t s = 0; s < code_.sweeps.size(); ++s) swept_block(w, static_cast<std::int32_t>(s));
    run_stage(*main_, w);
    for (const auto& sink : code_.sinks) sink->block(w);
  });
  if (chains_ && !chain(w, 0)) return;  // where the chunk starts is not known
  for (const auto& sink : code_.sinks) sink->end(w);
}

// Sweep after sweep over one chunk, which stays in the cache; each begins when the chunk before has been
// through the one in front, and nobody waits for the chunks behind.
void KernelRun::linked_sweeps(Work& w) {
  const bool last = w.chunk + 1 == chunks();
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(code_.sweeps.size()) && !stopped(); ++s) {
    if (!last || striped_) first_sweep(w, s);  // striped: its lanes' totals
    if (!chain(w, s)) return;
  }
  if (!stopped()) last_sweep(w);
}

// The chunk before this one was begun earlier, so it is being worked on: the wait is short unless its thread
// has lost its processor.
bool KernelRun::chain(Work& w, std::int32_t sweep) {
  constexpr int kSpins = 4096;
  std::atomic<std::size_t>& chained = chained_[sweep];
  for (int i = 0; chained.load(std::memory_order_acquire) != w.chunk; ++i) {
    if (stopped()) return false;
    if (i < kSpins)
      __builtin_ia32_pause();
    else
      std::this_thread::yield();
  }
  for (const auto& sink : code_.sinks)
    if (!links_ || sink->sweep == sweep) sink->chain(w);
  chained.store(w.chunk + 1, std::memory_order_release);
  return true;
}

// By rows, blocks are expanded where need be only.
void KernelRun::expand_once(Work& w) {
  if (w.expanded) return;
  seek_providers(code_, context_, each_, w, w.begin);
  expand(w);
  w.expanded = true;
}

void KernelRun::expand(Work& w) {
  if (w.n == 0) return;
  for (std::size_t p = 0; p < code_.providers.size(); ++p) {
    const Provider& q = code_.providers[p];
    const void* table = q.what == Expand::kTable ? context_.var(q.source).data : nullptr;
    const plan::Desc* other =
        q.what == Expand::kOffset || q.what == Expand::kLength ? &context_.desc(q.source) : nullptr;
    routines().expand(w.cursors[p], q.what, table, other, q.bytes, w.begin, w.n,
                      w.scratch<std::byte>(q.scratch));
  }
}

void lay_out(KernelCode& code) {
  for (const auto& sink : code.sinks) {
    sink->worker_at = code.worker_bytes;
    sink->chunk_at = code.chunk_bytes;
    sink->carry_at = code.carry_bytes;
    code.worker_bytes += round64(sink->worker_bytes());
    code.chunk_bytes += round64(sink->chunk_bytes());
    code.carry_bytes += round64(sink->carry_bytes());
  }
  constexpr std::int64_t kAside = 768 * 1024;  // bytes, of all filtered stores
  while (code.chunk * code.aside_bytes > kAside && code.chunk > 4 * kReduceBlock) code.chunk /= 2;
}

void make_kept_desc(RunContext& context, std::int32_t desc, std::int64_t total) {
  const Bound& counts = context.var(desc);
  plan::Desc& d = context.desc(desc);
  d = {counts.length, total, total, nullptr};
  if (context.plan->vars[static_cast<std::size_t>(desc)].form == plan::DescForm::kOneSegment) return;
  auto offsets = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(d.segments) + 1);
  offsets[0] = 0;
  const auto* each = static_cast<const std::int64_t*>(counts.data);
  std::partial_sum(each, each + d.segments, offsets.get() + 1);
  d.offsets = offsets.get();
  context.offsets.push_back(std::move(offsets));
}

RunStatus run_kernel(const KernelCode& code, RunContext& context, Machine& machine) {
  if (context.run->part != nullptr && context.run->part->exchange != nullptr)
    return KernelRun(code, context, machine, {}).run();
  if (const OuterCode* outer = by_segment(code, context)) {
    const Tiles tiles = tiles_of(*outer, context);
    context.run->host->ran(tiles.turn == 0 ? plan::KernelWay::kLanePerSegment : plan::KernelWay::kTiles);
    return KernelRun(*outer->code, context, machine, tiles).run();
  }
  if (!runs_in_parts(code, context)) return KernelRun(code, context, machine, {}).run();
  const RunStatus status = KernelRun(*code.in_parts->code, context, machine, {}).run();
  if (std::exchange(context.wraps, false)) {
    code.in_parts->wraps.store(true, std::memory_order_relaxed);
    return KernelRun(code, context, machine, {}).run();
  }
  context.run->host->ran(plan::KernelWay::kOneSweep);
  return status;
}

}  // namespace nvm::vm::cpu
