// malloc() of this executable, which can be told to fail.
#pragma once

namespace nvm::testing {

// The `at`-th allocation from now on fails, from 1.
void fail_allocation(long at);
// Whether it has come to that; afterwards none fails.
[[nodiscard]] bool failed();

}  // namespace nvm::testing
