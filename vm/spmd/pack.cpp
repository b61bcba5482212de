// PACK: what is kept stays where it is. Lengths of segments go to all.
#include <cstring>
#include <vector>

#include "vm/prims/operands.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

namespace {

// By rank, the segments that meet its part.
Ranges segments_met(const Segdes& s, const Cut& cut) {
  Ranges met;
  for (int r = 0; r < cut.ranks(); ++r) {
    if (cut.length(r) == 0)
      met.push_back({0, 0});
    else
      met.push_back({segment_of(s, cut.begin(r)), segment_of(s, cut.end(r) - 1) + 1});
  }
  return met;
}

// What is kept of each segment that a part meets, of all parts.
struct Kept {
  std::vector<std::int64_t> by_rank, by_segment;
};
Kept all_kept(const Together& t, const Segdes& s, const Cut& cut, const Segdes& mine) {
  const Ranges met = segments_met(s, cut);
  std::vector<std::int64_t> lengths, counts;
  for (const Range& m : met)
    lengths.push_back((m.end - m.begin) * static_cast<std::int64_t>(sizeof(std::int64_t)));
  for (std::int64_t k = 0; k < mine.segments(); ++k) counts.push_back(mine.length_at(k));
  const Pieces pieces = t.parts.exchange().gather(std::as_bytes(std::span(counts)), lengths);
  Kept kept;
  kept.by_segment.assign(static_cast<std::size_t>(s.segments()), 0);
  for (int r = 0; r < cut.ranks(); ++r) {
    const Range& m = met[static_cast<std::size_t>(r)];
    kept.by_rank.push_back(0);
    for (std::int64_t k = m.begin; k < m.end; ++k) {
      std::int64_t n = 0;
      std::memcpy(&n, pieces.of(r).data() + static_cast<std::size_t>(k - m.begin) * sizeof n, sizeof n);
      kept.by_segment[static_cast<std::size_t>(k)] += n;
      kept.by_rank.back() += n;
    }
  }
  return kept;
}

Segdes described(const Together& t, const std::vector<std::int64_t>& lengths, std::int64_t total) {
  if (lengths.size() == 1) return Segdes::regular(1, total);
  Fresh out(t.prims(), wide_int(t.prims()), static_cast<std::int64_t>(lengths.size()));
  for (std::size_t k = 0; k < lengths.size(); ++k)  // the low bytes come first
    std::memcpy(out.at(static_cast<std::int64_t>(k)), &lengths[k], storage_bytes(wide_int(t.prims())));
  return Segdes::from_lengths(out.take(), total);
}

}  // namespace

bool pack_parts(const Together& t) {
  const Segdes s = t.segdes(2);
  const std::int64_t n = t.length(0);
  if (!t.parts.is_long(n)) return false;
  const CutRef cut = t.cut(n);
  const int r = t.parts.rank();
  const Type type = type_of_vector(t.operands[0]);
  Value operands[] = {t.parts.part(t.operands[0], cut), t.parts.part(t.operands[1], cut),
                      clip(t.prims(), s, cut->begin(r), cut->end(r)).s};
  Value results[2];
  run_primitive(t.prims(), t.inst.op, t.inst.word, operands, results);
  const Kept kept = all_kept(t, s, *cut, std::get<Segdes>(results[1]));
  const auto left = std::make_shared<const Cut>(Cut::of_lengths(kept.by_rank));
  t.results[1] = described(t, kept.by_segment, left->total());
  t.results[0] = t.parts.join_balanced(type, left, std::get<Vector>(std::move(results[0])));
  return true;
}

}  // namespace nvm::vm::spmd
