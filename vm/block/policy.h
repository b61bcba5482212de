// When block mode pays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytecode/base/disk_cache.h"
#include "bytecode/ssa/ssa.h"
#include "vm/block/split.h"

namespace nvm::vm::block {

class GroupEngine;

struct Options {
  static constexpr std::int64_t kOff = 0;
  static constexpr std::int64_t kAuto = -1;
  // kOff, kAuto, or the number of instances from which on every lifted call is cut.
  std::int64_t threshold = kAuto;
  // kAuto: measurements of former runs; null keeps none. `afresh`: measure again.
  const DiskCache* cache = nullptr;
  bool afresh = false;
  std::int64_t group_bytes =
      64 << 10;       // of a group's arguments; what is computed from them takes the rest of L2
  std::string build;  // what measures: another build of this program does not believe it
  std::int64_t large_bytes = 1 << 20;  // from which on all threads make a call together that can not be cut
  bool exact_costs = false;            // cuts only what costs in groups what the whole costs
  GroupEngine* device = nullptr;       // runs groups that it has kernels for; the workers run the others
};

class Policy {
 public:
  Policy(const ssa::Module& module, const Options& options, int threads);

  // Can a call of this function ever be cut? Looked at first, before anything is computed for the answer.
  [[nodiscard]] bool considers(ssa::FunctionId function) const {
    return candidate_[static_cast<std::size_t>(function)];
  }
  // Can a worker cut a call of it?
  [[nodiscard]] bool considers_alone(ssa::FunctionId function) const {
    return recursive_[static_cast<std::size_t>(function)] && !loops(function);
  }
  // Its steps are for the same instances again: not worth small groups unless that was measured.
  [[nodiscard]] bool loops(ssa::FunctionId function) const {
    return loops_[static_cast<std::size_t>(function)];
  }
  // Does it only compare, filter and move elements, which all threads do best without writing flags and
  // indices (vm/prims/views.h)? Then a call with a large instance is worth leaving kernel mode for, too.
  [[nodiscard]] bool moves_only(ssa::FunctionId function) const {
    return moves_only_[static_cast<std::size_t>(function)];
  }
  // Of the arguments of such a call: enough?
  [[nodiscard]] bool large(std::int64_t bytes) const { return bytes >= large_bytes_; }
  // Are this many instances worth a look?
  [[nodiscard]] bool enough(std::int64_t instances) const { return instances >= least_instances_; }
  // Are they if groups are known to be much faster?
  [[nodiscard]] bool enough_early(std::int64_t instances) const {
    return automatic_ && instances >= std::max<std::int64_t>(threads_, 2);
  }
  // Bounds of the groups to cut the call into; none to leave it alone. Those of loops, and of functions that
  // compute little besides their results, are larger.
  [[nodiscard]] std::vector<std::int64_t> cut(ssa::FunctionId function, const Layout& layout) const;
  // The same for a small loop: as many groups as threads, for every group goes through all steps.
  [[nodiscard]] std::vector<std::int64_t> cut_loop(const Layout& layout) const;
  // The same if groups are known to be much faster: a few large instances will do, for they are shared out
  // further as soon as they have parts.
  [[nodiscard]] std::vector<std::int64_t> cut_early(const Layout& layout) const;
  // Do instances of these sizes keep all threads busy, if each is for one thread?
  [[nodiscard]] bool even(std::vector<std::int64_t> sizes) const;
  // Groups for a worker that comes to a call within its group: none if it is small enough to be computed as
  // it is. Cut is for the sake of the cache, or, if another worker is `idle`, to share.
  [[nodiscard]] std::vector<std::int64_t> cut_alone(ssa::FunctionId function, const Layout& layout,
                                                    bool idle) const;
  // A group failed: the whole must be run to know why, and so must further calls.
  void give_up(ssa::FunctionId function) { candidate_[static_cast<std::size_t>(function)] = false; }

 private:
  [[nodiscard]] bool pays(const Layout& layout, std::span<const std::int64_t> bounds) const;

  std::vector<bool> candidate_;
  std::vector<bool> recursive_;
  std::vector<bool> loops_;
  std::vector<bool> moves_only_;
  bool automatic_;
  std::int64_t group_bytes_;
  std::int64_t large_bytes_;
  std::int64_t moves_bytes_;  // of groups of what moves_only() says
  std::int64_t loop_bytes_;   // of groups of what loops() says
  std::int64_t threads_;
  std::int64_t least_instances_;
};

}  // namespace nvm::vm::block
