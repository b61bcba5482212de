#include "vm/tier/nest_results.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "bytecode/base/check.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

using plan::NestRecord;

// Bytes of records: a recursion with more instances than that is one of small lists, which levels hold
// better.
constexpr std::int64_t kMostRecords = std::int64_t{64} << 20;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

NestRecord* child_of(const NestRecord& record, std::int32_t child, std::int64_t bytes) {
  return reinterpret_cast<NestRecord*>(reinterpret_cast<std::byte*>(record.children) + child * bytes);
}

}  // namespace

NestResults::NestResults(const plan::Nest& nest, const PrimContext& context,
                         std::span<std::int64_t> instances)
    : nest_(nest),
      context_(context),
      instances_(static_cast<std::int64_t>(instances.size() / nest.cells())),
      storages_(storages(nest)),
      own_(storages_.size()),
      targets_(storages_.size()) {
  reserve(0, instances_);
  const auto bytes = static_cast<std::int64_t>(nest_.record_bytes());
  for (std::int64_t k = 0; k < instances_; ++k)
    instances[at(k) * nest_.cells()] =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(chunks_[0].buffer.data() + k * bytes));
  if (instances_ > 0) chunks_[0].used = instances_ * bytes;
}

std::vector<Storage> NestResults::storages(const plan::Nest& nest) {
  std::vector<Storage> all;
  for (const Type t : nest.results)
    all.push_back(t == Type::kFloat ? Storage::kF64 : t == Type::kBool ? Storage::kB8 : Storage::kI64);
  return all;
}

void NestResults::reserve(std::int64_t own, std::int64_t records) {
  const auto bytes = records * static_cast<std::int64_t>(nest_.record_bytes());
  if (records > 0 && (chunks_.empty() || chunks_.back().used + bytes > chunks_.back().bytes)) {
    constexpr std::int64_t kLeast = 1 << 16;
    const std::int64_t size = std::max(bytes, kLeast);
    records_ += size;
    if (records_ > kMostRecords) throw Fault{Fault::Kind::kMemory, "too many instances to remember"};
    chunks_.push_back({context_.pool->allocate(ByteCount::of(size, 1)), size, 0});
  }
  if (elements_ + own <= room_) return;
  const std::int64_t room = std::max(2 * room_, elements_ + own);
  for (std::size_t r = 0; r < own_.size(); ++r) {
    const std::size_t width = storage_bytes(storages_[r]);
    BufferRef more = context_.pool->allocate(ByteCount::of(room, width));
    if (elements_ > 0) std::memcpy(more.data(), targets_[r], at(elements_) * width);
    targets_[r] = more.data();
    own_[r] = std::move(more);
  }
  room_ = room;
}

void NestResults::begin(plan::NestLevel& level) {
  level.targets = targets_;
  level.records = chunks_.empty() ? nullptr : chunks_.back().buffer.data() + chunks_.back().used;
  level.own = elements_;
}

void NestResults::end(const plan::NestLevel& level) {
  if (!chunks_.empty()) chunks_.back().used = level.records - chunks_.back().buffer.data();
  elements_ = level.own;
  NVM_CHECK(targets_.empty() || elements_ <= room_, "no more of results than there was room for");
}

template <typename Visit>
void NestResults::each_record(bool backwards, Visit visit) const {
  const auto bytes = static_cast<std::int64_t>(nest_.record_bytes());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& chunk = chunks_[backwards ? chunks_.size() - 1 - i : i];
    for (std::int64_t k = 0; k < chunk.used; k += bytes)
      visit(*reinterpret_cast<NestRecord*>(chunk.buffer.data() + (backwards ? chunk.used - bytes - k : k)));
  }
}

std::vector<Value> NestResults::take() {
  const auto bytes = static_cast<std::int64_t>(nest_.record_bytes());
  each_record(true, [&](NestRecord& record) {
    record.total = record.length;
    for (std::size_t c = 0; c < nest_.leaves[at(record.leaf)].children.size(); ++c)
      record.total += child_of(record, static_cast<std::int32_t>(c), bytes)->total;
  });
  std::vector<std::int64_t> lengths;
  std::int64_t total = 0;
  for (std::int64_t k = 0; k < instances_; ++k) {
    auto& root = *reinterpret_cast<NestRecord*>(chunks_[0].buffer.data() + k * bytes);
    root.place = total;
    total += root.total;
    lengths.push_back(root.total);
  }
  std::vector<std::unique_ptr<Fresh>> vectors;
  std::vector<std::byte*> to;
  for (const Storage storage : storages_) {
    vectors.push_back(std::make_unique<Fresh>(context_, storage, total));
    to.push_back(vectors.back()->data());
  }
  each_record(false, [&](const NestRecord& record) { place(record, to); });
  std::vector<Value> results;
  for (auto& vector : vectors) results.emplace_back(vector->take());
  Fresh sizes = Fresh::of_positions(context_, instances_);
  if (instances_ > 0) std::memcpy(sizes.data(), lengths.data(), sizes.bytes());
  results.insert(results.begin() + static_cast<std::ptrdiff_t>(nest_.lengths),
                 instances_ == 0 ? Segdes() : Segdes::from_lengths(sizes.take(), total));
  return results;
}

// Own elements go around what children return.
void NestResults::place(const NestRecord& record, std::span<std::byte* const> to) const {
  const auto bytes = static_cast<std::int64_t>(nest_.record_bytes());
  std::int64_t next = record.place, done = 0;
  const auto copy_to = [&](std::int64_t end) {
    for (std::size_t r = 0; r < to.size(); ++r) {
      const std::size_t width = storage_bytes(storages_[r]);
      if (end > done)
        std::memcpy(to[r] + at(next) * width, targets_[r] + at(record.own + done) * width,
                    at(end - done) * width);
    }
    next += end - done;
    done = end;
  };
  const std::vector<plan::NestPiece>& called = nest_.leaves[at(record.leaf)].called;
  for (std::size_t c = 0; c < called.size(); ++c) {
    copy_to(record.in_front()[c]);
    NestRecord& child = *child_of(record, called[c].child, bytes);
    child.place = next;
    next += child.total;
  }
  copy_to(record.length);
}

}  // namespace nvm::vm
