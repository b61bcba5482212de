// Compiling never holds a run up: lines are executed otherwise until the kernels are there.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/cuda_engine.h"
#include "tests/support/emu_device.h"
#include "tests/support/sweeps.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/data/compare.h"
#include "vm/lib/fallback_engine.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

// A compiler that finishes nothing before open(); nothing is cached.
class HeldCompiler {
 public:
  HeldCompiler()
      : folder_(std::filesystem::temp_directory_path() / ("nvm_held." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    setenv("NVM_EMU_SLOW", (folder_ / "open").c_str(), 1);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~HeldCompiler() {
    open();
    unsetenv("NVM_EMU_SLOW");
    std::filesystem::remove_all(folder_);
  }
  HeldCompiler(const HeldCompiler&) = delete;
  HeldCompiler& operator=(const HeldCompiler&) = delete;
  void open() const { std::ofstream(folder_ / "open") << "now"; }

 private:
  std::filesystem::path folder_;
};

// Sweeps until kernels run.
void run_until_launched(Loop& loop) {
  while (counts().launches == 0) {
    CHECK(difference(loop.run(3), expected(3)).empty());
    usleep(1000);
  }
}

}  // namespace

TEST_CASE("sweeps go on while their kernels are compiled, then run on the device") {
  const HeldCompiler held;
  std::string reason;
  const auto engine = gpu::make_engine(reason, gpu::Compiling::kInBackground);
  REQUIRE(engine != nullptr);
  control("");
  Loop loop(engine.get());
  CHECK(difference(loop.run(20), expected(20)).empty());
  CHECK(counts().launches == 0);
  CHECK(loop.counters().fused == 0);
  held.open();
  run_until_launched(loop);
  CHECK(loop.counters().fused > 0);
}

TEST_CASE("meanwhile the processor's kernels run") {
  const HeldCompiler held;
  std::string reason;
  auto processor = vm::cpu::make_engine({});
  if (processor == nullptr) return;
  const auto engine =
      lib::with_fallback(gpu::make_engine(reason, gpu::Compiling::kInBackground), std::move(processor));
  control("");
  Loop loop(engine.get());
  CHECK(difference(loop.run(20), expected(20)).empty());
  CHECK(counts().launches == 0);
  CHECK(loop.counters().fused == 20);
  held.open();
  run_until_launched(loop);
}

TEST_CASE("a run may end while something is being compiled") {
  HeldCompiler held;
  std::string reason;
  {
    const auto engine = gpu::make_engine(reason, gpu::Compiling::kInBackground);
    Loop loop(engine.get());
    CHECK(difference(loop.run(2), expected(2)).empty());
    held.open();  // the one under way is waited for
  }
}
