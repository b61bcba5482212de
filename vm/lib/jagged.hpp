// Lists of different lengths, composed lazily: jagged<double> j; auto k = j - spread(mean(j), j) records, and
// k.to_vectors() computes. What is said of arrays in array.hpp holds here: elements of one list after the
// other are an array, and so are the lists' lengths.
//
// Lists whose lengths differ, or do not make up all elements, fail when somebody looks.
#pragma once

#include <optional>

#include "vm/lib/array.hpp"

namespace nvm {

template <typename T>
class jagged;

namespace detail {
template <typename T>
array<T> distributed(const array<T>& values, const array<std::int64_t>& lengths) {
  return array<T>(given(lib::lazy_distributed(values.lazy(), lengths.lazy())));
}
inline void check_same(const array<std::int64_t>& a, const array<std::int64_t>& b) {
  if (&a.lazy().impl() != &b.lazy().impl() && (a.size() != b.size() || !all(a == b).value()))
    throw std::invalid_argument("lists of other lengths do not meet");
}
}  // namespace detail

template <typename T>
class jagged : public detail::Operators<jagged, T> {
 public:
  using Lengths = array<std::int64_t>;
  jagged(array<T> elements, Lengths lengths) : elements_(std::move(elements)), lengths_(std::move(lengths)) {}
  explicit jagged(const std::vector<std::vector<T>>& lists)
      : jagged(array<T>(joined(lists)), Lengths(lengths_of(lists))) {}
  jagged(std::initializer_list<std::initializer_list<T>> lists)
      : jagged(std::vector<std::vector<T>>(lists.begin(), lists.end())) {}
  // A number stands beside any lists.
  template <detail::NumberFor<T> U>
  jagged(U number) : elements_(number) {}
  explicit jagged(const lib::Lazy& number) : elements_(number) {}

  [[nodiscard]] const array<T>& elements() const { return elements_; }
  [[nodiscard]] bool is_number() const { return !lengths_.has_value(); }
  [[nodiscard]] const Lengths& lengths() const {
    if (is_number()) throw std::invalid_argument("a number has no lists");
    return *lengths_;
  }
  // Where each list begins.
  [[nodiscard]] Lengths offsets() const { return exclusive_sum(lengths()); }
  [[nodiscard]] std::int64_t size() const { return lengths().size(); }

  // Computed, once.
  [[nodiscard]] std::vector<std::vector<T>> to_vectors() const {
    evaluate(elements_, lengths());
    const std::vector<T> all = elements_.to_vector();
    std::vector<std::vector<T>> lists;
    auto next = all.begin();
    for (const std::int64_t n : lengths().to_vector()) {
      if (n < 0 || n > all.end() - next) throw wrong_lengths();
      lists.emplace_back(next, next + n);
      next += n;
    }
    if (next != all.end()) throw wrong_lengths();
    return lists;
  }

  // In each list those whose flags are set.
  jagged operator[](const jagged<bool>& flags) const {
    detail::check_same(lengths(), flags.lengths());
    const auto kept =
        detail::given(lib::lazy_pack(elements_.lazy(), flags.elements().lazy(), lengths().lazy()));
    return jagged(array<T>(kept.elements), Lengths(kept.lengths));
  }
  // The lists at each index, from 0; those whose flags are set; one of them.
  jagged operator[](const Lengths& index) const {
    const Lengths n = lengths()[index];
    const Lengths place =
        detail::distributed(offsets()[index], n) + Lengths(detail::given(lib::lazy_places(n.lazy())));
    return jagged(elements_[place], n);
  }
  jagged operator[](const array<bool>& flags) const { return (*this)[indices_of(lengths())[flags]]; }
  array<T> operator[](std::int64_t index) const { return (*this)[Lengths{index}].elements(); }

  // Elements that belong to the same lists.
  template <typename U>
  [[nodiscard]] jagged<U> with(const array<U>& elements) const {
    return jagged<U>(elements, lengths());
  }

 private:
  static std::vector<T> joined(const std::vector<std::vector<T>>& lists) {
    std::vector<T> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }
  static std::vector<std::int64_t> lengths_of(const std::vector<std::vector<T>>& lists) {
    std::vector<std::int64_t> n;
    n.reserve(lists.size());
    for (const auto& list : lists) n.push_back(static_cast<std::int64_t>(list.size()));
    return n;
  }
  static std::invalid_argument wrong_lengths() {
    return std::invalid_argument("the lengths of the lists do not make up all elements");
  }

  array<T> elements_;
  std::optional<Lengths> lengths_;
};

namespace detail {

// Of lists with the same lengths, and numbers.
template <>
struct Elementwise<jagged> {
  template <typename U, typename... T>
  static jagged<U> made(const std::string& instruction, const jagged<T>&... operands) {
    const array<std::int64_t>* lengths = nullptr;
    (meet(lengths, operands), ...);
    const lib::Lazy elements[] = {operands.elements().lazy()...};
    const array<U> result(given(lib::lazy_map(instruction, elements)));
    return lengths == nullptr ? jagged<U>(result.lazy()) : jagged<U>(result, *lengths);
  }

 private:
  template <typename T>
  static void meet(const array<std::int64_t>*& lengths, const jagged<T>& x) {
    if (x.is_number()) return;
    if (lengths == nullptr)
      lengths = &x.lengths();
    else
      check_same(*lengths, x.lengths());
  }
};

}  // namespace detail

template <typename T>
jagged<T> from_lengths(const array<T>& elements, const array<std::int64_t>& lengths) {
  return jagged<T>(elements, lengths);
}
// List i is what lies between offset i and the next one. `elements` is borrowed, as in borrow().
template <typename T>
jagged<T> from_offsets(std::span<const T> elements,
                       std::span<const std::int64_t> offsets) requires detail::is_number<T> {
  if (offsets.empty() || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(elements.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("offsets rise from 0 to the number of elements");
  std::vector<std::int64_t> lengths(offsets.size() - 1);
  for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = offsets[k + 1] - offsets[k];
  return jagged<T>(borrow(elements), array<std::int64_t>(lengths));
}

// One value for each list, for each of its elements.
template <typename T, typename U>
jagged<T> spread(const array<T>& values, const jagged<U>& lists) {
  return lists.with(detail::distributed(values, lists.lengths()));
}
// The place of each element in its list, from 0.
template <typename T>
jagged<std::int64_t> local_index(const jagged<T>& x) {
  return x.with(array<std::int64_t>(detail::given(lib::lazy_places(x.lengths().lazy()))));
}

namespace detail {
template <typename T>
lib::Lazy fold(const std::string& instruction, const jagged<T>& x) {
  return given(lib::lazy_fold(instruction, x.elements().lazy(), x.lengths().lazy()));
}
}  // namespace detail

// One value for each list; of an empty one as of an empty array.
template <typename T>
array<T> sum(const jagged<T>& x) requires detail::is_number<T> {
  return array<T>(detail::fold(detail::text<T>("+_REDUCE"), x));
}
template <typename T>
array<T> product(const jagged<T>& x) requires detail::is_number<T> {
  return array<T>(detail::fold(detail::text<T>("*_REDUCE"), x));
}
template <typename T>
array<T> max(const jagged<T>& x) requires detail::is_number<T> {
  return detail::extreme("MAX", x);
}
template <typename T>
array<T> min(const jagged<T>& x) requires detail::is_number<T> {
  return detail::extreme("MIN", x);
}
inline array<bool> all(const jagged<bool>& x) { return array<bool>(detail::fold("AND_REDUCE BOOL", x)); }
inline array<bool> any(const jagged<bool>& x) { return array<bool>(detail::fold("OR_REDUCE BOOL", x)); }
inline array<std::int64_t> count(const jagged<bool>& x) { return sum(to<std::int64_t>(x)); }
template <typename T>
array<double> mean(const jagged<T>& x) requires detail::is_number<T> {
  return sum(to<double>(x)) / to<double>(x.lengths());
}
// In each list.
template <typename T>
jagged<T> exclusive_sum(const jagged<T>& x) requires detail::is_number<T> {
  return x.with(array<T>(detail::fold(detail::text<T>("+_SCAN"), x)));
}
template <typename T>
jagged<T> sort(const jagged<T>& x) requires detail::is_number<T> {
  const lib::Lazy& lengths = x.lengths().lazy();
  return x.with(array<T>(detail::given(lib::lazy_sorted(x.elements().lazy(), &lengths))));
}

// f of an element of each, for all of them: of one shape. f is called once, with scalars, and gives one.
template <typename F, typename T, typename... More>
auto map(F f, const jagged<T>& first, const jagged<More>&... more) {
  const auto result = map(f, first.elements(), more.elements()...);
  return first.with(result);
}

}  // namespace nvm
