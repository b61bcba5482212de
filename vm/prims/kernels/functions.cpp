// Elementary functions (vm/simd/functions.h) of whole vectors.
#include "vm/simd/functions.h"

#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

// The first n elements of a vector of this instruction set, loaded (the others are harmless) and stored.
#if defined(__AVX512F__)
constexpr i64 kWidth = 8;
__mmask8 first(i64 n) { return static_cast<__mmask8>(_bzhi_u32(255, static_cast<u32>(n))); }
Floats load(const f64* a, i64 n) { return _mm512_mask_loadu_pd(_mm512_set1_pd(0.5), first(n), a); }
void store(f64* r, i64 n, Floats y) { _mm512_mask_storeu_pd(r, first(n), y); }
#elif defined(__AVX2__)
constexpr i64 kWidth = 4;
__m256i first(i64 n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
Floats load(const f64* a, i64 n) {
  const __m256i m = first(n);
  return _mm256_blendv_pd(_mm256_set1_pd(0.5), _mm256_maskload_pd(a, m), _mm256_castsi256_pd(m));
}
void store(f64* r, i64 n, Floats y) { _mm256_maskstore_pd(r, first(n), y); }
#else
constexpr i64 kWidth = 1;
Floats load(const f64* a, i64) { return *a; }
void store(f64* r, i64, Floats y) { *r = y; }
#endif

template <typename F>
void function(const void* pa, void* pr, i64 n) {
  const f64* a = static_cast<const f64*>(pa);
  f64* r = static_cast<f64*>(pr);
  for (i64 i = 0; i < n; i += kWidth) {
    const i64 m = n - i < kWidth ? n - i : kWidth;
    store(r + i, m, elementary<F>(load(a + i, m)));
  }
}

template <typename F>
void set(Table& t, Scalar s) {
  t.unary[index_of(s)][index_of(Storage::kF64)] = function<F>;
}

}  // namespace

void fill_functions(Table& t) {
#define ELEMENTARY(id, name) set<name##_f>(t, Scalar::id);
#include "vm/simd/elementary.def"
}

}  // namespace nvm::vm::kernels::NVM_ISA
