// A value that a recorder has promised: computed when its region is executed, or when somebody asks.
#pragma once

#include "bytecode/soac/region.h"
#include "vm/data/value.h"

namespace nvm::vm {

class Deferred {
 public:
  explicit Deferred(soac::VarId var) : var_(var) {}
  // Its name in the region being recorded; meaningless once computed.
  [[nodiscard]] soac::VarId var() const { return var_; }
  [[nodiscard]] bool computed() const { return !std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] const Value& value() const { return value_; }
  // For another region, by its recorder, who alone has it.
  void rename(soac::VarId var) { var_ = var; }
  void set(Value&& v) { value_ = std::move(v); }
  Value take() { return std::move(value_); }

 private:
  soac::VarId var_;
  Value value_;
};

}  // namespace nvm::vm
