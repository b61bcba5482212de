// Reductions and scans of all types.
#pragma once

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// The loops that fold elements stored so.
[[nodiscard]] const kernels::Fold& fold_kernels(const PrimContext& context, Scalar scalar, Storage storage);

// +_SCAN or +_REDUCE INT of all lengths of a descriptor whose sums are kept (vm/data/sums.h): no pass. False
// if it is not that.
[[nodiscard]] bool sums_known(Op op, TypeWord word, std::span<const Value> operands, IntBits bits,
                              Value& result);

void reduce(const PrimCall& call);
void scan(const PrimCall& call);

}  // namespace nvm::vm
