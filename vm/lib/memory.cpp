// How much memory runs may take.
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "bytecode/base/read_file.h"
#include "vm/lib/carrier.h"
#include "vm/lib/impl.h"

namespace nvm::lib {

namespace {

// Nine tenths of what the machine has, or the container if that is less. Files are read for it.
std::uint64_t find_machine_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  std::uint64_t bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    const std::string text = read_all(path, 32).value_or("");
    std::from_chars(text.data(), text.data() + text.size(), limit);
    if (limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes / 10 * 9;
}

}  // namespace

std::uint64_t machine_memory() {
  static const std::uint64_t bytes = find_machine_memory();
  return bytes;
}

std::size_t frame_memory(const Options& options) {
  constexpr std::size_t kLeast = std::size_t{16} << 20, kUsual = std::size_t{1} << 30;
  const std::size_t most = std::max(std::min(machine_memory() / 4, 4 * kUsual), kLeast);
  // Beside the frames each open call takes some heap, which is charged, too.
  if (options.memory > 0 && !options.legacy_memory)
    return std::clamp<std::size_t>(options.memory / 2, kLeast, most);
  return options.max_depth > 0 ? most : std::min(most, kUsual);
}

std::shared_ptr<MemoryAccount> account_of(std::uint64_t memory) {
  const auto outer = Budget::account();
  const std::uint64_t limit = memory > 0 ? memory : machine_memory();
  return outer != nullptr && outer->limit() <= limit ? outer : std::make_shared<MemoryAccount>(limit);
}

std::shared_ptr<MemoryAccount> account_of(const Options& options) {
  constexpr std::size_t kLegacyHeap = std::size_t{1} << 30;  // stack and program, which -m is not about
  if (options.legacy_memory && options.memory > 0)
    return std::make_shared<MemoryAccount>(options.memory, kLegacyHeap);
  if (options.memory > 0 || options.carrier == nullptr) return account_of(options.memory);
  return account_of(machine_memory() / static_cast<std::uint64_t>(options.carrier->of_host()));
}

std::shared_ptr<vm::Pool> pool_of(const std::shared_ptr<MemoryAccount>& account) {
  const Budget budget(account);
  return std::make_shared<vm::Pool>(account->limit());
}

}  // namespace nvm::lib
