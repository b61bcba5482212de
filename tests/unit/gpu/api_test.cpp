#include <catch2/catch.hpp>

#include "gpu/api/devices.h"
#include "gpu/api/nvrtc.h"

using namespace nvm::gpu;

TEST_CASE("what is missing is said in words") {
  const std::string text = describe_devices();
  CHECK(text.find("driver:") != std::string::npos);
  CHECK(text.find("nvrtc:") != std::string::npos);
  std::string reason;
  if (find_devices(reason).empty()) CHECK_FALSE(reason.empty());
}

TEST_CASE("a CUDA source compiles without a device where NVRTC is present") {
  std::string words;
  const bool present = nvrtc_available(words);
  const Compiled good =
      compile_cuda("extern \"C\" __global__ void k(double* x) { x[threadIdx.x] += 1.0; }", "k.cu", 80);
  CHECK(good.cubin.empty() == !present);
  const Compiled bad = compile_cuda("extern \"C\" __global__ void k() { this is not C++ }", "bad.cu", 80);
  CHECK(bad.cubin.empty());
  CHECK_FALSE(bad.log.empty());
}
