// The instruction sets that this machine has, and plans compiled for one of them.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "vm/cpu/cpu_engine.h"

namespace nvm::testing {

inline std::vector<vm::cpu::Isa> isas() {
  std::vector<vm::cpu::Isa> have;
  for (const vm::cpu::Isa isa : {vm::cpu::Isa::kAvx2, vm::cpu::Isa::kAvx512})
    if (vm::cpu::isa_supported(isa)) have.push_back(isa);
  return have;
}

// With its listing.
inline std::unique_ptr<plan::Code> compiled(const plan::Plan& plan, vm::cpu::Isa isa) {
  vm::cpu::EngineOptions options;
  options.isa = isa;
  options.listings = true;
  std::string reason;
  auto code = make_engine(options)->compile(plan, reason);
  INFO(reason);
  REQUIRE(code != nullptr);
  return code;
}

}  // namespace nvm::testing
