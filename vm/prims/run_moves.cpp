// Bytes: elements read once and written once, and those that a scatter leaves as they are once more unless
// the result takes over their memory.
#include "vm/prims/run_moves.h"

#include <atomic>
#include <vector>

#include "vm/prims/move_parts.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 15;

// Pieces along one vector that come from, or go to, places in the segments of another.
struct Pieces {
  const PrimContext& context;
  const Indices& starts;
  Segdes along;
  kernels::Segments there;
  int width;
  bool gathers;

  [[nodiscard]] bool fit() const {
    std::atomic<bool> all{true};
    const kernels::Segments a = kernel_segments(along);
    for_ranges(context, along.segments(), [&](std::int64_t first, std::int64_t last) {
      if (!kernel_table(context.isa).runs_fit[starts.kind()](starts.at(0), a, there, first, last))
        all = false;
    });
    return all;
  }

  void copy(const Elements& v, const Fresh& out) const {
    const std::int64_t k = along.segments();
    const kernels::Segments a = kernel_segments(along);
    const auto kernel = kernel_table(context.isa).copy_runs[width][starts.kind()][gathers ? 1 : 0];
    for_segments(
        context, a, k, along.total(), kChunk,
        [&](std::int64_t first, std::int64_t last) {
          kernel(v.data(), starts.at(0), a, there, first, last, out.data());
        },
        [&](std::int64_t segment, std::int64_t begin, std::int64_t end) {
          copy_part(v, segment, begin, end, out);
        });
  }

 private:
  void copy_part(const Elements& v, std::int64_t k, std::int64_t begin, std::int64_t end,
                 const Fresh& out) const {
    const std::int64_t place = there.start(k) + starts[k] + (begin - along.offset(k));
    std::memcpy(out.at(gathers ? begin : place), v.at(gathers ? place : begin),
                static_cast<std::size_t>(v.at(end) - v.at(begin)));
  }
};

bool gather_runs(const PrimContext& context, std::span<Value> operands, const Indices& starts,
                 std::span<Value> results) {
  const auto& vector = std::get<Vector>(operands[0]);
  const auto& from = std::get<Segdes>(operands[2]);
  const auto& along = std::get<Segdes>(operands[3]);
  if (from.segments() != along.segments() || vector.length() != from.total()) return false;
  const Pieces pieces{context, starts, along, kernel_segments(from), width_index(vector.storage()), true};
  if (!pieces.fit()) return false;
  if (along.segments() == 1 && worth_sharing(vector, along.total())) {
    took(context, FastPath::kSharePart);
    results[0] = vector.part(along.total() == 0 ? 0 : starts[0], along.total());
    return true;
  }
  took(context, FastPath::kTakeRuns);
  const Elements v(vector, context);
  Fresh out(context, v.storage(), along.total());
  pieces.copy(v, out);
  results[0] = out.take();
  return true;
}

bool scatter_runs(const PrimContext& context, std::span<Value> operands, const Indices& starts,
                  std::span<Value> results) {
  auto& defaults = std::get<Vector>(operands[2]);
  const auto& along = std::get<Segdes>(operands[3]);
  const auto& into = std::get<Segdes>(operands[4]);
  auto& vector = std::get<Vector>(operands[0]);
  if (into.segments() != along.segments() || vector.length() != along.total() ||
      defaults.length() != into.total())
    return false;
  Storage storage = Elements(defaults, context).storage();
  if (storage_is_int(storage)) storage = std::max(storage, Elements(vector, context).storage());
  const Pieces pieces{context, starts, along, kernel_segments(into), width_index(storage), false};
  if (!pieces.fit()) return false;
  took(context, FastPath::kScatterRuns);
  const Vector moved = stored_as(vector, storage, context);
  const Elements v(moved, context);
  const Elements d(defaults, context);
  Fresh out(context, storage, d.length(), defaults);
  copy_as(context, d, storage, out);
  pieces.copy(v, out);
  results[0] = out.take();
  return true;
}

}  // namespace

bool move_by_starts(const PrimContext& context, Op op, std::span<Value> operands, const Vector& starts,
                    std::span<Value> results) {
  const Elements elements(starts, context);
  const Indices indices(elements, context);
  if (starts.length() != std::get<Segdes>(operands[3]).segments()) return false;
  return op == Op::kBpermute ? gather_runs(context, operands, indices, results)
                             : scatter_runs(context, operands, indices, results);
}

}  // namespace nvm::vm
