// Lists composed lazily in C++, against loops.
#include "vm/lib/jagged.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace {

using namespace nvm;
using Ints = std::vector<std::int64_t>;
using Lists = std::vector<Ints>;

// So many lists of 0 to 6 numbers.
Lists some_lists(std::int64_t n) {
  std::uint64_t state = 88172645463325252U;
  const auto next = [&] {
    state ^= state << 13U;
    state ^= state >> 7U;
    return static_cast<std::int64_t>((state ^= state << 17U) >> 33U);
  };
  Lists lists(static_cast<std::size_t>(n));
  for (auto& list : lists) {
    list.resize(static_cast<std::size_t>(next() % 7));
    for (auto& x : list) x = next() % 100 - 50;
  }
  return lists;
}

template <typename U>
std::vector<U> of_each(const Lists& lists, const std::function<U(const Ints&)>& f) {
  std::vector<U> results;
  for (const auto& list : lists) results.push_back(f(list));
  return results;
}

const auto kSizes = {0, 1, 5, 20000};

}  // namespace

TEST_CASE("jagged: the largest and least of floats are among them, however far they are") {
  const double inf = HUGE_VAL, nan = std::nan("");
  const jagged<double> j{{-1e36, -1e300}, {}, {-inf}, {1, nan}, {3, -1e300}};
  const auto found = max(j).to_vector(), least = min(j * -1.0).to_vector();
  const std::vector<double> want = {-1e36, -inf, -inf, nan, 3};
  for (std::size_t i = 0; i < want.size(); ++i) {
    CHECK((found[i] == want[i] || (std::isnan(found[i]) && std::isnan(want[i]))));
    CHECK((least[i] == -want[i] || (std::isnan(least[i]) && std::isnan(want[i]))));
  }
}

TEST_CASE("jagged: reductions give one value for each list") {
  for (const std::int64_t n : kSizes) {
    const Lists lists = some_lists(n);
    const jagged<std::int64_t> j(lists);
    CHECK(j.size() == n);
    CHECK(j.to_vectors() == lists);
    CHECK(sum(j).to_vector() == of_each<std::int64_t>(lists, [](const Ints& v) {
            return std::accumulate(v.begin(), v.end(), 0LL);
          }));
    CHECK(max(j).to_vector() == of_each<std::int64_t>(lists, [](const Ints& v) {
            return v.empty() ? std::numeric_limits<std::int64_t>::min()
                             : *std::max_element(v.begin(), v.end());
          }));
    CHECK(any(j > 40).to_vector() == of_each<bool>(lists, [](const Ints& v) {
            return std::any_of(v.begin(), v.end(), [](auto x) { return x > 40; });
          }));
    CHECK(count(j < 0).to_vector() == of_each<std::int64_t>(lists, [](const Ints& v) {
            return std::count_if(v.begin(), v.end(), [](auto x) { return x < 0; });
          }));
    CHECK(j.lengths().to_vector() ==
          of_each<std::int64_t>(lists, [](const Ints& v) { return static_cast<std::int64_t>(v.size()); }));
  }
}

TEST_CASE("jagged: operators, masks, sorts and scans work list by list") {
  for (const std::int64_t n : kSizes) {
    const Lists lists = some_lists(n);
    const jagged<std::int64_t> j(lists);
    Lists sorted = lists, kept, places, before, centred;
    for (auto& v : sorted) std::sort(v.begin(), v.end());
    for (const auto& v : lists) {
      Ints mine, at(v.size()), scan, less;
      std::copy_if(v.begin(), v.end(), std::back_inserter(mine), [](auto x) { return x % 2 == 0; });
      std::iota(at.begin(), at.end(), 0);
      const std::int64_t total = std::accumulate(v.begin(), v.end(), std::int64_t{0});
      std::int64_t so_far = 0;
      for (const auto x : v) {
        scan.push_back(so_far);
        so_far += x;
        less.push_back(2 * x - total + 1);
      }
      kept.push_back(mine);
      places.push_back(at);
      before.push_back(scan);
      centred.push_back(less);
    }
    CHECK(sort(j).to_vectors() == sorted);
    CHECK(j[j % 2 == 0].to_vectors() == kept);
    CHECK(local_index(j).to_vectors() == places);
    CHECK(exclusive_sum(j).to_vectors() == before);
    CHECK((2 * j - spread(sum(j), j) + 1).to_vectors() == centred);
    CHECK(map([](auto x, auto i) { return select(i == 0, x, x + i); }, j, local_index(j)).to_vectors() ==
          (j + local_index(j)).to_vectors());
    CHECK(max(j, -j).to_vectors() == abs(j).to_vectors());
  }
}

TEST_CASE("jagged: lists are chosen by index and by flags") {
  const jagged<double> j{{1, 2}, {}, {3}, {4, 5, 6}};
  using Reals = std::vector<std::vector<double>>;
  CHECK(j[array<std::int64_t>{3, 0, 3, 1}].to_vectors() == Reals{{4, 5, 6}, {1, 2}, {4, 5, 6}, {}});
  CHECK(j[j.lengths() > 0].to_vectors() == Reals{{1, 2}, {3}, {4, 5, 6}});
  CHECK(j[2].to_vector() == std::vector<double>{3});
  CHECK_THROWS_AS(j[4].to_vector(), ArrayError);
  CHECK(mean(j[j.lengths() > 0]).to_vector() == std::vector<double>{1.5, 3, 5});
  CHECK(sort(array<double>{3, -1, 2}).to_vector() == std::vector<double>{-1, 2, 3});
}

TEST_CASE("jagged: nothing runs until somebody looks, and offsets borrow") {
  Ints offsets(20001);
  for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = static_cast<std::int64_t>(5 * k);
  std::vector<double> data(100000, 1.5);
  const auto j = from_offsets<double>(data, offsets);
  const auto total = sum(j * 2.0 + 1.0);
  CHECK_FALSE(total.is_evaluated());
  CHECK(total.at(19999) == 20.0);
  for (const Ints& wrong : {Ints{}, Ints{0, 3}, Ints{0, 4, 3, 100000}, Ints{1, 100000}})
    CHECK_THROWS_AS(from_offsets<double>(data, wrong), std::invalid_argument);
}

TEST_CASE("jagged: lists that do not fit are refused") {
  const jagged<std::int64_t> a{{1, 2}, {3}}, b{{1}, {2, 3}}, c{{1, 2}, {3}, {}};
  CHECK_THROWS_AS(a + b, std::invalid_argument);
  CHECK_THROWS_AS(a + c, std::invalid_argument);
  CHECK_THROWS_AS(a[b > 1], std::invalid_argument);
  CHECK((a + jagged<std::int64_t>{{1, 1}, {1}}).to_vectors() == Lists{{2, 3}, {4}});
  CHECK_THROWS_AS(spread(array<std::int64_t>{1, 2, 3}, a), ArrayError);
  CHECK_THROWS_AS(jagged<std::int64_t>(7).to_vectors(), std::invalid_argument);
  const auto wrong = from_lengths(array<std::int64_t>{1, 2, 3}, array<std::int64_t>{1, 1});
  CHECK_THROWS_AS(wrong.to_vectors(), std::invalid_argument);
  CHECK_THROWS_AS(sum(wrong).to_vector(), ArrayError);
  CHECK_THROWS_AS(from_lengths(array<std::int64_t>{1, 2}, array<std::int64_t>{-1, 3}).to_vectors(),
                  std::exception);
}
