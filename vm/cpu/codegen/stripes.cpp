#include "vm/cpu/codegen/stripes.h"

#include <algorithm>

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;
using soac::Pull;
using Turn = std::array<x86::Vec, kStripeTurn>;

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

Turn loaded(x86::Compiler& cc, Storage storage, const std::array<x86::Mem, kStripes>& at) {
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

std::array<Lane, kStripeTurn> load_stripes(Lanes& lanes, Storage storage,
                                           const std::array<x86::Mem, kStripes>& at) {
  const Turn rows = loaded(lanes.cc(), storage, at);
  const bool eight = storage_bytes(storage) == 8;
  const Turn columns = eight ? transposed_eights(lanes.cc(), rows) : transposed_fours(lanes.cc(), rows);
  std::array<Lane, kStripeTurn> out;
  for (std::size_t u = 0; u < out.size(); ++u) out[u] = as_lane(lanes, storage, columns[u]);
  return out;
}

}  // namespace nvm::vm::cpu
