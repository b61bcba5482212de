#include "vm/lib/counters.h"

#include <algorithm>

namespace nvm::lib {

FastPathRows named(const vm::FastPathCounts& counts) {
  FastPathRows rows;
  for (std::size_t i = 0; i < vm::kFastPaths; ++i)
    if (const std::uint64_t n = counts[static_cast<vm::FastPath>(i)]; n > 0)
      rows.emplace_back(vm::kFastPathNames[i], n);
  return rows;
}

FastPathRows sum(const FastPathRows& a, const FastPathRows& b) {
  vm::FastPathCounts counts;
  for (const FastPathRows& rows : {a, b})
    for (const auto& [name, times] : rows)
      counts.count(static_cast<vm::FastPath>(std::ranges::find(vm::kFastPathNames, name) -
                                             std::begin(vm::kFastPathNames)),
                   times);
  return named(counts);
}

void add_devices(Counters& to, const Counters& more) {
  for (const Counters::Device& d : more.devices) {
    const auto known = std::ranges::find(to.devices, d.name, &Counters::Device::name);
    if (known == to.devices.end()) {
      to.devices.push_back(d);
      continue;
    }
    known->parts += d.parts;
    known->iterations += d.iterations;
  }
}

void Counting::end_run() {
  counters_.instructions += tally_.instructions;
  counters_.work += tally_.work;
  counters_.uncharged += tally_.uncharged;
  counters_.bytes += static_cast<std::uint64_t>(tally_.bytes);
}

void Counting::end_region(std::span<const vm::RecordedWork> recorded, const vm::RegionRun& run) {
  for (const vm::RecordedWork& r : recorded) {
    if (r.inst->unpaid)
      ++tally_.uncharged;
    else
      tally_.add(r.work);
  }
  tally_.bytes += run.bytes;
}

}  // namespace nvm::lib
