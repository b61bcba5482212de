// Lengths are kept as the vector they came in; offsets are made once, on first use, in the pool of
// that vector, and published through an atomic pointer, so that readers take no lock.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "vm/data/pool.h"
#include "vm/data/sums.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct SegdesArrays {
  Vector lengths;
  std::mutex mutex;
  std::atomic<const std::int64_t*> offsets{nullptr};
  BufferRef offsets_memory;
  bool given = false;              // the offsets: never changes
  std::atomic<bool> asked{false};  // for the lengths as a vector

  // Foreign lengths have no pool of their own.
  [[nodiscard]] Pool& pool() const {
    if (lengths.buffer().get()->pool != nullptr) return *lengths.buffer().get()->pool;
    static auto* const shared = new Pool;
    return *shared;
  }
};

namespace {

// Calls f with a typed pointer to the elements of an Int vector.
template <typename F>
auto with_ints(const Vector& v, F f) {
  switch (v.storage()) {
    case Storage::kI8: return f(v.data<std::int8_t>());
    case Storage::kI32: return f(v.data<std::int32_t>());
    default: return f(v.data<std::int64_t>());
  }
}

bool all_equal(const Vector& v) {
  return with_ints(v, [n = v.length()](const auto* p) {
    const auto first = p[0];
    constexpr std::int64_t kStep = 1024;  // ends early on irregular lengths, runs as vectors on regular ones
    for (std::int64_t i = 0; i < n; i += kStep) {
      bool same = true;
      const std::int64_t end = i + kStep < n ? i + kStep : n;
      for (std::int64_t j = i; j < end; ++j) same &= p[j] == first;
      if (!same) return false;
    }
    return true;
  });
}

}  // namespace

void Segdes::refuse(std::int64_t segments, std::int64_t length) {
  throw Fault{
      Fault::Kind::kSegdes,
      segments < 0 || length < 0
          ? "negative length " + std::to_string(std::min(segments, length)) + " of a segment descriptor"
          : std::to_string(segments) + " segments of " + std::to_string(length) +
                " elements are more than memory can hold"};
}

Segdes Segdes::checked(Vector lengths) {
  std::int64_t total = 0;
  for (std::int64_t k = 0; k < lengths.length(); ++k) {
    const std::int64_t length = lengths.int_at(k);
    if (length_of_both(total, length) == kTooLong) refuse(length < 0 ? 1 : lengths.length(), length);
    total += length;
  }
  return from_lengths(std::move(lengths), total);
}

Segdes Segdes::from_lengths(Vector lengths, std::int64_t total) {
  const std::int64_t k = lengths.length();
  const bool equal =
      k <= 1 || total == 0 || (total % k == 0 && lengths.int_at(0) == total / k && all_equal(lengths));
  return from_lengths(std::move(lengths), total, equal);
}

Segdes Segdes::from_lengths(Vector lengths, std::int64_t total, bool equal) {
  const std::int64_t k = lengths.length();
  if (!is_length(total)) refuse(1, total);
  if (equal) return k == 0 ? Segdes() : regular(k, total / k);
  Segdes s;
  s.segments_ = k;
  s.total_ = total;
  s.arrays_ = std::make_shared<SegdesArrays>();
  s.arrays_->lengths = std::move(lengths);
  return s;
}

Segdes Segdes::from_offsets(Vector lengths, BufferRef offsets, std::int64_t total) {
  Segdes s = from_lengths(std::move(lengths), total, false);
  s.arrays_->offsets_memory = std::move(offsets);
  s.arrays_->given = true;
  return s;
}

Vector Segdes::lengths(Pool& pool) const {
  if (!is_regular()) {
    // Who asks again asks for their sums next.
    SegdesArrays& a = *arrays_;
    const bool again = a.asked.load(std::memory_order_relaxed) || a.asked.exchange(true);
    if (again && !a.given && !kept_sum(a.lengths)) {
      try {
        keep_sums(a.lengths, offsets_buffer());
      } catch (const Fault&) {  // no memory for what can be done without
      }
    }
    return a.lengths;
  }
  if (segments_ == 1) return Vector::of_int(length_);
  const bool narrow = length_ < (std::int64_t{1} << 31);
  Vector v = pool.vector(narrow ? Storage::kI32 : Storage::kI64, segments_);
  if (narrow)
    std::fill_n(v.mutable_data<std::int32_t>(), segments_, static_cast<std::int32_t>(length_));
  else
    std::fill_n(v.mutable_data<std::int64_t>(), segments_, length_);
  return v;
}

std::int64_t Segdes::length_at(std::int64_t k) const {
  return is_regular() ? length_ : arrays_->lengths.int_at(k);
}

const std::int64_t* Segdes::offsets() const {
  NVM_CHECK(arrays_ != nullptr, "a regular descriptor has no arrays");
  SegdesArrays& a = *arrays_;
  if (const auto* p = a.offsets.load(std::memory_order_acquire)) return p;
  const std::lock_guard lock(a.mutex);
  if (const auto* p = a.offsets.load(std::memory_order_relaxed)) return p;
  if (a.offsets_memory) {
    const auto* p = reinterpret_cast<const std::int64_t*>(a.offsets_memory.data());
    a.offsets.store(p, std::memory_order_release);
    return p;
  }
  BufferRef memory = a.pool().allocate(ByteCount::of<std::int64_t>(segments_ + 1));
  auto* to = reinterpret_cast<std::int64_t*>(memory.data());
  with_ints(a.lengths, [&](const auto* p) {
    std::int64_t sum = 0;
    std::int64_t k = 0;
    for (; k + 4 <= segments_; k += 4) {  // one addition waits for another in every four
      const std::int64_t two = std::int64_t{p[k]} + p[k + 1];
      to[k] = sum;
      to[k + 1] = sum + p[k];
      to[k + 2] = sum + two;
      to[k + 3] = sum + (two + p[k + 2]);
      sum += two + (std::int64_t{p[k + 2]} + p[k + 3]);
    }
    for (; k < segments_; ++k) {
      to[k] = sum;
      sum += p[k];
    }
    to[segments_] = sum;
  });
  a.offsets_memory = std::move(memory);
  a.offsets.store(to, std::memory_order_release);
  return to;
}

const BufferRef& Segdes::offsets_buffer() const {
  if (!arrays_->given) static_cast<void>(offsets());
  return arrays_->offsets_memory;
}

bool operator==(const Segdes& a, const Segdes& b) {
  if (a.segments_ != b.segments_ || a.total_ != b.total_) return false;
  if (a.is_regular() && b.is_regular()) return true;
  if (b.is_regular()) return b == a;
  if (a.is_regular())  // the other may have been made without a look at its lengths
    return a.segments_ > 0 && b.length_at(0) == a.length_ && all_equal(b.arrays_->lengths);
  if (a.arrays_ == b.arrays_) return true;
  const Vector& x = a.arrays_->lengths;
  const Vector& y = b.arrays_->lengths;
  if (x.storage() == y.storage())
    return std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.bytes())) == 0;
  return with_ints(x, [&](const auto* p) {
    return with_ints(y, [&](const auto* q) {
      return std::equal(p, p + x.length(), q,
                        [](auto m, auto n) { return std::int64_t{m} == std::int64_t{n}; });
    });
  });
}

}  // namespace nvm::vm
