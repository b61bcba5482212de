#include "vm/cpu/codegen/runs.h"

#include <cstring>

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

int readers(const plan::Kernel& kernel, std::int32_t value) {
  int n = 0;
  for (const BodyInst& in : kernel.body.insts) n += (in.a == value) + (in.b == value) + (in.c == value);
  for (const plan::Sink& s : kernel.sinks) n += (s.value == value) + (s.index == value) + (s.flag == value);
  return n;
}

// A few moves of whole words, which overlap: no loop over bytes, and nothing is written behind the run.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t n) {
  const auto ends = [&]<typename T>(T first, T last) {
    std::memcpy(&first, from, sizeof(T));
    std::memcpy(&last, from + n - sizeof(T), sizeof(T));
    std::memcpy(to, &first, sizeof(T));
    std::memcpy(to + n - sizeof(T), &last, sizeof(T));
  };
  constexpr std::size_t kShort = 128;
  if (n > kShort) {
    std::memcpy(to, from, n);
    return;
  }
  if (n >= 16) {
    for (std::size_t i = 16; i < n; i += 16) std::memcpy(to + i - 16, from + i - 16, 16);
    std::memcpy(to + n - 16, from + n - 16, 16);
    return;
  }
  if (n >= 8) return ends(std::uint64_t{}, std::uint64_t{});
  if (n >= 4) return ends(std::uint32_t{}, std::uint32_t{});
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}

// to[i * to_step] = from[i * from_step], in order.
template <typename T>
void copy_run(T* to, std::int64_t to_step, const T* from, std::int64_t from_step, std::int64_t n) {
  if (to_step == 1 && from_step == 1) {
    copy_bytes(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
               static_cast<std::size_t>(n) * sizeof(T));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
}

// One number for each segment, as it is bound.
class Numbers {
 public:
  Numbers(RunContext& context, const plan::PerSegment& p) : first_(p.number) {
    if (p.var == kNone) return;
    const Bound& b = context.var(p.var);
    if (b.length == 1) {
      first_ = static_cast<std::int64_t>(load_cell(&b.cell, b.storage, 0));
      return;
    }
    (b.storage == Storage::kI64 ? each_ : other_) = b.data;
    storage_ = b.storage;
  }
  [[nodiscard]] std::int64_t at(std::int64_t s) const {
    if (each_ != nullptr) return static_cast<const std::int64_t*>(each_)[s];
    return other_ == nullptr ? first_ : static_cast<std::int64_t>(load_cell(other_, storage_, s));
  }

 private:
  std::int64_t first_ = 0;
  const void* each_ = nullptr;   // of eight bytes
  const void* other_ = nullptr;  // of fewer
  Storage storage_ = Storage::kI64;
};

// A run of the block: elements [begin, end) of the space, and where they belong in the other vector.
struct Run {
  std::int64_t begin = 0, end = 0;
  std::int64_t place = 0, stride = 0;
};

class RunWalk {
 public:
  // `length` of the other vector.
  RunWalk(RunContext& context, const RunPlaces& p, std::int64_t length)
      : inner_(p.inner == kNone ? nullptr : &context.desc(p.inner)),
        outer_(p.outer == kNone ? nullptr : &context.desc(p.outer)),
        length_(length),
        starts_(context, p.places.start),
        strides_(context, p.places.stride) {}

  // move(run) for every run of elements [begin, begin + n); `segment` is one that does not lie behind the
  // first, and goes on to the last. False: a place is none.
  template <typename Move>
  [[nodiscard]] bool go(std::int64_t& segment, std::int64_t begin, std::int64_t n, Move move) const {
    const std::int64_t end = begin + n;
    Run run;
    for (run.begin = begin; run.begin < end; run.begin = run.end) {
      std::int64_t start = 0;
      run.end = end;
      if (inner_ != nullptr) {
        std::int64_t stop = segment_offset(*inner_, segment + 1);
        while (stop <= run.begin) stop = segment_offset(*inner_, ++segment + 1);
        start = segment_offset(*inner_, segment);
        run.end = std::min(stop, end);
      }
      if (!find(segment, run.begin - start, run)) return false;
      move(run);
    }
    return true;
  }

 private:
  // A segment's places are all in it if those at its ends are: only then nothing wraps.
  [[nodiscard]] bool find(std::int64_t segment, std::int64_t within, Run& run) const {
    const std::int64_t base = outer_ == nullptr ? 0 : segment_offset(*outer_, segment);
    const std::int64_t length = outer_ == nullptr ? length_ : segment_offset(*outer_, segment + 1) - base;
    std::int64_t first = 0, last = 0;
    run.stride = strides_.at(segment);
    if (__builtin_mul_overflow(run.stride, within, &first) ||
        __builtin_add_overflow(first, starts_.at(segment), &first) ||
        __builtin_mul_overflow(run.stride, run.end - run.begin - 1, &last) ||
        __builtin_add_overflow(last, first, &last))
      return false;
    run.place = base + first;
    return first >= 0 && first < length && last >= 0 && last < length;
  }

  const plan::Desc* inner_;
  const plan::Desc* outer_;
  std::int64_t length_;
  Numbers starts_, strides_;
};

// A scatter, or a store of what is gathered: by places of the result, or of the vector `s.direct`.
class RunMove final : public SinkCode {
 public:
  RunMove(const SinkSpec& s, const RunPlaces& places, bool gathers)
      : s_(s), places_(places), gathers_(gathers) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(std::int64_t); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return gathers_ ? run.context().allocate(s_.sink->out, run.part().space()) : start_scatter(run, s_);
  }
  void begin(Work& w) const override {
    segment(w) =
        places_.inner == kNone ? 0 : seek(w.kernel->context().desc(places_.inner), w.chunk_begin).segment;
  }
  void block(Work& w) const override {
    switch (storage_bytes(s_.out_storage)) {
      case 8: return move<std::uint64_t>(w);
      case 4: return move<std::uint32_t>(w);
      default: return move<std::uint8_t>(w);
    }
  }
  void finish(KernelRun& run) const override {
    Bound& b = run.context().var(s_.sink->out);
    if (b.length == 1 && b.data != nullptr) b.cell = load_cell(b.data, b.storage, 0);
  }

 private:
  [[nodiscard]] std::int64_t& segment(const Work& w) const {
    return w.kernel->worker_state<std::int64_t>(w, *this);
  }
  template <typename T>
  void move(Work& w) const {
    RunContext& context = w.kernel->context();
    T* to = static_cast<T*>(context.var(s_.sink->out).data);
    const T* from = gathers_ ? static_cast<const T*>(context.var(s_.direct).data)
                             : static_cast<const T*>(block_values(w, s_)) - w.begin;
    std::vector<plan::Write>* writes = gathers_ ? nullptr : w.kernel->part().writes(s_.number);
    const RunWalk walk(context, places_, context.var(gathers_ ? s_.direct : s_.sink->out).length);
    const bool inside = walk.go(segment(w), w.begin, w.n, [&](const Run& run) {
      if (writes != nullptr)
        for (std::int64_t i = run.begin; i < run.end; ++i)
          writes->push_back({run.place + (i - run.begin) * run.stride, simd::to_bits(from[i])});
      else if (gathers_)
        copy_run(to + run.begin, 1, from + run.place, run.stride, run.end - run.begin);
      else
        copy_run(to + run.place, run.stride, from + run.begin, 1, run.end - run.begin);
    });
    if (!inside) w.kernel->trap();
  }
  SinkSpec s_;
  RunPlaces places_;
  bool gathers_;
};

}  // namespace

std::optional<RunPlaces> runs_of_scatter(const soac::Body& body, const plan::Sink& sink) {
  if (sink.flag != kNone || sink.filter != kNone) return std::nullopt;
  RunPlaces found;
  std::int32_t index = sink.index;
  const BodyInst& in = body.insts[static_cast<std::size_t>(index)];
  if (in.pull == Pull::kSegPlace) {
    if (in.desc == kNone || in.b != kNone) return std::nullopt;
    found.inner = in.desc;
    found.outer = in.desc2;
    index = in.a;
  }
  const auto places = plan::affine_within(body, index, found.inner);
  if (!places) return std::nullopt;
  found.places = *places;
  return found;
}

std::optional<RunPlaces> runs_of_store(const plan::Kernel& kernel, const std::vector<plan::Var>& vars,
                                       const plan::Sink& sink) {
  const BodyInst& in = kernel.body.insts[static_cast<std::size_t>(sink.value)];
  if (in.pull != Pull::kSegGather || in.desc == kNone || in.b != kNone) return std::nullopt;
  const auto storage = [&](std::int32_t v) { return vars[static_cast<std::size_t>(v)].storage; };
  if (readers(kernel, sink.value) != 1 || storage(in.var) != storage(sink.out)) return std::nullopt;
  const auto places = plan::affine_within(kernel.body, in.a, in.desc);
  if (!places) return std::nullopt;
  return RunPlaces{in.desc, in.desc2, *places};
}

std::unique_ptr<SinkCode> make_run_scatter(const SinkSpec& spec, const RunPlaces& places) {
  return std::make_unique<RunMove>(spec, places, false);
}
std::unique_ptr<SinkCode> make_run_gather(const SinkSpec& spec, const RunPlaces& places) {
  return std::make_unique<RunMove>(spec, places, true);
}

}  // namespace nvm::vm::cpu
