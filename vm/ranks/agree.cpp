#include "vm/ranks/agree.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "bytecode/base/hash.h"

namespace nvm::ranks {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a value in a message

std::string shown(const std::string& value) {
  return value.size() <= kShown ? value : value.substr(0, kShown) + "...";
}

int processors_of(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(process, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

// The ranks' values, end to end, cut at `lengths`.
std::string value_of(const std::vector<char>& all, const std::vector<std::int64_t>& lengths,
                     std::size_t rank) {
  const auto begin = std::accumulate(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(rank),
                                     all.begin(), [](auto at, std::int64_t n) { return at + n; });
  return {begin, begin + lengths[rank]};
}

}  // namespace

std::string disagreement(Rounds& rounds, const std::vector<Fact>& facts) {
  std::vector<std::uint64_t> mine;
  for (const Fact& fact : facts) mine.push_back(hash_bytes(fact.value, hash_bytes(fact.what)));
  std::vector<std::int64_t> counts;
  const std::vector<std::uint64_t> all =
      rounds.all_gather_unequal(std::span<const std::uint64_t>(mine), &counts);
  const auto size = static_cast<std::size_t>(rounds.size());
  for (std::size_t r = 1; r < size; ++r) {
    if (counts[r] != counts[0]) return "rank " + std::to_string(r) + " is another version of nvm than rank 0";
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (std::size_t r = 1; r < size; ++r) {
      if (all[r * facts.size() + i] == all[i]) continue;
      std::vector<std::int64_t> lengths;
      const std::vector<char> values =
          rounds.all_gather_unequal(std::span<const char>(facts[i].value), &lengths);
      return "rank " + std::to_string(r) + " (" + rounds.ranks().host(static_cast<int>(r)) +
             ") has another " + facts[i].what + " than rank 0: " + shown(value_of(values, lengths, r)) +
             ", not " + shown(value_of(values, lengths, 0));
    }
  }
  return "";
}

Processors processors() { return {processors_of(0), processors_of(getppid())}; }

int share_of(const Processors& processors, const Launcher& launcher) {
  const int ranks = std::max(1, launcher.local_size);
  return std::min(processors.mine, std::max(1, std::max(processors.host, processors.mine) / ranks));
}

std::string bound_too_tightly(const Processors& processors, const Launcher& launcher) {
  if (launcher.name.empty() || launcher.local_size <= 0) return "";
  const int share = processors.host / launcher.local_size;
  if (processors.mine >= share) return "";
  return "the launcher of " + launcher.name + " has bound each rank to " + std::to_string(processors.mine) +
         " of the host's " + std::to_string(processors.host) + " processors, where its share is " +
         std::to_string(share) + ": use mpirun --bind-to none";
}

}  // namespace nvm::ranks
