#include "vm/data/value.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "vm/data/pool.h"

namespace nvm::vm {
namespace {

TEST_CASE("a vector of length one is unboxed") {
  CHECK(Vector::of_int(-5).scalar_int() == -5);
  CHECK(Vector::of_bool(true).scalar_bool());
  CHECK(Vector::of_float(2.5).scalar_float() == 2.5);
  CHECK(Vector::of_int(-5).int_at(0) == -5);
  CHECK(*Vector::of_int(-5).data<std::int64_t>() == -5);
  CHECK_FALSE(Vector::of_int(1).unique());
}

TEST_CASE("elements of every storage widen when read") {
  Pool pool;
  const std::int64_t elements[] = {-128, 0, 127};
  for (const Storage s : {Storage::kI8, Storage::kI32, Storage::kI64}) {
    const Vector v = int_vector(pool, elements, s);
    CHECK(v.type() == Type::kInt);
    CHECK(v.bytes() == 3 * static_cast<std::int64_t>(storage_bytes(s)));
    for (std::int64_t i = 0; i < 3; ++i) CHECK(v.int_at(i) == elements[i]);
  }
}

TEST_CASE("a part of a buffer starts at its offset and is never unique") {
  Pool pool;
  const std::int64_t elements[] = {10, 20, 30, 40};
  Vector whole = int_vector(pool, elements);
  CHECK(whole.unique());
  const Vector part(Storage::kI64, 2, whole.buffer(), 1);
  CHECK(part.int_at(0) == 20);
  CHECK(reinterpret_cast<const std::int64_t*>(part.raw())[1] == 30);
  CHECK(reinterpret_cast<const std::byte*>(part.data<std::int64_t>()) == part.raw());
  const Vector same = whole.part(1, 2);
  CHECK(same.raw() == part.raw());
  CHECK(whole.part(2, 1).scalar_int() == 30);
  CHECK_FALSE(whole.unique());
  whole = Vector();
  CHECK_FALSE(part.unique());
}

TEST_CASE("foreign memory is not overwritten, and let go of once") {
  double elements[3] = {1, 2, 3};
  int released = 0;
  Buffer foreign{};
  foreign.refs = 1;
  foreign.bytes = reinterpret_cast<std::byte*>(elements);
  foreign.release = [](Buffer*, void* user) { ++*static_cast<int*>(user); };
  foreign.user = &released;
  {
    const Vector v(Storage::kF64, 3, BufferRef(&foreign));
    CHECK_FALSE(v.unique());
    const Vector again = v;
    CHECK(again.float_at(2) == 3);
  }
  CHECK(released == 1);
}

Segdes make(Pool& pool, const std::vector<std::int64_t>& lengths, Storage storage = Storage::kI64) {
  std::int64_t total = 0;
  for (const std::int64_t n : lengths) total += n;
  return Segdes::from_lengths(int_vector(pool, lengths, storage), total);
}

TEST_CASE("equal lengths are two numbers and no arrays") {
  Pool pool;
  for (const auto& lengths : std::vector<std::vector<std::int64_t>>{{}, {7}, {0}, {3, 3, 3}, {0, 0, 0, 0}}) {
    const Segdes s = make(pool, lengths);
    CHECK(s.is_regular());
    CHECK(s.segments() == static_cast<std::int64_t>(lengths.size()));
    CHECK(s.lengths(pool).length() == s.segments());
    for (std::int64_t k = 0; k < s.segments(); ++k) CHECK(s.lengths(pool).int_at(k) == s.length(k));
  }
  CHECK_FALSE(make(pool, {3, 3, 2}).is_regular());
  CHECK_FALSE(make(pool, {3, 2, 4}).is_regular());  // the mean is a length, but not all are
}

TEST_CASE("offsets follow the lengths") {
  Pool pool;
  for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64}) {
    const Segdes s = make(pool, {3, 0, 2}, storage);
    CHECK(s.total() == 5);
    CHECK(s.offset(0) == 0);
    CHECK(s.offset(2) == 3);
    CHECK(s.length(1) == 0);
    CHECK(s.offsets()[3] == 5);
  }
}

TEST_CASE("derived arrays are made once, by whichever thread comes first") {
  Pool pool;
  std::vector<std::int64_t> lengths(1000);
  for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = static_cast<std::int64_t>(k % 7);
  const Segdes s = make(pool, lengths);
  const Segdes copy = s;
  std::vector<const std::int64_t*> seen(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < seen.size(); ++t) threads.emplace_back([&, t] { seen[t] = copy.offsets(); });
  for (std::thread& t : threads) t.join();
  for (const std::int64_t* p : seen) CHECK(p == s.offsets());
}

TEST_CASE("descriptors are equal if their lengths are") {
  Pool pool;
  CHECK(make(pool, {1, 2}) == make(pool, {1, 2}, Storage::kI8));
  CHECK_FALSE(make(pool, {1, 2}) == make(pool, {2, 1}));
  CHECK(make(pool, {2, 2}) == Segdes::regular(2, 2));
  CHECK_FALSE(Segdes::regular(2, 0) == Segdes::regular(3, 0));
}

TEST_CASE("whatever makes a descriptor, its lengths are lengths") {
  Pool pool;
  const std::int64_t half = kTooLong / 2;
  CHECK(Segdes::regular(kTooLong - 1, 0).segments() == kTooLong - 1);
  CHECK(Segdes::regular(1, kTooLong - 1).total() == kTooLong - 1);
  CHECK_THROWS_AS(Segdes::regular(2, half), Fault);
  CHECK_THROWS_AS(Segdes::regular(std::int64_t{1} << 32, std::int64_t{1} << 32), Fault);
  for (const std::int64_t n : {std::int64_t{-1}, INT64_MIN, kTooLong, INT64_MAX}) {
    CHECK_THROWS_AS(Segdes::regular(n, 1), Fault);
    CHECK_THROWS_AS(Segdes::regular(1, n), Fault);
    CHECK_THROWS_AS(Segdes::regular(n, 0), Fault);
    CHECK_THROWS_AS(Segdes::checked(Vector::of_int(n)), Fault);
    CHECK_THROWS_AS(Segdes::checked(int_vector(pool, std::vector<std::int64_t>{0, n})), Fault);
    CHECK_THROWS_AS(Segdes::from_lengths(int_vector(pool, std::vector<std::int64_t>{1, 2}), n), Fault);
  }
  CHECK_THROWS_AS(Segdes::checked(int_vector(pool, std::vector<std::int64_t>{half, half})), Fault);
  CHECK(Segdes::checked(int_vector(pool, std::vector<std::int64_t>{2, 0, 3})).total() == 5);
  CHECK(Segdes::checked(Vector(Storage::kI64, 0, BufferRef())).segments() == 0);
}

TEST_CASE("pairs nest only so deep") {
  Value pair = Vector::of_int(1);
  for (int i = 0; i < kDeepestPair; ++i) pair = make_pair_value(std::move(pair), Vector::of_int(i));
  CHECK(std::get<std::shared_ptr<const PairValue>>(pair)->depth == kDeepestPair);
  CHECK_THROWS_AS(make_pair_value(Vector::of_int(1), pair), Fault);
  CHECK_THROWS_AS(make_pair_value(pair, pair), Fault);
}

}  // namespace
}  // namespace nvm::vm
