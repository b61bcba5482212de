#include <algorithm>

#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

SegmentCursor seek(const plan::Desc& desc, std::int64_t at) {
  SegmentCursor c{&desc, 0, true};
  if (at == 0) return c;  // empty segments in front belong to the first element
  if (desc.offsets != nullptr) {
    c.segment = std::lower_bound(desc.offsets, desc.offsets + desc.segments + 1, at) - desc.offsets;
  } else if (desc.regular_length > 0) {
    c.segment = (at + desc.regular_length - 1) / desc.regular_length;
  }
  if (c.segment <= desc.segments && segment_offset(desc, c.segment) > at) {
    --c.segment;
    c.fresh = false;
  }
  return c;
}

}  // namespace nvm::vm::cpu
