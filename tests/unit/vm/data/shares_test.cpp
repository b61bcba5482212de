#include "vm/data/shares.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nvm::vm {
namespace {

TEST_CASE("each worker has neighbouring chunks of its own, the same in every loop") {
  for (int loop = 0; loop < 2; ++loop) {
    Shares open(2, 6);
    const std::vector<int> turns = {1, 0, 0, 1, 1, 0};
    const std::vector<std::int64_t> wanted = {3, 0, 1, 4, 5, 2};
    for (std::size_t i = 0; i < turns.size(); ++i) CHECK(open.next(turns[i]) == wanted[i]);
    CHECK(open.next(0) == -1);
    CHECK(open.next(1) == -1);
  }
}

TEST_CASE("who is through with a share helps others, and every chunk is taken once") {
  for (const int workers : {1, 2, 3, 7, 64, 200})
    for (const std::int64_t count : {0, 1, 2, 5, 64, 1000}) {
      Shares open(workers, count);
      std::vector<int> taken(static_cast<std::size_t>(count));
      const int late = workers / 2;  // the others never come
      for (std::int64_t c = open.next(late); c >= 0; c = open.next(late))
        ++taken[static_cast<std::size_t>(c)];
      CHECK(taken == std::vector<int>(static_cast<std::size_t>(count), 1));
    }
}

TEST_CASE("a single share is handed out in ascending order, whoever asks") {
  Shares open(1, 5);
  for (std::int64_t c = 0; c < 5; ++c) CHECK(open.next(static_cast<int>(c * 3 % 4)) == c);
  CHECK(open.next(2) == -1);
}

TEST_CASE("shares may be unequal, and empty") {
  Shares open(std::vector<std::int64_t>{1, 1, 4});
  CHECK(open.next(2) == 1);
  CHECK(open.next(0) == 0);
  CHECK(open.next(1) == 2);
  CHECK(open.next(0) == 3);
  CHECK(open.next(2) == -1);
}

}  // namespace
}  // namespace nvm::vm
