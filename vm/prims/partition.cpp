// Two passes over the elements: pieces of at most a chunk, none across the end of a segment, count what they
// give to each target; then they know where to put it. 2n elements are read and n written.
#include "vm/prims/partition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kChunk = 1 << 16;      // elements
constexpr std::int64_t kLeastSegment = 1024;  // elements, on average

struct Piece {
  std::int64_t segment, begin, end;
  std::array<std::int64_t, kMostPackings> at{};  // counts, then places
};

// In order; `firsts` gets the first of every chunk, and their number.
std::vector<Piece> cut_pieces(const Segdes& s, std::int64_t chunks, std::vector<std::size_t>& firsts) {
  std::vector<Piece> pieces;
  const std::int64_t n = s.total();
  std::int64_t chunk_end = 0;
  for (std::int64_t k = 0; k < s.segments(); ++k)
    for (std::int64_t at = s.offset(k); at < s.offset(k + 1);) {
      if (at == chunk_end) {
        firsts.push_back(pieces.size());
        chunk_end = static_cast<std::int64_t>(firsts.size()) == chunks ? n : chunk_end + n / chunks;
      }
      const std::int64_t end = std::min(s.offset(k + 1), chunk_end);
      pieces.push_back({k, at, end});
      at = end;
    }
  firsts.push_back(pieces.size());
  return pieces;
}

// Counts become places; lengths and totals are noted.
void place_pieces(std::vector<Piece>& pieces, const Parting& p, std::span<kernels::PackTarget> targets) {
  std::array<std::int64_t, kMostPackings> place{};
  std::size_t first = 0;
  for (std::int64_t k = 0; k < p.s.segments(); ++k) {
    std::size_t last = first;
    while (last < pieces.size() && pieces[last].segment == k) ++last;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      std::int64_t& at = place[p.join && t == 1 ? 0 : t];  // a pair fills each segment in turn
      const std::int64_t before = at;
      for (std::size_t i = first; i < last; ++i) at += std::exchange(pieces[i].at[t], at);
      targets[t].total += at - before;
      if (targets[t].lengths != nullptr) targets[t].lengths[k] = static_cast<std::int32_t>(at - before);
    }
    first = last;
  }
}

}  // namespace

bool parts_by_all(const Vector& v, const Segdes& s) { return s.segments() <= v.length() / kLeastSegment; }

void part_by_all(const PrimContext& context, const Parting& p, std::span<const Scalar> relations,
                 std::span<kernels::PackTarget> targets, std::span<BufferRef> memory) {
  took(context, FastPath::kPackGroupSplit);
  const kernels::Table& t = kernel_table(context.isa);
  const auto type = static_cast<std::size_t>(p.type);
  const auto width = static_cast<std::int64_t>(storage_bytes(p.v.storage()));
  const std::int64_t chunks = chunk_count(context, p.v.length(), kChunk);
  std::vector<std::size_t> firsts;
  std::vector<Piece> pieces = cut_pieces(p.s, chunks, firsts);
  const auto each_piece = [&](auto f) {
    for_chunks(context, static_cast<std::int64_t>(firsts.size()) - 1, [&](std::int64_t c) {
      const auto i = static_cast<std::size_t>(c);
      for (std::size_t k = firsts[i]; k < firsts[i + 1]; ++k)
        f(pieces[k], p.v.raw() + pieces[k].begin * width, p.x + pieces[k].segment * p.step * width);
    });
  };
  each_piece([&](Piece& piece, const std::byte* v, const std::byte* x) {
    for (std::size_t i = 0; i < relations.size(); ++i) {
      const auto relation = relation_number(relations[i]);
      piece.at[i] = t.count_compare[relation][type](v, piece.end - piece.begin, x);
    }
  });
  place_pieces(pieces, p, targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const bool second = p.join && i == 1;
    const std::int64_t n = targets[i].total + (p.join && i == 0 ? targets[1].total : 0);
    if (!second) memory[i] = context.pool->allocate(ByteCount::of(n, static_cast<std::size_t>(width)));
    targets[i].out = memory[second ? 0 : i].data();
  }
  each_piece([&](const Piece& piece, const std::byte* v, const std::byte* x) {
    std::array<kernels::PackTarget, kMostPackings> to;
    std::copy(targets.begin(), targets.end(), to.begin());
    for (std::size_t i = 0; i < targets.size(); ++i)
      to[i].out = static_cast<std::byte*>(to[i].out) + piece.at[i] * width;
    t.part_exactly[targets.size() - 2][type](v, piece.end - piece.begin, x, to.data());
  });
}

}  // namespace nvm::vm
