// libnvm: NESL functions as typed calls from C++.
//
//   nvm::lib::NeslFunction<double(std::vector<double>)> norm(session, "norm");
//   nvm::lib::Result<double> length = norm({3.0, 4.0});
//
// Types: std::int64_t is int, double float, bool bool, std::string [char]; std::vector<T> is [T], std::pair
// and std::tuple are tuples. std::span<const double> and std::span<const std::int64_t> lend their memory to
// the call and must outlive the values that it gives; the others are copied. NeslValue is any type, and takes
// results without a copy: Value::view().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "vm/lib/nesl.hpp"

namespace nvm::lib {

// How values of a type are put into parts, one after the other (add, finish), and taken out (next).
template <typename T>
class NeslWriter;
template <typename T>
class NeslReader;

template <>
class NeslWriter<std::int64_t> {
 public:
  static std::string type() { return "int"; }
  void add(std::int64_t x) { elements_.push_back(x); }
  void finish(std::vector<Value>& parts) { parts.push_back(make_ints(elements_)); }

 private:
  std::vector<std::int64_t> elements_;
};
template <>
class NeslWriter<double> {
 public:
  static std::string type() { return "float"; }
  void add(double x) { elements_.push_back(x); }
  void finish(std::vector<Value>& parts) { parts.push_back(make_floats(elements_)); }

 private:
  std::vector<double> elements_;
};
template <>
class NeslWriter<bool> {
 public:
  static std::string type() { return "bool"; }
  void add(bool x) { elements_.push_back(x ? 1 : 0); }
  void finish(std::vector<Value>& parts) { parts.push_back(make_bools(elements_)); }

 private:
  std::vector<std::uint8_t> elements_;
};
template <>
class NeslWriter<char> {
 public:
  static std::string type() { return "char"; }
  void add(char c) { elements_.push_back(static_cast<unsigned char>(c)); }
  void finish(std::vector<Value>& parts) { parts.push_back(make_ints(elements_)); }

 private:
  std::vector<std::int64_t> elements_;
};

// A range of elements: one descriptor for all, then the elements.
template <typename Range, typename Element>
class NeslRangeWriter {
 public:
  static std::string type() { return "[" + NeslWriter<Element>::type() + "]"; }
  void add(const Range& range) {
    lengths_.push_back(static_cast<std::int64_t>(range.size()));
    for (const auto& element : range) elements_.add(element);
  }
  void finish(std::vector<Value>& parts) {
    auto segdes = make_segdes(lengths_);
    parts.push_back(segdes ? *segdes : Value(nullptr));
    elements_.finish(parts);
  }

 private:
  std::vector<std::int64_t> lengths_;
  NeslWriter<Element> elements_;
};
template <typename T>
class NeslWriter<std::vector<T>> : public NeslRangeWriter<std::vector<T>, T> {};
template <>
class NeslWriter<std::string> : public NeslRangeWriter<std::string, char> {};

template <typename... T>
class NeslWriter<std::tuple<T...>> {
 public:
  static std::string type() {
    std::string text;
    ((text += (text.empty() ? "(" : ", ") + NeslWriter<T>::type()), ...);
    return text + ")";
  }
  void add(const std::tuple<T...>& x) { add(x, std::index_sequence_for<T...>()); }
  void finish(std::vector<Value>& parts) {
    std::apply([&](auto&... each) { (each.finish(parts), ...); }, components_);
  }

 private:
  template <std::size_t... I>
  void add(const std::tuple<T...>& x, std::index_sequence<I...>) {
    (std::get<I>(components_).add(std::get<I>(x)), ...);
  }
  std::tuple<NeslWriter<T>...> components_;
};
template <typename A, typename B>
class NeslWriter<std::pair<A, B>> : public NeslWriter<std::tuple<A, B>> {
 public:
  void add(const std::pair<A, B>& x) { NeslWriter<std::tuple<A, B>>::add({x.first, x.second}); }
};

template <typename T>
[[nodiscard]] NeslValue to_nesl(const T& x) {
  NeslWriter<T> writer;
  writer.add(x);
  NeslValue value{NeslWriter<T>::type(), {}};
  writer.finish(value.parts);
  return value;
}
[[nodiscard]] inline NeslValue to_nesl(const NeslValue& x) { return x; }
template <typename T>
[[nodiscard]] NeslValue to_nesl(std::span<const T> x) {
  const std::int64_t n = static_cast<std::int64_t>(x.size());
  auto segdes = make_segdes({&n, 1});
  return {"[" + NeslWriter<T>::type() + "]",
          {segdes ? *segdes : Value(nullptr), foreign(x.data(), n, nullptr, nullptr)}};
}

// Takes its parts from an iterator of parts, deepest first, and then value after value.
using NeslParts = std::vector<Value>::const_iterator;

template <>
class NeslReader<std::int64_t> {
 public:
  explicit NeslReader(NeslParts& parts) : part_(*parts++) {}
  std::int64_t next() { return part_.int_at(at_++); }

 private:
  Value part_;
  std::int64_t at_ = 0;
};
template <>
class NeslReader<double> {
 public:
  explicit NeslReader(NeslParts& parts) : part_(*parts++) {}
  double next() { return part_.float_at(at_++); }

 private:
  Value part_;
  std::int64_t at_ = 0;
};
template <>
class NeslReader<bool> {
 public:
  explicit NeslReader(NeslParts& parts) : part_(*parts++) {}
  bool next() { return part_.bool_at(at_++); }

 private:
  Value part_;
  std::int64_t at_ = 0;
};
template <>
class NeslReader<char> : public NeslReader<std::int64_t> {
 public:
  using NeslReader<std::int64_t>::NeslReader;
  char next() { return static_cast<char>(NeslReader<std::int64_t>::next()); }
};
template <typename Range, typename Element>
class NeslRangeReader {
 public:
  explicit NeslRangeReader(NeslParts& parts) : lengths_(parts), elements_(parts) {}
  Range next() {
    Range range;
    for (std::int64_t n = lengths_.next(); n > 0; --n) range.push_back(elements_.next());
    return range;
  }

 private:
  NeslReader<std::int64_t> lengths_;  // a descriptor gives its lengths
  NeslReader<Element> elements_;
};
template <typename T>
class NeslReader<std::vector<T>> : public NeslRangeReader<std::vector<T>, T> {
  using NeslRangeReader<std::vector<T>, T>::NeslRangeReader;
};
template <>
class NeslReader<std::string> : public NeslRangeReader<std::string, char> {
  using NeslRangeReader<std::string, char>::NeslRangeReader;
};
template <typename... T>
class NeslReader<std::tuple<T...>> {
 public:
  explicit NeslReader(NeslParts& parts) : components_{NeslReader<T>(parts)...} {}
  std::tuple<T...> next() {
    return std::apply([](auto&... each) { return std::tuple<T...>{each.next()...}; }, components_);
  }

 private:
  std::tuple<NeslReader<T>...> components_;
};
template <typename A, typename B>
class NeslReader<std::pair<A, B>> : public NeslReader<std::tuple<A, B>> {
 public:
  using NeslReader<std::tuple<A, B>>::NeslReader;
  std::pair<A, B> next() {
    auto [a, b] = NeslReader<std::tuple<A, B>>::next();
    return {std::move(a), std::move(b)};
  }
};

// A value of NESL as a T; a failure if it has another type.
template <typename T>
[[nodiscard]] Result<T> from_nesl(NeslValue value) {
  if constexpr (std::is_same_v<T, NeslValue>) {
    return value;
  } else {
    if (const std::string type = NeslWriter<T>::type(); value.type != type) {
      Failure failure;
      failure.reason = "the value has type " + value.type + ", not " + type;
      failure.message = "nvm: " + failure.reason + "\n";
      return failure;
    }
    NeslParts parts = value.parts.cbegin();
    return NeslReader<T>(parts).next();
  }
}

template <typename Signature>
class NeslFunction;
template <typename R, typename... A>
class NeslFunction<R(A...)> {
 public:
  // The session must outlive it. `name` may be any expression for a function.
  NeslFunction(Nesl& session, std::string name) : session_(session), name_(std::move(name)) {}
  [[nodiscard]] Result<R> operator()(const A&... arguments) const {
    const std::vector<NeslValue> given{to_nesl(arguments)...};
    auto value = session_.call(name_, given);
    if (!value) return value.failure();
    return from_nesl<R>(std::move(*value));
  }

 private:
  Nesl& session_;
  std::string name_;
};

}  // namespace nvm::lib
