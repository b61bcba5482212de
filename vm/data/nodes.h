// Nodes of maps and sets that are there before they are needed: who reserves them can note later, without a
// failure, what becomes of memory. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nvm::vm {

class Nodes {
 public:
  static constexpr std::size_t kBytes = 64;

  // Afterwards `n` nodes can be taken without a failure. Throws std::bad_alloc, and nothing has changed.
  void reserve(std::size_t n) {
    if (spare_ >= n) return;
    const std::size_t more = n - spare_ + kMore;
    std::unique_ptr<Node[]> chunk(new Node[more]);
    chunks_.reserve(chunks_.size() + 1);
    for (std::size_t i = 0; i < more; ++i) give(&chunk[i]);
    chunks_.push_back(std::move(chunk));
  }
  [[nodiscard]] void* take() {
    if (spare_ == 0) reserve(1);
    Node* node = first_;
    first_ = node->next;
    --spare_;
    return node;
  }
  void give(void* p) noexcept {
    Node* node = new (p) Node;
    node->next = first_;
    first_ = node;
    ++spare_;
  }

 private:
  struct alignas(std::max_align_t) Node {
    Node* next;
    std::byte rest[kBytes - sizeof(void*)];
  };
  static constexpr std::size_t kMore = 60;  // that are made at a time

  std::vector<std::unique_ptr<Node[]>> chunks_;
  Node* first_ = nullptr;
  std::size_t spare_ = 0;
};

// For std::map and std::set, whose nodes are one each.
template <typename T>
struct NodeAllocator {
  using value_type = T;
  Nodes* nodes;

  explicit NodeAllocator(Nodes& of) : nodes(&of) {}
  template <typename U>
  NodeAllocator(const NodeAllocator<U>& other) : nodes(other.nodes) {}
  [[nodiscard]] T* allocate(std::size_t) {
    static_assert(sizeof(T) <= Nodes::kBytes);
    return static_cast<T*>(nodes->take());
  }
  void deallocate(T* p, std::size_t) noexcept { nodes->give(p); }
  friend bool operator==(const NodeAllocator& a, const NodeAllocator& b) { return a.nodes == b.nodes; }
};

}  // namespace nvm::vm
