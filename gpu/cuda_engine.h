// The CUDA engine. A plan that cannot be compiled, memory that runs out and a device that fails all leave the
// region to the caller, which executes it otherwise with the same result.
#pragma once

#include <memory>
#include <string>

#include "bytecode/plan/engine.h"

namespace nvm::gpu {

// Who waits for NVRTC: whoever asks for code, or nobody (code then says kNotYet until it is there).
enum class Compiling : std::uint8_t { kAtOnce, kInBackground };

// The engine on the first device. Null, with a reason in words, if there is no driver, device or NVRTC.
[[nodiscard]] std::unique_ptr<plan::Engine> make_engine(std::string& reason,
                                                        Compiling compiling = Compiling::kAtOnce);

}  // namespace nvm::gpu
