// A straight line of steps as a region, once for each kind of values that it meets: what LineHooks run.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "vm/interp/code.h"
#include "vm/tier/jit.h"

namespace nvm::vm {

// Where a line reads a value that was there before, and what that must be like.
struct LineSource {
  Operand from = Operand::constant(0);
  bool read = false;  // by an instruction; else it is only moved, and may be anything
  bool is_desc = false;
  Storage storage = Storage::kI64;
  soac::DescForm form = soac::DescForm::kIrregular;
  soac::LengthId length = soac::kNone, total = soac::kNone;  // of the region
  std::int32_t same_as = -1;  // the source that is the same vector or descriptor, if >= 0
};

// What the line leaves in a slot.
struct LinePut {
  enum class Kind : std::uint8_t { kMade, kSource, kConstant, kRepeated, kNothing };
  std::int32_t slot = 0;
  Kind kind = Kind::kNothing;
  std::int32_t from = 0;  // variable of the region, source, constant of the code, or LineVariant::repeated
};

// One line as it runs on values of some lengths and storages. Immutable but for `dead`.
struct LineVariant {
  struct Input {
    soac::VarId var;
    std::int32_t source;
  };
  // A DIST of one value, of sources or constants, that whoever reads it behind the line finds unwritten, as
  // the primitives leave it.
  struct Repeated {
    struct From {
      bool constant = false;
      std::int32_t number = 0;
    };
    std::array<From, 2> operands;
    TypeWord word = TypeWord::kNone;
  };
  RecordedRegion pattern;  // inputs: constants of the code only; lengths: theirs and that of one, else -1
  std::vector<LineSource> sources;
  std::vector<Input> inputs;
  std::vector<LinePut> puts;
  std::vector<Repeated> repeated;
  RegionEntry entry;                      // its code is null if it is left to the primitives
  mutable std::atomic<bool> dead{false};  // a check failed
};

// The variant for the values that are in `frame` now, not yet compiled; null if it can't be one. `inputs`: by
// constant, whether a run gives it.
[[nodiscard]] std::unique_ptr<LineVariant> trace_line(const CodeFunction& function, const Line& line,
                                                      const Value* frame, std::span<const Value> constants,
                                                      const std::vector<bool>& inputs, IntBits bits);

}  // namespace nvm::vm
