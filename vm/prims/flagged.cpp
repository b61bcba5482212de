#include "vm/prims/flagged.h"

#include <algorithm>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

bool leave_flagged(const PrimCall& call) {
  const PrimContext& context = call.context;
  const View* indices = view_of(call.operands[0], &View::is_runs);
  Vector& flags = vector_operand(call, 1);
  const Segdes& s = segdes_operand(call, 2);
  if (indices == nullptr || indices->s.segments() != 1 || indices->base.list.scalar_int() != 0 ||
      indices->s.total() != s.total() || s.segments() != 1 || flags.length() != s.total() ||
      flags.is_repeated() || worth_all(context, s.total()))
    return false;
  View f;
  f.source = View::Source::kPlaces;
  f.s = Segdes::regular(1, kernel_table(context.isa).count(Elements(flags, context).flags(), s.total()));
  f.x = std::move(flags);
  call.results[1] = f.s;
  took(call.context, FastPath::kLeavePlaces);
  call.results[0] = make_view(std::move(f));
  return true;
}

Vector written_flagged(const View& places, const PrimContext& context) {
  const Segdes s = Segdes::regular(1, places.x.length());
  Value result[2];
  Value all[3] = {Vector::of_int(0), Vector::of_int(1), s};
  run_primitive(context, Op::kIndex, TypeWord::kNone, all, {result, 1});
  Value operands[3] = {std::move(result[0]), places.x, s};
  run_primitive(context, Op::kPack, TypeWord::kInt, operands, result);
  return std::get<Vector>(std::move(result[0]));
}

bool move_to_flagged(const PrimCall& call, const View& places) {
  const PrimContext& context = call.context;
  const Vector& v = vector_operand(call, 0);
  Vector& defaults = vector_operand(call, 2);
  const Segdes& source = segdes_operand(call, 3);
  const Segdes& dest = segdes_operand(call, 4);
  const std::int64_t n = places.x.length();
  if (source.segments() != 1 || dest.segments() != 1 || dest.total() != n || defaults.length() != n ||
      v.length() != places.s.total() || v.length() != source.total() || v.is_repeated())
    return false;
  const Defaults d(defaults, context);
  const Elements elements(v, context, true);
  Storage storage = d.storage();
  std::optional<Vector> stored;
  if (storage == Storage::kI32 && elements.storage() == Storage::kI64)
    stored = in_four_bytes(elements, context);
  if (storage_is_int(storage) && !stored) storage = std::max(storage, elements.storage());
  if (!stored) stored = stored_as(v, storage, context);
  const Elements from(*stored,
                      context);  // of one element the low bytes come first
  const Elements flags(places.x, context);
  Fresh out(context, storage, n, defaults);
  const std::byte* others = out.data();
  alignas(64) std::byte same[64];  // stands for all of them
  const Vector* repeated = d.repeated(storage);
  if (repeated != nullptr) {
    others = same;
    fill_repeated(*repeated, context, static_cast<std::int64_t>(sizeof same / storage_bytes(storage)), same);
  } else {
    d.copy_to(context, storage, out);
  }
  took(context, FastPath::kPutFlagged);
  kernel_table(context.isa)
      .expand[width_index(storage)](from.data(), v.length(), flags.flags(), n, others,
                                    repeated != nullptr ? 0 : 1, out.data());
  call.results[0] = out.take();
  return true;
}

std::optional<Vector> flagged_part(const Vector& v, const std::uint8_t* flags, const Segdes& s,
                                   std::int64_t total) {
  constexpr std::int64_t kWorth = 1 << 10;
  if (total < kWorth || total == v.length() || !worth_sharing(v, total)) return std::nullopt;
  const kernels::Segments segments = kernel_segments(s);
  std::int64_t first = 0;
  std::int64_t last = s.segments();
  while (flags[first] == 0) ++first;
  while (flags[last - 1] == 0) --last;
  if (segments.start(last) - segments.start(first) != total) return std::nullopt;
  return v.part(segments.start(first), total);
}

}  // namespace nvm::vm
