// What AVX2 shuffles bytes by: rows of kept lanes by mask, and the low bytes of narrow lanes.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

namespace nvm::vm::cpu {

// By mask, the kept lanes in order: of 8 bytes as pairs of 4; the low halves of these; of 4 bytes; their low
// bytes, zero behind.
struct alignas(64) PackTable {
  std::int32_t pairs[16][8];
  std::int32_t halves[16][4];
  std::int32_t quads[16][4];
  std::uint8_t bytes[16][16];
  constexpr PackTable() : pairs{}, halves{}, quads{}, bytes{} {
    for (int m = 0; m < 16; ++m) {
      for (std::uint8_t& b : bytes[m]) b = 0x80;
      int to = 0;
      for (int from = 0; from < 4; ++from) {
        if ((m >> from & 1) == 0) continue;
        pairs[m][2 * to] = halves[m][to] = 2 * from;
        pairs[m][2 * to + 1] = 2 * from + 1;
        quads[m][to] = from;
        bytes[m][to++] = static_cast<std::uint8_t>(4 * from);
      }
    }
  }
};
inline constexpr PackTable kPackTable;

// Stores the low byte of each lane of a ymm of lanes of `lane_bytes`, 1, 2 or 4.
inline void store_low_bytes(asmjit::x86::Compiler& cc, int lane_bytes, const asmjit::x86::Mem& at,
                            const asmjit::x86::Vec& v) {
  namespace x86 = asmjit::x86;
  if (lane_bytes == 1) {
    cc.vmovdqu(at, v);
    return;
  }
  static constexpr std::uint8_t kOfWords[16] = {0,    2,    4,    6,    8,    10,   12,   14,
                                                0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  static constexpr std::uint8_t kOfHalves[16] = {0,    4,    8,    12,   0x80, 0x80, 0x80, 0x80,
                                                 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  // Of each half, then of both.
  const x86::Ymm bytes = cc.newYmm();
  const x86::Ymm pick = cc.newYmm();
  const x86::Xmm high = cc.newXmm();
  cc.vbroadcasti128(pick, cc.newConst(asmjit::ConstPoolScope::kLocal, lane_bytes == 2 ? kOfWords : kOfHalves,
                                      sizeof kOfWords));
  cc.vpshufb(bytes, v, pick);
  cc.vextracti128(high, bytes, asmjit::imm(1));
  if (lane_bytes == 2) {
    cc.vpunpcklqdq(high, bytes.xmm(), high);
    cc.vmovdqu(at, high);
  } else {
    cc.vpunpckldq(high, bytes.xmm(), high);
    cc.vmovq(at, high);
  }
}

}  // namespace nvm::vm::cpu
