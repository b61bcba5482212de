// Reductions and scans: how segments are shared between threads. The loops and their order of combination
// stand in kernels/fold.cpp and reduce_tree.h.
//
//   one thread or few elements  one call of the kernel for all segments
//   reduce, several threads     chunks of elements; segments cut by a chunk bound leave one total per block,
//                               combined afterwards from left to right. One pass: n reads, one write per
//                               segment.
//   scan, several threads       chunks that fit the second-level cache, taken in ascending order: totals of
//                               the segment that goes on, then wait for the carry of the chunk before
//                               (usually there by then), then scan from the cache. n reads and n writes of
//                               memory, as with one thread.
//
// COULD: fold the descriptor's ids into the chunks of power-law segments; cuts by weight have sufficed.
#include "vm/prims/fold.h"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "vm/data/sums.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kReduceChunk = 1 << 16;
constexpr std::int64_t kScanChunk = 1 << 15;

using kernels::FoldTypes;

FoldTypes fold_types(Storage s, Storage wide) {
  const bool narrow_run = wide == Storage::kI32;
  switch (s) {
    case Storage::kI8: return narrow_run ? FoldTypes::kI8I32 : FoldTypes::kI8I64;
    case Storage::kI32: return narrow_run ? FoldTypes::kI32I32 : FoldTypes::kI32I64;
    case Storage::kI64: return FoldTypes::kI64I64;
    case Storage::kF64: return FoldTypes::kF64;
    case Storage::kB8: break;
  }
  return FoldTypes::kB8;
}

using Cell = std::uint64_t;  // an accumulator of any fold type

// The totals of the blocks of a part of a segment.
class PartTotals {
 public:
  void make(void (*kernel)(const void*, std::int64_t, void*), const void* v, std::int64_t n) {
    count_ = blocks_of(n);
    cells_.resize(static_cast<std::size_t>(count_));
    if (n > 0) kernel(v, n, cells_.data());
  }
  void add_to(Totals& totals, const kernels::Fold& fold) const {
    if (count_ > 0) fold.combine(totals, cells_.data(), count_);
  }
  void add_to(Carries& carries, const kernels::Fold& fold) const {
    if (count_ > 0) fold.carry(carries, cells_.data(), count_);
  }

 private:
  std::vector<Cell> cells_;  // as the kernel lays them out: its accumulators, packed
  std::int64_t count_ = 0;
};

struct FoldRun {
  const PrimContext& context;
  const Elements& v;
  const kernels::Fold& fold;
  kernels::Segments segments;
  std::int64_t count;
  Storage result;
  // What the first block of segment k starts from.
  [[nodiscard]] Carries first_carries(std::int64_t k) const {
    Carries carries;
    fold.start_carries(carries, blocks_of(segments.start(k + 1) - segments.start(k)));
    return carries;
  }
};

void reduce_chunks(const FoldRun& run, std::int64_t chunks, const Fresh& out) {
  const std::vector<Cut> cuts = cut_segments(run.segments, run.count, run.v.length(), chunks);
  std::vector<PartTotals> heads(static_cast<std::size_t>(chunks));
  std::vector<PartTotals> tails(static_cast<std::size_t>(chunks));
  const auto parts_of = [&](std::int64_t c) {
    return chunk_parts(run.segments, cuts[static_cast<std::size_t>(c)],
                       cuts[static_cast<std::size_t>(c) + 1]);
  };
  for_chunks(run.context, chunks, [&](std::int64_t c) {
    const ChunkParts p = parts_of(c);
    const auto i = static_cast<std::size_t>(c);
    heads[i].make(run.fold.reduce_blocks, run.v.at(p.head_begin), p.head_end - p.head_begin);
    if (p.first < p.last) run.fold.reduce_segments(run.v.data(), run.segments, p.first, p.last, out.data());
    tails[i].make(run.fold.reduce_blocks, run.v.at(p.tail_begin), p.tail_end - p.tail_begin);
  });
  Totals open;
  run.fold.start_totals(open);
  for (std::int64_t c = 0; c < chunks; ++c) {
    const ChunkParts p = parts_of(c);
    const auto i = static_cast<std::size_t>(c);
    heads[i].add_to(open, run.fold);
    if (p.head_end > p.head_begin && !p.head_open) run.fold.combined(open, out.at(p.first - 1));
    if (p.tail_end > p.tail_begin) {
      run.fold.start_totals(open);
      tails[i].add_to(open, run.fold);
    }
  }
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// The carries behind each chunk, handed from thread to thread.
struct alignas(64) Carry {
  std::atomic<bool> ready{false};
  Carries value;
  void publish(const Carries& c) {
    value = c;
    ready.store(true, std::memory_order_release);
  }
  [[nodiscard]] const Carries& wait() const {
    for (int spins = 0; !ready.load(std::memory_order_acquire); ++spins) {
      if (spins < 4096)
        relax();
      else
        std::this_thread::yield();
    }
    return value;
  }
};

void scan_chunks(const FoldRun& run, std::int64_t chunks, const Fresh& out) {
  const std::vector<Cut> cuts = cut_segments(run.segments, run.count, run.v.length(), chunks);
  std::vector<Carry> carries(static_cast<std::size_t>(chunks));
  for_chunks_in_order(run.context, chunks, [&](std::int64_t c) {
    const auto i = static_cast<std::size_t>(c);
    const ChunkParts p = chunk_parts(run.segments, cuts[i], cuts[i + 1]);
    const bool has_head = p.head_end > p.head_begin;
    const bool has_tail = p.tail_end > p.tail_begin;
    PartTotals open;  // of the part whose segment goes on behind this chunk
    if (p.head_open) open.make(run.fold.scan_totals, run.v.at(p.head_begin), p.head_end - p.head_begin);
    if (has_tail) open.make(run.fold.scan_totals, run.v.at(p.tail_begin), p.tail_end - p.tail_begin);
    if (has_tail) {
      Carries behind = run.first_carries(p.last);
      open.add_to(behind, run.fold);
      carries[i].publish(behind);
    }
    if (has_head) {
      const Carries& in = carries[i - 1].wait();
      if (p.head_open) {
        Carries behind = in;
        open.add_to(behind, run.fold);
        carries[i].publish(behind);
      }
      run.fold.scan_blocks(run.v.at(p.head_begin), p.head_end - p.head_begin, in, out.at(p.head_begin));
    } else if (p.head_open) {  // an empty chunk within a segment
      carries[i].publish(carries[i - 1].wait());
    }
    if (p.first < p.last) run.fold.scan_segments(run.v.data(), run.segments, p.first, p.last, out.data());
    if (has_tail)
      run.fold.scan_blocks(run.v.at(p.tail_begin), p.tail_end - p.tail_begin, run.first_carries(p.last),
                           out.at(p.tail_begin));
  });
}

}  // namespace

bool sums_known(Op op, TypeWord word, std::span<const Value> operands, IntBits bits, Value& result) {
  const OpInfo& info = op_info(op);
  if (word != TypeWord::kInt || bits != IntBits::k64 || info.scalar != Scalar::kAdd ||
      (info.kind != OpKind::kScan && info.kind != OpKind::kReduce))
    return false;
  const auto* v = std::get_if<Vector>(&operands[0]);
  const auto* s = std::get_if<Segdes>(&operands[1]);
  if (v == nullptr || s == nullptr || s->segments() != 1 || s->total() != v->length()) return false;
  if (info.kind == OpKind::kReduce) {
    const auto sum = kept_sum(*v);
    if (sum) result = Vector::of_int(*sum);
    return sum.has_value();
  }
  std::optional<Vector> sums = kept_sums(*v);
  if (!sums) return false;
  result = std::move(*sums);
  return true;
}

const kernels::Fold& fold_kernels(const PrimContext& context, Scalar scalar, Storage storage) {
  const auto types = static_cast<int>(fold_types(storage, wide_int(context)));
  return kernel_table(context.isa).fold[static_cast<int>(scalar)][types];
}

namespace {

FoldRun fold_run(const PrimCall& call, const Elements& v) {
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 1);
  const Storage wide = wide_int(context);
  const Storage result = storage_is_int(v.storage()) ? wide : v.storage();
  const Scalar scalar = op_info(call.op).scalar;
  return {context, v, fold_kernels(context, scalar, v.storage()), kernel_segments(s), s.segments(), result};
}

}  // namespace

void reduce(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 1);
  if (sums_known(call.op, call.word, {call.operands, 2}, context.int_bits, call.results[0]))
    return took(context, FastPath::kKeptSums);
  const Elements v(vector_operand(call, 0), context);
  const FoldRun run = fold_run(call, v);
  Fresh out(context, run.result, s.segments());
  const std::int64_t chunks = chunk_count(context, s.total() + s.segments(), kReduceChunk);
  if (chunks == 1)
    run.fold.reduce_segments(v.data(), run.segments, 0, run.count, out.data());
  else
    reduce_chunks(run, chunks, out);
  call.results[0] = out.take();
}

void scan(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 1);
  if (sums_known(call.op, call.word, {call.operands, 2}, context.int_bits, call.results[0]))
    return took(context, FastPath::kKeptSums);
  Vector& operand = vector_operand(call, 0);
  const Elements v(operand, context);
  const FoldRun run = fold_run(call, v);
  Fresh out(context, run.result, v.length(), operand);
  const std::int64_t chunks = chunk_count(context, s.total() + s.segments(), kScanChunk);
  if (chunks == 1)
    run.fold.scan_segments(v.data(), run.segments, 0, run.count, out.data());
  else
    scan_chunks(run, chunks, out);
  call.results[0] = out.take();
}

}  // namespace nvm::vm
