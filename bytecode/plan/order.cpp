#include "bytecode/plan/order.h"

#include <algorithm>

namespace nvm::plan {

void KernelOrder::put_behind(std::int32_t later, std::int32_t earlier) {
  if (behind(later, earlier)) return;
  const std::vector<std::uint64_t> before(row(earlier), row(earlier) + words_);
  const auto most = static_cast<std::int32_t>(words_ == 0 ? 0 : before_.size() / words_);
  for (std::int32_t k = 0; k < most; ++k) {
    if (k != later && !behind(k, later)) continue;
    std::uint64_t* to = before_.data() + at(k) * words_;
    for (std::size_t w = 0; w < words_; ++w) to[w] |= before[w];
    to[at(earlier) / 64] |= std::uint64_t{1} << (at(earlier) % 64);
  }
}

std::vector<std::int32_t> KernelOrder::sorted(std::int32_t kernels) const {
  std::vector<std::int32_t> order;
  std::vector<bool> done(at(kernels));
  const auto ready = [&](std::int32_t k) {
    for (std::int32_t e = 0; e < kernels; ++e)
      if (behind(k, e) && !done[at(e)]) return false;
    return true;
  };
  while (order.size() < at(kernels)) {
    for (std::int32_t k = 0; k < kernels; ++k) {
      if (done[at(k)] || !ready(k)) continue;
      done[at(k)] = true;
      order.push_back(k);
    }
  }
  return order;
}

}  // namespace nvm::plan
