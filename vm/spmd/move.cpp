// The permute family, and one element of each segment. Indices are looked at where they are; then elements
// are asked for, or sent, by their places in the whole vector.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "vm/prims/move_parts.h"
#include "vm/prims/operands.h"
#include "vm/spmd/places.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

namespace {

// Operands of a move, and the segments that its indices stand in and count in.
struct Move {
  const Together& t;
  MoveOperands which;
  Segdes stand, count;

  [[nodiscard]] bool flagged() const { return which.flags >= 0; }
  [[nodiscard]] const Value& operand(int i) const { return t.operands[static_cast<std::size_t>(i)]; }
};

// The places that this rank's indices name, kNowhere for those that are not flagged. One outside of its
// segment is a failure, which may be this rank's only; its place is 0 then.
Places places_of(const Move& m, const CutRef& cut) {
  const Parts& parts = m.t.parts;
  const std::int64_t begin = cut->begin(parts.rank()), n = cut->length(parts.rank());
  const Vector indices = m.t.parts.part(m.operand(1), cut);
  const Elements idx(indices, m.t.prims());
  std::optional<Vector> flags;
  if (m.flagged()) flags = m.t.parts.part(m.operand(m.which.flags), cut);
  Places places(static_cast<std::size_t>(n));
  std::int64_t k = n > 0 ? segment_of(m.stand, begin) : 0;
  std::int64_t end = n > 0 ? m.stand.offset(k) + m.stand.length(k) : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (; begin + i >= end; end += m.stand.length(k)) ++k;
    std::int64_t& place = places[static_cast<std::size_t>(i)];
    if (flags && !flags->bool_at(i)) {
      place = kNowhere;
      continue;
    }
    const std::int64_t x = idx.int_at(i);
    if (x >= 0 && x < m.count.length(k)) {
      place = m.count.offset(k) + x;
      continue;
    }
    try {
      index_fault(m.t.inst.op, x, begin + i, k, m.count.length(k));
    } catch (const Fault& fault) {
      parts.exchange().may_have_failed(&fault);
    }
    std::fill(places.begin() + i, places.end(), kNowhere);
    break;
  }
  parts.exchange().may_have_failed(nullptr);
  return places;
}

// Where the indices of a move count up, as all ranks know: by segment, from which of them to which place.
// Nothing if they do not, or one is outside of its segment.
std::optional<Runs> runs_of(const Move& m) {
  const Distributed* indices = distributed(m.operand(1));
  if (indices == nullptr || indices->counted == nullptr || m.flagged()) return std::nullopt;
  const auto& [starts, s] = *indices->counted;
  if (!s.identical(m.stand) && !(s == m.stand)) return std::nullopt;
  Runs runs;
  for (std::int64_t k = 0; k < s.segments(); ++k) {
    const std::int64_t n = s.length(k), start = starts.int_at(k);
    if (n == 0) continue;
    if (start < 0 || start > m.count.length(k) - n) return std::nullopt;
    runs.push_back({s.offset(k), m.count.offset(k) + start, n});
  }
  return runs;
}

}  // namespace

bool gather_parts(const Together& t) {
  const MoveOperands which = move_operands(t.inst.op);
  const Segdes source = t.segdes(static_cast<std::size_t>(which.first));
  const Segdes dest = destination(source, t.segdes(static_cast<std::size_t>(which.last)));
  const std::int64_t n = t.length(0), m = t.length(1);
  const Type type = type_of_vector(t.operands[0]);
  if (!t.parts.is_long(std::max(n, m))) return false;
  if (!t.parts.is_long(m) && t.parts.gathers(type, n)) return false;
  CutRef cut;
  for (const int i : {1, which.flags})
    if (const Distributed* d = i < 0 ? nullptr : distributed(t.operands[static_cast<std::size_t>(i)]))
      cut = cut == nullptr ? d->cut : cut;
  if (cut == nullptr) cut = t.parts.cut_of(m);
  const Move move{t, which, dest, source};
  const Distributed* from = distributed(t.operands[0]);
  if (auto runs = from == nullptr || from->whole ? std::nullopt : runs_of(move)) {
    for (Run& run : *runs) std::swap(run.from, run.to);
    const Vector base = t.parts.zeros(type, cut->length(t.parts.rank()));
    t.results[0] = t.parts.join(type, cut, deliver(t.parts, *from, *runs, *cut, base));
    return true;
  }
  const Places places = places_of(move, cut);
  t.results[0] = t.parts.join(type, cut, fetch(t.parts, t.operands[0], places));
  return true;
}

bool scatter_parts(const Together& t) {
  const MoveOperands which = move_operands(t.inst.op);
  const Segdes source = t.segdes(static_cast<std::size_t>(which.first));
  const Segdes dest = destination(source, t.segdes(static_cast<std::size_t>(which.last)));
  const std::int64_t n = t.length(0), m = dest.total();
  if (!t.parts.is_long(std::max(n, m))) return false;
  const Type type = type_of_vector(t.operands[0]);
  const Value* defaults =
      which.defaults < 0 ? nullptr : &t.operands[static_cast<std::size_t>(which.defaults)];
  const Distributed* d = defaults != nullptr ? distributed(*defaults) : nullptr;
  const CutRef to = d != nullptr ? d->cut : t.parts.cut_of(m);
  Vector base =
      defaults != nullptr ? t.parts.part(*defaults, to) : t.parts.zeros(type, to->length(t.parts.rank()));
  const Move move{t, which, source, dest};
  const Distributed* from = distributed(t.operands[0]);
  if (const auto runs = from == nullptr ? std::nullopt : runs_of(move)) {
    t.results[0] = t.parts.join(type, to, deliver(t.parts, *from, *runs, *to, base));
    return true;
  }
  const CutRef cut = t.cut(n);
  const Places places = places_of(move, cut);
  const Vector values = t.parts.part(t.operands[0], cut);
  t.results[0] = t.parts.join(type, to, deliver(t.parts, values, places, *to, base));
  return true;
}

bool extract_parts(const Together& t) {
  const Segdes s = t.segdes(2);
  const Distributed* v = distributed(t.operands[0]);
  const auto* idx = std::get_if<Vector>(&t.operands[1]);
  const std::int64_t k = s.segments();
  if (v == nullptr || idx == nullptr || t.parts.is_long(k)) return false;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(t.parts.ranks()), 0);
  std::vector<int> owner;
  for (std::int64_t i = 0; i < k; ++i) {
    const std::int64_t x = idx->int_at(i);
    if (x < 0 || x >= s.length(i)) index_fault(t.inst.op, x, i, i, s.length(i));
    owner.push_back(v->cut->owner(s.offset(i) + x));
    lengths[static_cast<std::size_t>(owner.back())] += t.parts.bytes(v->type);
  }
  const auto width = static_cast<std::size_t>(t.parts.bytes(v->type));
  std::vector<std::byte> mine;
  for (std::int64_t i = 0; i < k; ++i) {
    if (owner[static_cast<std::size_t>(i)] != t.parts.rank()) continue;
    mine.resize(mine.size() + width);
    const std::int64_t at = s.offset(i) + idx->int_at(i) - v->cut->begin(t.parts.rank());
    t.parts.write(t.parts.own(*v).part(at, 1), mine.data() + mine.size() - width);
  }
  const Pieces pieces = t.parts.exchange().gather(mine, lengths);
  std::vector<std::size_t> at(static_cast<std::size_t>(t.parts.ranks()), 0);
  std::vector<std::span<const std::byte>> found;
  for (const int r : owner) {
    found.push_back(pieces.of(r).subspan(at[static_cast<std::size_t>(r)], width));
    at[static_cast<std::size_t>(r)] += width;
  }
  t.results[0] = t.parts.read(v->type, found);
  return true;
}

// By numbers that all ranks have: each writes what falls into its part.
bool replace_parts(const Together& t) {
  const Segdes s = t.segdes(3);
  const auto* idx = std::get_if<Vector>(&t.operands[1]);
  const auto* x = std::get_if<Vector>(&t.operands[2]);
  const std::int64_t n = t.length(0), k = s.segments();
  if (idx == nullptr || x == nullptr || !t.parts.is_long(n) || t.parts.is_long(k)) return false;
  const Type type = type_of_vector(t.operands[0]);
  const CutRef cut = t.cut(n);
  const std::int64_t begin = cut->begin(t.parts.rank());
  Fresh out(t.prims(), t.parts.storage(type), cut->length(t.parts.rank()));
  t.parts.write(t.parts.part(t.operands[0], cut), out.data());
  for (std::int64_t i = 0; i < k; ++i) {
    if (s.length(i) == 0) continue;
    const std::int64_t to = idx->int_at(i);
    if (to < 0 || to >= s.length(i)) index_fault(t.inst.op, to, i, i, s.length(i));
    const std::int64_t at = s.offset(i) + to - begin;
    if (at >= 0 && at < cut->length(t.parts.rank())) t.parts.write(x->part(i, 1), out.at(at));
  }
  t.results[0] = t.parts.join(type, cut, out.take());
  return true;
}

}  // namespace nvm::vm::spmd
