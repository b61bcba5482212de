// The seven programs of the paper on Ikra as loops by hand, in C; ikra_hand.py compiles and calls them.
//
// Arrays have four dimensions; a plane is what the last two make, some hundred elements that stay in the
// cache. `fused` takes a plane through all steps, else each step is a pass over everything.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

struct Plane {
  int i, j, size;
  const int* k;  // the third index of each element
  const int* l;  // and the fourth
};

class Space {
 public:
  explicit Space(const int* dims)
      : rows_(dims[0]), columns_(dims[1]), size_(dims[2] * dims[3]), k_(size_), l_(size_) {
    for (int t = 0; t < size_; ++t) k_[t] = t / dims[3], l_[t] = t % dims[3];
  }
  [[nodiscard]] int planes() const { return rows_ * columns_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Plane plane(int p) const { return {p / columns_, p % columns_, size_, k_.data(), l_.data()}; }

 private:
  int rows_, columns_, size_;
  std::vector<int> k_, l_;
};

// step(number, plane, elements) for all steps and planes.
template <class Step>
void run(const Space& space, int steps, bool fused, int threads, int* y, Step step) {
  const auto at = [&](int p) { return y + static_cast<std::ptrdiff_t>(p) * space.size(); };
  const int planes = space.planes();
  if (fused) {
#pragma omp parallel for num_threads(threads)
    for (int p = 0; p < planes; ++p)
      for (int s = 0; s < steps; ++s) step(s, space.plane(p), at(p));
    return;
  }
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for num_threads(threads)
    for (int p = 0; p < planes; ++p) step(s, space.plane(p), at(p));
  }
}

template <int kModulus, class Term>
void add(int* x, int n, Term term) {
  for (int t = 0; t < n; ++t) x[t] = (x[t] + term(t)) % kModulus;
}

template <int kModulus>
void add_k(const Plane& q, int* x) {
  add<kModulus>(x, q.size, [&](int t) { return q.k[t]; });
}
template <int kModulus>
void add_l(const Plane& q, int* x) {
  add<kModulus>(x, q.size, [&](int t) { return q.l[t]; });
}
template <int kModulus>
void add_one(int which, int* x, int n) {
  add<kModulus>(x, n, [&](int) { return which; });
}

void start_k(const Plane& q, int* x) {
  for (int t = 0; t < q.size; ++t) x[t] = q.k[t] % 133777;
}

void p1(int s, const Plane& q, int* x) {
  const int ij = q.i + q.j;
  if (s == 0)
    for (int t = 0; t < q.size; ++t) x[t] = (7 + ij + q.k[t] + q.l[t]) % 1337;
  else
    add<1337>(x, q.size, [&](int t) { return ij + q.k[t] + q.l[t]; });
}

void p3(int s, const Plane& q, int* x) {
  if (s == 0)
    start_k(q, x);
  else
    add_k<13377>(q, x);
}

void p6(int s, const Plane& q, int* x) {
  if (s == 0) return start_k(q, x);
  switch ((s - 1) % 5) {
    case 0: return add_k<13377>(q, x);
    case 1: return add_one<13377>(q.j, x, q.size);
    case 2: return add_l<1337>(q, x);
    case 3: return add_one<13377>(q.i, x, q.size);
    default: return add_one<1377>(q.j, x, q.size);
  }
}

// Of turn r: one or two steps, and the last one.
std::vector<int> steps_of_p7(int turns) {
  std::vector<int> steps = {0};
  for (int r = 0; r < turns; ++r) {
    if (r % 2 != 0)
      steps.insert(steps.end(), {3, 4});
    else
      steps.push_back(r % 3 == 0 ? 1 : 2);
    steps.push_back(5);
  }
  return steps;
}

void p7(int s, const Plane& q, int* x) {
  switch (s) {
    case 0: return start_k(q, x);
    case 1: return add_l<77689>(q, x);
    case 2: return add_one<11799>(q.i, x, q.size);
    case 3: return add_k<1337>(q, x);
    case 4: return add_k<8888888>(q, x);
    default: return add_k<6678>(q, x);
  }
}

int index_of(int which, int i, int j, int k, int l) {
  which %= 4;
  return which == 0 ? i : which == 1 ? j : which == 2 ? k : l;
}

void start_stencils(const Plane& q, int* x) {
  for (int t = 0; t < q.size; ++t)
    x[t] = (q.i + q.j) % (q.l[t] + index_of(q.j, q.i, q.j, q.k[t], q.l[t]) + 7);
}

// Offsets (-1,0), (0,0), (1,0) and (-1,-1) of the first two dimensions: whole planes.
void stencil(const Plane& q, const int* above, const int* here, const int* below, const int* left, int* x) {
  for (int t = 0; t < q.size; ++t) {
    const int i = q.i, j = q.j, k = q.k[t], l = q.l[t];
    const int first = index_of(below[t], i, j, k, l);
    const int third = index_of(index_of(first, i, j, k, l), i, j, k, l);
    x[t] = ((above[t] % 938) + here[t] / 97) % 97717 + third * (left[t] % 7) % 99;
  }
}

}  // namespace

extern "C" {

void p1_hand(const int* dims, int turns, int fused, int threads, int* y) {
  run(Space(dims), turns + 1, fused != 0, threads, y, p1);
}
void p3_hand(const int* dims, int turns, int fused, int threads, int* y) {
  run(Space(dims), turns + 1, fused != 0, threads, y, p3);
}
void p6_hand(const int* dims, int turns, int fused, int threads, int* y) {
  run(Space(dims), 5 * turns + 1, fused != 0, threads, y, p6);
}
void p7_hand(const int* dims, int turns, int fused, int threads, int* y) {
  const std::vector<int> steps = steps_of_p7(turns);
  run(Space(dims), static_cast<int>(steps.size()), fused != 0, threads, y,
      [&](int s, const Plane& q, int* x) { p7(steps[static_cast<std::size_t>(s)], q, x); });
}

// P2 and P4: a pass for each stencil.
void stencils_hand(const int* dims, int turns, int, int threads, int* y) {
  const Space space(dims);
  const std::ptrdiff_t plane = space.size(), row = plane * space.columns();
  run(space, 1, true, threads, y, [](int, const Plane& q, int* x) { start_stencils(q, x); });
  std::vector<int> other(static_cast<std::size_t>(plane * space.planes()));
  int *from = y, *to = other.data();
  for (int turn = 0; turn < turns; ++turn) {
    run(space, 1, true, threads, to, [&](int, const Plane& q, int* x) {
      const int* here = from + (x - to);
      if (q.i == 0 || q.i == space.rows() - 1 || q.j == 0)
        std::fill(x, x + plane, 37);
      else
        stencil(q, here - row, here, here + row, here - row - plane, x);
    });
    std::swap(from, to);
  }
  if (from != y) std::copy(from, from + plane * space.planes(), y);
}

// P5. `of` are a0 to a3, b0 to b2, c0 to c2, bnd and wrk, each as large as p; the result is in p.
void himeno_hand(const int* dims, int turns, const double* const* of, int threads, double* p) {
  const std::ptrdiff_t n = dims[0], m = dims[1], w = dims[2], J = w, I = m * w;
  const double *a0 = of[0], *a1 = of[1], *a2 = of[2], *a3 = of[3], *b0 = of[4], *b1 = of[5], *b2 = of[6];
  const double *c0 = of[7], *c1 = of[8], *c2 = of[9], *bnd = of[10], *wrk = of[11];
  std::vector<double> other(static_cast<std::size_t>(n * m * w), 0.0);
  double *from = p, *to = other.data();
  for (int turn = 0; turn < turns; ++turn) {
#pragma omp parallel for num_threads(threads)
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t j = 0; j < m; ++j) {
        double* const out = to + i * I + j * J;
        std::fill(out, out + w, 0.0);
        if (i == 0 || i == n - 1 || j == 0 || j == m - 1) continue;
        for (std::ptrdiff_t k = 1; k < w - 1; ++k) {
          const std::ptrdiff_t x = i * I + j * J + k;
          const double* const q = from + x;
          const double s = a0[x] * q[I] + a1[x] * q[J] + a2[x] * q[1] +
                           b0[x] * (q[I + J] - q[I - J] - q[-I + J] + q[-I - J]) +
                           b1[x] * (q[J + 1] - q[-J + 1] - q[J - 1] + q[-J - 1]) +
                           b2[x] * (q[I + 1] - q[-I + 1] - q[I - 1] + q[-I - 1]) + c0[x] * q[-I] +
                           c1[x] * q[-J] + c2[x] * q[-1] + wrk[x];
          out[k] = q[0] + 0.8 * (s * a3[x] - q[0]) * bnd[x];
        }
      }
    std::swap(from, to);
  }
  if (from != p) std::copy(from, from + n * m * w, p);
}

// Lists by their offsets: sums, means, greatest elements (0 of an empty list), sorted lists, and the sums of
// all pairs of a list with itself, one after the other; sizes[k] is how many stand before those of list k.
void sums_hand(const double* x, const std::int64_t* offsets, std::int64_t lists, int threads, double* out) {
#pragma omp parallel for num_threads(threads)
  for (std::int64_t k = 0; k < lists; ++k) {
    double sum = 0;
    for (std::int64_t t = offsets[k]; t < offsets[k + 1]; ++t) sum += x[t];
    out[k] = sum;
  }
}
void means_hand(const double* x, const std::int64_t* offsets, std::int64_t lists, int threads, double* out) {
#pragma omp parallel for num_threads(threads)
  for (std::int64_t k = 0; k < lists; ++k) {
    double sum = 0;
    for (std::int64_t t = offsets[k]; t < offsets[k + 1]; ++t) sum += x[t];
    out[k] = sum / static_cast<double>(offsets[k + 1] - offsets[k]);
  }
}
void sorts_hand(const double* x, const std::int64_t* offsets, std::int64_t lists, int threads, double* out) {
  std::copy(x, x + offsets[lists], out);
#pragma omp parallel for num_threads(threads)
  for (std::int64_t k = 0; k < lists; ++k) std::sort(out + offsets[k], out + offsets[k + 1]);
}
void products_hand(const double* x, const std::int64_t* offsets, std::int64_t lists, int threads,
                   const std::int64_t* sizes, double* out) {
#pragma omp parallel for num_threads(threads)
  for (std::int64_t k = 0; k < lists; ++k) {
    double* to = out + sizes[k];
    for (std::int64_t a = offsets[k]; a < offsets[k + 1]; ++a)
      for (std::int64_t b = offsets[k]; b < offsets[k + 1]; ++b) *to++ = x[a] + x[b];
  }
}
void combinations_hand(const double* x, const std::int64_t* offsets, std::int64_t lists, int threads,
                       const std::int64_t* sizes, double* out) {
#pragma omp parallel for num_threads(threads)
  for (std::int64_t k = 0; k < lists; ++k) {
    double* to = out + sizes[k];
    for (std::int64_t a = offsets[k]; a < offsets[k + 1]; ++a)
      for (std::int64_t b = a + 1; b < offsets[k + 1]; ++b) *to++ = x[a] + x[b];
  }
}
}
