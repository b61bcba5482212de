#include "vm/prims/pieces.h"

#include <algorithm>
#include <span>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/run_moves.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kFewest = 32;  // elements; shorter vectors are written faster than described

const ViewRef* runs_at(const PrimCall& call, int i) {
  return view_of(call.operands[i], &View::is_runs) != nullptr ? &std::get<ViewRef>(call.operands[i])
                                                              : nullptr;
}

// The number that all elements are, if they are.
bool all_alike(const Vector& v, const PrimContext& context, std::int64_t& x) {
  if (v.length() == 0) return false;
  if (v.is_scalar() || v.is_repeated()) {
    x = v.scalar_int();
    return true;
  }
  std::int64_t range[2];
  switch (v.storage()) {
    case Storage::kI32: kernel_table(context.isa).index_range[0](v.raw(), v.length(), range); break;
    case Storage::kI64: kernel_table(context.isa).index_range[1](v.raw(), v.length(), range); break;
    default: return false;
  }
  x = range[0];
  return range[0] == range[1];
}

}  // namespace

bool same_start(const Vector& starts, const PrimContext& context, std::int64_t& start) {
  return all_alike(starts, context, start);
}

namespace {

// Where the runs of segments of equal lengths go, if that is the same for all of them.
bool note_regular(const View& runs, const Segdes& source, const Segdes& dest, const PrimContext& context,
                  JoinPart& part) {
  if (!runs.s.is_regular() || !source.is_regular() || !dest.is_regular() ||
      source.segments() != runs.s.segments() || !all_alike(runs.base.list, context, part.offset))
    return false;
  part.length = runs.s.regular_length();
  part.count = runs.s.segments();
  part.regular = part.offset >= 0 && part.offset + part.length <= dest.regular_length();
  return part.regular;
}

// Do equally long runs go to where they are, with no gap between them?
bool stays_regular(const View& runs, const Segdes& source, const Segdes& dest, const PrimContext& context) {
  const std::int64_t n = runs.s.regular_length();
  if (!runs.s.is_regular() || !source.is_regular() || !dest.is_regular() || n == 0 ||
      source.regular_length() != dest.regular_length() || dest.regular_length() % n != 0)
    return false;
  const Elements x(runs.base.list, context);
  const Indices first(x, context);
  const std::int64_t each = dest.regular_length() / n;
  return kernel_table(context.isa).stairs[first.kind()](first.at(0), runs.s.segments(), each, n);
}

bool note_pieces(const View& runs, const Segdes& source, const Segdes& dest, const PrimContext& context,
                 JoinPart& part) {
  const std::int64_t count = runs.s.segments();
  part.pieces = context.pool->allocate(ByteCount::of<std::int64_t>(2 * count + 3));
  auto* place = reinterpret_cast<std::int64_t*>(part.pieces.data());
  const Elements x(runs.base.list, context);
  const Indices first(x, context);
  part.regular = false;
  part.length = count + 1;  // of either array
  part.count =
      kernel_table(context.isa)
          .note_pieces[first.kind()](first.at(0), kernel_segments(runs.s), count, kernel_segments(source),
                                     kernel_segments(dest), source.segments(), place, place + count + 1);
  return part.count >= 0;
}

bool note_places(const Segdes& source, const Segdes& dest, const PrimContext& context, JoinPart& part) {
  if (part.v.length() == dest.total() && stays_regular(*part.runs, source, dest, context)) {
    part.regular = true;
    part.offset = 0;
    part.length = dest.regular_length();
    part.count = dest.segments();
    return true;
  }
  return note_regular(*part.runs, source, dest, context, part) ||
         note_pieces(*part.runs, source, dest, context, part);
}

// What moves and where to; false if the operands are not of this kind. Few elements may have written places:
// each is a run.
bool take_part(const PrimCall& call, JoinPart& part) {
  part.v = vector_operand(call, 0);
  part.source = segdes_operand(call, 3);
  const std::int64_t n = part.v.length();
  if (n != part.source.total() || part.v.is_repeated()) return false;
  if (const auto* places = std::get_if<Vector>(&call.operands[1])) {
    if (n >= kFewest || places->length() != n) return false;
    part.runs = runs_view(Segdes::regular(n, 1), *places);
    return true;
  }
  const ViewRef* runs = runs_at(call, 1);
  if (runs == nullptr || (*runs)->s.total() != n) return false;
  part.runs = *runs;
  return true;
}

// The narrowest storage for its elements if they are few; else its own.
Storage least_storage(const Vector& v) {
  if (!storage_is_int(v.storage()) || v.length() >= kFewest) return v.storage();
  Storage least = Storage::kI8;
  for (std::int64_t i = 0; i < v.length(); ++i) {
    const std::int64_t x = v.int_at(i);
    if (x != static_cast<std::int32_t>(x)) return Storage::kI64;
    if (x != static_cast<std::int8_t>(x)) least = Storage::kI32;
  }
  return least;
}
// Lets all parts lie as one storage. One element does in any that holds it: its low bytes come first.
void store_alike(std::vector<JoinPart>& parts, const PrimContext& context) {
  Storage storage = least_storage(parts[0].v);
  for (const JoinPart& part : parts)
    if (storage_is_int(storage)) storage = std::max(storage, least_storage(part.v));
  for (JoinPart& part : parts) {
    if (part.v.is_scalar() || part.v.storage() == storage) continue;
    if (part.v.storage() < storage) {
      part.v = stored_as(part.v, storage, context);
      continue;
    }
    std::vector<std::int64_t> few;
    for (std::int64_t i = 0; i < part.v.length(); ++i) few.push_back(part.v.int_at(i));
    part.v = int_vector(*context.pool, few, storage);
  }
}

kernels::PieceStream stream(const JoinPart& part) {
  const auto* place = reinterpret_cast<const std::int64_t*>(part.pieces.data());
  return {part.v.raw(), place, place + part.length};
}

// Is every piece where it was?
bool stays(const JoinPart& part, const Segdes& dest) {
  if (part.regular) return part.length == dest.regular_length();
  const kernels::PieceStream s = stream(part);
  return std::equal(s.place, s.place + part.count, s.from);
}

// The parts in the order of their places if all are regular and follow each other in every segment.
bool join_regular(const std::vector<JoinPart>& parts, const Segdes& dest, Storage storage,
                  const PrimContext& context, Fresh& out) {
  if (parts.size() != 2 || !parts[0].regular || !parts[1].regular) return false;
  const JoinPart& a = parts[parts[0].offset <= parts[1].offset ? 0 : 1];
  const JoinPart& b = parts[parts[0].offset <= parts[1].offset ? 1 : 0];
  if (a.offset != 0 || b.offset != a.length || a.length == 0 || b.length == 0) return false;
  kernel_table(context.isa)
      .join_regular[width_index(storage)](a.v.raw(), a.length, b.v.raw(), b.length, dest.segments(),
                                          out.data());
  return true;
}

Storage storage_of(const std::vector<JoinPart>& parts) {
  return parts[0].v.is_scalar() ? parts[1].v.storage() : parts[0].v.storage();
}

// Do the pieces, of at most two streams, fill `total` places without a gap?
bool fills(std::span<const kernels::PieceStream> streams, std::span<const std::int64_t> counts,
           std::int64_t total) {
  std::int64_t at[2] = {};
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < counts[0] + counts[1]; ++i) {
    const std::size_t s = streams[0].place[at[0]] <= streams[1].place[at[1]] ? 0 : 1;
    const kernels::PieceStream& stream = streams[s];
    const std::int64_t k = at[s]++;
    if (stream.place[k] != end) return false;
    end += stream.from[k + 1] - stream.from[k];
  }
  return end == total;
}

// Copies what of the pieces lies in [begin, end) of the result.
void copy_range(const kernels::PieceStream& stream, std::int64_t count, std::int64_t begin, std::int64_t end,
                std::int64_t width, std::byte* out) {
  const auto* behind = std::upper_bound(stream.place, stream.place + count, begin);
  for (std::int64_t k = std::max<std::int64_t>(behind - stream.place - 1, 0);
       k < count && stream.place[k] < end; ++k) {
    const std::int64_t first = std::max(stream.place[k], begin);
    const std::int64_t last = std::min(stream.place[k] + stream.from[k + 1] - stream.from[k], end);
    if (first >= last) continue;
    const std::int64_t from = stream.from[k] + first - stream.place[k];
    std::memcpy(out + first * width, static_cast<const std::byte*>(stream.v) + from * width,
                static_cast<std::size_t>((last - first) * width));
  }
}

// Long pieces go by all threads, cut where the result is cut.
bool merge(std::span<const kernels::PieceStream> streams, std::span<const std::int64_t> counts,
           std::int64_t total, Storage storage, const PrimContext& context, std::byte* out) {
  constexpr std::int64_t kLong = 1024;  // elements, on average
  const std::int64_t count = counts[0] + counts[1];
  if (context.threads <= 1 || total < 2 * context.grain || count > total / kLong)
    return kernel_table(context.isa).merge_pieces[width_index(storage)](streams.data(), count, total, out);
  if (!fills(streams, counts, total)) return false;
  took(context, FastPath::kJoinSplit);
  for_ranges(context, total, [&](std::int64_t begin, std::int64_t end) {
    for (const std::size_t s : {0U, 1U})
      copy_range(streams[s], counts[s], begin, end, static_cast<std::int64_t>(storage_bytes(storage)), out);
  });
  return true;
}

// Writes all parts, whose elements are as many as there are places; false if they overlap.
bool join(std::vector<JoinPart>& parts, const Segdes& dest, const PrimContext& context, Value& result) {
  if (parts.size() == 1) {
    if (!stays(parts[0], dest)) return false;
    took(context, FastPath::kJoinWhole);
    result = std::move(parts[0].v);
    return true;
  }
  if (parts.size() != 2) return false;
  store_alike(parts, context);
  const Storage storage = storage_of(parts);
  Fresh out(context, storage, dest.total());
  if (join_regular(parts, dest, storage, context, out)) {
    took(context, FastPath::kJoinRegular);
  } else {
    kernels::PieceStream streams[2];
    for (const std::size_t i : {0U, 1U}) {
      JoinPart& part = parts[i];
      if (part.regular && !note_pieces(*part.runs, part.source, dest, context, part)) return false;
      streams[i] = stream(part);
    }
    const std::int64_t counts[2] = {parts[0].count, parts[1].count};
    if (!merge(streams, counts, dest.total(), storage, context, out.data())) return false;
    took(context, FastPath::kJoinPieces);
  }
  result = out.take();
  return true;
}

// Gives the result of a BPERMUTE if all segments give the same part of themselves.
bool take_regular(const PrimCall& call, const View& runs) {
  const Vector& v = vector_operand(call, 0);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  std::int64_t offset = 0;
  if (!from.is_regular() || !along.is_regular() || from.segments() != along.segments() ||
      from.segments() < 2 || v.length() != from.total() || !all_alike(runs.base.list, call.context, offset))
    return false;
  const std::int64_t n = along.regular_length();
  if (n < 1 || offset < 0 || offset > from.regular_length() - n) return false;
  took(call.context, FastPath::kTakeRegular);
  if (n == from.regular_length()) {
    call.results[0] = std::move(vector_operand(call, 0));
    return true;
  }
  Fresh out(call.context, v.storage(), along.total());
  kernel_table(call.context.isa)
      .take_regular[width_index(v.storage())](v.raw(), from.regular_length(), offset, n, from.segments(),
                                              out.data());
  call.results[0] = out.take();
  return true;
}

}  // namespace

bool join_pieces(const PrimCall& call, bool may_wait) {
  const auto waits_for = [](const View& f, const Segdes& dest) {
    return (f.s.identical(dest) || f.s == dest) && f.parts[0].view == nullptr;
  };
  const auto* defaults = std::get_if<Vector>(&call.operands[2]);
  const View* waiting = view_of(call.operands[2], View::Source::kJoin);
  if (waiting == nullptr && (defaults == nullptr || !defaults->is_repeated())) return false;
  const Segdes& source = segdes_operand(call, 3);
  const Segdes dest = destination(source, segdes_operand(call, 4));
  const std::int64_t places = waiting != nullptr ? waiting->s.total() : defaults->length();
  JoinPart part;
  if (places < kFewest || places != dest.total() || source.segments() != dest.segments() ||
      (waiting != nullptr && !waits_for(*waiting, dest)) || !take_part(call, part))
    return false;
  if (part.v.length() == 0 && may_wait) {
    call.results[0] = std::move(call.operands[2]);
    return true;
  }
  std::int64_t covered = part.v.length();
  std::vector<JoinPart> parts;
  if (waiting != nullptr) {
    parts = waiting->parts;
    for (const JoinPart& p : parts) covered += p.v.length();
  }
  if (covered > places || (covered < places && !may_wait)) return false;
  if (!note_places(source, dest, call.context, part)) return false;
  if (part.v.length() > 0) parts.push_back(std::move(part));
  if (covered == places) return join(parts, dest, call.context, call.results[0]);
  took(call.context, FastPath::kLeaveJoin);
  call.results[0] = waiting_join(dest, waiting != nullptr ? waiting->x : *defaults, std::move(parts));
  return true;
}

bool take_pieces(const PrimCall& call) {
  const ViewRef* runs = runs_at(call, 1);
  if (runs == nullptr || (*runs)->s.total() != segdes_operand(call, 3).total()) return false;
  const bool along = (*runs)->s.identical(segdes_operand(call, 3)) || (*runs)->s == segdes_operand(call, 3);
  if (!along || vector_operand(call, 0).is_repeated()) return false;
  const ViewRef held = *runs;
  return take_regular(call, *held) || move_by_starts(call.context, Op::kBpermute, call.word,
                                                     {call.operands, 4}, held->base.list, {call.results, 1});
}

}  // namespace nvm::vm
