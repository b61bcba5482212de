// Embedding nvm in C++: sums the segments of a vector that stays in this program's memory.
#include <cstdio>
#include <new>
#include <numeric>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace {

int fail(const nvm::lib::Failure& failure) {
  std::fputs(failure.message.c_str(), stderr);
  return 1;
}

int run() {
  const char* text = "FUNC SUMS +_REDUCE INT RET";  // finds a vector and a descriptor on the stack
  nvm::lib::LoadOptions load;
  load.inputs = {nvm::lib::Kind::kInt, nvm::lib::Kind::kSegdes};
  auto program = nvm::lib::Program::from_text(text, "sums", load);
  if (!program) return fail(program.failure());

  std::vector<std::int64_t> elements(1000);
  std::iota(elements.begin(), elements.end(), 1);
  const std::int64_t lengths[] = {400, 0, 600};
  auto segdes = nvm::lib::make_segdes(lengths);
  if (!segdes) return fail(segdes.failure());
  const nvm::lib::Value inputs[] = {nvm::lib::foreign(elements.data(), 1000, nullptr, nullptr), *segdes};
  nvm::lib::Vm vm;
  auto run = vm.run(*program, inputs);
  if (!run) return fail(run.failure());
  for (const std::int64_t sum : run->values[0].ints()) std::printf("%lld\n", static_cast<long long>(sum));
  return 0;
}

}  // namespace

// libnvm throws nothing but std::bad_alloc, and that only where it gives out a string or vector, as ints()
// does.
int main() {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
    return 1;
  }
}
