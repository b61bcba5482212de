// What the standard library's parallel algorithms need to run on indices.
#pragma once

#include <algorithm>
#include <execution>

#include "tests/bench/suite/array.h"
#include "tests/bench/suite/parallel.h"

namespace nvm::bench {

// out[i] = f(i) for all i, by std::for_each(par_unseq) over the results: the iterators of views::iota would
// make it serial.
template <typename T, typename F>
void for_each_result(int threads, const Array<T>& out, F f) {
  in_arena(threads, [&] {
    std::for_each(std::execution::par_unseq, out.begin(), out.end(),
                  [&](T& to) { to = f(&to - out.data()); });
  });
}

}  // namespace nvm::bench
