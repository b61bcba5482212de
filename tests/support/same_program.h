// Equality of programs, positions, the numbers of files and order of the constant pool aside.
#pragma once

#include <algorithm>
#include <string>

#include "bytecode/program/program.h"

namespace nvm {

inline bool same_instruction(const Program& p, const Instr& a, const Program& q, const Instr& b) {
  if (a.op != b.op || a.word != b.word || p.origins.place(a.origin_line) != q.origins.place(b.origin_line))
    return false;
  if (a.op != Op::kConst) return a.a == b.a && a.b == b.b;
  return p.constants[static_cast<std::size_t>(a.a)] == q.constants[static_cast<std::size_t>(b.a)];
}

inline bool same_function(const Program& p, const Function& f, const Program& q, const Function& g) {
  return f.name == g.name && f.origin == g.origin && f.lifted == g.lifted &&
         f.tail_parallel == g.tail_parallel &&
         std::equal(f.code.begin(), f.code.end(), g.code.begin(), g.code.end(),
                    [&](const Instr& a, const Instr& b) { return same_instruction(p, a, q, b); });
}

inline bool same_program(const Program& p, const Program& q) {
  return p.entry == q.entry && p.origins.own == q.origins.own &&
         std::equal(p.functions.begin(), p.functions.end(), q.functions.begin(), q.functions.end(),
                    [&](const Function& f, const Function& g) { return same_function(p, f, q, g); });
}

}  // namespace nvm
