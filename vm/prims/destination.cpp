#include "vm/prims/destination.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "bytecode/base/stack.h"
#include "vm/prims/assembly.h"
#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/periodic_moves.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kLongRun = 4096;  // elements, on average: goes by all threads

BufferRef numbers(const PrimContext& context, std::int64_t n) {
  return context.pool->allocate(ByteCount::of<std::int64_t>(std::max<std::int64_t>(n, 1)));
}
std::int64_t* numbers_of(const BufferRef& memory) { return reinterpret_cast<std::int64_t*>(memory.data()); }

// The second operand of a move of n elements as runs of places; null if it is no such thing.
ViewRef take_runs(const PrimContext& context, const Value& places, std::int64_t n) {
  if (const auto* written = std::get_if<Vector>(&places))
    return written->length() == n ? runs_view(Segdes::regular(n, 1), *written) : nullptr;
  if (const View* periodic = view_of(places, &View::is_periodic_runs)) {
    const ViewRef plain = plain_runs(*periodic, context);
    return plain != nullptr ? take_runs(context, plain, n) : nullptr;
  }
  const View* f = view_of(places, &View::is_runs);
  return f != nullptr && f->s.total() == n ? std::get<ViewRef>(places) : nullptr;
}

// Where as many segments of `d` in each of `s` belong; false if they do not lie so.
bool refine_evenly(const Segdes& s, const Places& places, const Segdes& d, std::int64_t* out) {
  const std::int64_t n = d.is_regular() ? d.regular_length() : 0;
  if (n == 0 || !s.is_regular() || s.regular_length() == 0 || s.regular_length() % n != 0) return false;
  const std::int64_t each = s.regular_length() / n;
  if (each == 2) {
    for (std::int64_t k = 0; k < s.segments(); ++k) {
      out[2 * k] = places[k];
      out[2 * k + 1] = places[k] + n;
    }
    return true;
  }
  for (std::int64_t k = 0; k < s.segments(); ++k)
    for (std::int64_t i = 0; i < each; ++i) *out++ = places[k] + i * n;
  return true;
}

// Are equally long segments wanted one behind the other?
bool in_a_row(const Segdes& s, const Places& places) {
  if (!s.is_regular() || s.segments() < 2 || places[1] != places[0] + s.regular_length()) return false;
  if (places.list == nullptr) return true;
  std::int64_t differ = 0;
  for (std::int64_t k = 0; k < s.segments(); ++k) differ |= places[k] ^ (places[0] + k * s.regular_length());
  return differ == 0;
}

// One of those that are moved into one.
struct Stream {
  const Value& v;
  const View& runs;
  const Segdes& source;
  BufferRef places;  // of the runs
};

// Walks the runs of a stream, segment by segment.
class Cursor {
 public:
  Cursor(Stream& stream, const PrimContext& context)
      : stream_(stream),
        isa_(context.isa),
        run_lengths_(stream.runs.s, context),
        source_lengths_(stream.source, context),
        count_(stream.runs.s.segments()),
        elements_(stream.runs.base.list, context),
        first_(elements_, context),
        places_(numbers_of(stream.places)) {}

  // Before the first begin().
  void start() {
    runs_ = kernel_segments(stream_.runs.s);
    source_ = kernel_segments(stream_.source);
  }
  // The runs of segment k; false if one of them crosses its end.
  void begin(std::int64_t k) { end_ = source_.start(k + 1); }
  [[nodiscard]] bool more() const { return at_ < end_; }
  // Puts the runs down that go on at `place` of the segment, which lies at `base`.
  [[nodiscard]] bool take(std::int64_t base, std::int64_t& place) {
    bool any = false;
    while (at_ < end_) {
      const std::int64_t next = runs_.start(run_ + 1);
      if (next > at_) {
        if (first_[run_] != place) break;
        places_[run_] = base + place;
        place += next - at_;
        at_ = next;
        any = true;
      } else {
        places_[run_] = 0;
      }
      ++run_;
    }
    return any && at_ <= end_;
  }
  // Runs behind the last element are empty.
  void finish() { std::fill(places_ + run_, places_ + count_, std::int64_t{0}); }

  // How many runs each of so many segments has, if that is the same for all; 0 if it is not.
  [[nodiscard]] std::int64_t each(std::int64_t segments) const {
    return segments > 0 && count_ % segments == 0 ? count_ / segments : 0;
  }
  // Where run j goes in its segment.
  [[nodiscard]] std::int64_t first(std::int64_t j) const { return first_[j]; }
  [[nodiscard]] kernels::RunSlot slot(std::int64_t each, std::int64_t index) const {
    return {run_lengths_.view(), first_.at(0), first_.kind() == 0, places_, each, index};
  }
  // Do the runs end where the segments do, `each` in every one?
  [[nodiscard]] bool lie_evenly(std::int64_t each, std::int64_t segments) const {
    if (each == 1 && stream_.runs.s.identical(stream_.source)) return true;
    return kernel_table(isa_).runs_fill(run_lengths_.view(), each, source_lengths_.view(), segments);
  }

 private:
  const Stream& stream_;
  Isa isa_;
  LengthsOf run_lengths_, source_lengths_;
  kernels::Segments runs_, source_;
  std::int64_t count_;
  Elements elements_;
  Indices first_;
  std::int64_t* places_;
  std::int64_t run_ = 0, at_ = 0, end_ = 0;
};

// The runs of each segment in the order in which they lie there, if they are the same in all.
std::vector<kernels::RunSlot> slots_in_order(std::span<const std::unique_ptr<Cursor>> cursors,
                                             std::int64_t segments) {
  constexpr std::int64_t kSample = 64;  // segments
  std::vector<std::pair<std::int64_t, kernels::RunSlot>> slots;
  for (const auto& cursor : cursors) {
    const std::int64_t each = cursor->each(segments);
    if (each == 0 || each > kernels::kMostSlots || !cursor->lie_evenly(each, segments)) return {};
    for (std::int64_t i = 0; i < each; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < std::min(segments, kSample); ++k) sum += cursor->first(k * each + i);
      slots.push_back({sum, cursor->slot(each, i)});
    }
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<kernels::RunSlot> order;
  for (const auto& slot : slots) order.push_back(slot.second);
  return order;
}

// All of what is pending?
bool is_whole(const View& slice) { return slice.base.list.is_scalar() && slice.base.list.scalar_int() == 0; }

// BPERMUTE of all that is pending, by runs.
bool leave_slices(const PrimCall& call) {
  const View* all = view_of(call.operands[0], View::Source::kPending);
  const Segdes& source = segdes_operand(call, 2);
  const Segdes& dest = segdes_operand(call, 3);
  const ViewRef runs = take_runs(call.context, call.operands[1], dest.total());
  if (all == nullptr || !is_whole(*all) || source.segments() != dest.segments() ||
      source.total() != all->s.total() || runs == nullptr)
    return false;
  const std::int64_t count = runs->s.segments();
  Fresh begins = Fresh::of_positions(call.context, count);
  auto* out = reinterpret_cast<std::int64_t*>(begins.data());
  const Elements elements(runs->base.list, call.context);
  const Indices first(elements, call.context);
  const kernels::Segments along = kernel_segments(runs->s);
  const kernels::Segments within = kernel_segments(dest);
  const kernels::Segments from = kernel_segments(source);
  std::int64_t k = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    out[j] = 0;
    if (along.start(j) == along.start(j + 1)) continue;
    while (within.start(k + 1) <= along.start(j)) ++k;
    if (first[j] < 0 || along.start(j + 1) > within.start(k + 1) ||
        first[j] + along.start(j + 1) - along.start(j) > from.start(k + 1) - from.start(k))
      return false;
    out[j] = from.start(k) + first[j];
  }
  View f;
  f.source = View::Source::kPending;
  f.s = runs->s;
  f.base.list = begins.take();
  call.results[0] = make_view(std::move(f));
  return true;
}

// DPERMUTE as one more part of an assembly.
bool leave_part(const PrimCall& call) {
  const Segdes& dest = segdes_operand(call, 4);
  const View* before = view_of(call.operands[2], View::Source::kAssembly);
  AssemblyPart part;
  part.source = segdes_operand(call, 3);
  part.runs = take_runs(call.context, call.operands[1], part.elements());
  if (part.runs == nullptr || part.source.segments() != dest.segments() ||
      (before != nullptr && !same_segments(before->s, dest)))
    return false;
  part.v = call.operands[0];
  std::vector<AssemblyPart> parts;
  if (before != nullptr) parts = before->parts;
  parts.push_back(std::move(part));
  call.results[0] = assembly_value(dest, Vector(), std::move(parts));
  return true;
}

class Filler {
 public:
  Filler(const PrimContext& context, const Destination::Target& target, PendingSlice& slice)
      : context_(context), target_(target), slice_(slice) {}

  bool fill(const Value& value, const Segdes& s, const Places& places) {
    check_stack();
    if (const auto* v = std::get_if<Vector>(&value)) return put(*v, s, places);
    if (const View* slice = view_of(value, View::Source::kPending)) return pending(*slice, s, places);
    const View* f = view_of(value, View::Source::kAssembly);
    return f != nullptr && assembled(*f, s, places);
  }

 private:
  bool put(const Vector& v, const Segdes& s, const Places& places) {
    if (v.length() != s.total()) return false;
    if (v.length() == 0) return true;
    if (in_a_row(s, places)) return put(v, Segdes::regular(1, s.total()), Places::evenly(places[0], 0));
    const auto width = static_cast<std::int64_t>(storage_bytes(target_.storage));
    if (v.is_scalar() || v.storage() == target_.storage) {
      if (v.is_scalar() && !fits(v)) return false;
      return v.is_repeated() ? put_all(Elements(v, context_).data(), width, s, places)
                             : put_all(v.raw(), width, s, places);
    }
    if (!storage_is_int(v.storage()) || !storage_is_int(target_.storage) || v.is_repeated() ||
        v.storage() > target_.storage)
      return false;
    const Vector wide = stored_as(v, target_.storage, context_);
    return put_all(wide.raw(), width, s, places);
  }
  [[nodiscard]] bool fits(const Vector& scalar) const {
    if (!storage_is_int(target_.storage) || !storage_is_int(scalar.storage()))
      return scalar.storage() == target_.storage;
    const std::int64_t x = scalar.scalar_int();
    return target_.storage == Storage::kI64 ||
           (target_.storage == Storage::kI32 ? x == static_cast<std::int32_t>(x)
                                             : x == static_cast<std::int8_t>(x));
  }
  // As a list, which `memory` keeps if it is made here.
  const std::int64_t* listed(const Places& places, std::int64_t n, BufferRef& memory) const {
    if (places.list != nullptr) return places.list;
    memory = numbers(context_, n);
    for (std::int64_t k = 0; k < n; ++k) numbers_of(memory)[k] = places[k];
    return numbers_of(memory);
  }
  bool put_all(const std::byte* from, std::int64_t width, const Segdes& s, const Places& places) {
    if (context_.threads > 1 && s.total() >= 2 * context_.grain && s.total() / s.segments() >= kLongRun)
      return put_long(from, width, s, places);
    BufferRef memory;
    const std::int64_t* list = listed(places, s.segments(), memory);
    const LengthsOf lengths(s, context_);
    kernel_table(context_.isa)
        .put_runs(from, width, lengths.view(), s.segments(), s.total(), list, target_.data);
    return true;
  }
  bool put_long(const std::byte* from, std::int64_t width, const Segdes& s, const Places& places) {
    for_ranges(context_, s.total(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = segment_of(s, begin); k < s.segments() && s.offset(k) < end; ++k) {
        const std::int64_t first = std::max(s.offset(k), begin);
        const std::int64_t last = std::min(s.offset(k + 1), end);
        if (first < last)
          std::memcpy(target_.data + (places[k] + first - s.offset(k)) * width, from + first * width,
                      static_cast<std::size_t>((last - first) * width));
      }
    });
    return true;
  }

  // Where the segments of d, laid over those of s, belong; nothing if one would be torn apart. `memory` keeps
  // a list that is made here.
  std::optional<Places> refine(const Segdes& s, const Places& places, const Segdes& d, BufferRef& memory) {
    if (same_segments(s, d)) return places;
    if (s.total() != d.total()) return std::nullopt;
    if (d.is_regular() && d.regular_length() > 0 && s.is_regular() &&
        s.regular_length() % d.regular_length() == 0 && (s.segments() == 1 || in_a_row(s, places)))
      return Places::evenly(places[0], d.regular_length());
    memory = numbers(context_, d.segments() + 8);
    const std::int64_t* out = list_refined(s, places, d, numbers_of(memory));
    return out != nullptr ? std::optional(Places{out}) : std::nullopt;
  }
  const std::int64_t* list_refined(const Segdes& s, const Places& places, const Segdes& d,
                                   std::int64_t* out) const {
    if (refine_evenly(s, places, d, out) || refine_some(s, places, d, out)) return out;
    const kernels::Segments from = kernel_segments(s);
    const kernels::Segments to = kernel_segments(d);
    std::int64_t k = 0;
    std::int64_t begin = 0;
    for (std::int64_t j = 0; j < d.segments(); ++j) {
      const std::int64_t end = to.start(j + 1);
      out[j] = 0;
      if (end == begin) continue;
      while (from.start(k + 1) <= begin) ++k;
      out[j] = places[k] + begin - from.start(k);
      while (end > from.start(k + 1)) {  // goes on in the next one
        if (places[k + 1] != out[j] + from.start(k + 1) - begin && from.start(k + 1) != from.start(k + 2))
          return nullptr;
        ++k;
      }
      begin = end;
    }
    return out;
  }

  // The same if `d` is what is left of `s` without its empty segments.
  bool refine_some(const Segdes& s, const Places& places, const Segdes& d, std::int64_t* out) const {
    BufferRef memory;
    const std::int64_t* list = listed(places, s.segments(), memory);
    const LengthsOf from(s, context_);
    const LengthsOf to(d, context_);
    return kernel_table(context_.isa)
        .places_of_some(from.view(), s.segments(), list, to.view(), d.segments(), out);
  }

  // All of what is pending, in segments `s`. `memory`: what keeps the list of places, if nobody else wants
  // it.
  bool note_whole(const Segdes& s, const Places& places, BufferRef* memory = nullptr) {
    if (s.total() != slice_.s.total() || slice_.found) return false;  // it stands somewhere else, too
    const std::optional<Places> found = refine(s, places, slice_.s, slice_.memory);
    if (!found) return false;
    slice_.found = true;
    slice_.known = slice_.s.total();
    slice_.places = *found;
    if (found->list == nullptr || slice_.memory) return true;
    if (memory != nullptr) {
      slice_.memory = std::move(*memory);
      return true;
    }
    slice_.memory = numbers(context_, slice_.s.segments());
    std::copy_n(found->list, slice_.s.segments(), numbers_of(slice_.memory));
    slice_.places.list = numbers_of(slice_.memory);
    return true;
  }

  // Segments of what is pending: those of `s` begin at its elements `at`.
  bool note_parts(const Segdes& s, const std::int64_t* at, const Places& places) {
    const kernels::Segments slices = kernel_segments(slice_.s);
    if (!slice_.found) {
      slice_.found = true;
      slice_.memory = numbers(context_, slice_.s.segments());
      slice_.places.list = numbers_of(slice_.memory);
      std::fill_n(numbers_of(slice_.memory), slice_.s.segments(), std::int64_t{-1});
    }
    if (!slice_.memory) return false;  // all of it stands somewhere else
    std::int64_t* out = numbers_of(slice_.memory);
    std::int64_t k = 0;
    for (std::int64_t j = 0; j < s.segments(); ++j) {
      std::int64_t begin = at[j];
      const std::int64_t end = begin + s.length(j);
      if (begin == end) continue;
      if (k == slice_.s.segments() || slices.start(k) > begin) k = segment_of(slice_.s, begin);
      while (slices.start(k + 1) <= begin) ++k;
      for (std::int64_t place = places[j]; begin < end; ++k) {
        const std::int64_t n = slices.start(k + 1) - slices.start(k);
        if (n == 0) continue;
        if (slices.start(k) != begin || begin + n > end || out[k] >= 0) return false;
        out[k] = place;
        place += n;
        begin += n;
        slice_.known += n;
      }
    }
    return true;
  }

  // All of what is pending, or runs of it. `memory`: as note_whole.
  bool pending(const View& slice, const Segdes& s, const Places& places, BufferRef* memory = nullptr) {
    if (is_whole(slice)) return note_whole(s, places, memory);
    BufferRef own;
    const std::optional<Places> to = refine(s, places, slice.s, own);
    return to && note_parts(slice.s, slice.base.list.data<std::int64_t>(), *to);
  }

  // What DPERMUTEs put together, if it fills the whole.
  bool assembled(const View& f, const Segdes& s, const Places& places) {
    const Segdes& dest = f.s;
    std::vector<Stream> streams;
    for (const AssemblyPart& part : f.parts) streams.push_back({part.v, *part.runs, part.source, {}});
    BufferRef memory;
    const std::optional<Places> to = refine(s, places, dest, memory);
    BufferRef list;
    if (!to || !lay(streams, dest, listed(*to, dest.segments(), list))) return false;
    return std::all_of(streams.begin(), streams.end(), [&](Stream& stream) {
      const Places there{numbers_of(stream.places)};
      if (const View* slice = view_of(stream.v, View::Source::kPending))
        return pending(*slice, stream.runs.s, there, &stream.places);
      return fill(stream.v, stream.runs.s, there);
    });
  }

  // Where the runs of all streams belong, if they fill `dest`.
  bool lay(std::vector<Stream>& streams, const Segdes& dest, const std::int64_t* to) {
    std::vector<std::unique_ptr<Cursor>> cursors;
    std::int64_t elements = 0;
    for (Stream& stream : streams) {
      stream.places = numbers(context_, stream.runs.s.segments());
      cursors.push_back(std::make_unique<Cursor>(stream, context_));
      elements += stream.source.total();
    }
    if (elements != dest.total()) return false;
    const std::vector<kernels::RunSlot> order = slots_in_order(cursors, dest.segments());
    const auto count = static_cast<std::int64_t>(order.size());
    if (count >= 2 && count <= kernels::kMostSlots &&
        kernel_table(context_.isa)
            .lay_runs(order.data(), count, LengthsOf(dest, context_).view(), to, dest.segments()))
      return true;
    const kernels::Segments segments = kernel_segments(dest);
    for (const auto& cursor : cursors) cursor->start();
    for (std::int64_t k = 0; k < dest.segments(); ++k) {
      const std::int64_t length = segments.start(k + 1) - segments.start(k);
      for (const auto& cursor : cursors) cursor->begin(k);
      for (std::int64_t place = 0; place < length;) {
        bool any = false;
        for (const auto& cursor : cursors) any |= cursor->take(to[k], place);
        if (!any || place > length) return false;
      }
      for (const auto& cursor : cursors)
        if (cursor->more()) return false;
    }
    for (const auto& cursor : cursors) cursor->finish();
    return true;
  }

  const PrimContext& context_;
  const Destination::Target& target_;
  PendingSlice& slice_;
};

}  // namespace

Value pending_value(std::int64_t length) {
  View f;
  f.source = View::Source::kPending;
  f.s = Segdes::regular(1, length);
  f.base.list = Vector::of_int(0);
  return make_view(std::move(f));
}

bool leave_move(const PrimCall& call) {
  const bool left = call.op == Op::kBpermute ? leave_slices(call) : leave_part(call);
  if (left) took(call.context, FastPath::kLeaveMove);
  return left;
}

bool fill(const PrimContext& context, const Value& value, const Segdes& s, const Places& places,
          const Destination::Target& target, PendingSlice& slice) {
  const bool done = Filler(context, target, slice).fill(value, s, places);
  if (done) took(context, FastPath::kDestination);
  return done;
}

Places begins_of(const PrimContext& context, const Segdes& s, BufferRef& memory) {
  if (s.is_regular()) return Places::evenly(0, s.regular_length());
  memory = numbers(context, s.segments());
  const kernels::Segments segments = kernel_segments(s);
  for (std::int64_t k = 0; k < s.segments(); ++k) numbers_of(memory)[k] = segments.start(k);
  return {numbers_of(memory)};
}

}  // namespace nvm::vm
