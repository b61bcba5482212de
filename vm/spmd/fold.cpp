// Reductions and scans. Each rank folds what it has; totals of segments that are cut go to all, which
// combine them in the order of the ranks. FLOATs are combined by the fixed tree (vm/simd/reduce_tree.h), so
// theirs are the totals of its blocks, and what a rank has of a block that begins elsewhere is moved there
// first: the cut falls on blocks then.
#include <algorithm>
#include <cstring>
#include <vector>

#include "vm/prims/fold.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"
#include "vm/simd/reduce_tree.h"
#include "vm/simd/tree_totals.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

namespace {

// What a rank has of the segments of a vector that is cut: the end of one that has begun before (head), own
// segments, which begin here, and of these the last one as far as it is here, if it goes on behind (tail).
// Segments without elements begin where the next element is.
struct Own {
  std::int64_t first, last;           // own segments
  std::int64_t head_begin, head_end;  // elements; of segment first - 1
  bool head_open;                     // it goes on behind
  std::int64_t tail_begin, tail_end;  // elements; of segment last - 1
  [[nodiscard]] bool has_tail() const { return tail_end > tail_begin; }
  [[nodiscard]] std::int64_t head() const { return head_end - head_begin; }
  [[nodiscard]] std::int64_t tail() const { return tail_end - tail_begin; }
  [[nodiscard]] std::int64_t whole_end() const { return has_tail() ? last - 1 : last; }
};

// The first segment that begins at this position or behind it.
std::int64_t first_from(const Segdes& s, std::int64_t position) {
  if (s.is_regular()) {
    if (s.regular_length() == 0) return position > 0 ? s.segments() : 0;
    return (position + s.regular_length() - 1) / s.regular_length();
  }
  const std::int64_t* offsets = s.offsets();
  return std::lower_bound(offsets, offsets + s.segments(), position) - offsets;
}

Own own_of(const Segdes& s, const Cut& cut, int r) {
  const std::int64_t a = cut.begin(r), b = cut.end(r);
  Own o{first_from(s, a), r + 1 == cut.ranks() ? s.segments() : first_from(s, b), a, a, false, b, b};
  const auto begin_of = [&](std::int64_t k) { return k < s.segments() ? s.offset(k) : s.total(); };
  if (a < b && begin_of(o.first) > a) {
    o.head_end = std::min(b, begin_of(o.first));
    o.head_open = begin_of(o.first) > b;
  }
  if (o.first < o.last && begin_of(o.last) > b) o.tail_begin = begin_of(o.last - 1);
  return o;
}

// A cut that falls on segments or on blocks of the tree.
Cut on_blocks(const Segdes& s, const Cut& cut) {
  std::vector<std::int64_t> at = {0};
  for (int r = 1; r < cut.ranks(); ++r) {
    const std::int64_t x = cut.begin(r);
    if (x == s.total()) {
      at.push_back(x);
      continue;
    }
    const std::int64_t k = segment_of(s, x);
    const std::int64_t begin = s.offset(k), n = s.length(k);
    const std::int64_t block = n <= kSequentialMax ? n : kReduceBlock;
    at.push_back(begin + std::min(n, (x - begin + block - 1) / block * block));
  }
  at.push_back(s.total());
  return Cut(std::move(at));
}

class Folding {
 public:
  Folding(const Together& t, const CutRef& cut, const Vector& mine)
      : t_(t),
        s_(t.segdes(1)),
        cut_(cut),
        e_(mine, t.prims()),
        fold_(fold_kernels(t.prims(), op_info(t.inst.op).scalar, e_.storage())),
        exact_(mine.type() != Type::kFloat),
        type_(mine.type()),
        width_(static_cast<std::size_t>(t.parts.bytes(type_))),
        scans_(op_info(t.inst.op).kind == OpKind::kScan) {
    for (int r = 0; r < cut->ranks(); ++r) own_.push_back(own_of(s_, *cut, r));
  }

  [[nodiscard]] Value reduce();
  [[nodiscard]] Vector scan();

 private:
  using Bytes = std::vector<std::byte>;
  [[nodiscard]] const Own& own(int r) const { return own_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const Own& mine() const { return own(t_.parts.rank()); }
  [[nodiscard]] const std::byte* at(std::int64_t element) const {
    return e_.at(element - cut_->begin(t_.parts.rank()));
  }
  // Of a part of a segment with n elements.
  [[nodiscard]] std::int64_t totals(std::int64_t n) const { return exact_ ? (n > 0 ? 1 : 0) : blocks_of(n); }
  [[nodiscard]] std::size_t size(std::int64_t cells) const {
    return static_cast<std::size_t>(cells) * width_;
  }
  void add_totals(Bytes& to, std::int64_t begin, std::int64_t n) const;
  [[nodiscard]] Bytes block_totals(std::int64_t begin, std::int64_t n) const;
  // Own segments as if they were all there is.
  [[nodiscard]] kernels::Segments whole(std::vector<std::int64_t>& offsets) const;
  // What rank r hands on of a segment that goes on behind it.
  [[nodiscard]] std::int64_t open_totals(int r) const {
    const Own& o = own(r);
    return o.has_tail() ? totals(o.tail()) : o.head_open ? totals(o.head()) : 0;
  }
  void scan_part(std::int64_t begin, std::int64_t n, const Carries& carries, const Fresh& out) const;

  const Together& t_;
  const Segdes& s_;
  const CutRef& cut_;
  Elements e_;
  const kernels::Fold& fold_;
  bool exact_;
  Type type_;
  std::size_t width_;
  bool scans_;
  std::vector<Own> own_;
};

Folding::Bytes Folding::block_totals(std::int64_t begin, std::int64_t n) const {
  constexpr std::int64_t kChunk = 1 << 16;
  Bytes cells(size(blocks_of(n)));
  const auto kernel = scans_ ? fold_.scan_totals : fold_.reduce_blocks;
  for_chunks(t_.prims(), (n + kChunk - 1) / kChunk, [&](std::int64_t c) {
    kernel(at(begin + c * kChunk), std::min(kChunk, n - c * kChunk),
           cells.data() + size(c * blocks_of(kChunk)));
  });
  return cells;
}

void Folding::add_totals(Bytes& to, std::int64_t begin, std::int64_t n) const {
  if (n == 0) return;
  const Bytes cells = block_totals(begin, n);
  if (!exact_) {
    to.insert(to.end(), cells.begin(), cells.end());
    return;
  }
  Totals all;
  fold_.start_totals(all);
  fold_.combine(all, cells.data(), blocks_of(n));
  to.resize(to.size() + width_);
  fold_.combined(all, to.data() + to.size() - width_);
}

kernels::Segments Folding::whole(std::vector<std::int64_t>& offsets) const {
  if (s_.is_regular()) return {nullptr, s_.regular_length()};
  for (std::int64_t k = mine().first; k <= mine().whole_end(); ++k)
    offsets.push_back(s_.offset(k) - s_.offset(mine().first));
  return {offsets.data(), 0};
}

Value Folding::reduce() {
  const bool to_all = !t_.parts.is_long(s_.segments());
  std::vector<std::int64_t> lengths;
  for (const Own& o : own_) {
    const std::int64_t wholes = to_all ? o.whole_end() - o.first : 0;
    lengths.push_back(static_cast<std::int64_t>(size(totals(o.head()) + wholes + totals(o.tail()))));
  }
  std::vector<std::int64_t> offsets;
  const std::int64_t wholes = mine().whole_end() - mine().first;
  Bytes results(size(wholes));
  if (wholes > 0)
    fold_.reduce_segments(at(s_.offset(mine().first)), whole(offsets), 0, wholes, results.data());
  Bytes out;
  add_totals(out, mine().head_begin, mine().head());
  if (to_all) out.insert(out.end(), results.begin(), results.end());
  add_totals(out, mine().tail_begin, mine().tail());
  const Pieces pieces = t_.parts.exchange().gather(out, lengths);

  const std::int64_t from = to_all ? 0 : mine().first;
  const std::int64_t to = to_all ? s_.segments() : mine().last;
  Fresh made(t_.prims(), t_.parts.storage(type_), to - from);
  if (!to_all && wholes > 0) std::memcpy(made.data(), results.data(), results.size());
  Totals open;
  fold_.start_totals(open);
  for (int r = 0; r < cut_->ranks(); ++r) {
    const Own& o = own(r);
    const std::byte* cells = pieces.of(r).data();
    const auto close = [&](std::int64_t k) {
      if (k >= from && k < to) fold_.combined(open, made.at(k - from));
    };
    if (o.head() > 0) {
      fold_.combine(open, cells, totals(o.head()));
      if (!o.head_open) close(o.first - 1);
      cells += size(totals(o.head()));
    }
    if (to_all && o.whole_end() > o.first) {
      std::memcpy(made.at(o.first), cells, size(o.whole_end() - o.first));
      cells += size(o.whole_end() - o.first);
    }
    if (o.has_tail()) {
      fold_.start_totals(open);
      fold_.combine(open, cells, totals(o.tail()));
    }
  }
  if (to_all) return made.take();
  std::vector<std::int64_t> counts;
  for (const Own& o : own_) counts.push_back(o.last - o.first);
  return t_.parts.join(type_, std::make_shared<const Cut>(Cut::of_lengths(counts)), made.take());
}

void Folding::scan_part(std::int64_t begin, std::int64_t n, const Carries& carries, const Fresh& out) const {
  if (n > 0) fold_.scan_blocks(at(begin), n, carries, out.at(begin - cut_->begin(t_.parts.rank())));
}

Vector Folding::scan() {
  std::vector<std::int64_t> lengths;
  for (int r = 0; r < cut_->ranks(); ++r) lengths.push_back(static_cast<std::int64_t>(size(open_totals(r))));
  Bytes open;
  const Own& o = mine();
  if (o.has_tail())
    add_totals(open, o.tail_begin, o.tail());
  else if (o.head_open)
    add_totals(open, o.head_begin, o.head());
  const Pieces pieces = t_.parts.exchange().gather(open, lengths);

  const int me = t_.parts.rank();
  Fresh out(t_.prims(), t_.parts.storage(type_), cut_->length(me));
  const auto start = [&](std::int64_t k) {
    Carries c;
    fold_.start_carries(c, blocks_of(s_.length(k)));
    return c;
  };
  if (o.head() > 0) {
    int r = me;
    while (!(own(r - 1).has_tail() && own(r - 1).last == o.first)) --r;
    Carries carries = start(o.first - 1);
    for (--r; r < me; ++r)
      if (open_totals(r) > 0) fold_.carry(carries, pieces.of(r).data(), open_totals(r));
    scan_part(o.head_begin, o.head(), carries, out);
  }
  if (o.whole_end() > o.first) {
    std::vector<std::int64_t> offsets;
    const std::int64_t begin = s_.offset(o.first);
    fold_.scan_segments(at(begin), whole(offsets), 0, o.whole_end() - o.first,
                        out.at(begin - cut_->begin(me)));
  }
  if (o.has_tail()) scan_part(o.tail_begin, o.tail(), start(o.last - 1), out);
  return out.take();
}

}  // namespace

bool fold_parts(const Together& t) {
  const Segdes& s = t.segdes(1);
  const std::int64_t n = t.length(0);
  if (!t.parts.is_long(n)) return false;
  const Type type = type_of_vector(t.operands[0]);
  const CutRef given = t.cut(n);
  CutRef cut = given;
  if (type == Type::kFloat) cut = std::make_shared<const Cut>(on_blocks(s, *given));
  if (*cut == *given) cut = given;
  const Vector mine = t.parts.part(t.operands[0], cut);
  Folding folding(t, cut, mine);
  if (op_info(t.inst.op).kind == OpKind::kReduce) {
    t.results[0] = folding.reduce();
    return true;
  }
  const Value made = std::make_shared<const Distributed>(Distributed{type, cut, folding.scan(), {}});
  t.results[0] = t.parts.join(type, given, t.parts.part(made, given));
  return true;
}

}  // namespace nvm::vm::spmd
