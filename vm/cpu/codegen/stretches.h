// Stretches: iterations over which the index of a gather goes up or down by the same number each, mostly by
// one, so that the gather is a load, or a few (codegen/strided.h). A rotation has two, wherever it comes
// from: i + k and i + k - n. Which gathers may have stretches is known when a stage is compiled, which
// iterations are in them when it runs; the stage has a second function, in which these gathers are loads at
// an address of their own, for whole vectors inside a stretch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "bytecode/soac/body.h"
#include "bytecode/table/types.h"
#include "vm/cpu/codegen/list_runs.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

// The gathers that `spec` needs whose index is of the iteration, constants and uniforms by operations that
// are affine piece by piece; for rows (codegen/rows.h), also of what is one number in a row, and of what is
// looked up in a list that rows share.
[[nodiscard]] StretchIndices stretch_indices(const StageSpec& spec);

struct Stretch {
  std::int64_t begin = 0, end = 0;
  struct Offset {
    std::int32_t gather;  // value
    std::int64_t by;      // index minus iteration times stride
    std::int64_t stride = 1;
    [[nodiscard]] std::int64_t at(std::int64_t i) const { return i * stride + by; }
  };
  std::vector<Offset> offsets;  // of all gathers that the stage's second function loads
  [[nodiscard]] const Offset& of(std::int32_t gather) const {
    return *std::find_if(offsets.begin(), offsets.end(), [&](const Offset& o) { return o.gather == gather; });
  }
};

// A segment that is not empty.
struct Row {
  std::int64_t number = 0, begin = 0, end = 0;
};

// What is known at run time only.
struct StretchFacts {
  std::function<std::int64_t(std::int32_t var)> uniform;
  std::function<std::int64_t(const soac::BodyInst& gather)> length;
  std::function<std::int64_t(std::int32_t var, std::int64_t i)> element;         // of per-segment pulls
  std::function<ListRuns::Element(std::int32_t var, std::int64_t i)> looked_up;  // of lists
};

// Long stretches of the first n iterations in which no value settled traps and no gather leaves its vector,
// all for one function: of neighbours if there are any, else with strides. None if they are few or cover
// little.
[[nodiscard]] std::vector<Stretch> find_stretches(const StretchIndices& indices, const soac::Body& body,
                                                  IntBits bits, std::int64_t n, const StretchFacts& facts);

// From iteration i of `row` on, as far as that is known and not beyond its end. False: some gather is none of
// neighbours there, or something traps; the stretch then ends where that may change.
[[nodiscard]] bool find_stretch(const StretchIndices& indices, const soac::Body& body, IntBits bits,
                                std::int64_t i, const Row& row, const StretchFacts& facts, Stretch& stretch);

// The stretches of rows of one length, found once, of the first: others have the same if the numbers of a row
// that indices are computed from are the same.
class RowStretches {
 public:
  RowStretches() = default;
  // Of none if indices depend on the row's number or place, or the stretches are many.
  RowStretches(const StretchIndices& indices, const soac::Body& body, IntBits bits, std::int64_t length,
               const StretchFacts& facts);
  [[nodiscard]] bool hold(const Row& row, const StretchFacts& facts) const;
  // As find_stretch, where they hold.
  [[nodiscard]] bool find(std::int64_t i, const Row& row, Stretch& stretch) const;

 private:
  struct Piece {
    Stretch in_row;  // counted from its beginning
    bool straight;
  };
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> from_row_;                          // gathers whose vector is the row
  std::vector<std::pair<std::int32_t, std::int64_t>> numbers_;  // of the first row, by vector
};

}  // namespace nvm::vm::cpu
