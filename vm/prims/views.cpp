#include "vm/prims/views.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "bytecode/table/op_kind.h"
#include "vm/prims/assembly.h"
#include "vm/prims/halves.h"
#include "vm/prims/move.h"
#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/prims/pack.h"
#include "vm/prims/parallel.h"
#include "vm/prims/part_maps.h"
#include "vm/prims/partition.h"
#include "vm/prims/periodic.h"
#include "vm/prims/periodic_moves.h"
#include "vm/prims/pieces.h"
#include "vm/prims/run_moves.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

using Source = View::Source;

constexpr std::int64_t kFewest = 32;        // elements; shorter vectors are written faster than described
constexpr std::int64_t kScratch = 1 << 19;  // bytes of elements that are packed without counting them first
constexpr std::int64_t kChunk = 1 << 15;    // elements and segments that one thread takes at a time
constexpr std::size_t kRegister = 64;       // bytes

const View* view_operand(const PrimCall& call, int i) { return view_of(call.operands[i]); }

void leave_spread(const PrimCall& call, const Segdes& s, const Vector& x) {
  took(call.context, FastPath::kLeaveSpread);
  call.results[0] = spread_view(s, x);
}

void write_operand(const PrimCall& call, int i) {
  if (const View* f = view_operand(call, i)) call.operands[i] = materialise(*f, call.context);
}

void dist_view(const PrimCall& call) {
  if (dist_periodic(call)) return;
  const Vector& x = vector_operand(call, 0);
  const Segdes& s = segdes_operand(call, 1);
  const bool each = s.is_regular() && s.regular_length() == 1;
  if (s.total() < kFewest || each || x.length() != s.segments()) {
    dist(call);
    return;
  }
  if (s.segments() == 1 || x.is_repeated())
    run_repeating_dist(call.context, call.word, {call.operands, 2}, {call.results, 1});
  else
    leave_spread(call, s, x);
}

// The values that `right` spreads over the segments of `s`, if it does.
bool spreads(const Value& right, Vector& x, Segdes& s) {
  if (const View* view = view_of(right)) {
    x = view->base.list;
    s = view->s;
    return view->is_spread();
  }
  const auto& v = std::get<Vector>(right);
  if (!v.is_repeated()) return false;
  x = v.repeated_element();
  s = Segdes::regular(1, v.length());
  return true;
}

bool is_written(const Value& value) {
  const auto* v = std::get_if<Vector>(&value);
  return v != nullptr && !v->is_repeated() && v->length() >= kFewest;
}

void compare_view(const PrimCall& call) {
  const int left = is_written(call.operands[0]) ? 0 : 1;
  View f;
  Vector& values = f.base.list;
  if (is_written(call.operands[left]) && spreads(call.operands[1 - left], values, f.s)) {
    f.x = vector_operand(call, left);
    const bool lies = f.x.storage() == values.storage() ||
                      (values.is_scalar() && f.x.storage() == Storage::kI32 &&
                       values.scalar_int() == static_cast<std::int32_t>(values.scalar_int())) ||
                      (values.is_scalar() && f.x.storage() == Storage::kI64);
    if (lies && f.x.storage() != Storage::kI8 && f.x.length() == f.s.total()) {
      took(call.context, FastPath::kLeaveCompare);
      f.source = Source::kCompare;
      f.compare = left == 0 ? op_info(call.op).scalar : mirrored(op_info(call.op).scalar);
      call.results[0] = make_view(std::move(f));
      return;
    }
  }
  write_operand(call, 0);
  write_operand(call, 1);
  find_primitive(call.op, call.word)(call);
}

// New lengths of packed segments, where anybody wants them.
class Lengths {
 public:
  Lengths(const PrimContext& context, const Segdes& s, bool wanted)
      : segments_(s.segments()), wanted_(wanted) {
    if (wanted && segments_ > 1) lengths_.emplace(context, Storage::kI32, segments_);
  }
  [[nodiscard]] std::int32_t* data() const {
    return lengths_ ? reinterpret_cast<std::int32_t*>(lengths_->data()) : nullptr;
  }
  void give(std::int64_t total, Value& result) {
    if (!wanted_) return;
    if (lengths_)
      result = Segdes::from_lengths(lengths_->take(), total);
    else
      result = segments_ == 0 ? Segdes() : Segdes::regular(1, total);
  }

 private:
  std::int64_t segments_;
  bool wanted_;
  std::optional<Fresh> lengths_;
};

// The values of a comparison as the kernels want them: stored as the elements they are compared with.
class Compared {
 public:
  explicit Compared(const View& f) : data_(f.base.list.raw()), step_(f.base.list.is_scalar() ? 0 : 1) {
    if (f.base.list.is_scalar() && f.base.list.type() == Type::kInt) {
      cell_ = f.base.list.scalar_int();  // the low bytes come first
      data_ = reinterpret_cast<const std::byte*>(&cell_);
    }
  }
  Compared(const Compared&) = delete;
  Compared& operator=(const Compared&) = delete;
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t step() const { return step_; }

 private:
  const std::byte* data_;
  std::int64_t step_;
  std::int64_t cell_ = 0;
};

// Is `f` a comparison of the very elements of v, with a value for each segment of `s` or for all? Not for
// those that all threads should share, and can only share once there are flags.
bool compares_elements(const PrimContext& context, const View& f, const Vector& v, const Segdes& s) {
  if (worth_all(context, v.length()) && !parts_by_all(v, s)) return false;
  return f.source == Source::kCompare && v.raw() == f.x.raw() && v.length() == f.x.length() &&
         v.storage() == f.x.storage() && v.length() == s.total() &&
         (f.base.list.is_scalar() || same_segments(f.s, s));
}

// May the PACK of these operands, whose flags are `f`, read elements of v in place of flags?
bool packs_plainly(const Vector& v, const Segdes& s) {
  return !v.is_repeated() && v.length() == s.total() && v.length() >= kFewest &&
         v.length() < (std::int64_t{1} << 31);
}

int kernel_type(const Vector& v) {
  return v.storage() == Storage::kI32 ? 0 : v.storage() == Storage::kI64 ? 1 : 2;
}

// Gives the elements and the lengths of packed segments; `v` itself if all are taken.
void give_packed(const PrimCall& call, Vector out, std::int64_t total, Lengths& lengths) {
  Vector& v = vector_operand(call, 0);
  if (total == v.length()) {
    call.results[1] = segdes_operand(call, 2);
    call.results[0] = std::move(v);
  } else {
    lengths.give(total, call.results[1]);
    call.results[0] = std::move(out);
  }
}

// The first `total` elements of memory that held more; copied if a third of it would lie idle.
Vector packed_part(const PrimContext& context, Storage storage, BufferRef memory, std::int64_t total) {
  const auto bytes = static_cast<std::size_t>(total) * storage_bytes(storage);
  const std::size_t capacity = memory.get()->capacity;
  const bool large = capacity > static_cast<std::size_t>(kScratch);
  if (total > 1 && (large || bytes >= capacity / 3 * 2)) {
    if (large) context.pool->shrink(memory, ByteCount(bytes));
    return Vector(storage, total, std::move(memory));
  }
  Fresh out(context, storage, total);
  if (bytes > 0) std::memcpy(out.data(), memory.data(), bytes);
  return out.take();
}

kernels::PackTarget target_of(Scalar relation) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  kernels::PackTarget to;
  if (relation == Scalar::kLt || relation == Scalar::kLe || relation == Scalar::kNe) to.less = kAll;
  if (relation == Scalar::kGt || relation == Scalar::kGe || relation == Scalar::kNe) to.greater = kAll;
  if (relation == Scalar::kEq || relation == Scalar::kLe || relation == Scalar::kGe) to.equal = kAll;
  if (relation == Scalar::kNe) to.unordered = kAll;
  return to;
}

// The PACKs of `p` by one thread, in one pass.
void part_alone(const PrimContext& context, const Parting& p, std::span<kernels::PackTarget> targets,
                std::span<BufferRef> memory) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (p.join && i == 1) continue;
    const kernels::PackTarget& to = targets[i];
    const bool none = (to.less | to.equal | to.greater | to.unordered) == 0;
    memory[i] = context.pool->allocate(none ? ByteCount(kRegister) : p.v.byte_count());
    targets[i].out = memory[i].data();
  }
  const kernels::Table& t = kernel_table(context.isa);
  const auto& kernel = p.join ? t.partition_joined : t.partition;
  kernel[targets.size() - 2][p.type](p.v.raw(), p.x, p.step, kernel_segments(p.s), p.s.segments(),
                                     targets.data());
}

// PACKs by comparisons with the values of `f`, in one pass. The kernels have two targets at least.
void pack_compared(const PrimCall& call, const View& f, std::span<Packing> packings) {
  const Vector& v = vector_operand(call, 0);
  const Segdes& s = segdes_operand(call, 2);
  const PrimContext& context = call.context;
  const Compared x(f);
  std::array<Packing*, kMostPackings> to;  // the halves of a pair first
  for (std::size_t i = 0; i < packings.size(); ++i) to[i] = &packings[i];
  const auto rank = [](const Packing* p) {
    return p->half == Packing::Half::kNone ? 3 : static_cast<int>(p->half);
  };
  std::stable_sort(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(packings.size()),
                   [&](const Packing* a, const Packing* b) { return rank(a) < rank(b); });
  const bool join =
      packings.size() > 1 && to[0]->half == Packing::Half::kFirst && to[1]->half == Packing::Half::kSecond;
  std::array<kernels::PackTarget, kMostPackings> all_targets;
  const std::span targets(all_targets.data(), std::max<std::size_t>(packings.size(), 2));
  std::array<Scalar, kMostPackings> relations;
  std::array<BufferRef, kMostPackings> memory;
  std::array<std::optional<Lengths>, kMostPackings> lengths;
  for (std::size_t i = 0; i < packings.size(); ++i) {
    relations[i] = to[i]->relation;
    targets[i] = target_of(relations[i]);
    targets[i].lengths = lengths[i].emplace(context, s, to[i]->second || (join && i < 2)).data();
  }
  const Parting parting{v, s, x.data(), x.step(), kernel_type(v), join};
  if (worth_all(context, v.length()))
    part_by_all(context, parting, {relations.data(), packings.size()}, targets, memory);
  else
    part_alone(context, parting, targets, memory);
  for (std::size_t i = 0; i < packings.size(); ++i) {
    const bool all = targets[i].total == v.length();
    if (all)
      to[i]->results[1] = s;
    else
      lengths[i]->give(targets[i].total, to[i]->results[1]);
    if (join && i < 2) continue;
    to[i]->results[0] = all ? v : packed_part(context, v.storage(), std::move(memory[i]), targets[i].total);
  }
  if (!join) return;
  took(context, FastPath::kLeaveHalves);
  const std::int64_t total = targets[0].total + targets[1].total;
  make_halves(packed_part(context, v.storage(), std::move(memory[0]), total),
              std::get<Segdes>(to[0]->results[1]), std::get<Segdes>(to[1]->results[1]), to[0]->results[0],
              to[1]->results[0]);
}

// From segment k of `s` on.
kernels::Segments segments_from(kernels::Segments s, std::int64_t k) {
  return s.offsets != nullptr ? kernels::Segments{s.offsets + k, 0} : s;
}

// The flagged segments of v by all threads, as many elements in each.
void copy_flagged_by_all(const PrimContext& context, const Vector& v, const std::uint8_t* flags,
                         const Segdes& s, const std::vector<Cut>& cuts, std::byte* out) {
  const kernels::Table& t = kernel_table(context.isa);
  const kernels::Segments segments = kernel_segments(s);
  const auto bytes = static_cast<std::int64_t>(storage_bytes(v.storage()));
  const auto chunks = static_cast<std::int64_t>(cuts.size()) - 1;
  const auto each = [&](auto&& f) {
    for_chunks(context, chunks, [&](std::int64_t c) {
      const std::int64_t first = cuts[static_cast<std::size_t>(c)].segment;
      f(static_cast<std::size_t>(c), first, cuts[static_cast<std::size_t>(c) + 1].segment - first);
    });
  };
  std::vector<std::int64_t> begins(cuts.size());
  each([&](std::size_t c, std::int64_t first, std::int64_t count) {
    begins[c + 1] = t.flagged_lengths(flags + first, segments_from(segments, first), count, nullptr);
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  each([&](std::size_t c, std::int64_t first, std::int64_t count) {
    const std::byte* from = s.is_regular() ? v.raw() + s.offset(first) * bytes : v.raw();
    t.copy_flagged(from, bytes, flags + first, segments_from(segments, first), count,
                   begins[c + 1] - begins[c], out + begins[c] * bytes);
  });
}

// The elements of the flagged segments of v, `total` in all but not all of v's, as a part of it that shares
// its memory, if they lie one behind the other and are worth that; a flag for each of s.
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

void pack_whole_segments(const PrimCall& call, const View& f, bool wanted) {
  const PrimContext& context = call.context;
  took(context, FastPath::kPackSegments);
  const kernels::Table& t = kernel_table(context.isa);
  const Vector& v = vector_operand(call, 0);
  const Segdes& s = segdes_operand(call, 2);
  const kernels::Segments segments = kernel_segments(s);
  const Elements flags(f.base.list, context);
  Lengths lengths(context, s, wanted);
  const std::int64_t total = t.flagged_lengths(flags.flags(), segments, s.segments(), lengths.data());
  if (std::optional<Vector> part = flagged_part(v, flags.flags(), s, total)) {
    took(context, FastPath::kSharePart);
    return give_packed(call, std::move(*part), total, lengths);
  }
  Fresh out(context, v.storage(), total == v.length() ? 0 : total);
  const std::int64_t chunks = chunk_count(context, v.length() + s.segments(), kChunk);
  if (chunks > 1 && out.bytes() > 0)
    copy_flagged_by_all(context, v, flags.flags(), s,
                        cut_segments(segments, s.segments(), v.length(), chunks), out.data());
  else if (out.bytes() > 0)
    t.copy_flagged(v.raw(), static_cast<std::int64_t>(storage_bytes(v.storage())), flags.flags(), segments,
                   s.segments(), total, out.data());
  give_packed(call, out.take(), total, lengths);
}

void pack_compared(const PrimCall& call, const View& f, bool wanted) {
  took(call.context, FastPath::kPackCompared);
  Packing packing{.relation = f.compare, .second = wanted, .results = {}};
  pack_compared(call, f, {&packing, 1});
  std::move(packing.results.begin(), packing.results.end(), call.results);
}

template <bool kSecond>
void pack_view(const PrimCall& call) {
  if (const View* f = view_operand(call, 1)) {
    const ViewRef held = std::get<ViewRef>(call.operands[1]);
    const Vector& v = vector_operand(call, 0);
    const Segdes& s = segdes_operand(call, 2);
    const bool plain = packs_plainly(v, s);
    if (plain && compares_elements(call.context, *f, v, s)) return pack_compared(call, *f, kSecond);
    if (plain && f->is_spread() && same_segments(f->s, s)) return pack_whole_segments(call, *f, kSecond);
    write_operand(call, 1);
  }
  kSecond ? pack(call) : pack_elements(call);
}

// Runs of v moved over the defaults; false if there is something about them that needs a closer look, and
// nothing has happened.
bool move_runs(const PrimCall& call, const View& runs) {
  const PrimContext& context = call.context;
  const kernels::Table& t = kernel_table(context.isa);
  Vector& v = vector_operand(call, 0);
  Vector& defaults = vector_operand(call, 2);
  const Segdes& ss = segdes_operand(call, 3);
  const Segdes& ds = segdes_operand(call, 4);
  const bool fits = v.length() == runs.s.total() && v.length() == ss.total() &&
                    defaults.length() == ds.total() && (ss.segments() == ds.segments() || ss.segments() == 1);
  if (!fits || v.is_scalar() || v.is_repeated() || v.storage() == Storage::kI8) return false;
  const Segdes dest = destination(ss, ds);
  const std::int64_t count = runs.s.segments();
  const BufferRef memory = context.pool->allocate(ByteCount::of<std::int64_t>(2 * count + 3));
  auto* place = reinterpret_cast<std::int64_t*>(memory.data());
  std::int64_t* const begin = place + count + 1;
  const Elements x(runs.base.list, context);
  const Indices first(x, context);
  const std::int64_t pieces =
      t.note_pieces[first.kind()](first.at(0), kernel_segments(runs.s), count, kernel_segments(ss),
                                  kernel_segments(dest), ss.segments(), place, begin);
  if (pieces < 0) return false;
  const Defaults d(defaults, context);
  const Storage storage = storage_is_int(d.storage()) ? std::max(d.storage(), v.storage()) : d.storage();
  if (v.storage() != storage) return false;
  took(context, FastPath::kPutRuns);
  Fresh out(context, storage, defaults.length(), defaults);
  d.copy_to(context, storage, out);
  const Elements from(v, context);
  for (std::int64_t k = 0; k < pieces; ++k)
    std::memcpy(out.at(place[k]), from.at(begin[k]),
                static_cast<std::size_t>(from.at(begin[k + 1]) - from.at(begin[k])));
  call.results[0] = out.take();
  return true;
}

// One run for each segment, many elements.
bool scatter_by_all(const PrimCall& call, const View& runs) {
  return worth_all(call.context, runs.s.total()) && same_segments(runs.s, segdes_operand(call, 3)) &&
         move_by_starts(call.context, Op::kDpermute, {call.operands, 5}, runs.base.list, {call.results, 1});
}

void move_written(const PrimCall& call) {
  if (const View* f = view_operand(call, 1)) {
    const ViewRef held = std::get<ViewRef>(call.operands[1]);
    if (f->is_runs() && (scatter_by_all(call, *f) || move_runs(call, *f))) return;
    write_operand(call, 1);
  }
  dpermute(call);
}

template <bool kMayWait>
void dpermute_view(const PrimCall& call) {
  if (move_periodic(call)) return;
  if (assemble(call, kMayWait)) return;
  if (view_operand(call, 0) != nullptr) {
    write_operand(call, 0);
    if (assemble(call, kMayWait)) return;
  }
  write_operand(call, 2);
  move_written(call);
}

void bpermute_view(const PrimCall& call) {
  if (move_periodic(call)) return;
  if (take_pieces(call)) return;
  write_operand(call, 1);
  bpermute(call);
}

}  // namespace

Value written_assembly(const View& f, const PrimContext& context) {
  Value defaults = f.x;
  for (const AssemblyPart& part : f.parts) {
    const View* view = view_of(part.v);
    Value v = view != nullptr ? materialise(*view, context) : part.v;
    const TypeWord word = word_of(std::get<Vector>(v).type());
    Value operands[5] = {std::move(v), part.runs, std::move(defaults), part.source, f.s};
    Value next;
    move_written({context, Op::kDpermute, word, operands, &next});
    defaults = std::move(next);
  }
  return defaults;
}

bool pack_together(const PrimCall& call, std::span<Packing> packings) {
  const View* f = view_operand(call, 1);
  const Vector& v = vector_operand(call, 0);
  const Segdes& s = segdes_operand(call, 2);
  if (f == nullptr || packings.size() < 2 || !packs_plainly(v, s) ||
      !compares_elements(call.context, *f, v, s))
    return false;
  took(call.context, FastPath::kPackGroup);
  pack_compared(call, *f, packings);
  return true;
}

bool exclude(Scalar a, Scalar b) {
  const kernels::PackTarget x = target_of(a);
  const kernels::PackTarget y = target_of(b);
  return !((x.less & y.less) | (x.equal & y.equal) | (x.greater & y.greater) | (x.unordered & y.unordered));
}

PrimFn find_maker(Op op) {
  if (op == Op::kDist) return dist_view;
  if (op == Op::kDpermute) return dpermute_view<true>;
  if (const PrimFn growing = find_growing_maker(op)) return growing;
  return compares(op) ? compare_view : find_periodic_maker(op);
}

PrimFn find_reader(Op op, bool second) {
  if (op == Op::kPack) return second ? pack_view<true> : pack_view<false>;
  if (op == Op::kBpermute) return bpermute_view;
  return op == Op::kDpermute ? dpermute_view<false> : find_periodic_reader(op);
}

}  // namespace nvm::vm
