// Vectors that are not written: what stands for one in its slot. A view says where its elements come from,
// and by which map of their places: in segment k they begin at base(k) and go on by a stride. Who leaves one
// knows that all who read it take it so (bytecode/ssa/demand.h); materialise() (vm/prims/views.h) writes the
// elements after all.
#pragma once

#include <memory>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "vm/data/value.h"

namespace nvm::ssa {
struct Inst;
}

namespace nvm::vm {

struct View;
using ViewRef = std::shared_ptr<const View>;

// An element for each segment: those of `list`, over and over if they are fewer than segments, each time
// greater by `growth`.
struct Progression {
  Vector list;
  std::int64_t growth = 0;
};

// One of those that a vector is put together from (vm/prims/assembly.h): `v`, a vector or the view of one,
// goes by runs of places to the segments of what is assembled.
struct AssemblyPart {
  Value v;
  ViewRef runs;
  Segdes source;
  // Of equally many elements each, the run of every segment goes to `offset`; else where those go that are
  // not empty, as Table::note_pieces has it.
  bool regular = false;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t count = 0;
  BufferRef pieces;

  // Elements that it fills.
  [[nodiscard]] std::int64_t elements() const { return source.total(); }
};

struct View {
  enum class Source : std::uint8_t {
    kNumbers,   // base(k) + i * stride(k) is element i of segment k
    kElements,  // x[base(k) + i] is
    kCompare,   // x compared with base(k) in segment k
    kBody,      // `op` and `word`, elementwise, of `operands`, some of which are views
    kAssembly,  // `parts` over x
    kPending,   // runs of what a call is still to give, from base.list on each (vm/prims/destination.h)
    kRanks,     // places that only sorting needs (vm/prims/sort.h): ascending if `compare` is kLt, else
                // descending
  };
  enum class Half : std::uint8_t { kNone, kFirst, kSecond };
  static constexpr std::int64_t kLongestPeriod = 8;

  Source source = Source::kNumbers;
  Scalar compare = Scalar::kEq;  // kCompare, kRanks
  Op op = Op::kExit;             // kBody
  TypeWord word = TypeWord::kNone;
  Half half = Half::kNone;  // kElements
  bool spreads = false;     // kNumbers: all strides are 0
  Segdes s;                 // its segments
  Segdes other;             // half: its segments and these lie in x by turns
  Vector x;
  Progression base;
  Vector strides;  // kNumbers: as base.list; none: all are 1
  std::vector<AssemblyPart> parts;
  std::vector<Value> operands;      // kBody
  const ssa::Inst* move = nullptr;  // of a gather: the BPERMUTE that left it

  // Has each segment a number of its own in base.list?
  [[nodiscard]] bool one_each() const { return base.list.length() == s.segments(); }

  // Shapes, by which readers choose. One element for all of each segment.
  [[nodiscard]] bool is_spread() const { return source == Source::kNumbers && spreads; }
  // Numbers counted up in each segment.
  [[nodiscard]] bool is_runs() const {
    return source == Source::kNumbers && !spreads && strides.length() == 0 && one_each();
  }
  // The same by strides.
  [[nodiscard]] bool is_strided() const {
    return source == Source::kNumbers && strides.length() > 0 && one_each();
  }
  // A few numbers over and over, each time greater by as much.
  [[nodiscard]] bool is_periodic() const {
    return source == Source::kNumbers && !spreads && strides.length() == 0 && s.is_regular() &&
           s.regular_length() == 1 && base.list.length() <= kLongestPeriod;
  }
  // Numbers counted up or down, in equally long segments, from such.
  [[nodiscard]] bool is_periodic_runs() const {
    return source == Source::kNumbers && strides.length() > 0 && s.is_regular() &&
           strides.length() <= kLongestPeriod;
  }
  // The elements of x by a list of indices, base.list, which lie inside.
  [[nodiscard]] bool is_gather() const { return source == Source::kElements && move != nullptr; }
  // The first or the second of the two parts of every segment of x.
  [[nodiscard]] bool is_half() const { return source == Source::kElements && half != Half::kNone; }
  // Of each segment of x, base.growth elements long, those from base.list on.
  [[nodiscard]] bool is_slice() const { return source == Source::kElements && base.growth > 0; }
  [[nodiscard]] bool is_map() const { return source == Source::kBody; }
};

// What a value is if it is not written; else null.
[[nodiscard]] inline const View* view_of(const Value& value) {
  const auto* v = std::get_if<ViewRef>(&value);
  return v != nullptr ? v->get() : nullptr;
}
// If it has this shape (as &View::is_runs) or source; else null.
[[nodiscard]] inline const View* view_of(const Value& value, bool (View::*shape)() const) {
  const View* v = view_of(value);
  return v != nullptr && (v->*shape)() ? v : nullptr;
}
[[nodiscard]] inline const View* view_of(const Value& value, View::Source source) {
  const View* v = view_of(value);
  return v != nullptr && v->source == source ? v : nullptr;
}

[[nodiscard]] inline ViewRef make_view(View&& v) { return std::make_shared<const View>(std::move(v)); }
// x[k], x[k] + strides[k], ... in segment k of `s`; without strides x[k], x[k] + 1, ...
[[nodiscard]] inline ViewRef runs_view(const Segdes& s, Vector x, Vector strides = {}) {
  View v;
  v.s = s;
  v.base.list = std::move(x);
  v.strides = std::move(strides);
  return make_view(std::move(v));
}
// x[k] for all of segment k.
[[nodiscard]] inline ViewRef spread_view(const Segdes& s, Vector x) {
  View v;
  v.spreads = true;
  v.s = s;
  v.base.list = std::move(x);
  return make_view(std::move(v));
}

}  // namespace nvm::vm
