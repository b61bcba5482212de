#include "vm/cpu/codegen/stripes.h"

#include <algorithm>

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;
using soac::Pull;
using Turn = std::array<x86::Vec, kStripeTurn>;
using Places = std::array<x86::Mem, kMostStripes>;

// Four vectors of four numbers, rows for columns.
Turn transposed_fours(x86::Compiler& cc, const Turn& v) {
  Turn pairs, out;
  for (x86::Vec& p : pairs) p = cc.newXmm();
  for (x86::Vec& o : out) o = cc.newXmm();
  cc.vpunpckldq(pairs[0], v[0], v[1]);
  cc.vpunpckldq(pairs[1], v[2], v[3]);
  cc.vpunpckhdq(pairs[2], v[0], v[1]);
  cc.vpunpckhdq(pairs[3], v[2], v[3]);
  cc.vpunpcklqdq(out[0], pairs[0], pairs[1]);
  cc.vpunpckhqdq(out[1], pairs[0], pairs[1]);
  cc.vpunpcklqdq(out[2], pairs[2], pairs[3]);
  cc.vpunpckhqdq(out[3], pairs[2], pairs[3]);
  return out;
}

Turn transposed_eights(x86::Compiler& cc, const Turn& v) {
  Turn pairs, out;
  for (x86::Vec& p : pairs) p = cc.newYmm();
  for (x86::Vec& o : out) o = cc.newYmm();
  cc.vpunpcklqdq(pairs[0], v[0], v[1]);
  cc.vpunpcklqdq(pairs[1], v[2], v[3]);
  cc.vpunpckhqdq(pairs[2], v[0], v[1]);
  cc.vpunpckhqdq(pairs[3], v[2], v[3]);
  cc.vperm2i128(out[0], pairs[0], pairs[1], imm(0x20));
  cc.vperm2i128(out[1], pairs[2], pairs[3], imm(0x20));
  cc.vperm2i128(out[2], pairs[0], pairs[1], imm(0x31));
  cc.vperm2i128(out[3], pairs[2], pairs[3], imm(0x31));
  return out;
}

Turn loaded(x86::Compiler& cc, Storage storage, const Places& at) {
  Turn v;
  for (std::size_t l = 0; l < v.size(); ++l) {
    v[l] = storage_bytes(storage) == 8 ? x86::Vec(cc.newYmm()) : x86::Vec(cc.newXmm());
    switch (storage) {
      case Storage::kI8: cc.vpmovsxbd(v[l], at[l]); break;
      case Storage::kB8: cc.vpmovzxbd(v[l], at[l]); break;
      default: cc.vmovdqu(v[l], at[l]); break;
    }
  }
  return v;
}

// A vector of four 8-byte or four 4-byte elements as the lanes' own.
Lane as_lane(Lanes& m, Storage storage, const x86::Vec& v) {
  x86::Compiler& cc = m.cc();
  if (storage == Storage::kF64) return m.of(Type::kFloat, v);
  if (storage == Storage::kI64) {
    if (m.wide()) return m.of(Type::kInt, v);
    const x86::Xmm high = cc.newXmm();
    const x86::Xmm low = cc.newXmm();
    cc.vextracti128(high, v.ymm(), imm(1));
    cc.vshufps(low, v.xmm(), high, imm(0x88));
    return m.of(Type::kInt, low);
  }
  x86::Vec x = v;
  if (storage == Storage::kB8) {  // 0 to 255: a mask of what is not 0
    const x86::Xmm zero = cc.newXmm();
    x = cc.newXmm();
    cc.vpxor(zero, zero, zero);
    cc.vpcmpgtd(x, v, zero);
  }
  if (storage != Storage::kB8 && !m.wide()) return m.of(Type::kInt, x);
  const x86::Ymm wide = cc.newYmm();
  cc.vpmovsxdq(wide, x.xmm());
  return m.of(storage == Storage::kB8 ? Type::kBool : Type::kInt, wide);
}

Turn turn_avx2(Lanes& lanes, Storage storage, const Places& at) {
  const Turn rows = loaded(lanes.cc(), storage, at);
  return storage_bytes(storage) == 8 ? transposed_eights(lanes.cc(), rows)
                                     : transposed_fours(lanes.cc(), rows);
}

// Two rows of four 8-byte elements, put together as they are loaded: a shuffle less.
x86::Zmm two_rows(x86::Compiler& cc, const x86::Mem& low, const x86::Mem& high) {
  const x86::Zmm v = cc.newZmm();
  cc.vmovdqu64(v.ymm(), low);
  cc.vinserti64x4(v, v, high, imm(1));
  return v;
}

// Rows `first`, `first` + 2 ... of four elements of up to 4 bytes, as 4 bytes each.
x86::Zmm four_rows(x86::Compiler& cc, Storage storage, const Places& at, std::size_t first) {
  const x86::Zmm v = cc.newZmm();
  if (storage == Storage::kI32) {
    cc.vmovdqu32(v.xmm(), at[first]);
    for (std::size_t j = 1; j < 4; ++j) cc.vinserti32x4(v, v, at[first + 2 * j], imm(j));
    return v;
  }
  for (std::size_t j = 0; j < 4; ++j) {
    const x86::Xmm row = j == 0 ? v.xmm() : cc.newXmm();
    storage == Storage::kI8 ? cc.vpmovsxbd(row, at[first + 2 * j]) : cc.vpmovzxbd(row, at[first + 2 * j]);
    if (j > 0) cc.vinserti32x4(v, v, row, imm(j));
  }
  return v;
}

// Of eight rows of four 8-byte elements, the columns.
Turn eight_columns(x86::Compiler& cc, const Places& at) {
  const x86::Zmm rows[] = {two_rows(cc, at[0], at[2]), two_rows(cc, at[1], at[3]), two_rows(cc, at[4], at[6]),
                           two_rows(cc, at[5], at[7])};
  Turn out;
  for (int odd = 0; odd < 2; ++odd) {
    x86::Zmm half[2];
    for (int h = 0; h < 2; ++h) {
      half[h] = cc.newZmm();
      odd != 0 ? cc.vpunpckhqdq(half[h], rows[2 * h], rows[2 * h + 1])
               : cc.vpunpcklqdq(half[h], rows[2 * h], rows[2 * h + 1]);
    }
    for (int u = odd; u < kStripeTurn; u += 2) {
      const x86::Zmm column = cc.newZmm();
      cc.vshufi64x2(column, half[0], half[1], imm(u < 2 ? 0x88 : 0xDD));
      out[static_cast<std::size_t>(u)] = column;
    }
  }
  return out;
}

// Of eight rows of four elements of 4 bytes, the columns, each element in the upper half of 8 bytes, above
// what does not count.
Turn eight_columns(x86::Compiler& cc, Storage storage, const Places& at) {
  const x86::Zmm even = four_rows(cc, storage, at, 0);
  const x86::Zmm odd = four_rows(cc, storage, at, 1);
  Turn out;
  for (std::size_t h = 0; h < 2; ++h) {
    const x86::Zmm pairs = cc.newZmm();
    const x86::Zmm lower = cc.newZmm();
    h == 0 ? cc.vpunpcklqdq(pairs, even, odd) : cc.vpunpckhqdq(pairs, even, odd);
    cc.vpsllq(lower, pairs, imm(32));
    out[2 * h] = lower;
    out[2 * h + 1] = pairs;
  }
  return out;
}

Lane as_lane_avx512(Lanes& m, Storage storage, const x86::Vec& v) {
  x86::Compiler& cc = m.cc();
  if (storage == Storage::kF64) return m.of(Type::kFloat, v);
  x86::Vec x = v;
  if (storage_bytes(storage) < 8) {
    x = cc.newZmm();
    cc.vpsraq(x, v, imm(32));
  }
  if (storage == Storage::kB8) {
    const x86::KReg k = cc.newKb();
    cc.vptestmq(k, x, x);
    return Lane{Type::kBool, {}, k};
  }
  if (m.wide()) return m.of(Type::kInt, x);
  const x86::Ymm narrow = cc.newYmm();
  cc.vpmovqd(narrow, x);
  return m.of(Type::kInt, narrow);
}

bool asks_segments(Pull pull) {
  return pull == Pull::kPerSegment || pull == Pull::kSegment || pull == Pull::kWithin ||
         pull == Pull::kSegGather || pull == Pull::kSegPlace;
}

}  // namespace

bool may_stripe(const plan::Kernel& kernel, const soac::Body& body) {
  const auto reduces = [](const plan::Sink& s) {
    const bool flat = s.kind == plan::SinkKind::kScan || s.kind == plan::SinkKind::kReduce;
    return flat && s.filter == soac::kNone && s.type == Type::kInt;
  };
  return std::none_of(body.insts.begin(), body.insts.end(),
                      [](const soac::BodyInst& in) { return asks_segments(in.pull); }) &&
         std::all_of(kernel.sinks.begin(), kernel.sinks.end(), reduces);
}

bool computes_little(const soac::Body& body) {
  constexpr int kLittle = 4;  // a SCALAR's cost
  return std::none_of(body.insts.begin(), body.insts.end(), [](const soac::BodyInst& in) {
    return in.pull == Pull::kGather || (in.pull == Pull::kApply && scalar_info(in.scalar).cost > kLittle);
  });
}

std::int64_t stripe_length(std::int64_t length, std::int64_t lanes) {
  constexpr std::int64_t kLine = 64, kWay = 512;  // elements: a cache line at least, a way at most
  const std::int64_t each = length / lanes / kStripeTurn * kStripeTurn;
  return each % kWay < kLine && each >= kWay ? each - each % kWay - kLine : each;
}

std::array<Lane, kStripeTurn> load_stripes(Lanes& lanes, Storage storage, const Places& at) {
  const bool eight = storage_bytes(storage) == 8;
  const bool avx2 = lanes.isa() == Isa::kAvx2;
  const Turn columns = avx2    ? turn_avx2(lanes, storage, at)
                       : eight ? eight_columns(lanes.cc(), at)
                               : eight_columns(lanes.cc(), storage, at);
  std::array<Lane, kStripeTurn> out;
  for (std::size_t u = 0; u < out.size(); ++u)
    out[u] = avx2 ? as_lane(lanes, storage, columns[u]) : as_lane_avx512(lanes, storage, columns[u]);
  return out;
}

}  // namespace nvm::vm::cpu
