#include "vm/prims/runs.h"

#include <algorithm>
#include <atomic>

#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kMostRuns = 16;  // in a part of the indices; more are not worth the moving one by one

// Runs of indices begin..end-1, elements counted from `origin`; none if there are too many.
std::vector<Run> runs_of_part(const PrimContext& context, const Indices& idx, std::int64_t origin,
                              std::int64_t begin, std::int64_t end) {
  const auto run_length = kernel_table(context.isa).run_length[idx.kind()];
  std::vector<Run> runs;
  for (std::int64_t i = begin; i < end;) {
    if (runs.size() == kMostRuns) return {};
    const std::int64_t step = i + 1 < end && idx[i + 1] < idx[i] ? -1 : 1;
    const std::int64_t length = run_length(idx.at(i), end - i, step);
    runs.push_back({i - origin, idx[i], length, step});
    i += length;
  }
  return runs;
}

bool continues(const Run& a, const Run& b) { return a.step == b.step && b.to == a.to + a.step * a.length; }

std::int64_t lowest(const Run& r) { return r.step > 0 ? r.to : r.to - (r.length - 1); }

// Do the runs cover 0..n-1, each place once?
bool cover(std::vector<Run> runs, std::int64_t n) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return lowest(a) < lowest(b); });
  std::int64_t next = 0;
  for (const Run& r : runs) {
    if (lowest(r) != next) return false;
    next += r.length;
  }
  return next == n;
}

}  // namespace

std::vector<Run> few_runs(const PrimContext& context, const Indices& idx, std::int64_t begin,
                          std::int64_t n) {
  const std::int64_t parts = n < 2 * context.grain ? 1 : std::max(1, context.threads);
  const auto bound = [&](std::int64_t p) { return begin + n / parts * p + std::min(p, n % parts); };
  std::vector<std::vector<Run>> found(static_cast<std::size_t>(parts));
  for_chunks(context, parts, [&](std::int64_t p) {
    found[static_cast<std::size_t>(p)] = runs_of_part(context, idx, begin, bound(p), bound(p + 1));
  });
  std::vector<Run> all;
  for (const std::vector<Run>& part : found) {
    if (part.empty()) return {};
    for (const Run& r : part) {
      if (!all.empty() && continues(all.back(), r))
        all.back().length += r.length;
      else
        all.push_back(r);
    }
  }
  return cover(all, n) ? all : std::vector<Run>{};
}

bool ascends(const PrimContext& context, const Indices& idx, std::int64_t n) {
  if (n == 0) return true;
  const auto run_length = kernel_table(context.isa).run_length[idx.kind()];
  std::atomic<bool> same{true};
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    if (!same.load(std::memory_order_relaxed)) return;
    if (idx[begin] != idx[0] + begin || run_length(idx.at(begin), end - begin, 1) != end - begin)
      same = false;
  });
  return same;
}

void move_by_runs(const PrimContext& context, const std::vector<Run>& runs, const Elements& v,
                  std::int64_t begin, std::int64_t n, const Fresh& out) {
  const auto reverse = kernel_table(context.isa).reverse[width_index(v.storage())];
  for_ranges(context, n, [&](std::int64_t low, std::int64_t high) {
    for (const Run& r : runs) {
      const std::int64_t first = std::max(low, r.from);
      const std::int64_t last = std::min(high, r.from + r.length);
      if (first >= last) continue;
      const std::int64_t to = begin + r.to + r.step * (first - r.from);
      const std::byte* from = v.at(begin + first);
      if (r.step > 0)
        std::memcpy(out.at(to), from, static_cast<std::size_t>(v.at(begin + last) - from));
      else
        reverse(from, last - first, out.at(to - (last - first - 1)));
    }
  });
}

}  // namespace nvm::vm
