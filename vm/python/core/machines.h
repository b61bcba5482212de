// Loaded programs and the machines that run them, kept for the next graph of the same shape.
#pragma once

#include <memory>
#include <string>

#include "vm/lib/nvm.hpp"

namespace nvm::python {

// One machine for one program; nobody else uses it until it is given back. A machine keeps what it has
// compiled for the program that it ran last, so each program has machines of its own.
struct Machine {
  std::string key;
  lib::Program program;
  lib::Vm vm;
};

// Under Python's lock.
[[nodiscard]] lib::Result<std::unique_ptr<Machine>> take_machine(const std::string& text,
                                                                 const std::vector<lib::Kind>& inputs,
                                                                 const lib::Options& options);
void give_back(std::unique_ptr<Machine> machine);
// In a child process, where the threads that machines use are not: leaves them all alone.
void abandon_machines();

}  // namespace nvm::python
