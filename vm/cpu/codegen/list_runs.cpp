#include "vm/cpu/codegen/list_runs.h"

#include <algorithm>

namespace nvm::vm::cpu {

namespace {

constexpr std::size_t kMost = 64;

template <typename T, typename Begin>
bool find_runs(const T* list, std::int64_t n, Begin begin) {
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t first = i, value = list[i];
    if (!begin(first, value)) return false;
    const auto follows = [&](std::int64_t k) {  // without overflow
      return static_cast<std::uint64_t>(list[k]) - static_cast<std::uint64_t>(value) ==
             static_cast<std::uint64_t>(k - first);
    };
    for (++i; i < n && follows(i);) ++i;
  }
  return true;
}

}  // namespace

std::optional<ListRuns> ListRuns::of(const void* list, Storage storage, std::int64_t n) {
  ListRuns found;
  found.n_ = n;
  const auto begin = [&](std::int64_t i, std::int64_t value) {
    found.runs_.push_back({i, value});
    return found.runs_.size() <= kMost && value >= 0;
  };
  bool few = false;
  switch (storage) {
    case Storage::kI8: few = find_runs(static_cast<const std::int8_t*>(list), n, begin); break;
    case Storage::kI32: few = find_runs(static_cast<const std::int32_t*>(list), n, begin); break;
    case Storage::kI64: few = find_runs(static_cast<const std::int64_t*>(list), n, begin); break;
    default: break;
  }
  return few ? std::optional(std::move(found)) : std::nullopt;
}

ListRuns::Element ListRuns::at(std::int64_t i) const {
  if (i < 0 || i >= n_) return {};
  const auto behind = std::upper_bound(runs_.begin(), runs_.end(), i,
                                       [](std::int64_t k, const Run& r) { return k < r.begin; });
  const Run& run = *(behind - 1);
  const std::int64_t end = behind == runs_.end() ? n_ : behind->begin;
  return {run.value + (i - run.begin), end - 1 - i};
}

}  // namespace nvm::vm::cpu
