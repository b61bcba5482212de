// The CUDA driver, found at run time. One binary runs with and without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nvm::gpu {

using Device = int;
using DevicePointer = std::uint64_t;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Kernel = struct KernelHandle*;
using Stream = struct StreamHandle*;
using MemoryPool = struct MemoryPoolHandle*;
using Event = struct EventHandle*;

// Entry points; a call returns 0 or an error number for error().
struct Driver {
#define DRIVER(name, symbol, parameters) int(*name) parameters = nullptr;
#include "gpu/api/driver.def"
  std::string path;  // the library that was loaded

  // The driver's words for an error number.
  [[nodiscard]] std::string error(int code) const;
};

// Loads libcuda.so.1 and initialises it, once per process. Null if there is none or it is too old; `reason`
// then says what is missing and how to get it.
[[nodiscard]] const Driver* load_driver(std::string& reason);

}  // namespace nvm::gpu
