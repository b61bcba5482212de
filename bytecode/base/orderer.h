// Ranking and sorting by whoever can do it beside the processor. Results are those of RANK_UP and RANK_DOWN,
// and of a PERMUTE by them: INT by value, FLOAT by the total order of its bits (-0 below 0, NaN by sign at
// the ends), stable in both directions.
#pragma once

#include <cstdint>
#include <memory>

#include "bytecode/base/remote.h"

namespace nvm {

struct OrderTask {
  enum class Keys : std::uint8_t { kI8, kI32, kI64, kF64 } keys = Keys::kI64;
  bool down = false;
  bool ranks = true;  // places of elements in their segments; else the elements themselves in order
  std::int64_t count = 0;
  const void* from = nullptr;  // elements, in host memory, valid unless `from_remote` has them
  std::shared_ptr<Remote> from_remote;
  std::int64_t segments = 1;
  std::int64_t regular_length = 0;        // of each, if `offsets` is null
  const std::int64_t* offsets = nullptr;  // segments + 1, always valid
  std::shared_ptr<Remote> offsets_remote;
  int rank_bytes = 8;                 // 4 or 8, of a result if `ranks`
  void* to = nullptr;                 // host memory for the results
  std::shared_ptr<Remote> to_remote;  // set where only a device has them
};

class Orderer {
 public:
  Orderer() = default;
  Orderer(const Orderer&) = delete;
  Orderer& operator=(const Orderer&) = delete;
  virtual ~Orderer() = default;
  // False if it is not to be done here, or could not be: nothing has changed then, but remotes of the
  // arguments may be set. Thread-safe.
  [[nodiscard]] virtual bool order(OrderTask& task) = 0;
};

}  // namespace nvm
