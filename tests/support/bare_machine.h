// A machine that interprets a module and does nothing else: no compiler, no groups, one thread, no streams.
#pragma once

#include "bytecode/ssa/ssa.h"
#include "vm/interp/interp.h"

namespace nvm::test {

struct BareMachine {
  BareMachine(const ssa::Module& module, std::int64_t max_depth, std::size_t most_bytes = 0)
      : pool(most_bytes), host(options, pool, module.int_bits) {
    code = vm::make_code(module, pool);
    machine.prims.pool = &pool;
    machine.prims.int_bits = module.int_bits;
    machine.prims.random = &host.random();
    machine.host = &host;
    machine.max_depth = max_depth;
  }
  vm::Pool pool;
  vm::HostOptions options{nullptr, nullptr, nullptr, {}, vm::RandomKind::kPhilox};
  vm::Host host;
  vm::Machine machine;
  vm::Code code;
};

}  // namespace nvm::test
