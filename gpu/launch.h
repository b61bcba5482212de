// Runs generated code on a queue: binds a run's vectors to device memory, launches the kernels in order,
// takes results back. Scalars and counted lengths stay in device cells; the host waits in the middle only
// when a counted length decides how much memory or how many blocks come next, or where a kernel is left to a
// primitive.
#pragma once

#include "bytecode/plan/engine.h"
#include "gpu/codegen/code.h"
#include "gpu/queue.h"

namespace nvm::gpu {

// kNoMemory also if the queue failed; the caller asks the queue's owner why.
[[nodiscard]] plan::RunStatus run_code(const Code& code, const plan::Run& run, Queue& queue);

}  // namespace nvm::gpu
