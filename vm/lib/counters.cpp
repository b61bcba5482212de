#include "vm/lib/counters.h"

namespace nvm::lib {

void Counting::end_run() {
  counters_.instructions += tally_.instructions;
  counters_.work += tally_.work;
  counters_.uncharged += tally_.uncharged;
  counters_.bytes += tally_.bytes;
}

void Counting::end_region(std::span<const vm::RecordedWork> recorded, const vm::RegionRun& run) {
  for (const vm::RecordedWork& r : recorded) {
    if (r.inst->unpaid)
      ++tally_.uncharged;
    else
      tally_.add(r.work);
  }
  tally_.bytes += static_cast<std::uint64_t>(run.bytes);
}

}  // namespace nvm::lib
