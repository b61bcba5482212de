// Moves by places that go up evenly within each segment (bytecode/plan/affine.h): runs are copied, no place
// is written or checked for each element.
#pragma once

#include <memory>
#include <optional>

#include "bytecode/plan/affine.h"
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

// In segment s of the space, by `inner`, an element belongs to that place in segment s of `outer`; kNone: the
// one segment that the space, or the other vector, is.
struct RunPlaces {
  std::int32_t inner = soac::kNone, outer = soac::kNone;
  plan::Affine places;
};

// Where a scatter puts things; nothing if these are not known to be runs, or not all are put.
[[nodiscard]] std::optional<RunPlaces> runs_of_scatter(const soac::Body& body, const plan::Sink& sink);
// Where an unfiltered store gathers its elements, as they are stored, if nothing else reads them.
[[nodiscard]] std::optional<RunPlaces> runs_of_store(const plan::Kernel& kernel,
                                                     const std::vector<plan::Var>& vars,
                                                     const plan::Sink& sink);

// A scatter of what stands in memory or scratch.
[[nodiscard]] std::unique_ptr<SinkCode> make_run_scatter(const SinkSpec& spec, const RunPlaces& places);
// A store of elements of the vector `spec.direct`, which is stored as `spec.out` is.
[[nodiscard]] std::unique_ptr<SinkCode> make_run_gather(const SinkSpec& spec, const RunPlaces& places);

}  // namespace nvm::vm::cpu
