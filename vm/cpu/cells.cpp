#include <bit>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

const void* block_values(const Work& w, const SinkSpec& s) {
  if (s.direct == soac::kNone) return w.scratch<std::byte>(s.value);
  const auto* data = static_cast<const std::byte*>(w.kernel->context().var(s.direct).data);
  return data + w.begin * static_cast<std::int64_t>(storage_bytes(s.cell));
}

Cell identity_cell(Scalar op, Storage storage, IntBits bits) {
  Cell cell = 0;
  if (storage == Storage::kF64) {
    store_cell_as(&cell, storage, 0, std::bit_cast<Cell>(float_identity(op)));
  } else {
    const std::int64_t v = storage == Storage::kB8 ? bool_identity(op) : int_identity(op, bits);
    store_cell_as(&cell, storage, 0, static_cast<Cell>(v));
  }
  return cell;
}

Cell load_cell(const void* data, Storage storage, std::int64_t i) {
  switch (storage) {
    case Storage::kI8: return static_cast<Cell>(std::int64_t{static_cast<const std::int8_t*>(data)[i]});
    case Storage::kB8: return static_cast<const std::uint8_t*>(data)[i];
    case Storage::kI32: return static_cast<Cell>(std::int64_t{static_cast<const std::int32_t*>(data)[i]});
    case Storage::kI64:
    case Storage::kF64: return static_cast<const Cell*>(data)[i];
  }
  return 0;
}

void store_cell_as(void* data, Storage storage, std::int64_t i, Cell cell) {
  switch (storage_bytes(storage)) {
    case 1: static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(cell); return;
    case 4: static_cast<std::uint32_t*>(data)[i] = static_cast<std::uint32_t>(cell); return;
    default: static_cast<Cell*>(data)[i] = cell; return;
  }
}

}  // namespace nvm::vm::cpu
