#include "tests/gpu/rivals.h"

// Without nvcc nobody runs beside us.
double nvm::rivals::seconds(const std::string&, std::int64_t, const std::vector<std::int64_t>&, int) {
  return -1;
}
