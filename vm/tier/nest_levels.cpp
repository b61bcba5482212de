#include "vm/tier/nest_levels.h"
#include "bytecode/base/at.h"
#include "bytecode/base/stack.h"

#include <algorithm>

namespace nvm::vm {

namespace {

using plan::NestInput;
using soac::kNone;

constexpr std::int64_t kInCache = 64 << 10;  // bytes of a level's elements that need not be taken in shares
constexpr std::int64_t kLine = 64;

std::int64_t lines(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

bool NestLevels::run(std::span<const std::int64_t> instances, std::span<std::byte* const> targets) {
  targets_ = targets;
  kept_.assign(nest_.lists.size(), false);
  for (const plan::NestLeaf& leaf : nest_.leaves)
    for (const auto& child : leaf.children)
      for (const NestInput& in : nest_.inputs)
        if (in.what == NestInput::What::kList) kept_[at(child[at(in.parameter)])] = true;
  return run({instances.data(), instances.data() + instances.size()}, 0, 0);
}

bool NestLevels::run(Part part, std::int64_t level, std::size_t share) {
  check_stack();
  for (std::size_t turn = 0; part.first != part.last; turn ^= 1, ++level) {
    if (level >= limit_ || asked(stop_)) return false;
    const Lengths lengths = lengths_of(part);
    if (part.last - part.first > cells() && bytes_of(lengths) > kInCache) {
      const std::int64_t* const middle = this->middle(part, lengths);
      return run({part.first, middle}, level, share + 1) && run({middle, part.last}, level, share + 1);
    }
    while (shares_.size() <= share) shares_.push_back(std::make_unique<std::array<Memory, 2>>());
    Memory& memory = (*shares_[share])[turn];
    reserve(memory, part, lengths);
    const std::int64_t* last = nullptr;
    if (!step(part, lengths, memory, last)) return false;
    part = {memory.instances, last};
  }
  return true;
}

bool NestLevels::step(Part part, const Lengths& lengths, Memory& memory, const std::int64_t*& last) {
  plan::NestLevel level{part.first, part.last, memory.instances, memory.lists, targets_};
  if (found_ != nullptr) {
    const std::int64_t children =
        (part.last - part.first) / cells() * static_cast<std::int64_t>(nest_.most_children());
    found_->reserve(most_own(part, lengths), children);
    found_->begin(level);
  }
  if (!code_.run(level)) return false;
  if (found_ != nullptr) found_->end(level);
  last = level.next;
  return true;
}

// Instances end in different leaves, each in one.
std::int64_t NestLevels::most_own(Part part, const Lengths& lengths) const {
  std::int64_t all = 0;
  for (const plan::NestLeaf& leaf : nest_.leaves) {
    std::int64_t most = 0;
    for (const auto& result : leaf.results) {
      std::int64_t elements = 0;
      for (const plan::NestPiece& p : result) {
        const std::int32_t space = nest_.lists[at(p.list)].space;
        elements += space == kNone ? nest_.body.insts[at(p.length)].imm * ((part.last - part.first) / cells())
                                   : lengths.total[at(nest_.find(NestInput::What::kLength, space))];
      }
      most = std::max(most, elements);
    }
    all += most;
  }
  return all;
}

NestLevels::Lengths NestLevels::lengths_of(Part part) const {
  Lengths all{std::vector<std::int64_t>(nest_.inputs.size()), std::vector<std::int64_t>(nest_.inputs.size())};
  for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
    if (nest_.inputs[i].what != NestInput::What::kLength) continue;
    std::int64_t total = 0, most = 0;
    for (const std::int64_t* p = part.first; p != part.last; p += cells()) {
      total += p[i + 1];
      most = std::max(most, p[i + 1]);
    }
    all.total[i] = total;
    all.most[i] = most;
  }
  return all;
}

std::int64_t NestLevels::list_bytes(std::size_t list, const std::vector<std::int64_t>& lengths) const {
  const auto input = nest_.find(NestInput::What::kLength, nest_.lists[list].space);
  return lengths[at(input)] * static_cast<std::int64_t>(storage_bytes(storage_.lists[list]));
}

std::int64_t NestLevels::bytes_of(const Lengths& lengths) const {
  std::int64_t bytes = 0;
  for (std::size_t l = 0; l < kept_.size(); ++l)
    if (kept_[l]) bytes = std::max(bytes, list_bytes(l, lengths.total));
  return bytes;
}

// Where about half of the elements have been; neither part is empty.
const std::int64_t* NestLevels::middle(Part part, const Lengths& lengths) const {
  const auto all = [&](const std::int64_t* p) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i)
      if (nest_.inputs[i].what == NestInput::What::kLength) sum += p[i + 1];
    return sum;
  };
  std::int64_t half = 0;
  for (const std::int64_t n : lengths.total) half += n;
  half /= 2;
  const std::int64_t* p = part.first + cells();
  for (std::int64_t before = all(part.first); before < half && p + cells() < part.last; p += cells())
    before += all(p);
  return p;
}

void NestLevels::reserve(Memory& memory, Part part, const Lengths& lengths) {
  const std::int64_t children = (part.last - part.first) * static_cast<std::int64_t>(nest_.most_children());
  std::vector<std::int64_t> sizes;
  std::int64_t bytes = lines(children * 8);
  for (std::size_t l = 0; l < kept_.size(); ++l) {
    const bool written = nest_.lists[l].value != kNone && nest_.lists[l].space != kNone &&
                         !(nest_.given(nest_.lists[l]) && !kept_[l]);
    sizes.push_back(!written ? 0 : lines(list_bytes(l, kept_[l] ? lengths.total : lengths.most)) + 2 * kLine);
    bytes += sizes.back();
  }
  if (bytes > memory.bytes) {
    memory.buffer = {};
    memory.bytes = 0;
    memory.buffer = pool_.allocate(ByteCount::of(bytes, 1));
    memory.bytes = bytes;
  }
  std::byte* next = memory.buffer.data();
  memory.instances = reinterpret_cast<std::int64_t*>(next);
  next += lines(children * 8);
  memory.lists.clear();
  for (const std::int64_t size : sizes) {
    memory.lists.push_back(next);
    next += size;
  }
}

}  // namespace nvm::vm
