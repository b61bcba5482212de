// A limit on time.
#pragma once

#include <atomic>
#include <limits>

#include "bytecode/base/late.h"
#include "vm/interp/machine.h"

namespace nvm::lib {

// Raises `stop` after some seconds unless it is destroyed before.
class Alarm {
 public:
  Alarm(double seconds, std::atomic<vm::Stop>& stop) {
    if (seconds <= 0)
      stop.store(vm::Stop::kTime);
    else if (seconds != std::numeric_limits<double>::infinity())
      late_.set(seconds, [&stop] { stop.store(vm::Stop::kTime); });
  }

 private:
  Late late_;
};

}  // namespace nvm::lib
