#include <iostream>
#include <nvm/nesl.hpp>

int main() {
  nvm::lib::Nesl nesl({}, std::cout, std::cerr);
  return nesl.run_text("sum([1, 2, 3]);", "consumer") == nvm::lib::NeslStatus::kOk ? 0 : 1;
}
