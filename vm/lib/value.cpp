#include <atomic>
#include <cstring>
#include <stdexcept>

#include "vm/interp/elements.h"
#include "vm/interp/text_io.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"

namespace nvm::lib {

namespace {

// Memory of inputs, which belong to no machine yet.
const std::shared_ptr<vm::Pool>& input_pool() {
  static const auto pool = std::make_shared<vm::Pool>();
  return pool;
}

// Foreign memory behind the header of a buffer; the user's release is called with the header's end.
struct Foreign {
  vm::Buffer header;
  void (*release)(void*);
  void* user;
};

void release_foreign(vm::Buffer*, void* user) {
  const std::unique_ptr<Foreign> foreign(static_cast<Foreign*>(user));
  if (foreign->release != nullptr) foreign->release(foreign->user);
}

// Full-width loads of a tail read as far behind the last element (vm/data/buffer.h). In that element's page
// this does no harm; the next one may be nobody's.
bool may_read_behind(const void* elements, std::size_t bytes) {
  constexpr std::uintptr_t kSmallestPage = 4096, kPadding = 64;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(elements) + bytes - 1;
  return last / kSmallestPage == (last + kPadding) / kSmallestPage;
}

template <typename T>
Value copied(Storage storage, const T* elements, std::int64_t n, void (*release)(void*), void* user) {
  vm::Vector v = input_pool()->vector(storage, n);
  std::memcpy(v.mutable_data<T>(), elements, static_cast<std::size_t>(n) * sizeof(T));
  Value value = loose_value(std::move(v));
  if (release != nullptr) release(user);
  return value;
}

void check_length(std::int64_t n) {
  if (!is_length(n)) throw std::length_error("a vector of " + std::to_string(n) + " elements");
}

template <typename T>
Value wrap(Storage storage, const T* elements, std::int64_t n, void (*release)(void*), void* user) {
  if (!may_read_behind(elements, static_cast<std::size_t>(n) * sizeof(T)))
    return copied(storage, elements, n, release, user);
  auto* foreign = new Foreign{};  // its own from here on: the reference below frees it
  foreign->user = user;
  vm::Buffer& b = foreign->header;
  b.refs.store(1, std::memory_order_relaxed);
  b.capacity = static_cast<std::size_t>(n) * sizeof(T);
  b.release = release_foreign;
  b.user = foreign;
  b.bytes = reinterpret_cast<std::byte*>(const_cast<T*>(elements));
  Value value = loose_value(vm::Vector(storage, n, vm::BufferRef(&b)));
  foreign->release = release;  // of a value that was made
  return value;
}

// One element is a scalar, which has no memory of its own.
template <typename T>
Value foreign_ints(Storage storage, const T* elements, std::int64_t n, void (*release)(void*), void* user) {
  check_length(n);
  if (n > 1) return wrap(storage, elements, n, release, user);
  const std::vector<std::int64_t> few(elements, elements + n);
  Value copy = loose_value(vm::make_ints(*input_pool(), few, IntBits::k64));
  if (release != nullptr) release(user);
  return copy;
}

const vm::Vector& vector_of(const Value& value) { return std::get<vm::Vector>(value.impl()->value); }

bool has(const Value& value, Type type, std::int64_t i) {
  const auto* v = std::get_if<vm::Vector>(&value.impl()->value);
  return v != nullptr && v->type() == type && i >= 0 && i < v->length();
}

// What f() finds in the value; zero if there is none, or it is lost on a device.
template <typename T, typename F>
T of_value(const Value& value, F f) {
  return guarded([&]() -> T { return value ? f() : T{}; }, [](const Failure&) { return T{}; });
}

// What f() makes, or a value that is none.
template <typename F>
Value made(F f) {
  return guarded(f, [](const Failure&) { return Value(nullptr); });
}

}  // namespace

Value loose_value(vm::Value value) {
  auto impl = std::make_shared<Value::Impl>();
  impl->pool = input_pool();
  impl->value = std::move(value);
  return Value(std::move(impl));
}

vm::Pool& loose_pool() { return *input_pool(); }

Kind Value::kind() const {
  return guarded([&] { return impl_ == nullptr ? Kind::kInt : static_cast<Kind>(vm::type_of(impl_->value)); },
                 [](const Failure&) { return Kind::kInt; });
}
static_assert(static_cast<int>(Kind::kInt) == static_cast<int>(Type::kInt) &&
              static_cast<int>(Kind::kFloat) == static_cast<int>(Type::kFloat) &&
              static_cast<int>(Kind::kBool) == static_cast<int>(Type::kBool) &&
              static_cast<int>(Kind::kSegdes) == static_cast<int>(Type::kSegdes) &&
              static_cast<int>(Kind::kPair) == static_cast<int>(Type::kPair));

std::int64_t Value::size() const {
  return of_value<std::int64_t>(*this, [&] {
    if (const auto* s = std::get_if<vm::Segdes>(&impl_->value)) return s->segments();
    return kind() == Kind::kPair ? 2 : vector_of(*this).length();
  });
}
std::int64_t Value::int_at(std::int64_t i) const {
  return of_value<std::int64_t>(*this, [&]() -> std::int64_t {
    const auto* s = std::get_if<vm::Segdes>(&impl_->value);
    if (s != nullptr) return i >= 0 && i < s->segments() ? s->length(i) : 0;
    return has(*this, Type::kInt, i) ? vector_of(*this).int_at(i) : 0;
  });
}
double Value::float_at(std::int64_t i) const {
  return of_value<double>(*this,
                          [&] { return has(*this, Type::kFloat, i) ? vector_of(*this).float_at(i) : 0; });
}
bool Value::bool_at(std::int64_t i) const {
  return of_value<bool>(*this, [&] { return has(*this, Type::kBool, i) && vector_of(*this).bool_at(i); });
}

const void* Value::data() const {
  return of_value<const void*>(*this, [&]() -> const void* {
    const auto* v = std::get_if<vm::Vector>(&impl_->value);
    return v == nullptr ? nullptr : v->raw();
  });
}
int Value::element_bytes() const {
  return of_value<int>(*this, [&] {
    const auto* v = std::get_if<vm::Vector>(&impl_->value);
    return v == nullptr ? 0 : static_cast<int>(storage_bytes(v->storage()));
  });
}

std::vector<std::int64_t> Value::ints() const {
  std::vector<std::int64_t> copy(static_cast<std::size_t>(size()));
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = int_at(static_cast<std::int64_t>(i));
  return copy;
}
std::string Value::text() const {
  std::string text;
  if (impl_ != nullptr) vm::append_value(text, impl_->value);
  return text;
}
bool Value::print(std::FILE* file) const {
  return of_value<bool>(*this, [&] { return file != nullptr && vm::print_value(file, impl_->value); });
}

Value make_ints(std::span<const std::int64_t> elements) {
  return made([&] { return loose_value(vm::make_ints(*input_pool(), elements, IntBits::k64)); });
}
Value make_floats(std::span<const double> elements) {
  return made([&] { return loose_value(vm::make_floats(*input_pool(), elements)); });
}
Value make_bools(std::span<const std::uint8_t> elements) {
  return made([&] { return loose_value(vm::make_bools(*input_pool(), elements)); });
}
Value make_text(std::string_view text) {
  return made([&] { return loose_value(vm::make_text(*input_pool(), text)); });
}
Result<Value> make_segdes(std::span<const std::int64_t> lengths) {
  return guarded(
      [&]() -> Result<Value> { return loose_value(vm::make_segdes(*input_pool(), lengths, IntBits::k64)); });
}
Result<Value> make_segdes(std::int64_t segments, std::int64_t length) {
  return guarded([&]() -> Result<Value> { return loose_value(vm::Segdes::regular(segments, length)); });
}

Value foreign(const std::int64_t* elements, std::int64_t n, void (*release)(void*), void* user) {
  return made([&] { return foreign_ints(Storage::kI64, elements, n, release, user); });
}
Value foreign(const std::int32_t* elements, std::int64_t n, void (*release)(void*), void* user) {
  return made([&] { return foreign_ints(Storage::kI32, elements, n, release, user); });
}
Value foreign(const std::int8_t* elements, std::int64_t n, void (*release)(void*), void* user) {
  return made([&] { return foreign_ints(Storage::kI8, elements, n, release, user); });
}
Value foreign(const double* elements, std::int64_t n, void (*release)(void*), void* user) {
  return made([&] {
    check_length(n);
    if (n > 1) return wrap(Storage::kF64, elements, n, release, user);
    Value copy = loose_value(vm::make_floats(*input_pool(), {elements, static_cast<std::size_t>(n)}));
    if (release != nullptr) release(user);
    return copy;
  });
}

}  // namespace nvm::lib
