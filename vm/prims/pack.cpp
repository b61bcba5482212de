// PACK in two passes: count the flags per chunk (n bytes), then move the flagged elements to their places,
// which are known then; the result is exactly as long as it must be. New lengths are counted per segment: few
// long segments by the counts of whole ranges, many short ones in the same pass over the flags.
#include "vm/prims/pack.h"

#include <algorithm>
#include <vector>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;

Segdes packed_lengths(const PrimContext& context, const Elements& flags, const Segdes& s,
                      std::int64_t total) {
  const std::int64_t k = s.segments();
  if (k <= 1) return k == 0 ? Segdes() : Segdes::regular(1, total);
  const kernels::Table& t = kernel_table(context.isa);
  const kernels::Segments segments = kernel_segments(s);
  const bool narrow = total < (std::int64_t{1} << 31);
  Fresh lengths(context, narrow ? Storage::kI32 : Storage::kI64, k);
  const std::int64_t chunks = chunk_count(context, s.total() + k, kChunk);
  const std::vector<Cut> cuts = cut_segments(segments, k, s.total(), chunks);
  for_chunks(context, chunks, [&](std::int64_t c) {
    const std::int64_t first = cuts[static_cast<std::size_t>(c)].segment;
    const std::int64_t last = cuts[static_cast<std::size_t>(c) + 1].segment;
    t.count_segments[narrow ? 0 : 1](flags.flags(), segments, first, last, lengths.data());
  });
  return Segdes::from_lengths(lengths.take(), total);
}

void run_pack(const PrimCall& call, bool describe) {
  check_shape(call);
  const PrimContext& context = call.context;
  const kernels::Table& t = kernel_table(context.isa);
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context);
  const Elements flags(vector_operand(call, 1), context);
  const Segdes& s = segdes_operand(call, 2);
  const std::int64_t n = v.length();
  const auto compress = t.compress[width_index(v.storage())];
  const std::int64_t chunks = chunk_count(context, n, kChunk);
  const std::int64_t step = (n / chunks + 64) / 64 * 64;
  const auto begin_of = [&](std::int64_t c) { return std::min(c * step, n); };
  std::vector<std::int64_t> places;  // of each chunk's first element in the result; one chunk needs none
  std::int64_t total = 0;
  if (chunks == 1) {
    total = t.count(flags.flags(), n);
  } else {
    places.resize(static_cast<std::size_t>(chunks) + 1);
    for_chunks(context, chunks, [&](std::int64_t c) {
      places[static_cast<std::size_t>(c) + 1] =
          t.count(flags.flags() + begin_of(c), begin_of(c + 1) - begin_of(c));
    });
    for (std::size_t c = 1; c < places.size(); ++c) places[c] += places[c - 1];
    total = places.back();
  }
  if (total == n) {
    if (describe) call.results[1] = s;
    call.results[0] = std::move(operand);
    return;
  }
  Fresh out(context, v.storage(), total);
  if (chunks == 1) {
    compress(v.data(), flags.flags(), n, out.data(), total);
  } else {
    for_chunks(context, chunks, [&](std::int64_t c) {
      const auto i = static_cast<std::size_t>(c);
      compress(v.at(begin_of(c)), flags.flags() + begin_of(c), begin_of(c + 1) - begin_of(c),
               out.at(places[i]), places[i + 1] - places[i]);
    });
  }
  if (describe) call.results[1] = packed_lengths(context, flags, s, total);
  call.results[0] = out.take();
}

}  // namespace

void pack(const PrimCall& call) { run_pack(call, true); }
void pack_elements(const PrimCall& call) { run_pack(call, false); }

}  // namespace nvm::vm
