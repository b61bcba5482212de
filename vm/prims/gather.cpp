// BPERMUTE BFPERMUTE EXTRACT REPLACE: elements read or written at an index. Indices are checked in the pass
// that uses them. Bytes: indices and result once, a cache line per element read at random.
#include <algorithm>
#include <atomic>
#include <vector>

#include "vm/prims/move.h"
#include "vm/prims/move_parts.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 15;

// Element by element of one segment, or of a chunk of it.
std::int64_t gather_part(const Moving& g, std::int64_t segment, std::int64_t begin, std::int64_t end,
                         const Fresh& out) {
  if (begin == end) return -1;
  const std::int64_t bad = g.t.gather[g.width][g.idx.kind()](
      g.v.at(g.source.offset(segment)), g.idx.at(begin), g.flags == nullptr ? nullptr : g.flags + begin,
      end - begin, g.source.length(segment), out.at(begin));
  return bad < 0 ? -1 : begin + bad;
}

void gather(const Moving& g, const Fresh& out) {
  const PrimContext& context = g.call.context;
  const std::int64_t k = g.dest.segments();
  const kernels::Segments source = kernel_segments(g.source);
  const kernels::Segments dest = kernel_segments(g.dest);
  const auto kernel = g.t.gather_segments[g.width][g.idx.kind()];
  const std::int64_t chunks = chunk_count(context, g.dest.total() + k, kChunk);
  std::atomic<std::int64_t> first_bad{-1};
  const auto note = [&](std::int64_t bad) {
    if (bad >= 0) note_first(first_bad, bad);
  };
  if (chunks == 1) {
    note(kernel(g.v.data(), g.idx.at(0), g.flags, source, dest, 0, k, out.data()));
  } else {
    const std::vector<Cut> cuts = cut_segments(dest, k, g.dest.total(), chunks);
    for_chunks(context.threads, chunks, [&](std::int64_t c) {
      const auto i = static_cast<std::size_t>(c);
      const ChunkParts p = chunk_parts(dest, cuts[i], cuts[i + 1]);
      note(gather_part(g, cuts[i].segment, p.head_begin, p.head_end, out));
      if (p.first < p.last)
        note(kernel(g.v.data(), g.idx.at(0), g.flags, source, dest, p.first, p.last, out.data()));
      note(gather_part(g, p.last, p.tail_begin, p.tail_end, out));
    });
  }
  if (first_bad < 0) return;
  const std::int64_t segment = segment_of(g.dest, first_bad);
  index_fault(g.call.op, g.idx[first_bad], first_bad, segment, g.source.length(segment));
}

void run_gather(const PrimCall& call, const Vector* flags, const Segdes& ss, const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Elements v(vector_operand(call, 0), context);
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  const OptionalFlags f(flags, context);
  Fresh out(context, v.storage(), ds.total());
  gather(
      {call, kernel_table(context.isa), v, idx, f.data(), ss, destination(ss, ds), width_index(v.storage())},
      out);
  call.results[0] = out.take();
}

// Places in v of the indices of segments begin..end-1; the first of them that is outside its segment, or -1.
template <typename Idx>
std::int64_t find_places(const Idx* idx, kernels::Segments s, std::int64_t begin, std::int64_t end,
                         std::int64_t* places) {
  const auto outside = [](std::int64_t i, std::int64_t length) {
    return static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(length);
  };
  // An index that is outside may be anything: the sum wraps, and is not used.
  const auto place = [](std::int64_t start, std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(i));
  };
  bool bad = false;
  if (s.offsets == nullptr) {
    for (std::int64_t k = begin; k < end; ++k) {
      places[k - begin] = place(k * s.length, idx[k]);
      bad |= outside(idx[k], s.length);
    }
  } else {
    for (std::int64_t k = begin; k < end; ++k) {
      places[k - begin] = place(s.offsets[k], idx[k]);
      bad |= outside(idx[k], s.offsets[k + 1] - s.offsets[k]);
    }
  }
  if (!bad) return -1;
  for (std::int64_t k = begin; k < end; ++k)
    if (outside(idx[k], s.start(k + 1) - s.start(k))) return k;
  return -1;
}

// Runs step(begin, end, places) over blocks of segments; the first segment whose index is outside it, or -1.
template <typename F>
std::int64_t for_indices(const PrimContext& context, const Elements& elements, const Segdes& s, F step) {
  constexpr std::int64_t kBlock = 512;
  std::atomic<std::int64_t> first_bad{-1};
  const Indices idx(elements, context);
  const kernels::Segments segments = kernel_segments(s);
  for_ranges(context, s.segments(), [&](std::int64_t first, std::int64_t last) {
    std::int64_t places[kBlock];
    for (std::int64_t begin = first; begin < last; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, last);
      const std::int64_t bad =
          idx.kind() == 0
              ? find_places(reinterpret_cast<const std::int32_t*>(idx.at(0)), segments, begin, end, places)
              : find_places(reinterpret_cast<const std::int64_t*>(idx.at(0)), segments, begin, end, places);
      if (bad >= 0) {
        note_first(first_bad, bad);
        return;
      }
      step(begin, end, places);
    }
  });
  return first_bad;
}

template <typename T>
const T* typed(const std::byte* p) {
  return reinterpret_cast<const T*>(p);
}

// Calls f with a null pointer to an unsigned integer of the width.
template <typename F>
void with_width(Storage s, F f) {
  switch (width_index(s)) {
    case 0: f(static_cast<std::uint8_t*>(nullptr)); break;
    case 1: f(static_cast<std::uint32_t*>(nullptr)); break;
    default: f(static_cast<std::uint64_t*>(nullptr)); break;
  }
}

}  // namespace

void bpermute(const PrimCall& call) {
  run_gather(call, nullptr, segdes_operand(call, 2), segdes_operand(call, 3));
}
void bfpermute(const PrimCall& call) {
  run_gather(call, &vector_operand(call, 2), segdes_operand(call, 3), segdes_operand(call, 4));
}

void extract(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 2);
  const Elements v(vector_operand(call, 0), context);
  const Elements idx(vector_operand(call, 1), context);
  Fresh out(context, v.storage(), s.segments());
  std::int64_t bad = -1;
  with_width(v.storage(), [&]<typename T>(T*) {
    const T* from = typed<T>(v.data());
    T* to = reinterpret_cast<T*>(out.data());
    bad = for_indices(context, idx, s, [&](std::int64_t begin, std::int64_t end, const std::int64_t* places) {
      for (std::int64_t k = begin; k < end; ++k) to[k] = from[places[k - begin]];
    });
  });
  if (bad >= 0) index_fault(call.op, idx.int_at(bad), bad, bad, s.length(bad));
  call.results[0] = out.take();
}

void replace(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 3);
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context);
  const Elements idx(vector_operand(call, 1), context);
  const Elements x(vector_operand(call, 2), context);
  const Storage storage = storage_is_int(v.storage()) ? std::max(v.storage(), x.storage()) : v.storage();
  const auto convert =
      kernel_table(context.isa).convert[static_cast<int>(x.storage())][static_cast<int>(storage)];
  Fresh out(context, storage, v.length(), operand);
  copy_as(context, v, storage, out);
  std::int64_t bad = -1;
  with_width(storage, [&]<typename T>(T*) {
    T* to = reinterpret_cast<T*>(out.data());
    bad = for_indices(context, idx, s, [&](std::int64_t begin, std::int64_t end, const std::int64_t* places) {
      for (std::int64_t k = begin; k < end; ++k) {
        if (x.storage() == storage)
          to[places[k - begin]] = typed<T>(x.data())[k];
        else
          convert(x.at(k), to + places[k - begin], 1);
      }
    });
  });
  if (bad >= 0) index_fault(call.op, idx.int_at(bad), bad, bad, s.length(bad));
  call.results[0] = out.take();
}

}  // namespace nvm::vm
