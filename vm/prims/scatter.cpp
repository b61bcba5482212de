// PERMUTE DPERMUTE FPERMUTE DFPERMUTE: v to places given by indices. The last writer of a place wins,
// whatever the number of threads.
//
//   many segments     chunks of whole segments; a segment is written by one thread
//   one long segment  the indices of each half are bounded first (one more read of the indices, vectorised,
//                     which checks them too). Halves that write disjoint ranges go in parallel as they are;
//                     else each thread takes a range of places, reads all indices and writes its own, in
//                     order; few threads, and a result that stays in the cache: one thread.
// PERMUTE by a few runs of places (runs.h) copies them; by the identity it gives the operand itself; one that
// parts a segment in two (split.h) writes both parts in order.
// Bytes: v, indices and result once, indices once more with several threads; zeros or defaults once unless
// the result takes over the defaults' memory.
//
// COULD: a first radix pass by place would keep random scatters of long segments within the cache.
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "vm/prims/move.h"
#include "vm/prims/move_parts.h"
#include "vm/prims/parallel.h"
#include "vm/prims/pull.h"
#include "vm/prims/runs.h"
#include "vm/prims/split.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;
constexpr std::int64_t kWorthRuns = 1 << 12;  // elements from which runs are looked for

[[noreturn]] void scatter_fault(const Moving& s, std::int64_t position) {
  const std::int64_t k = segment_of(s.source, position);
  index_fault(s.call.op, s.idx[position], position, k, s.dest.length(k));
}

void fill_zero(const PrimContext& context, const Fresh& out) {
  for_ranges(context, static_cast<std::int64_t>(out.bytes()), [&](std::int64_t begin, std::int64_t end) {
    std::memset(out.data() + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

// Into how many ranges of places a result goes that `parts` threads write: twice as many if that is how each
// fits a thread's cache, though every range costs a look at all indices.
std::int64_t ranges_of(std::int64_t parts, const Fresh& result) {
  const std::int64_t cache = second_level_cache() / 2;  // beside indices and elements that pass through
  const std::int64_t fit = (static_cast<std::int64_t>(result.bytes()) + cache - 1) / cache;
  return fit > parts && fit <= 2 * parts ? 2 * parts : parts;
}

// All of one segment on several threads. `fresh`: the result holds nothing yet; a thread that writes a range
// of places makes them zero itself, while they are on the way to its cache.
void scatter_long(const Moving& s, std::int64_t chunks, bool fresh, const Fresh& result) {
  std::byte* const out = result.data();
  const PrimContext& context = s.call.context;
  const std::int64_t n = s.v.length();
  const std::int64_t m = s.dest.total();
  const std::int64_t parts = std::min<std::int64_t>(chunks, context.threads);
  const auto bound = [&](std::int64_t p) { return n / parts * p + std::min(p, n % parts); };
  struct Range {
    std::int64_t low, high;
  };
  std::vector<Range> ranges(static_cast<std::size_t>(parts));
  for_chunks(context, parts, [&](std::int64_t p) {
    std::int64_t r[2];
    s.t.index_range[s.idx.kind()](s.idx.at(bound(p)), bound(p + 1) - bound(p), r);
    ranges[static_cast<std::size_t>(p)] = {r[0], r[1]};
  });
  bool disjoint = s.flags == nullptr;
  bool inside = s.flags == nullptr;
  for (std::size_t p = 0; p < ranges.size(); ++p) {
    inside = inside && ranges[p].low >= 0 && ranges[p].high < m;
    for (std::size_t q = 0; q < p; ++q)
      disjoint = disjoint && (ranges[q].high < ranges[p].low || ranges[p].high < ranges[q].low);
  }
  const auto flags_at = [&](std::int64_t i) { return s.flags == nullptr ? nullptr : s.flags + i; };
  const auto scatter = s.t.scatter[s.width][s.idx.kind()];
  const bool alone = !inside || (!disjoint && !worth_ranges(context, parts, result.bytes()));
  if (fresh && (disjoint || alone)) fill_zero(context, result);
  // Flags may hide wild indices, and a fault needs the first of them: in order, on one thread.
  if (alone) {
    const std::int64_t bad = scatter(s.v.data(), s.idx.at(0), s.flags, n, m, out);
    if (bad >= 0) scatter_fault(s, bad);
    return;
  }
  took(context, disjoint ? FastPath::kScatterDisjoint : FastPath::kScatterRanges);
  if (disjoint) {
    for_chunks(context, parts, [&](std::int64_t p) {
      scatter(s.v.at(bound(p)), s.idx.at(bound(p)), flags_at(bound(p)), bound(p + 1) - bound(p), m, out);
    });
    return;
  }
  const std::int64_t count = ranges_of(parts, result);
  for_chunks(context, count, [&](std::int64_t p) {
    const std::int64_t low = m / count * p;
    const std::int64_t high = p + 1 == count ? m : m / count * (p + 1);
    if (fresh) std::memset(result.at(low), 0, static_cast<std::size_t>(result.at(high) - result.at(low)));
    s.t.scatter_range[s.width][s.idx.kind()](s.v.data(), s.idx.at(0), s.flags, n, low, high, out);
  });
}

// Segments first..last-1 on this thread; the first bad index or -1. `fresh`: as below.
std::int64_t scatter_segments(const Moving& s, std::int64_t first, std::int64_t last, bool fresh,
                              const Fresh& result) {
  const kernels::Segments source = kernel_segments(s.source);
  const kernels::Segments dest = kernel_segments(s.dest);
  if (fresh)
    std::memset(result.at(dest.start(first)), 0,
                static_cast<std::size_t>(result.at(dest.start(last)) - result.at(dest.start(first))));
  return s.t.scatter_segments[s.width][s.idx.kind()](s.v.data(), s.idx.at(0), s.flags, source, dest, first,
                                                     last, result.data());
}

// The same for PERMUTE, whose places lie in the same segments: long segments that are a few runs move as
// copies.
std::int64_t scatter_by_runs(const Moving& s, std::int64_t first, std::int64_t last, const Fresh& result) {
  PrimContext alone = s.call.context;
  alone.threads = 1;
  std::int64_t waiting = first;  // segments waiting..k-1 are still to be scattered
  for (std::int64_t k = first; k < last; ++k) {
    const std::int64_t n = s.source.length(k);
    if (n < kWorthRuns) continue;
    const std::vector<Run> runs = few_runs(alone, s.idx, s.source.offset(k), n);
    if (runs.empty()) continue;
    if (const std::int64_t bad = scatter_segments(s, waiting, k, true, result); bad >= 0) return bad;
    move_by_runs(alone, runs, s.v, s.source.offset(k), n, result);
    waiting = k + 1;
  }
  return scatter_segments(s, waiting, last, true, result);
}

// `fresh`: the result holds nothing yet; places that no index names become zero.
void scatter(const Moving& s, bool fresh, const Fresh& result) {
  const PrimContext& context = s.call.context;
  const std::int64_t k = s.source.segments();
  std::int64_t chunks = chunk_count(context, s.v.length() + k, kChunk);
  if (fresh && k == 1 && chunks == 1) fill_zero(context, result);
  if (fresh && k > 1 && chunks == 1)
    chunks = (s.v.length() + k) / kChunk + 1;  // zeros while they are in the cache
  if (!fresh && s.flags == nullptr && k > 1 && s.source.is_regular() && s.source.regular_length() == 1 &&
      s.dest.segments() == k) {  // one element for each segment
    took(context, FastPath::kScatterSingles);
    const std::int64_t bad = first_of_segments(context, k, [&](std::int64_t first, std::int64_t last) {
      return s.t.write[s.width][s.idx.kind()](s.v.data(), s.idx.at(0), kernel_segments(s.dest), first, last,
                                              result.data());
    });
    if (bad >= 0) scatter_fault(s, bad);
    return;
  }
  if (chunks == 1) {
    const std::int64_t bad = scatter_segments(s, 0, k, fresh && k != 1, result);
    if (bad >= 0) scatter_fault(s, bad);
    return;
  }
  if (k == 1) {
    scatter_long(s, chunks, fresh, result);
    return;
  }
  const std::vector<Cut> cuts = cut_segments(kernel_segments(s.source), k, s.v.length(), chunks);
  const bool by_runs = fresh && s.flags == nullptr && k * kWorthRuns / 16 <= s.v.length();
  if (by_runs) took(context, FastPath::kScatterSegments);
  std::atomic<std::int64_t> first_bad{-1};
  for_chunks(context, chunks, [&](std::int64_t c) {
    const std::int64_t first = cuts[static_cast<std::size_t>(c)].segment;
    const std::int64_t last = cuts[static_cast<std::size_t>(c) + 1].segment;
    if (first == last) return;
    const std::int64_t bad =
        by_runs ? scatter_by_runs(s, first, last, result) : scatter_segments(s, first, last, fresh, result);
    if (bad >= 0) note_first(first_bad, bad);
  });
  if (first_bad >= 0) scatter_fault(s, first_bad);
}

void scatter_over(const PrimCall& call, const Vector* flags, Vector& defaults, const Segdes& ss,
                  const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  Vector& operand = vector_operand(call, 0);
  const Elements i(vector_operand(call, 1), context);
  const Defaults d(defaults, context);
  const Indices idx(i, context);
  const OptionalFlags f(flags, context);
  Storage storage = d.storage();  // the wider of the elements' and the defaults'
  std::optional<Elements> v(std::in_place, operand, context, true);
  if (storage == Storage::kI32 && v->storage() == Storage::kI64 && v->length() < d.length()) {
    // Else the defaults would be widened, all of them, and would not be overwritten where they lie.
    if (std::optional<Vector> small = in_four_bytes(*v, context)) {
      operand = std::move(*small);
      v.emplace(operand, context, true);
    }
  }
  if (storage_is_int(storage)) storage = d.length() == 0 ? v->storage() : std::max(storage, v->storage());
  if (v->storage() != storage) {
    operand = stored_as(operand, storage, context);
    v.emplace(operand, context);
  }
  Fresh out(context, storage, d.length(), defaults);
  d.copy_to(context, storage, out);
  scatter({call, kernel_table(context.isa), *v, idx, f.data(), ss, destination(ss, ds), width_index(storage)},
          false, out);
  call.results[0] = out.take();
}

// The whole vector by places in order, or by a few runs of them; false for others.
bool move_in_order(const PrimCall& call, const Elements& v, const Indices& idx) {
  const PrimContext& context = call.context;
  if (vector_operand(call, 1).run_from() == 0 || is_identity(context, idx, v.length())) {
    took(context, FastPath::kMoveNothing);
    call.results[0] = std::move(call.operands[0]);
    return true;
  }
  if (v.length() < kWorthRuns) return false;
  const std::vector<Run> runs = few_runs(context, idx, 0, v.length());
  if (runs.empty()) return false;
  took(context, FastPath::kMoveRuns);
  Fresh out(context, v.storage(), v.length());
  move_by_runs(context, runs, v, 0, v.length(), out);
  call.results[0] = out.take();
  return true;
}

void scatter_fresh(const PrimCall& call, const Vector* flags, const Segdes& ss, const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context);
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  const bool plain = flags == nullptr && ss.segments() == 1;
  if (plain && move_in_order(call, v, idx)) return;
  const OptionalFlags f(flags, context);
  Fresh out(context, v.storage(), ds.total());
  if (plain && v.length() == ds.total() && move_by_split(context, idx, v, out)) {
    call.results[0] = out.take();
    return;
  }
  scatter({call, kernel_table(context.isa), v, idx, f.data(), ss, ds, width_index(v.storage())}, true, out);
  call.results[0] = out.take();
}

}  // namespace

bool permute_one_to_one(const PrimCall& call) {
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 2);
  const Elements v(vector_operand(call, 0), context);
  const Elements i(vector_operand(call, 1), context);
  if (s.segments() != 1 || v.length() != s.total() || i.length() != s.total()) return false;
  const Indices idx(i, context);
  if (move_in_order(call, v, idx)) return true;
  Fresh out(context, v.storage(), v.length());
  if (!move_by_split(context, idx, v, out)) return false;
  call.results[0] = out.take();
  return true;
}

void permute(const PrimCall& call) {
  scatter_fresh(call, nullptr, segdes_operand(call, 2), segdes_operand(call, 2));
}
void dpermute(const PrimCall& call) {
  scatter_over(call, nullptr, vector_operand(call, 2), segdes_operand(call, 3), segdes_operand(call, 4));
}
void fpermute(const PrimCall& call) {
  scatter_fresh(call, &vector_operand(call, 2), segdes_operand(call, 3), segdes_operand(call, 4));
}
void dfpermute(const PrimCall& call) {
  scatter_over(call, &vector_operand(call, 2), vector_operand(call, 3), segdes_operand(call, 4),
               segdes_operand(call, 5));
}

}  // namespace nvm::vm
