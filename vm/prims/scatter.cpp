// PERMUTE DPERMUTE FPERMUTE DFPERMUTE: v to places given by indices. The last writer of a place wins,
// whatever the number of threads.
//
//   many segments    chunks of whole segments; a segment is written by one thread
//   one long segment the indices of each half are bounded first (one more read of the indices, vectorised,
//   which
//                    checks them too). Halves that write disjoint ranges go in parallel as they are; else
//                    each thread takes a range of places, reads all indices and writes its own, in order.
//   PERMUTE by the identity is found while bounding and gives the operand itself.
// Bytes: v, indices and result once, indices once more with several threads; zeros or defaults once unless
// the result takes over the defaults' memory.
//
// COULD: a first radix pass by place would keep random scatters of long segments within the cache.
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "vm/prims/move.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;

struct Scatter {
  const PrimCall& call;
  const kernels::Table& t;
  const Elements& v;
  const Indices& idx;
  const std::uint8_t* flags;  // or null
  Segdes source, dest;
  int width;
};

[[noreturn]] void scatter_fault(const Scatter& s, std::int64_t position) {
  const std::int64_t k = segment_of(s.source, position);
  index_fault(s.call.op, s.idx[position], position, k, s.dest.length(k));
}

// All of one segment on several threads.
void scatter_long(const Scatter& s, std::int64_t chunks, std::byte* out) {
  const PrimContext& context = s.call.context;
  const std::int64_t n = s.v.length();
  const std::int64_t m = s.dest.total();
  const std::int64_t parts = std::min<std::int64_t>(chunks, context.threads);
  const auto bound = [&](std::int64_t p) { return n / parts * p + std::min(p, n % parts); };
  struct Range {
    std::int64_t low, high;
  };
  std::vector<Range> ranges(static_cast<std::size_t>(parts));
  for_chunks(context.threads, parts, [&](std::int64_t p) {
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
  if (!inside) {  // flags may hide wild indices, and a fault needs the first of them: in order, on one thread
    const std::int64_t bad = scatter(s.v.data(), s.idx.at(0), s.flags, n, m, out);
    if (bad >= 0) scatter_fault(s, bad);
    return;
  }
  for_chunks(context.threads, parts, [&](std::int64_t p) {
    if (disjoint) {
      scatter(s.v.at(bound(p)), s.idx.at(bound(p)), flags_at(bound(p)), bound(p + 1) - bound(p), m, out);
      return;
    }
    const std::int64_t low = m / parts * p;
    const std::int64_t high = p + 1 == parts ? m : m / parts * (p + 1);
    s.t.scatter_range[s.width][s.idx.kind()](s.v.data(), s.idx.at(0), s.flags, n, low, high, out);
  });
}

void scatter(const Scatter& s, std::byte* out) {
  const PrimContext& context = s.call.context;
  const std::int64_t k = s.source.segments();
  const kernels::Segments source = kernel_segments(s.source);
  const kernels::Segments dest = kernel_segments(s.dest);
  const auto kernel = s.t.scatter_segments[s.width][s.idx.kind()];
  const std::int64_t chunks = chunk_count(context, s.v.length() + k, kChunk);
  if (chunks == 1) {
    const std::int64_t bad = kernel(s.v.data(), s.idx.at(0), s.flags, source, dest, 0, k, out);
    if (bad >= 0) scatter_fault(s, bad);
    return;
  }
  if (k == 1) {
    scatter_long(s, chunks, out);
    return;
  }
  const std::vector<Cut> cuts = cut_segments(source, k, s.v.length(), chunks);
  std::atomic<std::int64_t> first_bad{-1};
  for_chunks(context.threads, chunks, [&](std::int64_t c) {
    const std::int64_t first = cuts[static_cast<std::size_t>(c)].segment;
    const std::int64_t last = cuts[static_cast<std::size_t>(c) + 1].segment;
    if (first == last) return;
    const std::int64_t bad = kernel(s.v.data(), s.idx.at(0), s.flags, source, dest, first, last, out);
    if (bad >= 0) note_first(first_bad, bad);
  });
  if (first_bad >= 0) scatter_fault(s, first_bad);
}

void fill_zero(const PrimContext& context, const Fresh& out) {
  for_ranges(context, static_cast<std::int64_t>(out.bytes()), [&](std::int64_t begin, std::int64_t end) {
    std::memset(out.data() + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

void fill_copy(const PrimContext& context, const Elements& from, Storage storage, const Fresh& out) {
  if (from.data() == out.data() || from.length() == 0) return;
  const kernels::Table& t = kernel_table(context.isa);
  const auto convert = t.convert[static_cast<int>(from.storage())][static_cast<int>(storage)];
  for_ranges(context, from.length(), [&](std::int64_t begin, std::int64_t end) {
    if (from.storage() == storage)
      std::memcpy(out.at(begin), from.at(begin), static_cast<std::size_t>(out.at(end) - out.at(begin)));
    else
      convert(from.at(begin), out.at(begin), end - begin);
  });
}

// Legacy: a source of one segment takes the destination as one segment.
Segdes destination(const Segdes& source, const Segdes& dest) {
  if (source.segments() == 1 && dest.segments() != 1) return Segdes::regular(1, dest.total());
  return dest;
}

bool is_identity(const Indices& idx, const PrimContext& context, std::int64_t n) {
  std::atomic<bool> same{true};
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end && same.load(std::memory_order_relaxed);) {
      const std::int64_t stop = std::min(end, i + 1024);
      bool equal = true;
      if (idx.kind() == 0) {
        const auto* p = reinterpret_cast<const std::int32_t*>(idx.at(0));
        for (; i < stop; ++i) equal &= p[i] == static_cast<std::int32_t>(i);
      } else {
        const auto* p = reinterpret_cast<const std::int64_t*>(idx.at(0));
        for (; i < stop; ++i) equal &= p[i] == i;
      }
      if (!equal) same = false;
    }
  });
  return same;
}

// v stored as `storage`, in memory of its own.
Vector widen(const Elements& v, Storage storage, const PrimContext& context) {
  Fresh out(context, storage, v.length());
  fill_copy(context, v, storage, out);
  return out.take();
}

void scatter_over(const PrimCall& call, const Vector* flags, Vector& defaults, const Segdes& ss,
                  const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  Vector& operand = vector_operand(call, 0);
  const Elements i(vector_operand(call, 1), context);
  const Elements d(defaults, context);
  const Indices idx(i, context);
  std::optional<Elements> f;
  if (flags != nullptr) f.emplace(*flags, context);
  Storage storage = d.storage();  // the wider of the elements' and the defaults'
  {
    const Elements v(operand, context);
    if (storage_is_int(storage)) storage = std::max(storage, v.storage());
    if (v.storage() != storage) operand = widen(v, storage, context);
  }
  const Elements v(operand, context);
  Fresh out(context, storage, d.length(), defaults);
  fill_copy(context, d, storage, out);
  scatter({call, kernel_table(context.isa), v, idx, f ? f->flags() : nullptr, ss, destination(ss, ds),
           width_index(storage)},
          out.data());
  call.results[0] = out.take();
}

void scatter_fresh(const PrimCall& call, const Vector* flags, const Segdes& ss, const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context);
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  if (flags == nullptr && ss.segments() == 1 && is_identity(idx, context, v.length())) {
    call.results[0] = std::move(operand);
    return;
  }
  std::optional<Elements> f;
  if (flags != nullptr) f.emplace(*flags, context);
  Fresh out(context, v.storage(), ds.total());
  fill_zero(context, out);
  scatter(
      {call, kernel_table(context.isa), v, idx, f ? f->flags() : nullptr, ss, ds, width_index(v.storage())},
      out.data());
  call.results[0] = out.take();
}

}  // namespace

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
