#include "bytecode/base/call_once.h"

#include <catch2/catch.hpp>
#include <new>

TEST_CASE("call once: what throws is tried again, what returned is not") {
  nvm::CallOnce once;
  int calls = 0;
  CHECK_THROWS_AS(once([&] {
                    ++calls;
                    throw std::bad_alloc();
                  }),
                  std::bad_alloc);
  for (int i = 0; i < 2; ++i) once([&] { ++calls; });
  CHECK(calls == 2);
}
