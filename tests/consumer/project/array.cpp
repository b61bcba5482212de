// Arrays in threads and beyond main().
#include <nvm/array.hpp>

#include <iostream>
#include <optional>
#include <thread>

namespace {

std::optional<nvm::array<double>> kept;  // longer than any thread

nvm::array<double> squares(std::int64_t n) {
  return nvm::generate(n, [](auto i) { return nvm::to<double>(i * i); });
}

}  // namespace

int main() {
  std::thread([] { kept = squares(5000); }).join();
  const auto x = *kept;
  const auto large = x[(x > 3.0) & (x < 20.0)];
  std::cout << large.at(2) << " " << sum(large[0]).value() << " " << (large[2] - 4.0).value() << "\n";
  nvm::lib::Options options;
  options.jit = nvm::lib::Jit::kAlways;
  const nvm::ArraySession session(options);
  const nvm::ArraySession::Scope here(session);
  kept = *kept + squares(5000);
  try {
    std::cout << (*kept)[5000].value();
  } catch (const nvm::ArrayError& e) {
    const bool index = e.failure().cause == nvm::lib::Failure::Cause::kIndex;
    std::cout << (index ? "index out of range" : e.what()) << "\n";
  }
  return kept->at(4999) == 2 * 4999.0 * 4999.0 ? 0 : 1;
}
