// Values while code is flattened. Instances of an apply-to-each are lanes; a value lives at the outermost
// lanes on which it depends and is spread to inner ones only where that is unavoidable. A sequence is a set
// of lanes of its own (one per element) and the value of the element on them.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/core.h"
#include "frontend/flat.h"

namespace nvm::frontend {

// A set of instances, in order. Each belongs to one instance of the parent.
struct Lanes {
  enum class Kind : std::uint8_t {
    kRoot,      // one instance: serial code, and what all instances of a lifted function share
    kElements,  // `segments`: one segment per instance of the parent
    kChosen,  // instances of the parent that took a branch: where `flags` at the parent are true, or false if
              // `inverted`; `segments`: all in one
  };
  Kind kind = Kind::kRoot;
  const Lanes* parent = nullptr;
  int depth = 0;
  flat::Atom segments = -1;
  flat::Atom flags = -1;
  bool inverted = false;
  bool inhabited = false;  // known to have an instance where code on them runs
  std::int32_t id = 0;     // among all lanes of the function
  std::int32_t each = 0;   // kElements: the length of every segment, if it is known; else 0
};

struct Val;

// The parts of a value, shared by its copies: deeply nested values are copied at every level.
class Kids {
 public:
  Kids() = default;
  explicit Kids(std::vector<Val> kids);
  [[nodiscard]] const Val& operator[](std::size_t i) const;

 private:
  std::shared_ptr<const std::vector<Val>> kids_;
};

// Lanes are names: those of a sequence bind what lives on them inside its element, and where a sequence
// stands in the element of another of the same lanes, the inner one does. {{v : a in v} : v in vv} is such a
// value.
struct Val {
  const core::Type* type = nullptr;
  const Lanes* lanes = nullptr;  // scalar: where it lives; sequence: its elements
  flat::Atom atom = -1;          // scalar
  Kids kids;                     // pair: both; sequence: the element on `lanes`
};

inline Kids::Kids(std::vector<Val> kids) : kids_(std::make_shared<const std::vector<Val>>(std::move(kids))) {}
inline const Val& Kids::operator[](std::size_t i) const { return (*kids_)[i]; }

// Lanes on which the value as a whole depends (a sequence: the parent of its elements).
[[nodiscard]] const Lanes* level_of(const Val& value, const Lanes* root);
[[nodiscard]] inline const Lanes* deeper(const Lanes* a, const Lanes* b) {
  return b->depth > a->depth ? b : a;
}
[[nodiscard]] nvm::Type kind_of(const core::Type* scalar);
[[nodiscard]] TypeWord word_of(const core::Type* scalar);
[[nodiscard]] bool is_scalar(const core::Type* type);
[[nodiscard]] inline bool all_scalar(const core::Type* type) { return !type->has_sequences; }
// The kinds of the slots of a type.
void slot_kinds(const core::Type* type, std::vector<nvm::Type>& out);
// Of the slots of a value outside of all sequences: which have one element, or one segment, in any case.
void single_slots(const core::Type* type, std::vector<bool>& out);

// Where elements of `to` come from: the instance of `from` with number `index` in its segment.
struct IndexMap {
  const Lanes* from = nullptr;
  const Lanes* to = nullptr;
  flat::Atom index = -1;                            // at `to`, counted within segments
  flat::Atom from_segments = -1, to_segments = -1;  // equally many
  bool single = false;  // one of every segment: `index` is at the parent of `from`
  bool inside = false;  // no index can be out of range
  bool part = false;    // nothing is picked twice
};

class LaneOps {
 public:
  explicit LaneOps(flat::Builder& builder) : b_(builder) {}

  [[nodiscard]] const Lanes* root() const { return &root_; }
  const Lanes* elements(const Lanes* parent, flat::Atom segments, bool inhabited = false);
  // As many for every instance of the parent.
  const Lanes* regular(const Lanes* parent, std::int32_t each);
  const Lanes* chosen(const Lanes* parent, flat::Atom flags, bool inverted, flat::Atom all);

  // Descriptor of `inner` with one segment per instance of `outer`, which is an ancestor.
  flat::Atom segments(const Lanes* inner, const Lanes* outer);
  flat::Atom whole(const Lanes* lanes) { return segments(lanes, &root_); }
  flat::Atom count(const Lanes* lanes);  // of instances, one integer

  Val scalar(const core::Type* type, const Lanes* lanes, flat::Atom atom) { return {type, lanes, atom, {}}; }
  Val sequence(const Lanes* lanes, Val element);
  static Val pair(Val a, Val b);
  Val integer(std::int64_t value);
  Val boolean(bool value);
  Val unit() { return {core::base_type(core::TypeKind::kUnit), &root_, -1, {}}; }

  // Aborts unless `value` is one of the type that code on `lanes` can use: each part lives on the lanes that
  // bind it or on some around them.
  void check(const Val& value, const core::Type* type, const Lanes* lanes) const;
  // Is it the same value, vector by vector?
  static bool same(const Val& a, const Val& b);

  // The scalar's vector on `lanes`.
  flat::Atom at(const Val& scalar, const Lanes* lanes);
  // The value with everything in it on `lanes` and, for elements, on their own lanes.
  Val settle(const Val& value, const Lanes* lanes);
  // A sequence of outer lanes, copied to each instance of `lanes`.
  Val spread(const Val& sequence, const Lanes* lanes);
  // The slots of a settled value, and the value of slots.
  void slots(const Val& value, flat::Atoms& out);
  Val from_slots(const core::Type* type, const Lanes* lanes, const flat::Atoms& slots, std::size_t& next);
  // Lanes without instances under `lanes`' parent have these slots.
  void empty_slots(const core::Type* type, flat::Atoms& out);
  // The zero value of a type.
  Val zero(const core::Type* type);

  flat::Atom segment_of(const Val& sequence) const { return sequence.lanes->segments; }
  flat::Atom lengths(const Val& sequence);  // at the sequence's level
  flat::Atom packed_lengths(const Val& sequence, flat::Atom flags);

  Val gather(const Val& value, const IndexMap& map);
  // `value` of lanes `from` seen as of lanes `to`, which have the same instances.
  Val rename(const Val& value, const Lanes* from, const Lanes* to);
  // The flagged instances only: lanes `from` to lanes `to`. `segments` describes `from`.
  Val pack(const Val& value, const Lanes* from, const Lanes* to, flat::Atom flags);
  // Where the flagged instances are among all, and one segment of as many.
  flat::Atoms places(flat::Atom flags, const Lanes* lanes);
  // The flagged elements of sequences: a sequence of `inner`'s parent.
  Val pack_elements(const Lanes* inner, const Val& element, flat::Atom flags);
  // Values of several lanes, each put at its places (disjoint, together everything) of `to`.
  struct Source {
    Val value;          // settled
    flat::Atom places;  // counted within segments
    flat::Atom from_segments, to_segments;
  };
  // What is there where no source puts anything, settled at `to`: where the flags are true.
  struct Rest {
    Val value;
    flat::Atom flags;
  };
  Val scatter(const std::vector<Source>& sources, const Lanes* to, const Rest* rest = nullptr);
  // Descriptor of consecutive segments of these lengths.
  flat::Atom descriptor(flat::Atom lengths) { return b_.op(Op::kMakeSegdes, TypeWord::kNone, {lengths}); }
  // start, start + stride, ... in every segment of `lanes`; `start` at an ancestor.
  flat::Atom iota(const Val& start, const Val& stride, const Lanes* lanes);
  flat::Atom iota(const Lanes* lanes) { return iota(integer(0), integer(1), lanes); }
  // One segment of length one per instance.
  flat::Atom ones(const Lanes* lanes);
  // The parts that live on `from` spread to `lanes`, its descendants; outer ones stay.
  Val lower(const Val& value, const Lanes* from, const Lanes* lanes);
  // Elements of sequences at `lanes` do not live on `lanes` itself.
  Val normal(const Val& value, const Lanes* lanes);
  // The vectors of a normal value that have to do with `lanes`, and the value with others in their place.
  void collect(const Val& value, const Lanes* lanes, flat::Atoms& out);
  Val rebuild(const Val& value, const Lanes* from, const Lanes* to, const flat::Atoms& atoms,
              std::size_t& next);
  flat::Atom spread_atom(flat::Atom atom, TypeWord word, flat::Atom segments);
  flat::Atom read_lengths(flat::Atom segments) { return b_.op(Op::kLengths, TypeWord::kNone, {segments}); }
  flat::Atom int_op(Op op, flat::Atom x, flat::Atom y) { return b_.op(op, word_for(op), {x, y}); }
  // Offsets of consecutive segments of `lengths`, an integer vector of `lanes`.
  flat::Atom offsets(flat::Atom lengths, const Lanes* lanes);

 private:
  flat::Atom composed_segments(const Lanes* inner, const Lanes* outer);
  [[nodiscard]] std::int32_t next_lanes() const { return static_cast<std::int32_t>(lanes_.size()) + 1; }
  static TypeWord word_for(Op op) {
    return op_info(op).words == Words::kNoWord ? TypeWord::kNone : TypeWord::kInt;
  }
  flat::Atom everywhere(const Val& number, const Lanes* lanes);
  Val chosen_of(const Val& value, flat::Atom flags);
  flat::Atom picked(flat::Atom atom, TypeWord word, const IndexMap& map);
  std::optional<flat::Atom> picked_behind(flat::Atom atom, TypeWord word, const IndexMap& map);
  Val gather_by(const Val& value, std::vector<IndexMap>& maps);
  Val rename_by(const Val& value, std::vector<std::pair<const Lanes*, const Lanes*>>& names);

  flat::Builder& b_;
  Lanes root_;
  std::deque<Lanes> lanes_;
};

}  // namespace nvm::frontend
