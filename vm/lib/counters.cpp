#include "vm/lib/counters.h"

namespace nvm::lib {

namespace {

std::uint64_t bytes_of(std::span<const vm::Value> values) {
  std::int64_t bytes = 0;
  for (const vm::Value& value : values)
    if (const auto* v = std::get_if<vm::Vector>(&value)) bytes += v->bytes();
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

void Counting::begin(const ssa::Inst&, const vm::Site&, std::span<const vm::Value> operands) {
  ++counters_.instructions;
  counters_.bytes += bytes_of(operands);
}

void Counting::end(const ssa::Inst&, const vm::Site&, std::span<const vm::Value> results) {
  counters_.bytes += bytes_of(results);
  for (const vm::Value& value : results) {
    if (const auto* v = std::get_if<vm::Vector>(&value))
      counters_.elements += static_cast<std::uint64_t>(v->length());
  }
}

}  // namespace nvm::lib
