#include <catch2/catch.hpp>
#include <string>

#include "gpu/cuda_engine.h"

using namespace nvm::gpu;

TEST_CASE("without a device the engine says why") {
  std::string reason;
  if (make_engine(reason) == nullptr) CHECK_FALSE(reason.empty());
}
