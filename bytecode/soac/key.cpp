#include "bytecode/soac/region.h"

namespace nvm::soac {

namespace {

// Numbers by 7 bits, the last byte below 128: no number's bytes begin another's.
class Bytes {
 public:
  void add(std::int64_t number) {
    auto n = static_cast<std::uint64_t>(number);
    for (; n >= 128; n >>= 7) out_ += static_cast<char>(n % 128 + 128);
    out_ += static_cast<char>(n);
  }
  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  template <typename E>
  void add_enum(E e) {
    add(static_cast<std::int64_t>(e));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void add_var(Bytes& out, const Var& v) {
  out.add_enum(v.role);
  out.add(v.is_desc ? 1 : 0);
  out.add(v.length);
  if (v.is_desc) {
    out.add(v.total);
    out.add_enum(v.form);
    return;
  }
  out.add_enum(v.type);
  out.add_enum(v.storage);
  out.add(v.is_fixed ? 1 : 0);
  if (v.is_fixed) out.add(v.fixed);
}

void add_vars(Bytes& out, const VarList& vars) {
  out.add(static_cast<std::int64_t>(vars.size()));
  for (const VarId x : vars) out.add(x);
}

}  // namespace

std::string key(const Region& region) {
  Bytes out;
  out.reserve(16 + 2 * region.lengths.size() + 10 * region.vars.size() + 12 * region.insts.size());
  out.add_enum(region.int_bits);
  out.add(region.small ? 1 : 0);
  out.add(static_cast<std::int64_t>(region.lengths.size()));
  for (const LengthKind k : region.lengths) out.add_enum(k);
  out.add(static_cast<std::int64_t>(region.vars.size()));
  for (const Var& v : region.vars) add_var(out, v);
  for (const RegionInst& in : region.insts) {
    out.add_enum(in.op);
    out.add_enum(in.word);
    add_vars(out, in.operands);
    add_vars(out, in.results);
  }
  return out.take();
}

}  // namespace nvm::soac
