// Embedding nvm in C++: sums the segments of a vector that stays in this program's memory.
#include <cstdio>
#include <numeric>
#include <vector>

#include "vm/lib/nvm.hpp"

int main() {
  const char* text = "FUNC SUMS +_REDUCE INT RET";  // finds a vector and a descriptor on the stack
  nvm::lib::LoadOptions load;
  load.inputs = {nvm::lib::Kind::kInt, nvm::lib::Kind::kSegdes};
  auto program = nvm::lib::Program::from_text(text, "sums", load);
  if (!program) {
    std::fputs(program.failure().message.c_str(), stderr);
    return 1;
  }

  std::vector<std::int64_t> elements(1000);
  std::iota(elements.begin(), elements.end(), 1);
  const std::int64_t lengths[] = {400, 0, 600};
  const nvm::lib::Value inputs[] = {nvm::lib::foreign(elements.data(), 1000, nullptr, nullptr),
                                    *nvm::lib::make_segdes(lengths)};
  nvm::lib::Vm vm;
  auto run = vm.run(*program, inputs);
  if (!run) {
    std::fputs(run.failure().message.c_str(), stderr);
    return 1;
  }
  for (const std::int64_t sum : run->values[0].ints()) std::printf("%lld\n", static_cast<long long>(sum));
  return 0;
}
