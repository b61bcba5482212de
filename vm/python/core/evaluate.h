// Running programs without Python's lock.
#pragma once

#include <Python.h>

#include <functional>
#include <span>

#include "vm/lib/nvm.hpp"

namespace nvm::python {

// Gives Python's lock away while `work` is done. On the main thread it is done by another one: when Python
// has a signal to handle, whose exception is then set, `stop` is called again and again until the work ends.
void until_interrupted(const std::function<void()>& work, const std::function<void()>& stop);

// Gives Python's lock away while the program runs; a long one on the main thread ends when Python has a
// signal to handle, whose exception is then set.
[[nodiscard]] lib::Result<lib::Run> run_interruptibly(lib::Vm& vm, const lib::Program& program,
                                                      std::span<const lib::Value> inputs, bool long_run);

}  // namespace nvm::python
