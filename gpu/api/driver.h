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
using Graph = struct GraphHandle*;
using GraphNode = struct GraphNodeHandle*;
using GraphExec = struct GraphExecHandle*;  // a graph that is ready to be launched

// What a node of a graph does, laid out as the driver wants it (CUDA_KERNEL_NODE_PARAMS_v2,
// CUDA_MEMSET_NODE_PARAMS, CUDA_MEMCPY3D).
struct KernelNode {
  Kernel kernel = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* other_kernel = nullptr;
  Context context = nullptr;
};
struct FillNode {
  DevicePointer to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::size_t width = 0;
  std::size_t height = 1;
};
struct CopySide {
  std::size_t x = 0, y = 0, z = 0, level = 0;
  unsigned memory_type = 2;  // device
  const void* host = nullptr;
  DevicePointer device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct CopyNode {
  CopySide from, to;
  std::size_t width = 0, height = 1, depth = 1;
};

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
