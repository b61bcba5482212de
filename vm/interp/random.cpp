#include "vm/interp/random.h"

#include <array>

namespace nvm::vm {

namespace {

// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers, As Easy as 1, 2, 3; SC 2011). Block c
// of a seed gives draws 4c .. 4c+3.
class Philox final : public Generator {
 public:
  Philox() = default;
  explicit Philox(const Draws& from) : seed_(from.seed), position_(from.first) {}

  void seed(std::int64_t seed) override {
    seed_ = static_cast<std::uint64_t>(seed);
    position_ = 0;
  }

  void draw(std::int64_t* out, std::int64_t n) override {
    for (std::int64_t i = 0; i < n;) {
      const std::array<std::uint32_t, 4> words = block(position_ / 4);
      for (std::uint64_t k = position_ % 4; k < 4 && i < n; ++k, ++position_) out[i++] = words[k] >> 1;
    }
  }

  std::optional<Draws> take(std::int64_t n) override {
    const Draws taken{seed_, position_};
    position_ += static_cast<std::uint64_t>(n);
    return taken;
  }

  [[nodiscard]] std::vector<std::uint64_t> state() const override { return {seed_, position_}; }
  [[nodiscard]] bool set_state(std::span<const std::uint64_t> words) override {
    if (words.size() != 2) return false;
    seed_ = words[0];
    position_ = words[1];
    return true;
  }

 private:
  [[nodiscard]] std::array<std::uint32_t, 4> block(std::uint64_t number) const {
    std::uint32_t x0 = static_cast<std::uint32_t>(number), x1 = static_cast<std::uint32_t>(number >> 32);
    std::uint32_t x2 = 0, x3 = 0;
    std::uint32_t k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p = std::uint64_t{0xD2511F53} * x0, q = std::uint64_t{0xCD9E8D57} * x2;
      x0 = static_cast<std::uint32_t>(q >> 32) ^ x1 ^ k0;
      x1 = static_cast<std::uint32_t>(q);
      x2 = static_cast<std::uint32_t>(p >> 32) ^ x3 ^ k1;
      x3 = static_cast<std::uint32_t>(p);
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return {x0, x1, x2, x3};
  }

  std::uint64_t seed_ = 0;
  std::uint64_t position_ = 0;
};

// r[i] = r[i-31] + r[i-3] modulo 2^32, started from a multiplicative generator; the first 310 are discarded.
class Libc final : public Generator {
 public:
  Libc() { Libc::seed(1); }

  void seed(std::int64_t seed) override {
    std::array<std::uint32_t, 34> r{};
    auto word = static_cast<std::int32_t>(seed);
    if (word == 0) word = 1;
    r[0] = static_cast<std::uint32_t>(word);
    for (std::size_t i = 1; i < 31; ++i) {
      const std::int32_t high = word / 127773, low = word % 127773;
      word = 16807 * low - 2836 * high;
      if (word < 0) word += 2147483647;
      r[i] = static_cast<std::uint32_t>(word);
    }
    for (std::size_t i = 0; i < 31; ++i) ring_[i] = r[i];
    // r[31..33] repeat r[0..2], which is what the ring holds already.
    next_ = 3;
    for (int i = 34; i < 344; ++i) step();
  }

  void draw(std::int64_t* out, std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) out[i] = step() >> 1;
  }

  [[nodiscard]] std::vector<std::uint64_t> state() const override {
    std::vector<std::uint64_t> words(ring_.begin(), ring_.end());
    words.push_back(next_);
    return words;
  }
  [[nodiscard]] bool set_state(std::span<const std::uint64_t> words) override {
    if (words.size() != ring_.size() + 1 || words.back() >= ring_.size()) return false;
    for (std::size_t i = 0; i < ring_.size(); ++i) ring_[i] = static_cast<std::uint32_t>(words[i]);
    next_ = words.back();
    return true;
  }

 private:
  std::uint32_t step() {
    const std::size_t three_back = next_ >= 3 ? next_ - 3 : next_ + 28;
    const std::uint32_t value = ring_[next_] += ring_[three_back];
    next_ = next_ == 30 ? 0 : next_ + 1;
    return value;
  }

  std::array<std::uint32_t, 31> ring_{};
  std::size_t next_ = 0;
};

class Lcg48 final : public Generator {
 public:
  void seed(std::int64_t) override {}  // the reference build seeds another generator

  void draw(std::int64_t* out, std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) {
      state_ = (std::uint64_t{0x5DEECE66D} * state_ + 0xB) & ((std::uint64_t{1} << 48) - 1);
      out[i] = static_cast<std::int64_t>(state_ >> 17);
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> state() const override { return {state_}; }
  [[nodiscard]] bool set_state(std::span<const std::uint64_t> words) override {
    if (words.size() != 1) return false;
    state_ = words[0];
    return true;
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace

std::unique_ptr<Generator> make_random(RandomKind kind) {
  switch (kind) {
    case RandomKind::kLibc: return std::make_unique<Libc>();
    case RandomKind::kLcg48: return std::make_unique<Lcg48>();
    case RandomKind::kPhilox: break;
  }
  return std::make_unique<Philox>();
}

void draw_again(const PrimContext& context, const Draws& draws, std::span<Value> operands,
                std::span<Value> results) {
  Philox random(draws);
  PrimContext there = context;
  there.random = &random;
  run_primitive(there, Op::kRand, TypeWord::kNone, operands, results);
}

}  // namespace nvm::vm
