#include "vm/trace/charges.h"

#include <algorithm>
#include <variant>

#include "bytecode/base/at.h"

namespace nvm::vm {

using soac::kNone;
using soac::LengthId;

bool Charges::speak_of(LengthId length) const {
  return std::find(elements_.begin(), elements_.end(), length) != elements_.end();
}

bool Charges::countable(std::span<const std::int64_t> known, std::span<const CountedAt> counted) const {
  return std::all_of(elements_.begin(), elements_.end(), [&](LengthId n) {
    if (n == kNone || known[at(n)] >= 0) return true;
    return !counted.empty() && (counted[at(n)].length != kNone || counted[at(n)].number != kNone);
  });
}

void Charges::settle(std::span<const std::int64_t> known, std::span<const CountedAt> counted,
                     std::span<const std::int64_t> lengths, std::span<const Value> outputs) {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (elements_[i] == kNone) continue;
    const std::size_t n = at(elements_[i]);
    std::int64_t& work = work_[i].work;
    work = std::max<std::int64_t>(known[n], 0);
    if (known[n] >= 0 || counted.empty()) continue;
    if (counted[n].number != kNone)
      work = std::get<Vector>(outputs[at(counted[n].number)]).scalar_int();
    else if (counted[n].length != kNone)
      work = lengths[at(counted[n].length)];
  }
}

}  // namespace nvm::vm
