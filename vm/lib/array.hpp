// Arrays of one dimension, composed lazily: array<double> y = 2.0 * x + 1.0 records, and sum(y).value()
// computes, all in one pass. Elements are bool, std::int64_t or double. Operators mean what those of C++ mean
// for these types, but integers wrap; division by zero fails, and so does that of the least integer by -1.
// min and max of two are std::min and std::max. What fails throws ArrayError: wrong lengths where they are
// known, else when somebody looks, and then each time; the others stay good.
//
//   array<double> x{1, 2, 3};
//   auto z = map_indexed([](auto a, auto i) { return select(a > 1.5, a * a, to<double>(i)); }, x);
//   double s = sum(z).value();
//
// Arrays belong to the ArraySession of the thread that makes them; what is computed from arrays belongs to
// the session of the first that has one, and only one call at a time uses a session. What is evaluated may be
// read, and any array copied and destroyed, by any thread at any time.
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vm/lib/lazy.hpp"

namespace nvm {

using lib::ArraySession;

// Why there is no result: Failure::cause kLength, kIndex, kDivide, kMemory, kTime, kInterrupted, ...; kOther
// of a session that is busy.
class ArrayError : public std::runtime_error {
 public:
  explicit ArrayError(lib::Failure failure)
      : std::runtime_error(failure.reason.empty() ? failure.message : failure.reason),
        failure_(std::move(failure)) {}
  [[nodiscard]] const lib::Failure& failure() const { return failure_; }

 private:
  lib::Failure failure_;
};

template <typename T>
class array;
template <typename T>
class scalar;

namespace detail {

template <typename T>
T given(lib::Result<T> result) {
  if (!result) throw ArrayError(std::move(result).failure());
  return std::move(*result);
}

template <typename T>
struct Storage;
template <>
struct Storage<bool> {
  static constexpr const char* word = "BOOL";
  static lib::Value value(const bool* x, std::size_t n) {
    const std::vector<std::uint8_t> bytes(x, x + n);
    return lib::make_bools(bytes);
  }
  static bool at(const lib::Value& v, std::int64_t i) { return v.bool_at(i); }
};
template <>
struct Storage<std::int64_t> {
  static constexpr const char* word = "INT";
  static lib::Value value(const std::int64_t* x, std::size_t n) { return lib::make_ints({x, n}); }
  static std::int64_t at(const lib::Value& v, std::int64_t i) { return v.int_at(i); }
};
template <>
struct Storage<double> {
  static constexpr const char* word = "FLOAT";
  static lib::Value value(const double* x, std::size_t n) { return lib::make_floats({x, n}); }
  static double at(const lib::Value& v, std::int64_t i) { return v.float_at(i); }
};

template <typename T>
inline constexpr bool is_number = std::same_as<T, std::int64_t> || std::same_as<T, double>;

// What may stand beside an array of T: no double beside integers.
template <typename U, typename T>
concept NumberFor = (std::same_as<T, bool> && std::same_as<U, bool>) ||
                    (is_number<T> && std::is_arithmetic_v<U> && !std::same_as<U, bool> &&
                     (std::integral<U> || std::same_as<T, double>));

// The number as a T; throws std::out_of_range if it is beyond all integers. A double is rounded, as in C++.
template <typename T, NumberFor<T> U>
T number_as(U x) {
  if constexpr (std::same_as<T, std::int64_t> && std::unsigned_integral<U> && sizeof(U) >= sizeof(T))
    if (x > static_cast<U>(std::numeric_limits<T>::max()))
      throw std::out_of_range("a number beyond the integers of 64 bits with a sign");
  return static_cast<T>(x);
}

template <typename T>
class IsScalar : public std::false_type {};
template <typename T>
class IsScalar<scalar<T>> : public std::true_type {};

template <typename T>
std::vector<T> to_vector(const lib::Value& v) {
  if constexpr (std::same_as<T, std::int64_t>) return v.ints();
  if (const auto there = v.view<T>()) return {there->begin(), there->end()};
  std::vector<T> elements;
  elements.reserve(static_cast<std::size_t>(v.size()));
  for (std::int64_t i = 0; i < v.size(); ++i) elements.push_back(Storage<T>::at(v, i));
  return elements;
}

template <typename T>
lib::Lazy number(T x) {
  return given(lib::lazy_number(Storage<T>::value(&x, 1)));
}
template <typename T>
lib::Lazy constant(T x) {
  return given(lib::lazy_constant(Storage<T>::value(&x, 1)));
}
template <typename T>
std::string text(const char* name) {
  return std::string(name) + " " + Storage<T>::word;
}
// An instruction on the elements of operands of one class. Of classes that have more than elements there is a
// specialisation.
template <template <typename> class C>
struct Elementwise {
  template <typename U, typename... T>
  static C<U> made(const std::string& instruction, const C<T>&... operands) {
    const lib::Lazy elements[] = {operands.lazy()...};
    return C<U>(given(lib::lazy_map(instruction, elements)));
  }
};
template <typename U, template <typename> class C, typename... T>
C<U> map(const std::string& instruction, const C<T>&... operands) {
  return Elementwise<C>::template made<U>(instruction, operands...);
}

// Operators of array<T>, scalar<T> and jagged<T>.
template <template <typename> class C, typename T>
struct Operators {
  friend C<T> operator+(const C<T>& a, const C<T>& b) requires is_number<T> { return of("+", a, b); }
  friend C<T> operator-(const C<T>& a, const C<T>& b) requires is_number<T> { return of("-", a, b); }
  friend C<T> operator*(const C<T>& a, const C<T>& b) requires is_number<T> { return of("*", a, b); }
  friend C<T> operator/(const C<T>& a, const C<T>& b) requires is_number<T> { return of("/", a, b); }
  friend C<T> operator%(const C<T>& a, const C<T>& b) requires std::same_as<T, std::int64_t> {
    return map<T>("%", a, b);
  }
  friend C<T> operator-(const C<T>& a) requires std::same_as<T, std::int64_t> { return zero() - a; }
  friend C<T> operator-(const C<T>& a) requires std::same_as<T, double> { return a * C<T>(constant(T{-1})); }
  friend C<bool> operator<(const C<T>& a, const C<T>& b) requires is_number<T> { return test("<", a, b); }
  friend C<bool> operator<=(const C<T>& a, const C<T>& b) requires is_number<T> { return test("<=", a, b); }
  friend C<bool> operator>(const C<T>& a, const C<T>& b) requires is_number<T> { return test(">", a, b); }
  friend C<bool> operator>=(const C<T>& a, const C<T>& b) requires is_number<T> { return test(">=", a, b); }
  friend C<bool> operator==(const C<T>& a, const C<T>& b) requires is_number<T> { return test("=", a, b); }
  friend C<bool> operator!=(const C<T>& a, const C<T>& b) requires is_number<T> { return test("!=", a, b); }
  friend C<T> operator&(const C<T>& a, const C<T>& b) requires(!std::same_as<T, double>) {
    return of("AND", a, b);
  }
  friend C<T> operator|(const C<T>& a, const C<T>& b) requires(!std::same_as<T, double>) {
    return of("OR", a, b);
  }
  friend C<T> operator^(const C<T>& a, const C<T>& b) requires(!std::same_as<T, double>) {
    return of("XOR", a, b);
  }
  friend C<bool> operator!(const C<T>& a) requires std::same_as<T, bool> { return map<bool>("NOT BOOL", a); }
  // Both sides are computed; there is no `if` on elements.
  friend C<T> select(const C<bool>& c, const C<T>& a, const C<T>& b) {
    return map<T>(text<T>("SELECT"), c, a, b);
  }
  friend C<T> min(const C<T>& a, const C<T>& b) requires is_number<T> { return select(b < a, b, a); }
  friend C<T> max(const C<T>& a, const C<T>& b) requires is_number<T> { return select(a < b, b, a); }
  friend C<T> abs(const C<T>& a) requires is_number<T> { return select(a <= zero(), zero() - a, a); }
  friend C<T> sqrt(const C<T>& a) requires std::same_as<T, double> { return function("SQRT", a); }
  friend C<T> exp(const C<T>& a) requires std::same_as<T, double> { return function("EXP", a); }
  friend C<T> log(const C<T>& a) requires std::same_as<T, double> { return function("LOG", a); }
  friend C<T> sin(const C<T>& a) requires std::same_as<T, double> { return function("SIN", a); }
  friend C<T> cos(const C<T>& a) requires std::same_as<T, double> { return function("COS", a); }
  friend C<T> tan(const C<T>& a) requires std::same_as<T, double> { return function("TAN", a); }

 private:
  static C<T> of(const char* name, const C<T>& a, const C<T>& b) { return map<T>(text<T>(name), a, b); }
  static C<bool> test(const char* name, const C<T>& a, const C<T>& b) {
    return map<bool>(text<T>(name), a, b);
  }
  static C<T> zero() { return C<T>(constant(T{0})); }
  static C<T> function(const char* name, const C<T>& a) { return map<T>(name, a); }
};

}  // namespace detail

// An element in a function that is given to map(): stands for all of them at once. Numbers in such a function
// are part of what is compiled.
template <typename T>
class scalar : public detail::Operators<scalar, T> {
 public:
  explicit scalar(lib::Lazy lazy) : lazy_(std::move(lazy)) {}
  template <detail::NumberFor<T> U>
  scalar(U x) : lazy_(detail::constant(detail::number_as<T>(x))) {}
  // Of one number that was computed from arrays: mean, for all elements.
  explicit scalar(const array<T>& number);
  [[nodiscard]] const lib::Lazy& lazy() const { return lazy_; }

 private:
  lib::Lazy lazy_;
};

// A handle of a vector that never changes. What is made of a number, from numbers only, or by a reduction, is
// one number, and stands beside arrays of any length; it is no part of what is compiled.
template <typename T>
class array : public detail::Operators<array, T> {
 public:
  explicit array(lib::Lazy lazy) : lazy_(std::move(lazy)) {}
  explicit array(std::span<const T> elements)
      : lazy_(detail::given(lib::lazy_vector(detail::Storage<T>::value(elements.data(), elements.size())))) {}
  array(std::initializer_list<T> elements) : array(std::span<const T>(elements.begin(), elements.size())) {}
  explicit array(const std::vector<T>& elements) requires(!std::same_as<T, bool>)
      : array(std::span<const T>(elements)) {}
  template <detail::NumberFor<T> U>
  array(U number) : lazy_(detail::number(detail::number_as<T>(number))) {}

  [[nodiscard]] const lib::Lazy& lazy() const { return lazy_; }
  [[nodiscard]] bool is_evaluated() const { return lib::lazy_is_evaluated(lazy_); }
  // Computes no elements.
  [[nodiscard]] std::int64_t size() const { return detail::given(lib::lazy_size(lazy_)); }
  // These compute the array, once. at() and value() throw std::out_of_range where there is no such element,
  // and not exactly one.
  [[nodiscard]] T at(std::int64_t i) const {
    const lib::Value v = whole();
    if (i < 0 || i >= v.size()) throw std::out_of_range("array::at");
    return detail::Storage<T>::at(v, i);
  }
  [[nodiscard]] T value() const {
    const lib::Value v = whole();
    if (v.size() != 1) throw std::out_of_range("array::value of " + std::to_string(v.size()) + " elements");
    return detail::Storage<T>::at(v, 0);
  }
  [[nodiscard]] std::vector<T> to_vector() const { return detail::to_vector<T>(whole()); }

  // Those at each index, from 0; those whose flags are set; the one at an index, as a number.
  array operator[](const array<std::int64_t>& index) const {
    return array(detail::given(lib::lazy_gather(lazy_, index.lazy())));
  }
  array operator[](const array<bool>& flags) const {
    return array(detail::given(lib::lazy_pack(lazy_, flags.lazy())));
  }
  array operator[](std::int64_t index) const { return (*this)[array<std::int64_t>(index)]; }
  // In a function of elements.
  scalar<T> operator[](const scalar<std::int64_t>& index) const {
    return scalar<T>(detail::given(lib::lazy_gather(lazy_, index.lazy())));
  }

 private:
  [[nodiscard]] lib::Value whole() const { return detail::given(lib::lazy_value(lazy_)); }
  lib::Lazy lazy_;
};

template <typename T>
scalar<T>::scalar(const array<T>& number) : lazy_(number.lazy()) {
  if (!lib::lazy_is_number(lazy_)) throw std::invalid_argument("scalar of an array that is no single number");
}

// `elements` without a copy: they live, and do not change, as long as anything that is not evaluated, or this
// array, needs them.
template <typename T>
array<T> borrow(std::span<const T> elements) requires detail::is_number<T> {
  const auto n = static_cast<std::int64_t>(elements.size());
  return array<T>(detail::given(lib::lazy_vector(lib::foreign(elements.data(), n, nullptr, nullptr))));
}

template <typename T>
array<T> borrow(const std::vector<T>& elements) requires detail::is_number<T> {
  return borrow(std::span<const T>(elements));
}
template <typename T>
array<T> borrow(std::vector<T>&& elements) = delete;  // they would not live

// 0, 1, ..., n - 1.
inline array<std::int64_t> indices(std::int64_t n) {
  return array<std::int64_t>(detail::given(lib::lazy_count(n)));
}
// As many as `x` has elements.
template <typename T>
array<std::int64_t> indices_of(const array<T>& x) {
  return array<std::int64_t>(detail::given(lib::lazy_positions(x.lazy())));
}

// How many elements there are, as a number; nothing runs.
template <typename T>
array<std::int64_t> length(const array<T>& x) {
  return array<std::int64_t>(detail::given(lib::lazy_length(x.lazy())));
}

// Conversions as C++ has them, and of double to integers by truncation; out of range gives the least one.
template <typename U, template <typename> class C, typename T>
C<U> to(const C<T>& x) {
  if constexpr (std::same_as<U, T>) return x;
  if constexpr (std::same_as<T, bool> && std::same_as<U, std::int64_t>) return detail::map<U>("B_TO_I", x);
  if constexpr (std::same_as<T, bool> && std::same_as<U, double>) return to<U>(to<std::int64_t>(x));
  if constexpr (std::same_as<T, std::int64_t> && std::same_as<U, double>) return detail::map<U>("I_TO_F", x);
  if constexpr (std::same_as<T, double> && std::same_as<U, std::int64_t>) return detail::map<U>("TRUNC", x);
  if constexpr (detail::is_number<T> && std::same_as<U, bool>) return x != C<T>(detail::constant(T{0}));
}

// f of an element of each array, for all of them: as many as the arrays have. f is called once, with scalars,
// and gives one.
template <typename F, typename... T>
auto map(F f, const array<T>&... arrays) {
  const auto result = f(scalar<T>(arrays.lazy())...);
  static_assert(detail::IsScalar<std::remove_const_t<decltype(result)>>::value,
                "the function gives no scalar: for a number write scalar<double>(1.0)");
  const lib::Lazy operands[] = {arrays.lazy()...};
  return [&]<typename U>(const scalar<U>& one) {
    return array<U>(detail::given(lib::lazy_spread(one.lazy(), operands)));
  }(result);
}
// The same with the element's index behind the others; f of each index below n.
template <typename F, typename T, typename... More>
auto map_indexed(F f, const array<T>& first, const array<More>&... more) {
  return map(f, first, more..., indices_of(first));
}
template <typename F>
auto generate(std::int64_t n, F f) {
  return map(f, indices(n));
}

// f of the neighbours at these distances: stencil<-1, 0, 1>(x, f, 0.0). The result is `outside` where one of
// them is missing.
template <std::int64_t... kDistances, typename T, typename F>
array<T> stencil(const array<T>& x, F f, T outside) {
  const scalar<std::int64_t> here(indices_of(x).lazy()), n(detail::given(lib::lazy_length(x.lazy())));
  constexpr std::int64_t low = std::min({kDistances...}), high = std::max({kDistances...});
  const auto neighbour = [&](std::int64_t distance) {
    const scalar<std::int64_t> at = here + distance;
    const lib::Lazy flags = ((at >= 0) & (at < n)).lazy();
    return scalar<T>(detail::given(lib::lazy_gather(x.lazy(), at.lazy(), &flags)));
  };
  const scalar<T> result = f(neighbour(kDistances)...);
  return array<T>(select((here >= -low) & (here < n - high), result, scalar<T>(outside)).lazy());
}

inline array<bool> any(const array<bool>& x) {
  return array<bool>(detail::given(lib::lazy_fold("OR_REDUCE BOOL", x.lazy())));
}

namespace detail {
template <typename T>
lib::Lazy fold(const std::string& instruction, const array<T>& x) {
  return given(lib::lazy_fold(instruction, x.lazy()));
}

// The largest (MAX) or least (MIN) of an array or of each list. VCODE's reductions of floats begin at -/+1e36
// and pass NaN over: what lies beyond that the elements tell that are brought near.
template <template <typename> class C, typename T>
array<T> extreme(const char* name, const C<T>& x) {
  const std::string instruction = std::string(name) + "_REDUCE " + Storage<T>::word;
  const array<T> near(fold(instruction, x));
  if constexpr (std::same_as<T, double>) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kStart = static_cast<double>(1e36F);
    const bool upper = instruction.starts_with("MAX");
    const auto seen = [&](const array<double>& found) { return upper ? found > -kStart : found < kStart; };
    const array<double> far(fold(instruction, x * 0x1p-1000));
    return select(any(x != x), array<double>(std::numeric_limits<double>::quiet_NaN()),
                  select(seen(near), near,
                         select(seen(far), far * 0x1p1000, array<double>(upper ? -kInfinity : kInfinity))));
  } else {
    return near;
  }
}
}  // namespace detail

// Reductions: single numbers. Of no elements 0, 1, the least or largest of the type (of floats an infinity),
// true, false. The largest and the least of what NaN is among are NaN.
template <typename T>
array<T> sum(const array<T>& x) requires detail::is_number<T> {
  return array<T>(detail::given(lib::lazy_fold(detail::text<T>("+_REDUCE"), x.lazy())));
}
template <typename T>
array<T> product(const array<T>& x) requires detail::is_number<T> {
  return array<T>(detail::given(lib::lazy_fold(detail::text<T>("*_REDUCE"), x.lazy())));
}
template <typename T>
array<T> max(const array<T>& x) requires detail::is_number<T> {
  return detail::extreme("MAX", x);
}
template <typename T>
array<T> min(const array<T>& x) requires detail::is_number<T> {
  return detail::extreme("MIN", x);
}
inline array<bool> all(const array<bool>& x) {
  return array<bool>(detail::given(lib::lazy_fold("AND_REDUCE BOOL", x.lazy())));
}
inline array<std::int64_t> count(const array<bool>& x) { return sum(to<std::int64_t>(x)); }
// From the least to the largest, NaN anywhere; equal ones keep their order.
template <typename T>
array<T> sort(const array<T>& x) requires detail::is_number<T> {
  return array<T>(detail::given(lib::lazy_sorted(x.lazy(), nullptr)));
}
// The sum of all elements before each.
template <typename T>
array<T> exclusive_sum(const array<T>& x) requires detail::is_number<T> {
  return array<T>(detail::given(lib::lazy_fold(detail::text<T>("+_SCAN"), x.lazy())));
}

// Computes them together, so that they share passes.
template <typename... T>
void evaluate(const array<T>&... arrays) {
  const lib::Lazy wanted[] = {arrays.lazy()...};
  static_cast<void>(detail::given(lib::lazy_evaluate(wanted)));
}

}  // namespace nvm
