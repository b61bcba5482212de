// +_DPERMUTE and the like: a copy of the defaults in which each is combined, from the left, with the values
// that go to its place. FLOATs have the same bits for any number of threads.
//
//   one thread        one pass in order
//   many segments     chunks of whole segments
//   one long segment  of few places, and where the order does not matter (INT, BOOL), each thread combines
//   its
//                     share of the values into a copy of the places that begins with identities; the copies
//                     are combined at the end. Else each thread takes a range of places, reads all indices
//                     and combines its own, in order; the indices are bounded first (one more read). Few
//                     threads, and a result that stays in the cache: one thread.
// Bytes: v, indices and defaults once, indices once more with several threads that have ranges; the defaults
// are not copied if the result takes over their memory. One value for all is not written out.
#include "vm/prims/combine.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;

// The values on their way: elements, or one for all.
class Values {
 public:
  Values(const Vector& v, const PrimContext& context)
      : repeated_(v.is_repeated()), length_(v.length()), one_(repeated_ ? v.repeated_element() : Vector()) {
    elements_.emplace(repeated_ ? one_ : v, context, true);
  }
  [[nodiscard]] bool repeated() const { return repeated_; }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] Storage storage() const { return elements_->storage(); }
  [[nodiscard]] kernels::Addends from(std::int64_t i) const {
    return {elements_->at(repeated_ ? 0 : i), elements_->storage(), repeated_};
  }

 private:
  bool repeated_;
  std::int64_t length_;
  Vector one_;
  std::optional<Elements> elements_;
};

struct Combining {
  const PrimCall& call;
  const kernels::Combine& kernel;
  const Values& v;
  const Indices& idx;
  const Segdes &source, &dest;

  [[nodiscard]] const PrimContext& context() const { return call.context; }
  // Segments first..last-1 to `out`; the first bad index or -1.
  [[nodiscard]] std::int64_t segments(std::int64_t first, std::int64_t last, const Fresh& out) const {
    return kernel.segments[idx.kind()](v.from(0), idx.at(0), kernel_segments(source), kernel_segments(dest),
                                       first, last, out.data());
  }
  // Elements begin..end-1 of the only segment to a copy of its places; likewise.
  [[nodiscard]] std::int64_t part(std::int64_t begin, std::int64_t end, void* out) const {
    const std::int64_t bad = kernel.segments[idx.kind()](v.from(begin), idx.at(begin), {nullptr, end - begin},
                                                         {nullptr, dest.total()}, 0, 1, out);
    return bad < 0 ? bad : begin + bad;
  }
  void check(std::int64_t bad) const {
    if (bad < 0) return;
    const std::int64_t k = segment_of(source, bad);
    index_fault(call.op, idx[bad], bad, k, dest.length(k));
  }
};

// One share of n for each of `parts`.
std::int64_t bound(std::int64_t n, std::int64_t parts, std::int64_t p) {
  return n / parts * p + std::min(p, n % parts);
}

// Are copies of the places for `parts` threads small beside the values, and in their caches?
bool few_places(const Combining& c, std::int64_t parts, const Fresh& out) {
  return static_cast<std::int64_t>(out.bytes()) <= second_level_cache() / 4 &&
         c.dest.total() <= c.v.length() / (4 * parts);
}

void combine_copies(const Combining& c, std::int64_t parts, const Fresh& out) {
  took(c.context(), FastPath::kCombineCopies);
  const std::int64_t n = c.v.length(), m = c.dest.total();
  std::vector<BufferRef> copies(static_cast<std::size_t>(parts));
  for (std::size_t p = 1; p < copies.size(); ++p)
    copies[p] = c.context().pool->allocate(ByteCount(out.bytes()));
  std::atomic<std::int64_t> first_bad{-1};
  for_chunks(c.context(), parts, [&](std::int64_t p) {
    std::byte* const to = p == 0 ? out.data() : copies[static_cast<std::size_t>(p)].data();
    if (p > 0) c.kernel.start(to, m);
    if (const std::int64_t bad = c.part(bound(n, parts, p), bound(n, parts, p + 1), to); bad >= 0)
      note_first(first_bad, bad);
  });
  c.check(first_bad);
  for (std::size_t p = 1; p < copies.size(); ++p) c.kernel.merge(out.data(), copies[p].data(), m);
}

// Is every index inside?
bool all_inside(const Combining& c, std::int64_t parts) {
  const std::int64_t n = c.v.length();
  const auto range_of = kernel_table(c.context().isa).index_range[c.idx.kind()];
  std::atomic<bool> inside{true};
  for_chunks(c.context(), parts, [&](std::int64_t p) {
    const std::int64_t begin = bound(n, parts, p);
    std::int64_t range[2];
    range_of(c.idx.at(begin), bound(n, parts, p + 1) - begin, range);
    if (range[0] < 0 || range[1] >= c.dest.total()) inside = false;
  });
  return inside;
}

void combine_long(const Combining& c, std::int64_t parts, const Fresh& out) {
  const std::int64_t n = c.v.length(), m = c.dest.total();
  if (c.call.word != TypeWord::kFloat && few_places(c, parts, out)) return combine_copies(c, parts, out);
  // The fault is that of the first.
  if (!worth_ranges(c.context(), parts, out.bytes()) || !all_inside(c, parts))
    return c.check(c.segments(0, 1, out));
  took(c.context(), FastPath::kCombineRanges);
  const std::int64_t ranges = std::min(parts, m);
  for_chunks(c.context(), ranges, [&](std::int64_t p) {
    c.kernel.range[c.idx.kind()](c.v.from(0), c.idx.at(0), n, bound(m, ranges, p), bound(m, ranges, p + 1),
                                 out.data());
  });
}

void combine_segments(const Combining& c, std::int64_t chunks, const Fresh& out) {
  const std::vector<Cut> cuts =
      cut_segments(kernel_segments(c.source), c.source.segments(), c.v.length(), chunks);
  std::atomic<std::int64_t> first_bad{-1};
  for_chunks(c.context(), chunks, [&](std::int64_t p) {
    const std::int64_t first = cuts[static_cast<std::size_t>(p)].segment;
    const std::int64_t last = cuts[static_cast<std::size_t>(p) + 1].segment;
    if (first == last) return;
    if (const std::int64_t bad = c.segments(first, last, out); bad >= 0) note_first(first_bad, bad);
  });
  c.check(first_bad);
}

// INT as wide as what comes out may be, but never one byte.
Storage result_storage(const PrimCall& call, const Values& v, const Defaults& d) {
  if (!storage_is_int(d.storage())) return d.storage();
  const Scalar scalar = op_info(call.op).scalar;
  if (scalar == Scalar::kAdd || scalar == Scalar::kMul) return wide_int(call.context);
  return std::max({Storage::kI32, v.storage(), d.storage()});
}

}  // namespace

void combine(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Values v(vector_operand(call, 0), context);
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  Vector& defaults = vector_operand(call, 2);
  const Defaults d(defaults, context);
  const Storage storage = result_storage(call, v, d);
  Fresh out(context, storage, d.length(), defaults);
  d.copy_to(context, storage, out);
  if (v.repeated()) took(context, FastPath::kCombineRepeated);
  const auto scalar = static_cast<std::size_t>(op_info(call.op).scalar);
  const Combining c{call,
                    kernel_table(context.isa).combine[scalar][static_cast<std::size_t>(storage)],
                    v,
                    idx,
                    segdes_operand(call, 3),
                    segdes_operand(call, 4)};
  const std::int64_t segments = c.source.segments();
  const std::int64_t chunks = chunk_count(context, v.length() + segments, kChunk);
  if (chunks == 1)
    c.check(c.segments(0, segments, out));
  else if (segments == 1)
    combine_long(c, std::min<std::int64_t>({chunks, context.threads, v.length()}), out);
  else
    combine_segments(c, chunks, out);
  call.results[0] = out.take();
}

}  // namespace nvm::vm
