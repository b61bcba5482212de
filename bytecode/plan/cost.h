// What a schedule minimises: bytes that kernels move plus what a launch costs, for vectors of a typical
// length, since lengths are symbols when a plan is made.
#pragma once

#include "bytecode/plan/plan.h"
#include "bytecode/soac/graph.h"

namespace nvm::plan {

inline constexpr double kTypicalLength = 1.0e6;  // elements behind a length given by the caller
inline constexpr double kKeptShare = 0.5;        // share of elements that a filter is expected to keep
inline constexpr double kLaunchBytes = 2.0e5;    // a launch and its barrier, as bytes moved meanwhile
inline constexpr double kGatherFactor = 4.0;     // a gathered element, as streamed elements

// Expected elements of a symbolic length.
[[nodiscard]] double expected_length(const soac::Graph& graph, LengthId length);
// Bytes that storing (or loading) all elements of a vector moves.
[[nodiscard]] double vector_bytes(const soac::Graph& graph, VarId x);
// Bytes that the pulls of a kernel's body read.
[[nodiscard]] double body_bytes(const soac::Graph& graph, const Body& body, LengthId space);
// Launch cost of a kernel over `space`: none for scalar work, which the host does.
[[nodiscard]] double launch_cost(const soac::Graph& graph, LengthId space);

}  // namespace nvm::plan
