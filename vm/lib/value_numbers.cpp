#include "vm/lib/session_node.h"

namespace nvm::lib {

namespace {

// Never 0.
std::size_t hash_of(const Instruction& instruction, std::span<const Promise> operands) {
  constexpr std::size_t kMix = 0x9E3779B97F4A7C15U;
  std::size_t h = reinterpret_cast<std::size_t>(&instruction) * kMix;
  for (const Promise& p : operands)
    h = (h ^ (h >> 29) ^ (reinterpret_cast<std::size_t>(p.node()) + static_cast<std::size_t>(p.index()))) *
        kMix;
  return (h ^ (h >> 32)) | 1U << 31;
}

bool same(const Node& node, const Instruction& instruction, std::span<const Promise> operands) {
  if (node.instruction != &instruction) return false;
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (node.operands[k].node() != operands[k].node() || node.operands[k].index() != operands[k].index())
      return false;
  return true;
}

}  // namespace

Node* ValueNumbers::find(const Instruction& instruction, std::span<const Promise> operands) const {
  const std::size_t hash = hash_of(instruction, operands);
  for (Node* node = buckets_[hash & (buckets_.size() - 1)]; node != nullptr; node = node->next_in_list)
    if (node->hash == hash && same(*node, instruction, operands)) return node;
  return nullptr;
}

void ValueNumbers::add(Node& node) {
  if (nodes_ == buckets_.size()) grow();
  node.hash = hash_of(*node.instruction, {node.operands, node.instruction->operands});
  Node** first = place(node.hash);
  node.next_in_list = *first;
  *first = &node;
  ++nodes_;
}

void ValueNumbers::remove(Node& node) {
  if (node.hash == 0) return;
  Node** at = place(node.hash);
  while (*at != &node) at = &(*at)->next_in_list;
  *at = node.next_in_list;
  node.next_in_list = nullptr;
  node.hash = 0;
  --nodes_;
}

void ValueNumbers::grow() {
  std::vector<Node*> before(buckets_.size() * 2);
  before.swap(buckets_);
  for (Node* node : before)
    while (node != nullptr) {
      Node* next = node->next_in_list;
      Node** first = place(node->hash);
      node->next_in_list = *first;
      *first = node;
      node = next;
    }
}

}  // namespace nvm::lib
