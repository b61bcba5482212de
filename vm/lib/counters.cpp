#include "vm/lib/counters.h"

#include "vm/profile/work.h"

namespace nvm::lib {

void Counting::begin(const ssa::Inst& inst, const vm::Site&, std::span<const vm::Value> operands) {
  ++counters_.instructions;
  counters_.work += static_cast<std::uint64_t>(vm::work_before(inst, operands));
  counters_.bytes += static_cast<std::uint64_t>(vm::vector_bytes(operands));
}

void Counting::end(const ssa::Inst& inst, const vm::Site&, std::span<const vm::Value> results) {
  counters_.work += static_cast<std::uint64_t>(vm::work_after(inst, results));
  counters_.bytes += static_cast<std::uint64_t>(vm::vector_bytes(results));
}

void Counting::end_region(std::span<const vm::RecordedWork> recorded, const vm::RegionRun& run) {
  counters_.instructions += recorded.size();
  for (const vm::RecordedWork& r : recorded) counters_.work += static_cast<std::uint64_t>(r.work);
  counters_.bytes += static_cast<std::uint64_t>(run.bytes);
}

}  // namespace nvm::lib
