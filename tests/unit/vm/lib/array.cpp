// Arrays composed lazily in C++.
#include "vm/lib/array.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>

namespace {

using namespace nvm;
using Ints = std::vector<std::int64_t>;
using Reals = std::vector<double>;

Ints counted(std::int64_t n) {
  Ints v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

lib::Failure::Cause cause_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ArrayError& e) {
    CHECK_FALSE(std::string(e.what()).empty());
    return e.failure().cause;
  }
  FAIL("nothing was thrown");
  return {};
}

}  // namespace

TEST_CASE("arrays: operators mean what those of C++ mean") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t n : {1, 3, 5000}) {
    Ints a = counted(n), b = counted(n);
    for (auto& x : a) x -= n / 2;
    for (auto& x : b) x = x % 2 == 0 ? x + 1 : -x;
    a[0] = least;
    const array<std::int64_t> x(a), y(b);
    const auto q = (x / y).to_vector(), r = (x % y).to_vector(), s = (x + y * 2 - 1).to_vector();
    const auto m = max(x, y).to_vector(), k = (-x ^ 3).to_vector();
    const auto less = (x < y).to_vector();
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(q[i] == a[i] / b[i]);
      CHECK(r[i] == a[i] % b[i]);
      CHECK(m[i] == std::max(a[i], b[i]));
      CHECK(less[i] == (a[i] < b[i]));
      if (i > 0) CHECK(s[i] == a[i] + b[i] * 2 - 1);
      if (i > 0) CHECK(k[i] == (-a[i] ^ 3));
    }
    CHECK(k[0] == (least ^ 3));  // it wraps
  }
  const double nan = std::nan("");
  const array<double> z{0.0, -0.0, -2.5, nan, HUGE_VAL};
  CHECK_FALSE(std::signbit(abs(z).at(1)));
  CHECK(abs(z).at(2) == 2.5);
  CHECK(std::isnan(abs(z).at(3)));
  CHECK(std::signbit((-z).at(0)));
  CHECK(to<std::int64_t>(z).at(2) == -2);
  CHECK((z == z).to_vector() == std::vector<bool>{true, true, true, false, true});
  CHECK(to<double>(z > 0.0).to_vector() == Reals{0, 0, 0, 0, 1});
}

TEST_CASE("arrays: nothing runs until somebody looks, and values are computed once") {
  const Ints v = counted(100000);
  const auto x = borrow(v);
  const auto y = x * 3 + 1;
  const auto z = y % 7;
  CHECK_FALSE(y.is_evaluated());
  evaluate(z, sum(y));
  CHECK(y.is_evaluated());
  CHECK(z.is_evaluated());
  CHECK(z.at(99999) == (99999 * 3 + 1) % 7);
  CHECK(sum(y).value() == 3 * (99999LL * 100000 / 2) + 100000);
}

TEST_CASE("arrays: functions of elements, numbers, masks, indices and scans") {
  for (const std::int64_t n : {0, 1, 10, 3000}) {
    const auto i = indices(n);
    const auto squares = generate(n, [](auto k) { return k * k; });
    const auto mean = sum(to<double>(squares)) / (static_cast<double>(n) + 1);
    const auto off = map([&](auto s) { return to<double>(s) - scalar<double>(mean); }, squares);
    CHECK(off.size() == n);
    if (n > 1) CHECK(off.at(1) == 1 - mean.value());
    const auto odd = squares[squares % 2 == 1];
    CHECK(odd.size() == n / 2);
    CHECK(sum(odd - odd).value() == 0);
    CHECK(count(squares % 2 == 1).value() == n / 2);
    const auto back = squares[n - 1 - i];
    if (n > 0) CHECK(back.at(0) == (n - 1) * (n - 1));
    const auto gathered = map_indexed([&](auto s, auto at) { return s + squares[at]; }, squares);
    CHECK(all(gathered == squares * 2).value());
    CHECK(exclusive_sum(i).to_vector() == map([](auto k) { return k * (k - 1) / 2; }, i).to_vector());
  }
  CHECK_FALSE(any(array<bool>{false, false}).value());
}

TEST_CASE("arrays: the largest and least of floats are among them, however far they are") {
  const double inf = HUGE_VAL, most = std::numeric_limits<double>::max(),
               tiny = std::numeric_limits<double>::denorm_min(), start = static_cast<double>(1e36F);
  for (const std::int64_t n : {1, 3, 5000})
    for (const double x : {1e36, start, 1e300, most, inf, 0.0, tiny, 1e-300, 1.5}) {
      Reals v = {-x};
      while (v.size() < static_cast<std::size_t>(n)) v.push_back(v.size() % 3 == 1 ? -inf : -x);
      const array<double> a(v);
      INFO(n << " times " << -x);
      CHECK(max(a).value() == -x);
      CHECK(min(-a).value() == x);
      v.back() = std::nan("");
      CHECK(std::isnan(max(array<double>(v)).value()));
      CHECK(std::isnan(min(array<double>(v)).value()));
    }
  CHECK(max(array<double>{-1e300, 2, 1e-320}).value() == 2);
  CHECK(max(array<double>(Reals{})).value() == -inf);
  CHECK(min(array<double>(Reals{})).value() == inf);
  CHECK(max(array<std::int64_t>(Ints{})).value() == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("arrays: numbers beside them are what they were, or refused") {
  const array<std::int64_t> a{1};
  CHECK((a + 'a').value() == 98);
  CHECK((a + std::size_t{2}).value() == 3);
  CHECK((a + std::uint64_t{1} * (~std::uint64_t{0} / 2)).value() == std::numeric_limits<std::int64_t>::min());
  CHECK_THROWS_AS(a + ~std::uint64_t{0}, std::out_of_range);
  CHECK_THROWS_AS(scalar<std::int64_t>(~std::uint64_t{0} / 2 + 1), std::out_of_range);
  CHECK((array<double>{1} + ~std::uint64_t{0}).value() == 0x1p64);
  const auto quotient = array<std::int64_t>{std::numeric_limits<std::int64_t>::min()} / -1;
  CHECK(cause_of([&] { static_cast<void>(quotient.value()); }) == lib::Failure::Cause::kDivide);
}

TEST_CASE("arrays: stencils have one value for what lies outside") {
  Ints want = counted(5000);
  auto y = array<std::int64_t>(want);
  for (int turn = 0; turn < 300; ++turn)  // more than is kept waiting
    y = stencil<-1, 0, 1>(
        y, [](auto a, auto b, auto c) { return (a + b * 2 + c) / 4; }, std::int64_t{7});
  for (int turn = 0; turn < 300; ++turn) {
    Ints next(want.size(), 7);
    for (std::size_t k = 1; k + 1 < want.size(); ++k) next[k] = (want[k - 1] + want[k] * 2 + want[k + 1]) / 4;
    want = next;
  }
  CHECK(y.to_vector() == want);
  const auto late = stencil<2>(
      array<double>{1, 2, 3}, [](auto a) { return a; }, -1.0);
  CHECK(late.to_vector() == Reals{3, -1, -1});
}

TEST_CASE("arrays: what fails is thrown by who looks, and the rest stays good") {
  const array<std::int64_t> x{1, 2, 3};
  using Cause = lib::Failure::Cause;
  CHECK(cause_of([&] { (void)(x + array<std::int64_t>{1, 2}); }) == Cause::kLength);
  CHECK(cause_of([&] { (void)x[array<bool>{true}]; }) == Cause::kLength);
  CHECK(cause_of([&] { (void)indices(-1); }) == Cause::kLength);
  const auto bad = x / (x - 2);
  for (int turn = 0; turn < 2; ++turn) CHECK(cause_of([&] { (void)bad.value(); }) == Cause::kDivide);
  CHECK(cause_of([&] { (void)x[x].at(0); }) == Cause::kIndex);
  const auto some = x[x > 1];
  CHECK(cause_of([&] { (void)(some + x).at(0); }) == Cause::kLength);
  CHECK(sum(some).value() == 5);
  CHECK_THROWS_AS(x.value(), std::out_of_range);
  CHECK_THROWS_AS(x.at(3), std::out_of_range);
  CHECK_THROWS_AS(scalar<std::int64_t>(x), std::invalid_argument);
}

TEST_CASE("arrays: lengths are known before elements, and functions give as many as they take") {
  const Ints v = counted(5000);
  const auto x = borrow(v);
  const auto y = x * 2;
  const auto odd = y[y % 3 == 1];
  const auto next = map_indexed([](auto a, auto i) { return a + i; }, y);
  const auto blurred = stencil<-1, 1>(
      y, [](auto a, auto b) { return a + b; }, std::int64_t{0});
  CHECK(y.size() == 5000);
  CHECK(next.size() == 5000);
  CHECK(blurred.size() == 5000);
  CHECK_FALSE(y.is_evaluated());
  CHECK(odd.size() == 1666);
  CHECK_FALSE(next.is_evaluated());
  CHECK(sum(blurred).value() == 2 * (2 * (4998LL * 4999 / 2)));
  for (const std::int64_t n : {0, 1, 3, 5000}) {
    const auto ones = generate(n, [](auto) { return scalar<double>(1); });
    CHECK(ones.size() == n);
    CHECK(sum(ones).value() == static_cast<double>(n));
  }
  CHECK((x[4] + 1).value() == 5);
  CHECK((array<double>(2) + 3).value() == 5);
}

TEST_CASE("arrays: what is no instruction on such operands is refused") {
  const lib::Lazy ints = array<std::int64_t>{1, 2}.lazy(), reals = array<double>{1, 2}.lazy();
  using Cause = lib::Failure::Cause;
  const auto refused = [](const auto& result) { return !result && result.failure().cause == Cause::kType; };
  for (const char* text :
       {"+ FLOAT", "SQRT", "NOT BOOL", "+_REDUCE INT", "DIST INT", "CONST INT 1", "none", ""})
    CHECK(refused(lib::lazy_map(text, {{ints, ints}})));
  CHECK(refused(lib::lazy_map("+ INT", {{ints, reals}})));
  CHECK(refused(lib::lazy_map("+ INT", {})));
  CHECK(refused(lib::lazy_fold("+_REDUCE FLOAT", ints)));
  CHECK(refused(lib::lazy_fold("+ INT", ints)));
  CHECK(refused(lib::lazy_gather(ints, reals)));
  CHECK(refused(lib::lazy_pack(ints, ints)));
  CHECK(refused(lib::lazy_vector(*lib::make_segdes(1, 1))));
  CHECK_FALSE(lib::lazy_number(lib::make_ints(Ints{1, 2})));
  CHECK_FALSE(lib::lazy_vector(lib::Value(nullptr)));
  CHECK_FALSE(lib::lazy_count(std::int64_t{1} << 62));
}

TEST_CASE("arrays: threads have sessions of their own") {
  std::vector<std::thread> threads;
  std::vector<std::int64_t> sums(4);
  const array<std::int64_t> x(counted(10000));  // of this thread: its value is given to the others
  for (std::size_t k = 0; k < sums.size(); ++k)
    threads.emplace_back([&, k] {
      lib::Options options;
      options.jit = k % 2 == 0 ? lib::Jit::kAlways : lib::Jit::kOff;
      const ArraySession session(options);
      const ArraySession::Scope here(session);
      const array<std::int64_t> own = indices(10000) + x - x;
      for (int turn = 0; turn < 20; ++turn) {
        const auto y = own * static_cast<std::int64_t>(k) + turn;
        sums[k] += sum(y[y % 2 == 0]).value();
      }
    });
  for (auto& t : threads) t.join();
  for (std::size_t k = 0; k < sums.size(); ++k) {
    std::int64_t want = 0;
    for (int turn = 0; turn < 20; ++turn)
      for (std::int64_t e = 0; e < 10000; ++e) {
        const std::int64_t y = e * static_cast<std::int64_t>(k) + turn;
        if (y % 2 == 0) want += y;
      }
    CHECK(sums[k] == want);
  }
}

TEST_CASE("arrays: they outlive their session and its thread, and meet others there") {
  std::optional<array<std::int64_t>> kept;
  std::thread([&] { kept = indices(5000) * 3; }).join();
  {
    const ArraySession other;
    const ArraySession::Scope here(other);
    const auto mixed = indices(5000) + *kept;  // in this session; the other one computes its array
    CHECK(kept->is_evaluated());
    CHECK_FALSE(mixed.is_evaluated());
    kept = mixed * 2;
  }
  CHECK(kept->at(4999) == 2 * (4999 + 3 * 4999));
  CHECK(cause_of([&] { (void)(*kept + indices(3)); }) == lib::Failure::Cause::kLength);
}

TEST_CASE("arrays: a session that another thread uses is busy") {
  const auto x = indices(5000);
  std::atomic<bool> seen = false;
  const auto is_busy = [](const auto& result) {
    return !result && result.failure().reason.starts_with("busy");
  };
  std::thread other([&] {
    const lib::Lazy both[] = {x.lazy(), x.lazy()};
    while (!seen)
      if (is_busy(lib::lazy_map("+ INT", both))) seen = true;
  });
  const lib::Lazy both[] = {x.lazy(), x.lazy()};
  while (!seen)
    if (is_busy(lib::lazy_map("* INT", both))) seen = true;
  other.join();
  CHECK(sum(x).value() == 2500 * 4999);
}

TEST_CASE("arrays: the end of borrowed memory is told where the session may be used") {
  struct Seen {
    std::int64_t sum = 0;
    std::optional<array<std::int64_t>> other;
  } seen;
  const Ints v = counted(5000);
  const auto at_end = [](void* user) {
    auto& s = *static_cast<Seen*>(user);
    s.sum = sum(*s.other * 2).value();
    s.other.reset();
  };
  bool freed = false;
  const auto note = [](void* user) { *static_cast<bool*>(user) = true; };
  for (const bool looked : {false, true}) {
    freed = false;
    seen.other = array<std::int64_t>(*lib::lazy_vector(lib::foreign(v.data(), 5000, note, &freed)));
    std::optional<array<std::int64_t>> x(
        array<std::int64_t>(*lib::lazy_vector(lib::foreign(v.data(), 5000, at_end, &seen))));
    std::optional<array<std::int64_t>> y(*x + 1);
    if (looked) CHECK(y->at(3) == 4);
    x.reset();
    y.reset();
    CHECK(seen.sum == 5000 * 4999);
    CHECK(freed);
  }
}

TEST_CASE("arrays: handles are copied and let go of on any thread") {
  const auto x = indices(2000);
  std::vector<std::vector<array<std::int64_t>>> held(3);
  for (auto& mine : held)
    for (std::int64_t k = 0; k < 200; ++k) mine.push_back(x * k + 1);
  std::vector<std::thread> threads;
  for (auto& mine : held)
    threads.emplace_back([&mine] {
      while (!mine.empty()) mine.pop_back();
    });
  std::int64_t total = 0;
  for (std::int64_t turn = 0; turn < 50; ++turn) total += sum(x + turn).value();
  for (auto& t : threads) t.join();
  CHECK(total == 50 * (2000LL * 1999 / 2) + 2000 * (49 * 50 / 2));
}

TEST_CASE("arrays: what fails in a long chain fails for who looks") {
  auto y = array<std::int64_t>(counted(5000));
  y = y / (y - 7);
  for (int turn = 0; turn < 500; ++turn) y = y + 1;
  for (int turn = 0; turn < 2; ++turn)
    CHECK(cause_of([&] { (void)y.at(0); }) == lib::Failure::Cause::kDivide);
}

TEST_CASE("arrays: options bound what is computed") {
  lib::Options options;
  options.memory = 1 << 20;
  const ArraySession session(options);
  const ArraySession::Scope here(session);
  CHECK(cause_of([] { (void)(indices(1 << 20) * 3).at(1); }) == lib::Failure::Cause::kMemory);
  CHECK(sum(indices(100)).value() == 4950);
}
