// Filters: k<sink>[j] says whether a thread's element is kept, q<sink>[j] how many before it are, over all
// tiles; compacting stores write there in the same pass. n reads, kept elements written.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

void write_count(KernelWriter& k, Function& f, std::int32_t sink, int width) {
  const std::string number = std::to_string(sink);
  const std::string state = f.scratch(k.add_state(2048));
  f.line("const i64 kept" + number + " = nvm_rank<" + std::to_string(width) + ">(counts, k" + number + ", q" +
         number + ", " + state + ", t);");
  f.line("if (t == (i64)gridDim.x - 1 && threadIdx.x == 0) C[" +
         std::to_string(length_cell(k.sink(sink).out_length)) + "] = (u64)kept" + number + ";");
}

}  // namespace nvm::gpu
