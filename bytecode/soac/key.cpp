#include <memory>

#include "bytecode/soac/region.h"

namespace nvm::soac {

namespace {

// Numbers by 7 bits, the last byte below 128: no number's bytes begin another's. Lines are recorded again for
// every run, so this must be quick: there is room for all from the start.
class Bytes {
 public:
  explicit Bytes(std::size_t most)
      : bytes_(std::make_unique_for_overwrite<unsigned char[]>(most)), next_(bytes_.get()) {}
  void add(std::uint64_t n) {
    for (; n >= 128; n >>= 7) *next_++ = static_cast<unsigned char>(n % 128 + 128);
    *next_++ = static_cast<unsigned char>(n);
  }
  void add_id(std::int32_t id) { add(static_cast<std::uint32_t>(id)); }
  [[nodiscard]] std::string text() const { return {bytes_.get(), next_}; }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  unsigned char* next_;
};

constexpr std::size_t kId = 5, kNumber = 10;  // bytes of an id, of any number

// Small fields side by side in one number.
class Fields {
 public:
  template <typename E>
  Fields& add(E value, int bits) {
    number_ = number_ << bits | static_cast<std::uint64_t>(value);
    return *this;
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 0;
};

constexpr std::size_t kVarBytes = 2 * kId + 2 + kNumber;
void add_var(Bytes& out, const Var& v) {
  Fields fields;
  fields.add(v.role, 2);
  if (v.is_desc)
    fields.add(v.form, 2);
  else
    fields.add(v.is_fixed, 1).add(v.type, 3).add(v.storage, 3);
  out.add(fields.add(v.is_desc, 1).number());
  out.add_id(v.length);
  if (v.is_desc) out.add_id(v.total);
  if (!v.is_desc && v.is_fixed) out.add(static_cast<std::uint64_t>(v.fixed));
}

static_assert(VarList::kMost < 8, "numbers of operands and results have three bits");
constexpr std::size_t kInstBytes = 3 + 2 * VarList::kMost * kId;
void add_inst(Bytes& out, const RegionInst& in) {
  Fields fields;
  fields.add(in.op, 8).add(in.word, 3).add(in.operands.size(), 3).add(in.results.size(), 3);
  out.add(fields.number());
  for (const VarId x : in.operands) out.add_id(x);
  for (const VarId x : in.results) out.add_id(x);
}

}  // namespace

std::string key(const Region& region) {
  Bytes out(1 + 2 * kNumber + region.lengths.size() + kVarBytes * region.vars.size() +
            kInstBytes * region.insts.size());
  out.add(Fields().add(region.int_bits == IntBits::k64, 1).add(region.small, 1).number());
  out.add(region.lengths.size());
  for (const LengthKind k : region.lengths) out.add(static_cast<std::uint64_t>(k));
  out.add(region.vars.size());
  for (const Var& v : region.vars) add_var(out, v);
  for (const RegionInst& in : region.insts) add_inst(out, in);
  return out.text();
}

}  // namespace nvm::soac
