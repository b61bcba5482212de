// Scans: c<sink>[j] holds a thread's values, then their exclusive scan; see tile.cuh. One pass: n reads, n
// writes.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

void write_scan(KernelWriter& k, Function& f, std::int32_t sink, int width) {
  const Sink& s = k.sink(sink);
  const std::string type = f.type(s.type);
  const std::string state = f.scratch(k.add_state(2048));
  const std::string far = s.type == Type::kFloat ? f.scratch(k.add_far_state(std::int64_t{1} << 22)) : state;
  const bool whole = s.kind == SinkKind::kScan;
  const std::string of = whole ? "(tile, totals, box, " + f.length(k.kernel.space) + ", t, c"
                               : "(tile, list, box, shape, span, c";
  f.line((whole ? "nvm_whole_scan<" : "nvm_tile_scan<") + cuda_fold(s.combine) + ", " + type + ", " +
         std::to_string(width) + ">" + of + std::to_string(sink) + ", " +
         cuda_identity(s.combine, s.type, k.plan.int_bits) + ", " + state + ", " + far +
         (whole ? ");" : ", t);"));
}

}  // namespace nvm::gpu
