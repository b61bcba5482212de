#include "vm/prims/assembly.h"

#include <algorithm>
#include <span>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/prims/part_maps.h"
#include "vm/prims/pieces.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kFewest = 32;  // elements; shorter vectors are written faster than described

const Vector& written(const AssemblyPart& part) { return std::get<Vector>(part.v); }
Vector& written(AssemblyPart& part) { return std::get<Vector>(part.v); }
// What is not written; null for a vector.
const View* delayed(const AssemblyPart& part) { return view_of(part.v); }

// --- Where parts belong ---

// Where the runs of segments of equal lengths go, if that is the same for all of them.
bool note_regular(const View& runs, const Segdes& source, const Segdes& dest, AssemblyPart& part) {
  if (!runs.s.is_regular() || !source.is_regular() || !dest.is_regular() ||
      source.segments() != runs.s.segments() || !same_start(runs.base.list, part.offset))
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
                 AssemblyPart& part) {
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

// Of a vector.
bool place_vector(const Segdes& dest, const PrimContext& context, AssemblyPart& part) {
  if (written(part).length() == dest.total() && stays_regular(*part.runs, part.source, dest, context)) {
    part.regular = true;
    part.offset = 0;
    part.length = dest.regular_length();
    part.count = dest.segments();
    return true;
  }
  return note_regular(*part.runs, part.source, dest, part) ||
         note_pieces(*part.runs, part.source, dest, context, part);
}

bool all_zero(const Vector& v) {
  if (v.is_scalar() || v.is_repeated()) return v.scalar_int() == 0;
  const auto zero = [&](auto type) {
    const auto* p = v.data<decltype(type)>();
    return std::all_of(p, p + v.length(), [](auto x) { return x == 0; });
  };
  return v.storage() == Storage::kI32 ? zero(std::int32_t{})
                                      : v.storage() == Storage::kI64 && zero(std::int64_t{});
}

// f with the elements of an INT vector of 32 or 64 bits; false for others.
template <typename F>
bool with_ints(const Vector& v, F f) {
  if (v.storage() == Storage::kI32) return f(v.data<std::int32_t>());
  return v.storage() == Storage::kI64 && f(v.data<std::int64_t>());
}

// Are the numbers of v the lengths of s?
bool are_lengths(const Vector& v, const Segdes& s, Pool& pool) {
  if (v.length() != s.segments() || v.is_repeated()) return false;
  if (v.is_scalar()) return v.scalar_int() == s.total();
  const Vector lengths = s.lengths(pool);
  if (v.storage() == lengths.storage() && v.raw() == lengths.raw()) return true;
  return with_ints(v, [&](const auto* p) {
    return with_ints(lengths, [&](const auto* q) {
      std::int64_t differ = 0;
      for (std::int64_t k = 0; k < v.length(); ++k) differ |= std::int64_t{p[k]} ^ std::int64_t{q[k]};
      return differ == 0;
    });
  });
}

// Are the segments of `all` as long as those of a and b together?
bool add_up(const Segdes& a, const Segdes& b, const Segdes& all, Pool& pool) {
  if (a.segments() != all.segments() || a.total() + b.total() != all.total()) return false;
  if (a.segments() == 1) return true;
  const Vector la = a.lengths(pool);
  const Vector lb = b.lengths(pool);
  const Vector lc = all.lengths(pool);
  return with_ints(la, [&](const auto* p) {
    return with_ints(lb, [&](const auto* q) {
      return with_ints(lc, [&](const auto* sum) {
        std::int64_t differ = 0;
        for (std::int64_t k = 0; k < all.segments(); ++k)
          differ |= (std::int64_t{p[k]} + std::int64_t{q[k]}) ^ std::int64_t{sum[k]};
        return differ == 0;
      });
    });
  });
}

// Of a half: the first waits, the second finds all in its place.
bool place_half(const View* before, const Segdes& dest, const PrimContext& context,
                const AssemblyPart& part) {
  const View& half = *delayed(part);
  const Vector& starts = part.runs->base.list;
  if (!same_segments(part.runs->s, half.s) || !same_segments(part.source, half.s)) return false;
  if (half.half == View::Half::kFirst)
    return before == nullptr && all_zero(starts) && add_up(half.s, half.other, dest, *context.pool);
  const View* first = before != nullptr ? delayed(before->parts[0]) : nullptr;
  return first != nullptr && first->is_half() && first->x.raw() == half.x.raw() &&
         same_segments(first->s, half.other) && are_lengths(starts, first->s, *context.pool);
}

// Of what is computed from slices: one half of every segment.
bool place_map(const View* before, const Segdes& dest, AssemblyPart& part) {
  const Segdes& s = delayed(part)->s;
  if (!part.runs->s.identical(s) || !part.source.identical(s) || 2 * s.total() != dest.total() ||
      !note_regular(*part.runs, part.source, dest, part) || part.length == 0)
    return false;
  if (before == nullptr) return true;
  const AssemblyPart& other = before->parts[0];
  return delayed(other) != nullptr && !delayed(other)->is_half() && delayed(other)->s.identical(s) &&
         part.offset + other.offset == part.length && std::min(part.offset, other.offset) == 0;
}

bool place(const View* before, const Segdes& dest, const PrimContext& context, AssemblyPart& part) {
  const View* v = delayed(part);
  if (v == nullptr) return place_vector(dest, context, part);
  return v->is_half() ? place_half(before, dest, context, part) : place_map(before, dest, part);
}

// --- Filling ---

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
void store_repeated(std::vector<AssemblyPart>& parts, const PrimContext& context) {
  Storage storage = least_storage(written(parts[0]));
  for (const AssemblyPart& part : parts)
    if (storage_is_int(storage)) storage = std::max(storage, least_storage(written(part)));
  for (AssemblyPart& part : parts) {
    if (written(part).is_scalar() || written(part).storage() == storage) continue;
    if (written(part).storage() < storage) {
      part.v = stored_as(written(part), storage, context);
      continue;
    }
    std::vector<std::int64_t> few;
    for (std::int64_t i = 0; i < written(part).length(); ++i) few.push_back(written(part).int_at(i));
    part.v = int_vector(*context.pool, few, storage);
  }
}

kernels::PieceStream stream(const AssemblyPart& part) {
  const auto* place = reinterpret_cast<const std::int64_t*>(part.pieces.data());
  return {written(part).raw(), place, place + part.length};
}

// Is every piece where it was?
bool stays(const AssemblyPart& part, const Segdes& dest) {
  if (part.regular) return part.length == dest.regular_length();
  const kernels::PieceStream s = stream(part);
  return std::equal(s.place, s.place + part.count, s.from);
}

// The parts in the order of their places if all are regular and follow each other in every segment.
bool join_regular(const std::vector<AssemblyPart>& parts, const Segdes& dest, Storage storage,
                  const PrimContext& context, Fresh& out) {
  if (parts.size() != 2 || !parts[0].regular || !parts[1].regular) return false;
  const AssemblyPart& a = parts[parts[0].offset <= parts[1].offset ? 0 : 1];
  const AssemblyPart& b = parts[parts[0].offset <= parts[1].offset ? 1 : 0];
  if (a.offset != 0 || b.offset != a.length || a.length == 0 || b.length == 0) return false;
  kernel_table(context.isa)
      .join_regular[width_index(storage)](written(a).raw(), a.length, written(b).raw(), b.length,
                                          dest.segments(), out.data());
  return true;
}

Storage storage_of(const std::vector<AssemblyPart>& parts) {
  Storage least = Storage::kI8;  // for elements alone
  for (const AssemblyPart& part : parts) {
    const Vector& v = written(part);
    if (!v.is_scalar() || !storage_is_int(v.storage())) return v.storage();
    least = std::max(least, least_storage(v));
  }
  return least;
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

// By all threads, cut where the result is cut.
bool merge(std::span<const kernels::PieceStream> streams, std::span<const std::int64_t> counts,
           std::int64_t total, Storage storage, const PrimContext& context, std::byte* out) {
  if (!worth_all(context, total))
    return kernel_table(context.isa)
        .merge_pieces[width_index(storage)](streams.data(), counts[0] + counts[1], total, out);
  if (!fills(streams, counts, total)) return false;
  took(context, FastPath::kJoinSplit);
  for_ranges(context, total, [&](std::int64_t begin, std::int64_t end) {
    for (const std::size_t s : {0U, 1U})
      copy_range(streams[s], counts[s], begin, end, static_cast<std::int64_t>(storage_bytes(storage)), out);
  });
  return true;
}

// Of vectors; false if they overlap, or all threads better put one after the other: short pieces.
bool fill_by_vectors(std::vector<AssemblyPart>& parts, const Segdes& dest, const PrimContext& context,
                     Value& result) {
  if (parts.size() == 1) {
    if (!stays(parts[0], dest)) return false;
    took(context, FastPath::kJoinWhole);
    result = std::move(parts[0].v);
    return true;
  }
  if (parts.size() != 2) return false;
  constexpr std::int64_t kLong = 1024;  // elements, on average
  const bool shared = worth_all(context, dest.total());
  if (shared && parts[0].count + parts[1].count > dest.total() / kLong) return false;
  store_repeated(parts, context);
  const Storage storage = storage_of(parts);
  Fresh out(context, storage, dest.total());
  if (!shared && join_regular(parts, dest, storage, context, out)) {
    took(context, FastPath::kJoinRegular);
  } else {
    kernels::PieceStream streams[2];
    for (const std::size_t i : {0U, 1U}) {
      AssemblyPart& part = parts[i];
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

bool fill(const PrimCall& call, std::vector<AssemblyPart> parts, const Segdes& dest) {
  const View* last = delayed(parts.back());
  if (last == nullptr) return fill_by_vectors(parts, dest, call.context, call.results[0]);
  if (last->is_half()) {
    took(call.context, FastPath::kJoinHalves);
    call.results[0] = last->x;
    return true;
  }
  const std::size_t first = parts[0].offset == 0 ? 0 : 1;
  std::optional<SlicesRun> run = run_of_slices(call.context, parts[first].v, parts[1 - first].v);
  if (!run) return false;
  took(call.context, FastPath::kJoinParts);
  // Memory that nobody else sees may be written again.
  parts.clear();
  call.operands[0] = Value();
  call.operands[2] = Value();
  call.results[0] = run->run.join(run->low, run->high);
  return true;
}

// What moves and by which runs; few elements may have written places: each is a run.
bool take_part(const PrimCall& call, AssemblyPart& part) {
  part.source = segdes_operand(call, 3);
  const std::int64_t n = part.elements();
  const View* view = view_of(call.operands[0]);
  const auto* v = std::get_if<Vector>(&call.operands[0]);
  if (view != nullptr ? view->s.total() != n || !(view->is_half() || view->is_slice() || view->is_map())
                      : v->length() != n || v->is_repeated())
    return false;
  const auto* places = std::get_if<Vector>(&call.operands[1]);
  if (places != nullptr) {
    if (view != nullptr || n >= kFewest || places->length() != n) return false;
    part.runs = runs_view(Segdes::regular(n, 1), *places);
  } else {
    const View* runs = view_of(call.operands[1], &View::is_runs);
    if (runs == nullptr || runs->s.total() != n) return false;
    part.runs = std::get<ViewRef>(call.operands[1]);
  }
  part.v = call.operands[0];
  return true;
}

// What the first part may be put over: what is not looked at where all parts are there.
bool begins(const PrimCall& call, const Segdes& dest, const AssemblyPart& part) {
  const auto* over = std::get_if<Vector>(&call.operands[2]);
  if (over == nullptr || over->length() != dest.total()) return false;
  const View* v = delayed(part);
  return v != nullptr && v->is_half() ? v->half == View::Half::kFirst : over->is_repeated();
}

// Are parts of one kind? Vectors go with vectors only.
bool goes_on(const View& before, const Segdes& dest, const AssemblyPart& part) {
  return same_segments(before.s, dest) && (delayed(part) == nullptr) == (delayed(before.parts[0]) == nullptr);
}

}  // namespace

bool assemble(const PrimCall& call, bool may_wait) {
  const View* before = view_of(call.operands[2], View::Source::kAssembly);
  const Segdes& source = segdes_operand(call, 3);
  const Segdes dest = destination(source, segdes_operand(call, 4));
  AssemblyPart part;
  if (source.segments() != dest.segments() || !take_part(call, part) ||
      (before != nullptr ? !goes_on(*before, dest, part) : !begins(call, dest, part)))
    return false;
  const bool vectors = delayed(part) == nullptr;
  if (vectors && dest.total() < kFewest) return false;
  if (vectors && may_wait && part.elements() == 0) {
    call.results[0] = std::move(call.operands[2]);
    return true;
  }
  std::int64_t filled = part.elements();
  if (before != nullptr)
    for (const AssemblyPart& p : before->parts) filled += p.elements();
  const bool full = filled == dest.total() && (vectors || before != nullptr);
  if (filled > dest.total() || (!full && !may_wait) || !place(before, dest, call.context, part)) return false;
  std::vector<AssemblyPart> parts;
  if (before != nullptr) parts = before->parts;
  if (part.elements() > 0 || !vectors) parts.push_back(std::move(part));
  if (full) return fill(call, std::move(parts), dest);
  took(call.context, FastPath::kLeaveJoin);
  call.results[0] =
      assembly_value(dest, before != nullptr ? before->x : vector_operand(call, 2), std::move(parts));
  return true;
}

Value assembly_value(const Segdes& s, const Vector& defaults, std::vector<AssemblyPart> parts) {
  View v;
  v.source = View::Source::kAssembly;
  v.s = s;
  v.x = defaults;
  v.parts = std::move(parts);
  return make_view(std::move(v));
}

}  // namespace nvm::vm
