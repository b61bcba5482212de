// Runs a stage over a block: whole vectors by whichever of its functions fits, then the rest.
#include <algorithm>
#include <cstring>

#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/codegen/stripes.h"
#include "vm/cpu/workspace.h"

namespace nvm::vm::cpu {

void KernelRun::fill_slots(const Stage& stage, Work& w, std::int64_t done, StageArgs& args) {
  const auto address = [](const void* p, std::int64_t bytes) {
    return reinterpret_cast<std::uint64_t>(p) + static_cast<std::uint64_t>(bytes);
  };
  // Scratch is numbered from the block's begin; its arrays hold elements of several widths, told by bytes.
  for (std::size_t i = 0; i < stage.slots.size(); ++i) {
    const Slot& s = stage.slots[i];
    std::uint64_t& cell = args.slots[i];
    switch (s.kind) {
      case SlotKind::kElement:
      case SlotKind::kOut: cell = address(context_.var(s.id).data, (w.begin + done) * s.bytes); break;
      case SlotKind::kScratch: cell = address(w.scratch<std::byte>(s.id), done * s.bytes); break;
      case SlotKind::kLanes:
        cell = address(worker_state<ReduceState>(w, *code_.folds[static_cast<std::size_t>(s.id)]).lanes, 0);
        break;
      case SlotKind::kStripes:
        cell = address(code_.advanced[static_cast<std::size_t>(s.id)]->stripes(w), 0);
        break;
      case SlotKind::kStraight: {
        const std::int64_t from = w.stretch->of(s.id).at(w.begin + done);
        cell =
            address(context_.var(code_.body.insts[static_cast<std::size_t>(s.id)].var).data, from * s.bytes);
        break;
      }
      case SlotKind::kStride: cell = static_cast<std::uint64_t>(w.stretch->of(s.id).stride * s.bytes); break;
      case SlotKind::kOfRow: {
        const soac::BodyInst& pull = code_.body.insts[static_cast<std::size_t>(s.id)];
        cell = static_cast<std::uint64_t>(w.row->number);
        if (pull.pull == soac::Pull::kPerSegment) {
          const Bound& b = context_.var(pull.var);
          cell = load_cell(b.data, b.storage, w.row->number);
        }
        break;
      }
      case SlotKind::kInRow: cell = static_cast<std::uint64_t>(w.begin + done - w.row->begin); break;
      case SlotKind::kSegmentLength:
        cell = static_cast<std::uint64_t>(context_.desc(s.id).regular_length);
        break;
      case SlotKind::kBase: cell = address(context_.var(s.id).data, 0); break;
      case SlotKind::kLength: cell = static_cast<std::uint64_t>(context_.var(s.id).length); break;
      case SlotKind::kAdvance: cell = *code_.advanced[static_cast<std::size_t>(s.id)]->advanced(w); break;
      case SlotKind::kUniform: cell = context_.var(s.id).cell; break;
      case SlotKind::kDescTotal: cell = static_cast<std::uint64_t>(context_.desc(s.id).total); break;
    }
  }
  args.index = w.begin + done;
  args.phase = done / lanes() % (kReduceLanes / lanes());
}

void KernelRun::take_back(const Stage& stage, Work& w, const StageArgs& args) {
  if (code_.advanced.empty()) return;
  for (std::size_t i = 0; i < stage.slots.size(); ++i)
    if (stage.slots[i].kind == SlotKind::kAdvance)
      *code_.advanced[static_cast<std::size_t>(stage.slots[i].id)]->advanced(w) = args.slots[i];
}

// Uniform values and lengths are settled before a kernel runs.
StretchFacts KernelRun::stretch_facts() {
  const bool wide = context_.plan->int_bits == IntBits::k64;
  return {[this, wide](std::int32_t v) {
            const auto cell = static_cast<std::int64_t>(context_.var(v).cell);
            return wide ? cell : static_cast<std::int32_t>(cell);
          },
          [this](const soac::BodyInst& gather) {
            return gather.pull == soac::Pull::kGather ? context_.var(gather.var).length
                                                      : context_.desc(gather.desc2).total;
          },
          [this](std::int32_t v, std::int64_t i) {
            const Bound& b = context_.var(v);
            return static_cast<std::int64_t>(load_cell(b.data, b.storage, i));
          },
          [this](std::int32_t v, std::int64_t i) {
            for (const auto& [list, runs] : lists_)
              if (list == v) return runs.at(i);
            return ListRuns::Element{};
          }};
}

void KernelRun::look_for_stretches(const Stage& stage) {
  if (stage.straight == nullptr) return;
  auto found =
      find_stretches(stage.indices, code_.body, context_.plan->int_bits, part_.space(), stretch_facts());
  if (found.empty()) return;
  const Stage* loads = stage.straight.get();
  if (const auto strided = strided_loads(found[0], code_.body); !strided.empty()) {
    if (&stage != main_) return;
    loads = code_.strided.stage(code_, stage.indices, strided, part_.space(), machine_.memory);
    if (loads == nullptr) return;
    context_.run->host->ran(plan::KernelWay::kStridedLoads);
  }
  stretches_.push_back({&stage, loads, std::move(found)});
}

const KernelRun::Stretches* KernelRun::stretches_of(const Stage& stage) const {
  for (const Stretches& s : stretches_)
    if (s.stage == &stage) return &s;
  return nullptr;
}

// Whole vectors: those inside of a stretch by the second function, what straddles a seam by the first.
void KernelRun::run_whole(const Stage& stage, Work& w, std::int64_t whole, StageArgs& args) {
  const Stretches* stretches = stretches_of(stage);
  if (stretches == nullptr) return run_part(stage, w, 0, whole, args);
  const std::vector<Stretch>& found = stretches->found;
  const std::int64_t lanes = this->lanes();
  std::int64_t done = 0;
  const auto first = std::upper_bound(found.begin(), found.end(), w.begin,
                                      [](std::int64_t i, const Stretch& s) { return i < s.end; });
  for (auto s = first; s != found.end() && s->begin < w.begin + whole; ++s) {
    const std::int64_t from = (std::max(s->begin - w.begin, done) + lanes - 1) / lanes * lanes;
    const std::int64_t to = std::min(s->end - w.begin, whole) / lanes * lanes;
    if (from >= to) continue;
    run_part(stage, w, done, from, args);
    w.stretch = &*s;
    run_part(*stretches->loads, w, from, to, args);
    done = to;
  }
  run_part(stage, w, done, whole, args);
}

// The first part of a chunk, as long as the lanes' parts are equal and whole turns. Scans of `sweep` are
// totalled, those before are run.
void KernelRun::run_stripes(const Stage& stage, Work& w, std::int32_t sweep) {
  w.from = w.chunk_begin;
  const std::int64_t length = w.chunk_end - w.chunk_begin;
  if (length < kLeastStriped) return;
  w.begin = w.chunk_begin;
  const std::int64_t each = stripe_length(length, lanes());
  w.n = each * lanes();
  for (const auto& sink : code_.sinks)
    if (sink->sweep != soac::kNone && sink->sweep <= sweep) sink->stripes_begin(w, sink->sweep == sweep);
  StageArgs& args = start_args(w);
  args.stride = each;
  run_part(*stage.striped, w, 0, w.n, args);
  if (args.trapped != 0) trap();
  for (const auto& sink : code_.sinks) {
    if (sink->sweep != soac::kNone && sink->sweep <= sweep) sink->stripes_end(w, sink->sweep == sweep);
    if (&stage == main_) sink->block(w);
  }
  w.from += w.n;
}

void KernelRun::run_part(const Stage& stage, Work& w, std::int64_t from, std::int64_t to, StageArgs& args) {
  if (from >= to) return;
  args.n = to - from;
  fill_slots(stage, w, from, args);
  stage.function(&args);
  take_back(stage, w, args);
}

// For whole vectors.
StageArgs& KernelRun::start_args(Work& w) {
  auto* after = w.memory + scratch_bytes() + code_.worker_bytes +
                round64(code_.providers.size() * sizeof(SegmentCursor));
  auto& args = *reinterpret_cast<StageArgs*>(after);
  args.trapped = 0;
  args.active = 0xFF;
  for (std::int64_t& lane : args.active_lanes) lane = -1;
  return args;
}

void KernelRun::run_stage(const Stage& stage, Work& w) {
  if (stage.function == nullptr || w.n == 0) return;
  if (row_ != nullptr) return run_rows(w);
  StageArgs& args = start_args(w);
  const std::int64_t whole = w.n / lanes() * lanes();
  if (whole > 0) run_whole(stage, w, whole, args);
  if (whole < w.n) run_tail(stage, w, whole, w.n - whole, args);
  if (args.trapped != 0) trap();
}

// Row after row of the block, each as far as its gathers are loads; what they are not, by the main stage.
// Results are stored where they belong, so the last vector of a stretch may begin inside the one before.
void KernelRun::run_rows(Work& w) {
  const plan::Desc& d = context_.desc(code_.row_spec->row);
  const StretchFacts facts = stretch_facts();
  const StretchIndices& indices = code_.row_spec->straight;
  StageArgs& args = start_args(w);
  Stretch stretch;
  w.stretch = &stretch;
  for (std::int64_t done = 0; done < w.n;) {
    const Row row = row_of(d, w.begin + done);
    w.row = &row;
    const bool straight =
        !same_in_rows_.hold(row, facts)
            ? find_stretch(indices, code_.body, context_.plan->int_bits, w.begin + done, row, facts, stretch)
            : same_in_rows_.find(w.begin + done, row, stretch);
    if (!straight) expand_once(w);
    const Stage& stage = straight ? *row_ : *main_;
    const std::int64_t end = std::min(stretch.end - w.begin, w.n);
    const std::int64_t all = stage.narrow_bytes != 0 ? lanes() * 8 / stage.narrow_bytes : lanes();
    const std::int64_t turn = end - done < all ? lanes() : all;
    const std::int64_t whole = done + (end - done) / turn * turn;
    run_part(stage, w, done, whole, args);
    if (whole < end && whole > done)
      run_part(stage, w, end - turn, end, args);
    else if (whole < end)
      run_tail(stage, w, whole, end - whole, args);
    if (args.trapped != 0) return trap();
    static_cast<void>(start_args(w));
    done = end;
  }
}

// Does the slot say where machine code writes whole vectors?
bool KernelRun::goes_aside(const Slot& s) const {
  if (s.kind == SlotKind::kAdvance) return code_.advanced[static_cast<std::size_t>(s.id)]->advances_place();
  return s.kind == SlotKind::kOut || s.kind == SlotKind::kLanes;
}

// One vector, of whose lanes `rest` count. Reading behind the end is allowed; writing is not, so results go
// aside first. Scratch has room.
void KernelRun::run_tail(const Stage& stage, Work& w, std::int64_t done, std::int64_t rest, StageArgs& args) {
  args.n = lanes();
  args.active = (std::uint64_t{1} << rest) - 1;
  for (std::int64_t i = 0; i < 4; ++i) args.active_lanes[i] = i < rest ? -1 : 0;
  fill_slots(stage, w, done, args);
  std::byte* aside = reinterpret_cast<std::byte*>(&args) + round64(args_bytes(stage));
  std::byte* place = aside;
  for (std::size_t i = 0; i < stage.slots.size(); ++i) {
    const Slot& s = stage.slots[i];
    if (!goes_aside(s)) continue;
    if (s.kind == SlotKind::kLanes) std::memcpy(place, reinterpret_cast<void*>(args.slots[i]), kLanesBytes);
    args.slots[i] = reinterpret_cast<std::uint64_t>(place);
    place += s.kind == SlotKind::kLanes ? kLanesBytes : kTailBytes;
  }
  stage.function(&args);
  place = aside;
  for (std::size_t i = 0; i < stage.slots.size(); ++i) {
    const Slot& s = stage.slots[i];
    if (s.kind == SlotKind::kAdvance) {
      std::uint64_t& cell = *code_.advanced[static_cast<std::size_t>(s.id)]->advanced(w);
      if (!goes_aside(s)) {
        cell = args.slots[i];
        continue;
      }
      const std::size_t packed = args.slots[i] - reinterpret_cast<std::uint64_t>(place);
      std::memcpy(reinterpret_cast<void*>(cell), place, packed);
      cell += packed;
      place += kTailBytes;
    } else if (s.kind == SlotKind::kOut) {
      auto* out = static_cast<std::byte*>(context_.var(s.id).data) + (w.begin + done) * s.bytes;
      std::memcpy(out, place, static_cast<std::size_t>(rest * s.bytes));
      place += kTailBytes;
    } else if (s.kind == SlotKind::kLanes) {
      const auto at = static_cast<std::size_t>(args.phase * args.n * s.bytes);
      auto* lanes = worker_state<ReduceState>(w, *code_.folds[static_cast<std::size_t>(s.id)]).lanes;
      std::memcpy(reinterpret_cast<std::byte*>(lanes) + at, place + at,
                  static_cast<std::size_t>(rest * s.bytes));
      place += kLanesBytes;
    }
  }
}

}  // namespace nvm::vm::cpu
