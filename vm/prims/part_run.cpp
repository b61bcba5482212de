// Long segments: every strip lies within one, operands are read where they lie and results written where they
// belong. Short ones: a strip is some whole segments, whose parts are gathered into rooms and put together
// out of rooms, in registers where they are short enough (kernels/pieces.cpp).
//
// Bytes: every operand once, every result once.
#include "vm/prims/part_run.h"

#include <algorithm>

#include "vm/prims/operands.h"
#include "vm/prims/strip.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kStrip = 1024;  // elements
constexpr std::int64_t kShort = 64;    // elements of a segment
using Rooms = vm::Strip<kStrip>;
constexpr std::int64_t kChunk = 1 << 15;

}  // namespace

bool PartRun::is_short() const { return length_ < kShort; }

int PartRun::add(Slot slot) {
  slots_.push_back(slot);
  return static_cast<int>(slots_.size()) - 1;
}

int PartRun::room(Storage storage) { return add({.storage = storage, .room = rooms_++}); }

// Once each.
const Vector& PartRun::hold(const Vector& v) {
  for (const Vector& held : held_)
    if (held.raw() == v.raw() && held.length() == v.length()) return held;
  return held_.emplace_back(v);
}

int PartRun::part(const Vector& v, std::int64_t stride, std::int64_t offset) {
  return add({.storage = v.storage(),
              .base = const_cast<std::byte*>(hold(v).raw()),
              .stride = stride,
              .offset = offset,
              .room = is_short() && stride != length_ ? rooms_++ : -1});
}

int PartRun::whole(const Vector& v) {
  if (!v.is_repeated()) return part(v, length_, 0);
  blocks_.push_back(context_.pool->allocate(ByteCount(Rooms::kBytes)));
  fill_repeated(v, context_, kStrip, blocks_.back().data());
  return add({.storage = v.storage(), .base = blocks_.back().data()});
}

int PartRun::as(int slot, Storage storage) {
  const Storage lies = slots_[static_cast<std::size_t>(slot)].storage;
  if (lies == storage) return slot;
  Step step;
  step.loop.unary = kernel_table(context_.isa).convert[static_cast<int>(lies)][static_cast<int>(storage)];
  step.from[0] = slot;
  step.to = room(storage);
  steps_.push_back(step);
  return step.to;
}

int PartRun::map(Op op, TypeWord word, std::span<const int> from) {
  Storage storages[3] = {};
  for (std::size_t i = 0; i < from.size(); ++i)
    storages[i] = slots_[static_cast<std::size_t>(from[i])].storage;
  Step step;
  step.loop = map_loop(context_, op, word, storages);
  for (std::size_t i = 0; i < from.size(); ++i)
    step.from[i] = step.loop.select != nullptr && i == 0 ? from[i] : as(from[i], step.loop.operand);
  step.to = room(step.loop.result);
  steps_.push_back(step);
  return step.to;
}

int PartRun::extreme(bool least, int a, int b) {
  const Storage storage =
      std::max(slots_[static_cast<std::size_t>(a)].storage, slots_[static_cast<std::size_t>(b)].storage);
  a = as(a, storage);
  b = as(b, storage);
  for (const Step& s : steps_)
    if (s.order != nullptr && s.from[0] == a && s.from[1] == b) return least ? s.to : s.most;
  Step step;
  step.order = kernel_table(context_.isa).order[static_cast<int>(storage)];
  step.from[0] = a;
  step.from[1] = b;
  step.to = room(storage);
  step.most = room(storage);
  steps_.push_back(step);
  return least ? step.to : step.most;
}

// The slot of a part of the result: computed where it belongs unless segments are short.
int PartRun::result(int slot, Storage storage, std::int64_t offset) {
  int made = as(slot, storage);
  const Slot& from = slots_[static_cast<std::size_t>(made)];
  if (is_short()) return made;
  if (from.room < 0 || made == low_) {
    Step copy;
    copy.loop.result = storage;
    copy.from[0] = made;
    copy.to = made = room(storage);
    steps_.push_back(copy);
  }
  slots_[static_cast<std::size_t>(made)] = {
      .storage = storage, .base = out_, .stride = 2 * length_, .offset = offset};
  return made;
}

// Are a and b nothing but the halves of every segment of one vector, compared and exchanged, and of a length
// that there is a kernel for?
bool PartRun::exchanges(int a, int b) const {
  if (steps_.size() != 1 || steps_[0].order == nullptr || held_.size() != 1) return false;
  const Step& step = steps_[0];
  const Slot& low = slots_[static_cast<std::size_t>(step.from[0])];
  const Slot& high = slots_[static_cast<std::size_t>(step.from[1])];
  const bool each = (a == step.to && b == step.most) || (a == step.most && b == step.to);
  return each && low.base != nullptr && low.base == high.base && low.stride == 2 * length_ &&
         high.stride == low.stride && std::min(low.offset, high.offset) == 0 &&
         std::max(low.offset, high.offset) == length_ && low.storage != Storage::kI8 &&
         held_[0].length() == 2 * segments_ * length_ &&
         chunk_count(context_, 2 * segments_ * length_, kChunk) <= segments_ &&
         kernel_table(context_.isa)
             .exchange[low.storage == Storage::kI64 ? 1 : 0](low.base, length_, 0, false, low.base);
}

// Without strips, and in place if nobody else sees the vector.
Value PartRun::exchange(bool turned) {
  const Storage storage = held_[0].storage();
  const std::byte* from = held_[0].raw();
  const std::int64_t all = 2 * segments_ * length_;
  Fresh out(context_, storage, all, held_[0]);
  const auto run = kernel_table(context_.isa).exchange[storage == Storage::kI64 ? 1 : 0];
  const std::int64_t chunks = chunk_count(context_, all, kChunk);
  for_chunks(context_, chunks, [&](std::int64_t c) {
    const std::int64_t first = segments_ * c / chunks;
    const std::int64_t bytes = first * 2 * length_ * static_cast<std::int64_t>(storage_bytes(storage));
    static_cast<void>(
        run(from + bytes, length_, segments_ * (c + 1) / chunks - first, turned, out.data() + bytes));
  });
  return out.take();
}

Value PartRun::join(int a, int b) {
  if (exchanges(a, b)) {
    took(context_, FastPath::kJoinExchange);
    return exchange(a == steps_[0].most);
  }
  const Storage storage =
      std::max(slots_[static_cast<std::size_t>(a)].storage, slots_[static_cast<std::size_t>(b)].storage);
  Fresh out(context_, storage, 2 * segments_ * length_);
  out_ = out.data();
  low_ = result(a, storage, 0);
  high_ = result(b, storage, length_);
  execute();
  return out.take();
}

PartRun::Strip PartRun::strip(std::int64_t number) const {
  if (is_short()) {
    const std::int64_t each = kStrip / length_;
    const std::int64_t segment = number * each;
    return {segment, 0, std::min(each, segments_ - segment) * length_};
  }
  const std::int64_t each = (length_ + kStrip - 1) / kStrip;
  const std::int64_t at = number % each * kStrip;
  return {number / each, at, std::min(kStrip, length_ - at)};
}

void PartRun::execute() {
  const std::int64_t each = kStrip / std::min(length_, kStrip);
  const std::int64_t strips =
      is_short() ? (segments_ + each - 1) / each : segments_ * ((length_ + kStrip - 1) / kStrip);
  const std::int64_t chunks = std::min(strips, chunk_count(context_, 2 * segments_ * length_, kChunk));
  const int rooms = rooms_ + 2;  // two for what is joined
  Rooms::each_chunk(context_, chunks, rooms, [&](std::int64_t c, std::byte* mine) {
    std::vector<std::byte*> places(slots_.size());
    for (std::int64_t s = strips * c / chunks; s < strips * (c + 1) / chunks; ++s)
      run_strip(strip(s), mine, places);
  });
}

void PartRun::run_strip(const Strip& strip, std::byte* rooms, std::span<std::byte*> places) const {
  const kernels::Table& t = kernel_table(context_.isa);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& s = slots_[i];
    const auto width = static_cast<std::int64_t>(storage_bytes(s.storage));
    places[i] = s.room >= 0
                    ? Rooms::room(rooms, s.room)
                    : s.base + (strip.segment * s.stride + (s.stride > 0 ? s.offset + strip.at : 0)) * width;
    if (s.room >= 0 && s.base != nullptr)
      t.take_regular[width_index(s.storage)](s.base + strip.segment * s.stride * width, s.stride, s.offset,
                                             length_, strip.n / length_, places[i]);
  }
  for (const Step& step : steps_) run_step(step, strip.n, places);
  if (is_short()) join_short(strip, rooms, places);
}

void PartRun::run_step(const Step& step, std::int64_t n, std::span<std::byte*> places) const {
  const auto at = [&](int slot) { return slot < 0 ? nullptr : places[static_cast<std::size_t>(slot)]; };
  const std::byte* a = at(step.from[0]);
  std::byte* to = at(step.to);
  if (step.order != nullptr)
    step.order(a, at(step.from[1]), to, at(step.most), n);
  else
    step.loop.run(a, at(step.from[1]), at(step.from[2]), to, n);
}

// What lies behind a strip may be another thread's: only one thread joins in place.
void PartRun::join_short(const Strip& strip, std::byte* rooms, std::span<std::byte*> places) const {
  const Storage storage = slots_[static_cast<std::size_t>(low_)].storage;
  const std::size_t width = storage_bytes(storage);
  std::byte* to = out_ + static_cast<std::size_t>(2 * strip.segment * length_) * width;
  std::byte* joined = context_.threads > 1 ? Rooms::room(rooms, rooms_) : to;
  kernel_table(context_.isa)
      .join_regular[width_index(storage)](places[static_cast<std::size_t>(low_)], length_,
                                          places[static_cast<std::size_t>(high_)], length_, strip.n / length_,
                                          joined);
  if (joined != to) std::memcpy(to, joined, static_cast<std::size_t>(2 * strip.n) * width);
}

}  // namespace nvm::vm
