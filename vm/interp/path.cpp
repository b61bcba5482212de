#include "vm/interp/path.h"

#include <algorithm>
#include <map>
#include <utility>

#include "vm/data/value.h"
#include "vm/interp/code.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

void check_size(const PathBytes& bytes) {
  if (bytes.size() > kMostBytes) throw Fault{Fault::Kind::kDenied, "a group makes too many calls to count"};
}

class Reader {
 public:
  explicit Reader(const PathBytes& bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  [[nodiscard]] bool done() const { return at_ == end_; }
  [[nodiscard]] std::uint32_t peek() const {
    std::uint32_t mark = 0;
    const std::uint8_t* p = at_;
    for (int shift = 0;; shift += 7) {
      mark |= static_cast<std::uint32_t>(*p & 0x7F) << shift;
      if ((*p++ & 0x80) == 0) return mark;
    }
  }
  std::uint32_t next(PathBytes& copy) {
    const std::uint32_t mark = peek();
    while ((*at_ & 0x80) != 0) copy.push_back(*at_++);
    copy.push_back(*at_++);
    return mark;
  }
  void skip() {
    while ((*at_ & 0x80) != 0) ++at_;
    ++at_;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace

void Path::open() {
  check_size(bytes_);
  tails_.push_back(0);
}

void Path::leave() {
  before_.insert(before_.end(), bytes_.begin(), bytes_.end());
  bytes_.clear();
}

void Path::end_level() {
  rests_.insert(rests_.end(), bytes_.begin(), bytes_.end());
  rest_ends_.push_back(rests_.size());
  bytes_.clear();
  check_size(rests_);
}

void Path::put_together() {
  leave();
  for (std::size_t level = rest_ends_.size(); level-- > 0;) {
    const std::size_t begin = level == 0 ? 0 : rest_ends_[level - 1];
    before_.insert(before_.end(), rests_.begin() + static_cast<std::ptrdiff_t>(begin),
                   rests_.begin() + static_cast<std::ptrdiff_t>(rest_ends_[level]));
  }
  bytes_ = std::exchange(before_, {});
  rests_.clear();
  rest_ends_.clear();
}

void Path::append(const PathBytes& activation) {
  bytes_.insert(bytes_.end(), activation.begin(), activation.end());
}

PathBytes Path::take() {
  tails_.clear();
  return std::exchange(bytes_, {});
}

// Of what stands twice only the code for some of the instances has marks; that for all of them has the same.
void mark_blocks(CodeFunction& function, std::vector<Mark>& marks) {
  ssa::BlockId block = -1;
  std::int32_t twin = 0;
  std::map<std::int32_t, std::uint32_t> of_twin;
  for (Step& step : function.steps) {
    const bool calls = step.kind == StepKind::kCall || step.kind == StepKind::kTailCall;
    const bool counts = step.kind == StepKind::kPrimitive && step.counted != Counted::kNothing;
    if ((!calls && !counts) || step.inst->twin < 0) continue;
    if (step.site.block != block || step.inst->twin != twin) {
      block = step.site.block;
      twin = step.inst->twin;
      step.mark = static_cast<std::uint32_t>(marks.size());
      if (twin > 0) of_twin[twin] = step.mark;
      marks.emplace_back();
    }
    Mark& mark = marks.back();
    mark.calls += calls ? 1 : 0;
    mark.depth += counts ? 1 : 0;
    mark.work += counts ? static_cast<std::uint64_t>(step.inst->flat_work) : 0;
  }
  twin = 0;
  for (Step& step : function.steps) {
    if (step.inst == nullptr || step.inst->twin >= 0 || step.inst->twin == twin) continue;
    if (step.kind != StepKind::kPrimitive || step.counted == Counted::kNothing) continue;
    twin = step.inst->twin;
    step.mark = of_twin.at(-twin);
  }
}

PathBytes unite(std::span<const Mark> marks, const PathBytes& a, const PathBytes& b) {
  if (a.empty() || a == b) return b;
  if (b.empty()) return a;
  PathBytes both;
  both.reserve(std::max(a.size(), b.size()) + 16);
  Reader left(a), right(b);
  std::uint64_t open = 1;  // activations that both are in, or will be
  while (open > 0) {
    const std::uint32_t l = left.peek(), r = right.peek();
    if (l == r) {
      left.next(both);
      right.skip();
      open = l == 0 ? open - 1 : open + marks[l].calls;
      continue;
    }
    // Only one of them came to this block, and to what it calls.
    Reader& alone = r == 0 || (l != 0 && l < r) ? left : right;
    std::uint64_t calls = marks[alone.next(both)].calls;
    while (calls > 0) {
      const std::uint32_t mark = alone.next(both);
      calls = mark == 0 ? calls - 1 : calls + marks[mark].calls;
    }
  }
  check_size(both);
  return both;
}

Mark sum_of(std::span<const Mark> marks, const PathBytes& path) {
  Mark sum;
  for (Reader reader(path); !reader.done(); reader.skip()) {
    const Mark& mark = marks[reader.peek()];
    sum.work += mark.work;
    sum.depth += mark.depth;
  }
  return sum;
}

}  // namespace nvm::vm
