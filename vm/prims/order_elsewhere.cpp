#include "vm/prims/order_elsewhere.h"

#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

OrderTask::Keys keys_of(Storage storage) {
  switch (storage) {
    case Storage::kI8: return OrderTask::Keys::kI8;
    case Storage::kI32: return OrderTask::Keys::kI32;
    case Storage::kF64: return OrderTask::Keys::kF64;
    default: return OrderTask::Keys::kI64;
  }
}

}  // namespace

bool order_elsewhere(const PrimCall& call, const Segdes& s, bool down, std::optional<Storage> places) {
  const Vector& v = vector_operand(call, 0);
  if (call.context.orderer == nullptr || v.length() < 2 || !v.buffer()) return false;
  OrderTask task;
  task.keys = keys_of(v.storage());
  task.down = down;
  task.ranks = places.has_value();
  task.count = v.length();
  task.from = v.place();
  task.from_remote = remote_of(*v.buffer().get());
  task.segments = s.segments();
  task.regular_length = s.is_regular() ? s.regular_length() : 0;
  if (!s.is_regular()) {
    task.offsets = reinterpret_cast<const std::int64_t*>(s.offsets_buffer().get()->bytes);
    task.offsets_remote = remote_of(*s.offsets_buffer().get());
  }
  const Storage storage = places.value_or(v.storage());
  task.rank_bytes = static_cast<int>(storage_bytes(storage));
  Fresh out(call.context, storage, v.length());
  task.to = out.data();
  const bool done = call.context.orderer->order(task);
  if (task.from_remote != nullptr) attach_remote(*v.buffer().get(), task.from_remote);
  if (task.offsets_remote != nullptr) attach_remote(*s.offsets_buffer().get(), task.offsets_remote);
  if (!done) return false;
  took(call.context, FastPath::kOrderElsewhere);
  Vector result = out.take();
  if (task.to_remote != nullptr) attach_remote(*result.buffer().get(), std::move(task.to_remote));
  call.results[0] = std::move(result);
  return true;
}

}  // namespace nvm::vm
