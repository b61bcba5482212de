#include "bytecode/soac/body.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nvm::soac {

namespace {

char type_letter(Type t) {
  return t == Type::kInt ? 'I' : t == Type::kFloat ? 'F' : t == Type::kBool ? 'B' : 'S';
}

// Shortest text that reads back to the same double; signs of zero and NaN are kept.
std::string real_text(double v) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v);
  return {buffer, end.ptr};
}

std::string value(std::int32_t v) { return "v" + std::to_string(v); }
std::string var(VarId v) { return "x" + std::to_string(v); }
std::string segment(const BodyInst& in) { return in.desc == kNone ? "i" : "seg " + var(in.desc); }
std::string optional_flag(std::int32_t b) { return b == kNone ? "" : " if " + value(b); }

std::string operation(const BodyInst& in) {
  switch (in.pull) {
    case Pull::kConst: return in.type == Type::kFloat ? real_text(in.real) : std::to_string(in.imm);
    case Pull::kUniform: return var(in.var) + "[0]";
    case Pull::kElement: return var(in.var) + "[i]";
    case Pull::kIndex: return "i";
    case Pull::kPerSegment: return var(in.var) + "[seg " + var(in.desc) + "]";
    case Pull::kSegment: return "seg " + var(in.desc);
    case Pull::kWithin: return "within " + var(in.desc);
    case Pull::kGather: return var(in.var) + "[" + value(in.a) + "]" + optional_flag(in.b);
    case Pull::kSegGather:
      return var(in.var) + "[" + segment(in) + " of " + var(in.desc2) + ", " + value(in.a) + "]" +
             optional_flag(in.b);
    case Pull::kSegPlace:
      return "place " + segment(in) + " of " + var(in.desc2) + ", " + value(in.a) + optional_flag(in.b);
    case Pull::kApply: {
      std::string out(scalar_info(in.scalar).name);
      for (const std::int32_t arg : {in.a, in.b, in.c})
        if (arg != kNone) out += " " + value(arg);
      return out;
    }
    case Pull::kCheck: return "check " + value(in.a);
    case Pull::kScanned:
      return "scanned " + std::to_string(in.a) +
             (in.scalar == Scalar::kNoScalar ? "" : " by " + std::string(scalar_info(in.scalar).name));
  }
  return {};
}

// The smaller or larger of two values, spelt with a comparison: "a where a < b, else b" is what the scalar
// table calls min, to the bit.
BodyInst plainer(const Body& body, BodyInst in) {
  if (in.pull != Pull::kApply || in.scalar != Scalar::kSelect || in.type == Type::kBool) return in;
  const BodyInst& flag = body.insts[static_cast<std::size_t>(in.a)];
  if (flag.pull != Pull::kApply || (flag.scalar != Scalar::kLt && flag.scalar != Scalar::kGt)) return in;
  const bool first = flag.a == in.b && flag.b == in.c;
  if (!first && !(flag.a == in.c && flag.b == in.b)) return in;
  BodyInst out;
  out.pull = Pull::kApply;
  out.type = in.type;
  out.scalar = (flag.scalar == Scalar::kLt) == first ? Scalar::kMin : Scalar::kMax;
  out.a = in.b;
  out.b = in.c;
  return out;
}

}  // namespace

std::int32_t Body::add(const BodyInst& given) {
  const BodyInst inst = plainer(*this, given);
  // Bit-equal reals only: 0.0 and -0.0 are different constants, NaN equals nothing and is kept apart.
  const auto same = [&](const BodyInst& other) {
    return other == inst && (inst.pull != Pull::kConst || inst.type != Type::kFloat ||
                             std::signbit(other.real) == std::signbit(inst.real));
  };
  const auto it = std::find_if(insts.begin(), insts.end(), same);
  if (it != insts.end()) return static_cast<std::int32_t>(it - insts.begin());
  insts.push_back(inst);
  return static_cast<std::int32_t>(insts.size() - 1);
}

std::int32_t Body::apply(Scalar s, Type type, std::int32_t a, std::int32_t b, std::int32_t c) {
  BodyInst in;
  in.pull = Pull::kApply;
  in.type = type;
  in.scalar = s;
  in.a = a;
  in.b = b;
  in.c = c;
  return add(in);
}

bool may_trap(const Body& body, std::size_t i) {
  const BodyInst& in = body.insts[i];
  if (in.pull == Pull::kGather || in.pull == Pull::kSegGather || in.pull == Pull::kSegPlace ||
      in.pull == Pull::kCheck)
    return true;
  return in.pull == Pull::kApply && scalar_traps(in.scalar, body.insts[static_cast<std::size_t>(in.a)].type);
}

std::string print(const Body& body) {
  std::string out;
  for (std::size_t i = 0; i < body.insts.size(); ++i) {
    const BodyInst& in = body.insts[i];
    out += "    v" + std::to_string(i) + ":" + type_letter(in.type) + " = " + operation(in) + "\n";
  }
  return out;
}

}  // namespace nvm::soac
