// The primitives of core code as NESL has them: callable under the names that they have there.
#pragma once

#include <vector>

#include "frontend/core.h"

namespace nvm::frontend {

struct Primitive {
  core::Prim prim;
  const char* parameters;  // "v, i", "" of those that no user calls
  const char* type;        // "(int, int) -> int"
  const char* doc;

  [[nodiscard]] const char* name() const { return core::prim_info(prim).name; }
  [[nodiscard]] bool serial() const { return core::prim_info(prim).place == core::Place::kSerial; }
};

[[nodiscard]] const Primitive& primitive(core::Prim prim);
[[nodiscard]] const std::vector<Primitive>& all_primitives();  // one for each, in the order of core::Prim

}  // namespace nvm::frontend
