// The quicksorts that a NESL quicksort is measured against, and the inputs, the six distributions of
// GPU-Quicksort (Cederman and Tsigas 2008) that cuNesl's paper uses, and keys below 100. Every input is also
// written as .npy, so that both sides sort the same numbers; tests/bench/quicksort.py runs both.
//
//   quicksort_bench N DIRECTORY [INPUT ...]     a line per input: name, milliseconds of std::sort and of the
//   parallel one
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using Keys = std::vector<std::int64_t>;

// ---- a parallel quicksort of ParlayLib's kind: three ways, packing into fresh memory, std::sort at leaves

constexpr std::int64_t kLeaf = 10000;
constexpr std::int64_t kBlock = 1 << 15;

// Not at quarters, where the sections of some inputs meet.
std::int64_t pivot_of(const std::int64_t* v, std::int64_t n) {
  const std::int64_t a = v[n / 5], b = v[n / 2], c = v[4 * n / 5];
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

struct Counts {
  std::int64_t less = 0, same = 0, more = 0;
};

// Sorts `from` into `to`; both are scratch of equal size. `in_from`: the result is to lie in `from`.
void quicksort(std::int64_t* from, std::int64_t* to, std::int64_t n, bool in_from) {
  if (n < kLeaf) {
    std::sort(from, from + n);
    if (!in_from) std::copy(from, from + n, to);
    return;
  }
  const std::int64_t pivot = pivot_of(from, n);
  const std::int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<Counts> counts(static_cast<std::size_t>(blocks) + 1);
  const auto each_block = [&](auto body) {
    tbb::parallel_for(std::int64_t{0}, blocks,
                      [&](std::int64_t b) { body(b, b * kBlock, std::min(n, (b + 1) * kBlock)); });
  };
  each_block([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    Counts c;
    for (std::int64_t i = begin; i < end; ++i) {
      c.less += from[i] < pivot;
      c.more += from[i] > pivot;
    }
    c.same = end - begin - c.less - c.more;
    counts[static_cast<std::size_t>(b)] = c;
  });
  Counts total;
  for (Counts& c : counts) {
    const Counts here = c;
    c = total;
    total.less += here.less;
    total.same += here.same;
    total.more += here.more;
  }
  each_block([&](std::int64_t b, std::int64_t begin, std::int64_t end) {
    const Counts& c = counts[static_cast<std::size_t>(b)];
    std::int64_t* out[3] = {to + c.less, to + total.less + c.same, to + total.less + total.same + c.more};
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t x = from[i];
      *out[(x >= pivot) + (x > pivot)]++ = x;
    }
  });
  const std::int64_t more = total.less + total.same;
  if (in_from) std::fill(from + total.less, from + more, pivot);
  tbb::parallel_invoke([&] { quicksort(to, from, total.less, !in_from); },
                       [&] { quicksort(to + more, from + more, n - more, !in_from); });
}

// ---- inputs

constexpr std::int64_t kTop = std::int64_t{1} << 31;
constexpr std::int64_t kProcessors = 128;  // p of the bucket and staggered distributions

struct Input {
  const char* name;
  std::function<std::int64_t(std::int64_t i, std::int64_t n, std::mt19937_64& random)> key;
};

std::int64_t below(std::mt19937_64& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() >> 1) % n;
}

const Input kInputs[] = {
    {"uniform", [](auto, auto, auto& r) { return below(r, kTop); }},
    {"gaussian",
     [](auto, auto, auto& r) {
       return (below(r, kTop) + below(r, kTop) + below(r, kTop) + below(r, kTop)) / 4;
     }},
    {"zero", [](auto, auto, auto&) { return std::int64_t{0}; }},
    {"bucket",
     [](auto i, auto n, auto& r) {
       const std::int64_t section = i * kProcessors * kProcessors / n % kProcessors;
       return section * (kTop / kProcessors) + below(r, kTop / kProcessors);
     }},
    {"staggered",
     [](auto i, auto n, auto& r) {
       const std::int64_t block = i * kProcessors / n;
       const std::int64_t section = block < kProcessors / 2 ? 2 * block + 1 : 2 * block - kProcessors;
       return section * (kTop / kProcessors) + below(r, kTop / kProcessors);
     }},
    {"sorted", [](auto, auto, auto& r) { return below(r, kTop); }},
    {"below100", [](auto, auto, auto& r) { return below(r, 100); }},
};

Keys keys_of(const Input& input, std::int64_t n) {
  std::mt19937_64 random(7);
  Keys keys(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = input.key(i, n, random);
  if (input.name == std::string("sorted")) std::sort(keys.begin(), keys.end());
  return keys;
}

void write_npy(const Keys& keys, const std::string& path) {
  std::string header =
      "{'descr': '<i8', 'fortran_order': False, 'shape': (" + std::to_string(keys.size()) + ",), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 255)
      << static_cast<char>(header.size() >> 8) << header;
  out.write(reinterpret_cast<const char*>(keys.data()),
            static_cast<std::streamsize>(keys.size() * sizeof keys[0]));
}

double milliseconds(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: quicksort_bench N DIRECTORY [INPUT ...]\n");
    return 2;
  }
  const std::int64_t n = std::atoll(argv[1]);
  for (const Input& input : kInputs) {
    const auto named = [&](const char* word) { return input.name == std::string(word); };
    if (argc > 3 && std::none_of(argv + 3, argv + argc, named)) continue;
    const Keys keys = keys_of(input, n);
    write_npy(keys, std::string(argv[2]) + "/" + input.name + ".npy");
    Keys expected = keys;
    const double serial = milliseconds([&] { std::sort(expected.begin(), expected.end()); });
    double parallel = 1e30;
    for (int round = 0; round < 3; ++round) {
      Keys work = keys;
      Keys scratch(keys.size());
      parallel = std::min(parallel, milliseconds([&] { quicksort(work.data(), scratch.data(), n, true); }));
      if (work != expected) {
        std::fprintf(stderr, "%s is not sorted\n", input.name);
        return 1;
      }
    }
    std::printf("%s %.1f %.1f\n", input.name, serial, parallel);
    std::fflush(stdout);
  }
  return 0;
}
