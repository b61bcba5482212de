#include "bytecode/plan/columns.h"

#include <algorithm>
#include <bit>

#include "bytecode/plan/cost.h"

namespace nvm::plan {

namespace {

using Set = std::uint64_t;  // of anchors, by number
constexpr std::size_t kMostAnchors = 64;

Set with(Set s, std::int32_t anchor) { return s | Set{1} << anchor; }

void make_unique(std::vector<std::int32_t>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

// Grows sets in the order of the anchors: what is composed pulls only from what stands before it, so that a
// set is legal only if it was without its last member.
class Enumeration {
 public:
  Enumeration(const soac::Graph& graph, const Placer& placer, std::size_t most)
      : graph_(graph), anchors_(placer.anchors()), most_(most), schedule_(placer.schedule()) {
    for (std::size_t i = 0; i < anchors_.size(); ++i) kernel_of(i) = static_cast<std::int32_t>(i);
  }

  std::optional<std::vector<Column>> run() {
    find_before();
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      Column empty;
      empty.space = node(i).space;
      grow(empty, 0, Body{}, i);
      if (found_.size() > most_) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] const soac::Node& node(std::size_t i) const {
    return graph_.nodes[static_cast<std::size_t>(anchors_[i])];
  }
  std::int32_t& kernel_of(std::size_t i) { return schedule_.kernel[static_cast<std::size_t>(anchors_[i])]; }
  // The number of the kernel whose set grows: behind all others, since whether these can run before it is not
  // a question of the set.
  [[nodiscard]] std::int32_t growing() const { return static_cast<std::int32_t>(anchors_.size()); }

  // What each anchor pulls from, by others or not: wherever both are, it cannot run before that. A segment
  // descriptor is no such thing, since over another space another one stands for it.
  void find_before() {
    before_.resize(anchors_.size());
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      Body body;
      kernel_of(i) = growing();
      const auto reads = joined(graph_, schedule_, growing(), node(i).space, anchors_[i], body);
      kernel_of(i) = static_cast<std::int32_t>(i);
      if (!reads) continue;
      for (const std::int32_t r : *reads) {
        const auto from = static_cast<std::size_t>(r);
        const bool finds = finder_of(graph_, node(i).space) == anchors_[from];
        if (finds || !filters(node(from))) before_[i] |= with(before_[from], r);
      }
    }
  }
  // Would an anchor between the members and i, of which it is none, have to run both before and behind them?
  [[nodiscard]] bool encloses(Set members, std::size_t i) const {
    for (Set others = before_[i] & ~members; others != 0; others &= others - 1)
      if ((before_[static_cast<std::size_t>(std::countr_zero(others))] & members) != 0) return true;
    return false;
  }

  // Adds anchor i, and then all sets of later ones.
  void grow(const Column& from, Set members, Body body, std::size_t i) {
    if (encloses(members, i)) return;
    kernel_of(i) = growing();
    if (const auto reads = joined(graph_, schedule_, growing(), from.space, anchors_[i], body)) {
      Column column = from;
      column.members.push_back(static_cast<std::int32_t>(i));
      column.reads.insert(column.reads.end(), reads->begin(), reads->end());
      make_unique(column.reads);
      column.loads = loads(body);
      column.cost = cost(column, body);
      found_.push_back(column);
      for (std::size_t next = i + 1; next < anchors_.size() && found_.size() <= most_; ++next)
        grow(column, with(members, static_cast<std::int32_t>(i)), body, next);
    }
    kernel_of(i) = static_cast<std::int32_t>(i);
  }

  [[nodiscard]] std::vector<std::int32_t> loads(const Body& body) const {
    std::vector<std::int32_t> found;
    for (const soac::BodyInst& in : body.insts) {
      if (in.pull != soac::Pull::kElement) continue;
      const std::int32_t p = graph_.producer[static_cast<std::size_t>(in.var)];
      if (p >= 0 && !schedule_.stored[static_cast<std::size_t>(p)])
        found.push_back(schedule_.kernel[static_cast<std::size_t>(p)]);
    }
    make_unique(found);
    return found;
  }
  [[nodiscard]] double cost(const Column& column, const Body& body) const {
    double bytes = launch_cost(graph_, column.space) + body_bytes(graph_, body, column.space);
    for (const std::int32_t m : column.members) {
      const auto n = static_cast<std::size_t>(anchors_[static_cast<std::size_t>(m)]);
      if (schedule_.stored[n]) bytes += vector_bytes(graph_, graph_.nodes[n].out);
    }
    return bytes;
  }

  const soac::Graph& graph_;
  const std::vector<std::int32_t>& anchors_;
  std::size_t most_;
  Schedule schedule_;  // each anchor in the kernel of its own number, but for the members of the growing set
  std::vector<Set> before_;
  std::vector<Column> found_;
};

}  // namespace

std::optional<std::vector<Column>> columns_of(const soac::Graph& graph, const Placer& placer,
                                              std::size_t most) {
  if (placer.anchors().size() > kMostAnchors) return std::nullopt;
  return Enumeration(graph, placer, most).run();
}

}  // namespace nvm::plan
