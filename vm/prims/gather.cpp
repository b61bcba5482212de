// BPERMUTE BFPERMUTE EXTRACT REPLACE: elements read or written at an index. Indices are checked in the pass
// that uses them. Bytes: indices and result once, a cache line per element read at random.
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "vm/prims/move.h"
#include "vm/prims/move_parts.h"
#include "vm/prims/pull.h"
#include "vm/prims/runs.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 15;

// Element by element of one segment, or of a chunk of it.
std::int64_t gather_part(const Moving& g, std::int64_t segment, std::int64_t begin, std::int64_t end,
                         const Fresh& out) {
  const std::int64_t bad = g.t.gather[g.width][g.idx.kind()](
      g.v.at(g.source.offset(segment)), g.idx.at(begin), g.flags == nullptr ? nullptr : g.flags + begin,
      end - begin, g.source.length(segment), out.at(begin));
  return bad < 0 ? -1 : begin + bad;
}

// The first index that is outside, or -1, where every segment has one.
std::int64_t gather_singles(const Moving& g, const Fresh& out) {
  const kernels::Segments source = kernel_segments(g.source);
  return first_of_segments(g.call.context, g.dest.segments(), [&](std::int64_t first, std::int64_t last) {
    return g.t.extract[g.width][g.idx.kind()](g.v.data(), g.idx.at(0), source, first, last, out.data());
  });
}

std::int64_t gather_all(const Moving& g, const Fresh& out) {
  const PrimContext& context = g.call.context;
  const std::int64_t k = g.dest.segments();
  const kernels::Segments source = kernel_segments(g.source);
  const kernels::Segments dest = kernel_segments(g.dest);
  const auto kernel = g.t.gather_segments[g.width][g.idx.kind()];
  std::atomic<std::int64_t> first_bad{-1};
  const auto note = [&](std::int64_t bad) {
    if (bad >= 0) note_first(first_bad, bad);
  };
  for_segments(
      context, dest, k, g.dest.total(), kChunk,
      [&](std::int64_t first, std::int64_t last) {
        note(kernel(g.v.data(), g.idx.at(0), g.flags, source, dest, first, last, out.data()));
      },
      [&](std::int64_t segment, std::int64_t begin, std::int64_t end) {
        note(gather_part(g, segment, begin, end, out));
      });
  return first_bad;
}

void gather(const Moving& g, const Fresh& out) {
  const bool singles = g.flags == nullptr && g.dest.is_regular() && g.dest.regular_length() == 1 &&
                       g.source.segments() == g.dest.segments();
  if (singles) took(g.call.context, FastPath::kGatherSingles);
  const std::int64_t first_bad = singles ? gather_singles(g, out) : gather_all(g, out);
  if (first_bad < 0) return;
  const std::int64_t segment = segment_of(g.dest, first_bad);
  index_fault(g.call.op, g.idx[first_bad], first_bad, segment, g.source.length(segment));
}

// Elements of one segment by ascending indices are a part of it, which shares its memory: taken without a
// look at the indices where they are known to ascend, after one pass over them where they are found to.
bool take_part(const PrimCall& call) {
  constexpr std::int64_t kWorth = 1 << 10;
  const Vector& v = vector_operand(call, 0);
  const Vector& index = vector_operand(call, 1);
  const std::int64_t n = index.length();
  if (n < kWorth || n > v.length() || !worth_sharing(v, n)) return false;
  std::optional<std::int64_t> from = index.run_from();
  const std::int64_t most = v.length() - n;  // where it may begin
  if (!from && index.int_at(0) >= 0 && index.int_at(0) <= most &&
      index.int_at(n - 1) == index.int_at(0) + n - 1) {
    const Elements i(index, call.context);
    const Indices idx(i, call.context);
    if (ascends(call.context, idx, n)) from = idx[0];
  }
  if (!from || *from < 0 || *from > most) return false;
  took(call.context, FastPath::kSharePart);
  call.results[0] = v.part(*from, n);
  return true;
}

void run_gather(const PrimCall& call, const Vector* flags, const Segdes& ss, const Segdes& ds) {
  check_shape(call);
  const PrimContext& context = call.context;
  if (flags == nullptr && ss.segments() == 1 && take_part(call)) return;
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

// The index that EXTRACT and REPLACE look at in every segment, if it is one number and all are equally long.
std::optional<std::int64_t> one_index(const Vector& indices, const Segdes& s) {
  if (!indices.is_repeated() || !s.is_regular()) return std::nullopt;
  const std::int64_t i = indices.repeated_element().scalar_int();
  return i >= 0 && i < s.regular_length() ? std::optional(i) : std::nullopt;
}

void at_one_index(const PrimCall& call, kernels::Table::SingleAt kernel, const Elements& from,
                  const Segdes& s, std::int64_t index, const Fresh& out) {
  constexpr std::int64_t kSome = 256;  // segments whose lines are asked for at a time
  for_ranges(call.context, s.segments(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; k += kSome)
      kernel(from.data(), s.regular_length(), index, k, std::min(k + kSome, last), out.data());
  });
}

}  // namespace

bool indices_inside(const PrimContext& context, const Vector& indices, std::int64_t length) {
  const Elements i(indices, context);
  const Indices idx(i, context);
  std::atomic<bool> inside{true};
  for_ranges(context, indices.length(), [&](std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    std::int64_t range[2];
    kernel_table(context.isa).index_range[idx.kind()](idx.at(begin), end - begin, range);
    if (range[0] < 0 || range[1] >= length) inside = false;
  });
  return inside;
}

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
  Fresh out(context, v.storage(), s.segments());
  if (const auto at = one_index(vector_operand(call, 1), s)) {
    took(context, FastPath::kExtractAt);
    at_one_index(call, kernel_table(context.isa).extract_at[width_index(v.storage())], v, s, *at, out);
    call.results[0] = out.take();
    return;
  }
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  const kernels::Segments segments = kernel_segments(s);
  const auto kernel = kernel_table(context.isa).extract[width_index(v.storage())][idx.kind()];
  const std::int64_t bad =
      first_of_segments(context, s.segments(), [&](std::int64_t first, std::int64_t last) {
        return kernel(v.data(), idx.at(0), segments, first, last, out.data());
      });
  if (bad >= 0) index_fault(call.op, idx[bad], bad, bad, s.length(bad));
  call.results[0] = out.take();
}

void replace(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 3);
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context, operand.length() == 0);  // none has no width
  Vector& replacing = vector_operand(call, 2);
  std::optional<Elements> x(std::in_place, replacing, context, true);  // lest one number widens all others
  const Storage storage = storage_is_int(v.storage()) ? std::max(v.storage(), x->storage()) : v.storage();
  if (!replacing.is_scalar() && x->storage() != storage) {  // a cell does as any: its low bytes come first
    replacing = stored_as(replacing, storage, context);
    x.emplace(replacing, context);
  }
  Fresh out(context, storage, v.length(), operand);
  copy_as(context, v, storage, out);
  if (const auto at = one_index(vector_operand(call, 1), s)) {
    took(context, FastPath::kReplaceAt);
    at_one_index(call, kernel_table(context.isa).replace_at[width_index(storage)], *x, s, *at, out);
    call.results[0] = out.take();
    return;
  }
  const Elements i(vector_operand(call, 1), context);
  const Indices idx(i, context);
  const kernels::Segments segments = kernel_segments(s);
  const auto kernel = kernel_table(context.isa).replace[width_index(storage)][idx.kind()];
  const std::int64_t bad =
      first_of_segments(context, s.segments(), [&](std::int64_t first, std::int64_t last) {
        return kernel(x->data(), idx.at(0), segments, first, last, out.data());
      });
  if (bad >= 0) index_fault(call.op, idx[bad], bad, bad, s.length(bad));
  call.results[0] = out.take();
}

}  // namespace nvm::vm
