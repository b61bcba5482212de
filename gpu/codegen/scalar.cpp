// Scalar operations and constants. The prelude has one overload set nvm_<name> per row of scalar.def; this
// file only names it, so that a new row needs its definition there and nothing here.
#include <bit>
#include <cstdio>

#include "gpu/codegen/writer.h"

namespace nvm::gpu {

std::string cuda_type(Type type, IntBits bits) {
  if (type == Type::kFloat) return "double";
  if (type == Type::kBool) return "bool";
  return bits == IntBits::k32 ? "int" : "i64";
}

const char* cuda_storage(Storage storage) {
  switch (storage) {
    case Storage::kI8: return "i8";
    case Storage::kI32: return "int";
    case Storage::kI64: return "i64";
    case Storage::kF64: return "double";
    case Storage::kB8: return "u8";
  }
  return "";
}

std::string cuda_constant(Type type, IntBits bits, std::int64_t imm, double real) {
  char text[64];
  if (type == Type::kFloat) {
    std::snprintf(text, sizeof text, "nvm_as<double>(0x%llxull) /* %g */",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(real)), real);
    return text;
  }
  if (type == Type::kBool) return imm != 0 ? "true" : "false";
  std::snprintf(text, sizeof text, "(%s)0x%llxull /* %lld */", cuda_type(type, bits).c_str(),
                static_cast<unsigned long long>(imm), static_cast<long long>(imm));
  return text;
}

std::string cuda_identity(Scalar combine, Type type, IntBits bits) {
  if (type == Type::kFloat) return cuda_constant(type, bits, 0, float_identity(combine));
  if (type == Type::kBool) return cuda_constant(type, bits, bool_identity(combine) ? 1 : 0, 0.0);
  return cuda_constant(type, bits, int_identity(combine, bits), 0.0);
}

std::string cuda_fold(Scalar combine) { return "nvm_op_" + std::string(scalar_info(combine).name); }

std::string cuda_apply(const BodyInst& in, IntBits bits,
                       const std::function<std::string(std::int32_t)>& name) {
  const ScalarInfo& info = scalar_info(in.scalar);
  std::string out = "nvm_" + std::string(info.name);
  const bool makes_int = info.result == 'I' && info.operands[0] != 'I';
  if (makes_int) out += "<" + cuda_type(Type::kInt, bits) + ">";
  const char* separator = "(";
  for (const std::int32_t arg : {in.a, in.b, in.c}) {
    if (arg == kNone) continue;
    out += separator + name(arg);
    separator = ", ";
  }
  return out + (info.traps ? ", C)" : ")");
}

}  // namespace nvm::gpu
