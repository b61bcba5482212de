#include "frontend/nesl/prims.h"

#include <algorithm>
#include <array>

namespace nvm::frontend {
namespace {

using core::Prim;

constexpr std::array kRows{
#define PRIM(id, parameters, type, doc) Prim::id,
#include "frontend/nesl/prims.def"
};
constexpr std::array kPrims{
#define PRIM(id, name, place, effect) Prim::id,
#include "frontend/prims.def"
};
static_assert(std::ranges::equal(kRows, kPrims), "one row for each primitive of core code, in its order");

}  // namespace

const std::vector<Primitive>& all_primitives() {
  static const std::vector<Primitive> primitives = {
#define PRIM(id, parameters, type, doc) {Prim::id, parameters, type, doc},
#include "frontend/nesl/prims.def"
  };
  return primitives;
}

const Primitive& primitive(Prim prim) { return all_primitives()[static_cast<std::size_t>(prim)]; }

}  // namespace nvm::frontend
