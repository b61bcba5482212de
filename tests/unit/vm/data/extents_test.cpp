#include "vm/data/extents.h"

#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "vm/data/pages.h"

namespace nvm::vm {
namespace {

struct Block {
  std::byte* place = nullptr;
  std::size_t size = 0;
};

Block take(Extents& extents, std::size_t size, int mark) {
  const Block block{extents.take(size), size};
  REQUIRE(block.place != nullptr);
  std::memset(block.place, mark, size);
  return block;
}

// Pieces of which every other one is free, then blocks that fit in none of them; everything released. How
// many seams there were.
std::size_t take_and_release(Extents& extents, std::size_t piece) {
  std::vector<Block> pieces;
  for (int i = 0; i < 24; ++i) pieces.push_back(take(extents, piece, i));
  for (std::size_t i = 0; i < pieces.size(); i += 2) extents.give(pieces[i].place, piece);
  std::vector<Block> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(take(extents, 3 * piece, 100 + i));
  CHECK(extents.touched() <= 24 * piece / 10 * 11);  // of the free pieces, not of fresh ones
  for (std::size_t i = 1; i < pieces.size(); i += 2) {
    CHECK(pieces[i].place[piece - 1] == std::byte(i));
    extents.give(pieces[i].place, piece);
  }
  for (const Block& block : blocks) extents.give(block.place, block.size);
  const std::size_t seams = extents.seams();
  extents.give_back();
  CHECK(extents.touched() == 0);
  return seams;
}

// Pages of memory behind these addresses.
std::size_t resident(std::byte* p, std::size_t size) {
  std::vector<unsigned char> pages(size / kPage);
  REQUIRE(mincore(p, size, pages.data()) == 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](int page) { return page & 1; }));
}

TEST_CASE("where a small pool has moved pages, what is touched next is no huge page") {
  if (!can_move_pages()) return;
  constexpr std::size_t kPiece = kHugePage / 4;
  Extents extents;
  std::vector<Block> pieces;
  for (int i = 0; i < 8; ++i) pieces.push_back(take(extents, kPiece, i));
  for (const std::size_t i : {0U, 2U, 4U}) extents.give(pieces[i].place, kPiece);
  const Block moved = take(extents, 4 * kPiece, 8);
  CHECK(moved.place == pieces[0].place + 2 * kHugePage);
  CHECK(extents.touched() == 9 * kPiece);
  const Block behind = take(extents, kPiece + kPiece / 8, 9);
  CHECK(behind.place == moved.place + kHugePage);
  CHECK(resident(behind.place, kHugePage) == behind.size / kPage);
  const Block large = take(extents, 16 * kHugePage, 10);  // no small pool any more
  CHECK(large.place == behind.place + kHugePage);
  for (const Block& block : {moved, behind, large}) CHECK(block.place[block.size - 1] == block.place[0]);
}

TEST_CASE("small pieces are moved as far as no fresh pages may be touched in their place") {
  if (!can_move_pages()) return;
  constexpr std::size_t kPiece = 64 * 1024, kWhole = 3 * kHugePage;  // of huge pages, which are always moved
  for (const std::size_t fresh : {std::size_t{0}, kHugePage / 2, kHugePage}) {
    Extents extents;
    std::vector<Block> blocks;
    for (int i = 0; i < 6; ++i) blocks.push_back(take(extents, kHugePage, i));
    for (int i = 0; i < 64; ++i) blocks.push_back(take(extents, kPiece * 4, i));
    for (std::size_t i = 0; i < blocks.size(); i += 2) extents.give(blocks[i].place, blocks[i].size);
    const std::size_t before = extents.touched(), wanted = kWhole + kHugePage;
    const Block large = {extents.take(wanted, fresh), wanted};
    CHECK(extents.touched() - before == fresh);
    extents.give(large.place, large.size);
  }
}

TEST_CASE("who lives long goes on to move pages: seams of what is free are mended") {
  if (!can_move_pages()) return;
  Extents extents(200);
  std::size_t most = 0;
  for (std::size_t round = 0; round < 150; ++round)
    most = std::max(most, take_and_release(extents, Extents::whole_units((round % 31 + 4) * kHugePage / 32)));
  CHECK(most > 100);  // or nothing has been tried
  CHECK(most < 200);
}

}  // namespace
}  // namespace nvm::vm
