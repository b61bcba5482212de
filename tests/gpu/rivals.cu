#include "tests/gpu/rivals.h"

#include <cub/cub.cuh>
#include <functional>
#include <map>
#include <random>

namespace {

using i64 = long long;
constexpr int kThreads = 256;

// Memory on the device; null if there is none.
template <class T>
struct Vector {
  explicit Vector(i64 n) : bytes(static_cast<std::size_t>(n) * sizeof(T)) {
    if (cudaMalloc(&data, bytes) != cudaSuccess) data = nullptr;
  }
  explicit Vector(const std::vector<T>& from) : Vector(static_cast<i64>(from.size())) {
    if (data != nullptr) cudaMemcpy(data, from.data(), bytes, cudaMemcpyHostToDevice);
  }
  ~Vector() { cudaFree(data); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  T* data = nullptr;
  std::size_t bytes;
};

std::vector<double> numbers(i64 n, double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out(static_cast<std::size_t>(n));
  for (double& x : out) x = low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  return out;
}
std::vector<i64> keys(i64 n, int bits) {
  std::mt19937_64 random(1);
  std::vector<i64> out(static_cast<std::size_t>(n));
  for (i64& x : out) x = static_cast<i64>(random() >> (64 - bits));
  return out;
}

// `prepare` is not timed.
double best(int rounds, const std::function<void()>& work, const std::function<void()>& prepare = [] {}) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  double out = 1e9;
  for (int i = 0; i < rounds; ++i) {
    prepare();
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    out = std::min(out, 1e-3 * static_cast<double>(ms));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return cudaGetLastError() == cudaSuccess ? out : -1;
}
int enough_blocks() {
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return processors * 8;
}

__global__ void axpy(const double2* __restrict__ x, const double2* __restrict__ y, double2* __restrict__ z, double a,
                     i64 n) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) z[i] = {a * x[i].x + y[i].x, a * x[i].y + y[i].y};
}

// Sums of kSums functions of the pairs; each block adds its own with atomics.
template <int kSums, class F>
__global__ void sums(const double2* __restrict__ x, const double2* __restrict__ y, i64 n, F f, double* __restrict__ out) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage memory;
  double mine[kSums] = {};
#pragma unroll 4
  for (i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += static_cast<i64>(gridDim.x) * kThreads) {
    const double2 a = x[i], b = y[i];
    f(a.x, b.x, mine);
    f(a.y, b.y, mine);
  }
  for (int s = 0; s < kSums; ++s) {
    const double all = Reduce(memory).Sum(mine[s]);
    if (threadIdx.x == 0) atomicAdd(out + s, all);
    __syncthreads();
  }
}
struct Dot {
  __device__ void operator()(double x, double y, double* s) const { s[0] += x * y; }
};
struct LineFit {
  __device__ void operator()(double x, double y, double* s) const {
    s[0] += x;
    s[1] += y;
    s[2] += x * x;
    s[3] += x * y;
  }
};
struct Norm {
  double least;
  __device__ void operator()(double x, double, double* s) const { s[0] += x > least ? x * x : 0; }
};
template <int kSums, class F>
double reduce(i64 n, int inputs, F f, int rounds) {
  const Vector<double> x(numbers(n, -1, 1, 1)), y(numbers(inputs == 2 ? n : 0, -1, 1, 2)), out(kSums);
  const auto* second = reinterpret_cast<const double2*>(inputs == 2 ? y.data : x.data);
  return best(
      rounds,
      [&] {
        sums<kSums><<<enough_blocks(), kThreads>>>(reinterpret_cast<const double2*>(x.data), second, n / 2, f, out.data);
      },
      [&] { cudaMemset(out.data, 0, out.bytes); });
}

__device__ double normal(double x) {
  const double k = 1 / (1 + 0.2316419 * fabs(x));
  const double tail = exp(-0.5 * x * x) * 0.39894228040143270 * k *
                      (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  return x > 0 ? 1 - tail : tail;
}
__global__ void black_scholes(const double* __restrict__ s, const double* __restrict__ x, const double* __restrict__ t,
                              const double* __restrict__ r, const double* __restrict__ v, double* __restrict__ out,
                              i64 n) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const double root = v[i] * sqrt(t[i]);
  const double d1 = (log(s[i] / x[i]) + (r[i] + 0.5 * v[i] * v[i]) * t[i]) / root;
  out[i] = s[i] * normal(d1) - x[i] * exp(-r[i] * t[i]) * normal(d1 - root);
}

double map(const std::string& name, i64 n, int rounds) {
  const Vector<double> x(numbers(n, 0.1, 1, 1)), y(numbers(n, 0.1, 1, 2)), z(n);
  if (name == "copy") return best(rounds, [&] { cudaMemcpyAsync(z.data, x.data, z.bytes, cudaMemcpyDeviceToDevice); });
  if (name == "axpy")
    return best(rounds, [&] {
      axpy<<<static_cast<unsigned>((n / 2 + kThreads - 1) / kThreads), kThreads>>>(
          reinterpret_cast<const double2*>(x.data), reinterpret_cast<const double2*>(y.data),
          reinterpret_cast<double2*>(z.data), 0.5, n / 2);
    });
  const Vector<double> t(numbers(n, 0.1, 1, 3)), r(numbers(n, 0.1, 1, 4)), v(numbers(n, 0.1, 1, 5));
  return best(rounds, [&] {
    black_scholes<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads>>>(x.data, y.data, t.data, r.data,
                                                                                     v.data, z.data, n);
  });
}

// A CUB algorithm: asked for its memory, then run.
double cub_run(int rounds, const std::function<void(void*, std::size_t&)>& algorithm) {
  std::size_t bytes = 0;
  algorithm(nullptr, bytes);
  const Vector<char> memory(static_cast<i64>(bytes));
  return best(rounds, [&] { algorithm(memory.data, bytes); });
}
struct Positive {
  __device__ bool operator()(double x) const { return x > 0; }
};
double cub_floats(const std::string& name, i64 n, const std::vector<std::int64_t>& offsets, int rounds) {
  const Vector<double> x(numbers(n, -1, 1, 1)), y(n);
  if (name == "scan")
    return cub_run(rounds, [&](void* m, std::size_t& b) { cub::DeviceScan::ExclusiveSum(m, b, x.data, y.data, n); });
  if (name == "filter") {
    const Vector<i64> count(1);
    return cub_run(rounds, [&](void* m, std::size_t& b) {
      cub::DeviceSelect::If(m, b, x.data, y.data, count.data, n, Positive{});
    });
  }
  const Vector<std::int64_t> at(offsets);
  const auto segments = static_cast<i64>(offsets.size()) - 1;
  return cub_run(rounds, [&](void* m, std::size_t& b) {
    cub::DeviceSegmentedReduce::Sum(m, b, x.data, y.data, segments, at.data, at.data + 1);
  });
}
double cub_sort(i64 n, int bits, int rounds) {
  const Vector<i64> from(keys(n, bits)), to(n);
  return cub_run(rounds, [&](void* m, std::size_t& b) {
    cub::DeviceRadixSort::SortKeys(m, b, from.data, to.data, n, 0, bits);
  });
}
// Ranks have no algorithm of CUB's: the indices sorted by key, then stored where they belong.
__global__ void indices(unsigned* x, i64 n) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) x[i] = static_cast<unsigned>(i);
}
__global__ void invert(const unsigned* x, i64* out, i64 n) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[x[i]] = i;
}
double cub_rank(i64 n, int bits, int rounds) {
  const Vector<i64> from(keys(n, bits)), to(n);
  const Vector<unsigned> index(n), sorted(n);
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  return cub_run(rounds, [&](void* m, std::size_t& b) {
    if (m != nullptr) indices<<<blocks, kThreads>>>(index.data, n);
    cub::DeviceRadixSort::SortPairs(m, b, from.data, to.data, index.data, sorted.data, n, 0, bits);
    if (m != nullptr) invert<<<blocks, kThreads>>>(sorted.data, to.data, n);
  });
}

// Bitonic sort by comparisons of elements `stride` apart; strides that fit a block are done in shared memory.
constexpr int kTile = 2048;
__device__ void exchange(i64& a, i64& b, bool up) {
  if ((a > b) == up) {
    const i64 t = a;
    a = b;
    b = t;
  }
}
__global__ void bitonic_far(i64* x, i64 size, i64 stride) {
  const i64 t = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  const i64 low = (t & ~(stride - 1)) * 2 + (t & (stride - 1));
  i64 a = x[low], b = x[low + stride];
  exchange(a, b, (low & size) == 0);
  x[low] = a;
  x[low + stride] = b;
}
// Sizes from `first` to `last`, each from the largest stride that fits.
__global__ void bitonic_near(i64* x, i64 first, i64 last) {
  __shared__ i64 tile[kTile];
  const i64 base = static_cast<i64>(blockIdx.x) * kTile;
  for (int i = threadIdx.x; i < kTile; i += kThreads) tile[i] = x[base + i];
  for (i64 size = first; size <= last; size *= 2) {
    for (int stride = static_cast<int>(size / 2 < kTile / 2 ? size / 2 : kTile / 2); stride > 0; stride /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < kTile / 2; t += kThreads) {
        const int low = (t & ~(stride - 1)) * 2 + (t & (stride - 1));
        exchange(tile[low], tile[low + stride], ((base + low) & size) == 0);
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += kThreads) x[base + i] = tile[i];
}
double bitonic(i64 n, int rounds) {
  const std::vector<i64> in = keys(n, 63);
  const Vector<i64> from(in), x(n);
  const double seconds = best(
      rounds,
      [&] {
        bitonic_near<<<static_cast<unsigned>(n / kTile), kThreads>>>(x.data, 2, kTile);
        for (i64 size = 2 * kTile; size <= n; size *= 2) {
          for (i64 stride = size / 2; stride >= kTile; stride /= 2)
            bitonic_far<<<static_cast<unsigned>(n / 2 / kThreads), kThreads>>>(x.data, size, stride);
          bitonic_near<<<static_cast<unsigned>(n / kTile), kThreads>>>(x.data, size, size);
        }
      },
      [&] { cudaMemcpy(x.data, from.data, x.bytes, cudaMemcpyDeviceToDevice); });
  std::vector<i64> out(in.size());
  cudaMemcpy(out.data(), x.data, x.bytes, cudaMemcpyDeviceToHost);
  return std::is_sorted(out.begin(), out.end()) ? seconds : -1;
}

}  // namespace

double nvm::rivals::seconds(const std::string& name, std::int64_t n, const std::vector<std::int64_t>& offsets, int rounds) {
  cudaGetLastError();
  if (name == "copy" || name == "axpy" || name == "black scholes") return map(name, n, rounds);
  if (name == "dot") return reduce<1>(n, 2, Dot{}, rounds);
  if (name == "line fit") return reduce<4>(n, 2, LineFit{}, rounds);
  if (name == "norm2") return reduce<1>(n, 1, Norm{0.5}, rounds);
  if (name == "scan" || name == "filter" || name == "segmented sum") return cub_floats(name, n, offsets, rounds);
  for (const int bits : {20, 32, 64}) {
    const std::string width = std::to_string(bits) + " bits";
    if (name == "sort " + width) return cub_sort(n, bits, rounds);
    if (name == "rank " + width) return cub_rank(n, bits, rounds);
  }
  if (name == "bitonic") return bitonic(n, rounds);
  return -1;
}
