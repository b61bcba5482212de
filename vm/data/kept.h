// Values whose memory belongs to somebody else than who keeps them.
#pragma once

#include <memory>

#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// The same elements where they lie, which keep `owner`, whoever owns their pool, as long as they are needed.
[[nodiscard]] Value with_owner(const Value& value, const std::shared_ptr<const void>& owner);
// The value itself, or a copy in `to` if its elements lie in `from`, which may go before it.
[[nodiscard]] Value moved_out(const Value& value, const Pool& from, Pool& to);

}  // namespace nvm::vm
