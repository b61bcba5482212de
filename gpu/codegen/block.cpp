// SSA to the source of a block-mode kernel: every block of every function is a case of one switch, which all
// threads of a block of threads go through together; calls push frames in the arena, so recursion needs no
// stack of threads.
#include "gpu/codegen/block.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "bytecode/base/stack.h"
#include "bytecode/table/op_kind.h"
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

namespace {

const char* const kBlockText =
#include <block_text.inc>
    ;
const char* const kFoldText =
#include <block_fold_text.inc>
    ;

using ssa::FunctionId;
using ssa::Inst;
using ssa::ValueId;

class BlockKernel {
 public:
  BlockKernel(const ssa::Module& module, FunctionId entry, bool counts)
      : module_(module), entry_(entry), counts_(counts) {}

  // False, and refusal(), if something has no form.
  bool write() {
    reach(entry_);
    for (const FunctionId f : functions_)
      if (!write_function(f)) return false;
    return refusal_.empty();
  }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] std::string source() const;

 private:
  using Label = std::pair<FunctionId, std::pair<ssa::BlockId, std::size_t>>;

  [[nodiscard]] const ssa::Function& function(FunctionId f) const {
    return module_.functions[static_cast<std::size_t>(f)];
  }
  void reach(FunctionId f) {
    check_stack();
    if (!functions_.insert(f).second) return;
    for (const ssa::Block& block : function(f).blocks) {
      if (gives_up(block)) continue;
      for (const Inst& in : block.insts)
        if (in.op == Op::kCall) reach(in.index);
    }
  }
  // Where a check of the program has failed: the ordinary call is to say so.
  static bool gives_up(const ssa::Block& block) {
    return block.end.kind == ssa::Exit::kStop ||
           std::any_of(block.insts.begin(), block.insts.end(),
                       [](const Inst& in) { return op_info(in.op).kind == OpKind::kHost; });
  }
  bool refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = why;
    return false;
  }
  // The case where block `block` of f goes on with instruction `at`.
  int label(FunctionId f, ssa::BlockId block, std::size_t at) {
    return labels_.try_emplace({f, {block, at}}, static_cast<int>(labels_.size())).first->second;
  }
  static std::string slot(ValueId v) { return "F[" + std::to_string(v + 1) + "]"; }
  [[nodiscard]] std::string type(Type t) const { return cuda_type(t, module_.int_bits); }
  [[nodiscard]] int width(Type t) const {
    if (t == Type::kSegdes) return 0;
    if (t == Type::kBool) return 1;
    return t == Type::kInt && module_.int_bits == IntBits::k32 ? 4 : 8;
  }
  void line(const std::string& text) { text_ += "        " + text + "\n"; }
  void checked(const std::string& text) {
    line(text);
    line("if (b.stop != 0) goto done;");
  }

  bool write_function(FunctionId f);
  bool write_inst(const ssa::Function& f, const Inst& in);
  bool write_constant(const Inst& in);
  std::string table(std::int32_t constant, const std::vector<std::uint64_t>& elements);
  void write_map(const ssa::Function& f, const Inst& in);
  void write_moved(const ssa::Function& f, const Inst& in);
  bool write_moves(const ssa::Function& f, const Inst& in);
  void write_call(const ssa::Function& f, const Inst& in, int back);
  void write_end(FunctionId id, const ssa::Block& block);
  [[nodiscard]] std::string results(const ssa::Function& f, const std::vector<ValueId>& values) const;

  const ssa::Module& module_;
  FunctionId entry_;
  bool counts_;
  std::set<FunctionId> functions_;
  std::map<Label, int> labels_;
  std::string text_;
  std::string refusal_;
  std::string tables_;  // of constants
  std::set<std::int32_t> tables_named_;
  std::size_t most_results_ = 1;
};

bool BlockKernel::write_function(FunctionId id) {
  const ssa::Function& f = function(id);
  if (f.results.empty()) return refuse(f.name + " has no result");
  for (const Type t : f.value_types)
    if (t == Type::kPair) return refuse(f.name + " makes pairs");
  most_results_ = std::max(most_results_, f.results.size());
  for (std::size_t k = 0; k < f.blocks.size(); ++k) {
    const auto block = static_cast<ssa::BlockId>(k);
    text_ += "      case " + std::to_string(label(id, block, 0)) + ":  // " + std::to_string(id) + "." +
             std::to_string(k) + "\n";
    if (gives_up(f.blocks[k])) {
      line("b.stop = 1;");
      line("goto done;");
      continue;
    }
    for (std::size_t i = 0; i < f.blocks[k].insts.size(); ++i) {
      const Inst& in = f.blocks[k].insts[i];
      if (in.op == Op::kCall)
        write_call(f, in, label(id, block, i + 1));
      else if (!write_inst(f, in))
        return refuse(std::string(op_info(in.op).text) + " in " + f.name + " has no block-wide form");
    }
    write_end(id, f.blocks[k]);
  }
  return true;
}

bool BlockKernel::write_constant(const Inst& in) {
  const ssa::Constant& c = module_.constants[static_cast<std::size_t>(in.index)];
  if (c.input >= 0) return false;
  const Type t = nvm::type_of(c.word);
  const std::size_t count = t == Type::kFloat ? c.floats.size() : c.ints.size();
  std::vector<std::uint64_t> bits;  // of a descriptor: its offsets
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = t == Type::kFloat ? std::bit_cast<std::int64_t>(c.floats[i]) : c.ints[i];
    bits.push_back(static_cast<std::uint64_t>(t == Type::kSegdes ? offset : number));
    if (t == Type::kSegdes) offset += number;
  }
  if (t == Type::kSegdes) bits.push_back(static_cast<std::uint64_t>(offset));
  const std::string made = t == Type::kSegdes ? "i64" : type(t);
  const std::string to = ", &" + slot(in.first_result) + ");";
  if (count <= 1 && t != Type::kSegdes) {
    checked("nvm_b_constant<" + made + ">(b, nvm_as<" + made + ">(" +
            std::to_string(count == 0 ? 0 : bits[0]) + "ull), " + std::to_string(count) + to);
    return true;
  }
  checked("nvm_b_table<" + made + ">(b, " + table(in.index, bits) + ", " + std::to_string(count) + ", " +
          (t == Type::kSegdes ? "true" : "false") + to);
  return true;
}

// The name of a constant vector's elements in the source.
std::string BlockKernel::table(std::int32_t constant, const std::vector<std::uint64_t>& elements) {
  const std::string name = "k0_c" + std::to_string(constant);
  if (!tables_named_.insert(constant).second) return name;
  tables_ += "static __device__ const u64 " + name + "[] = {";
  for (const std::uint64_t e : elements) tables_ += std::to_string(e) + "ull, ";
  tables_ += "};\n";
  return name;
}

void BlockKernel::write_map(const ssa::Function& f, const Inst& in) {
  BodyInst apply;
  apply.pull = Pull::kApply;
  apply.scalar = op_info(in.op).scalar;
  apply.type = f.value_types[static_cast<std::size_t>(in.first_result)];
  std::int32_t* const names[] = {&apply.a, &apply.b, &apply.c};
  std::string same;
  line("{");
  for (std::uint32_t k = 0; k < in.operands; ++k) {
    *names[k] = static_cast<std::int32_t>(k);
    line("const nvm_val x" + std::to_string(k) + " = " + slot(f.operands_of(in)[k]) + ";");
    if (k > 0) same += " && x" + std::to_string(k) + ".n == x0.n";
  }
  const std::string made = type(apply.type);
  const auto element = [&](std::int32_t k) {
    const Type t = f.value_types[static_cast<std::size_t>(f.operands_of(in)[k])];
    return "((const " + type(t) + "*)x" + std::to_string(k) + ".at)[i]";
  };
  line("nvm_val r = {0, 0};");
  line("if (nvm_must(b, true" + same + ") && nvm_take(b, x0.n, sizeof(" + made + "), r)) NVM_EACH(i, r.n)");
  line("  ((" + made + "*)r.at)[i] = " + cuda_apply(apply, module_.int_bits, element) + ";");
  line("nvm_give(&" + slot(in.first_result) + ", r);");
  line("}");
  line("if (b.stop != 0) goto done;");
}

// Instructions that are one function of block.cuh.
bool BlockKernel::write_moves(const ssa::Function& f, const Inst& in) {
  const auto x = [&](std::uint32_t k) { return slot(f.operands_of(in)[k]); };
  const auto type_of = [&](std::uint32_t k) {
    return f.value_types[static_cast<std::size_t>(f.operands_of(in)[k])];
  };
  const std::string none = "nvm_val{0, -1}";
  const std::string i = type(Type::kInt);
  const std::string t = in.operands > 0 ? type(type_of(0)) : i;
  const std::string to = ", &" + slot(in.first_result) + ");";
  const OpInfo& info = op_info(in.op);
  if (info.kind == OpKind::kReduce || info.kind == OpKind::kScan) {
    checked(std::string("nvm_b_") + (info.kind == OpKind::kScan ? "scan<" : "reduce<") +
            cuda_fold(info.scalar) + ", " + t + ">(b, " + x(0) + ", " + x(1) + ", " +
            cuda_identity(info.scalar, type_of(0), module_.int_bits) + to);
    return true;
  }
  const std::string ti = "<" + t + ", " + i + ">(b, ";
  const MoveOperands m = move_operands(in.op);
  const auto by = [&](int k) { return k < 0 ? none : x(static_cast<std::uint32_t>(k)); };
  const auto move = [&](const std::string& function, const std::string& rest) {
    checked(function + ti + x(0) + ", " + x(1) + ", " + by(m.flags) + ", " + rest + by(m.first) + ", " +
            by(m.last) + to);
  };
  switch (info.kind) {
    case OpKind::kScatter: move("nvm_b_scatter", by(m.defaults) + ", "); return true;
    case OpKind::kGather: move("nvm_b_gather", ""); return true;
    case OpKind::kExtract: checked("nvm_b_extract" + ti + x(0) + ", " + x(1) + ", " + x(2) + to); return true;
    case OpKind::kReplace:
      checked("nvm_b_replace" + ti + x(0) + ", " + x(1) + ", " + x(2) + ", " + x(3) + to);
      return true;
    case OpKind::kDist: checked("nvm_b_dist<" + t + ">(b, " + x(0) + ", " + x(1) + to); return true;
    case OpKind::kIota:
      checked("nvm_b_index<" + i + ">(b, " + x(0) + ", " + x(1) + ", " + x(2) + to);
      return true;
    case OpKind::kFilter:
      checked("nvm_b_pack<" + t + ">(b, " + x(0) + ", " + x(1) + ", " + x(2) + ", &" + slot(in.first_result) +
              ", &" + slot(in.first_result + 1) + ");");
      return true;
    case OpKind::kRank:
      checked("nvm_b_rank<" + t + ", " + i + (in.op == Op::kRankDown ? ", true>(b, " : ", false>(b, ") +
              x(0) + ", " + x(1) + to);
      return true;
    case OpKind::kShape:
      if (in.op == Op::kLength)
        checked("nvm_b_constant<" + i + ">(b, (" + i + ")" + x(0) + ".n, 1" + to);
      else
        checked((in.op == Op::kLengths ? "nvm_b_lengths<" : "nvm_b_make_segdes<") + i + ">(b, " + x(0) + to);
      return true;
    default: return false;
  }
}

bool BlockKernel::write_inst(const ssa::Function& f, const Inst& in) {
  if (in.op == Op::kConst) return write_constant(in);
  if (op_info(in.op).kind != OpKind::kMap) {
    if (!write_moves(f, in)) return false;
  } else {
    write_map(f, in);
  }
  if (counts_) write_moved(f, in);
  return true;
}

// The vectors among operands and results, in the storage that they have here.
void BlockKernel::write_moved(const ssa::Function& f, const Inst& in) {
  std::string sum;
  const auto add = [&](const std::string& count, ValueId v) {
    const int bytes = width(f.value_types[static_cast<std::size_t>(v)]);
    if (bytes > 0) sum += (sum.empty() ? "" : " + ") + count + " * " + std::to_string(bytes);
  };
  const auto length = [](ValueId v) { return slot(v) + ".n"; };
  const auto operands = f.operands_of(in);
  for (std::uint32_t k = 0; k < in.operands; ++k) {
    const std::string all = length(operands[k]);
    const bool picked = k == 0 && in.operands > 1 && picks(in.op);
    const std::string some = picked ? length(operands[1]) : all;
    add(picked ? "(" + some + " < " + all + " ? " + some + " : " + all + ")" : all, operands[k]);
  }
  for (std::uint32_t k = 0; k < in.results; ++k) {
    const ValueId v = in.first_result + static_cast<ValueId>(k);
    add(length(v), v);
  }
  if (!sum.empty()) line("NVM_COUNT(" + sum + ");");
}

void BlockKernel::write_call(const ssa::Function& f, const Inst& in, int back) {
  const ssa::Function& callee = function(in.index);
  line("{");
  line("nvm_val* const N = nvm_failed(b) ? 0 : nvm_enter(b, F, " + std::to_string(back) + ", " +
       std::to_string(callee.values()) + ");");
  line("if (N == 0) goto done;");
  line("if (threadIdx.x == 0) {");
  for (std::uint32_t k = 0; k < in.operands; ++k)
    line("  N[" + std::to_string(callee.blocks[0].parameters[k] + 1) + "] = " + slot(f.operands_of(in)[k]) +
         ";");
  line("}");
  line("F = N;");
  line("pc = " + std::to_string(label(in.index, 0, 0)) + ";");
  line("__syncthreads();");
  line("break;");
  line("}");
  text_ += "      case " + std::to_string(back) + ":\n";
  line("if (threadIdx.x == 0) {");
  for (std::uint32_t k = 0; k < in.results; ++k)
    line("  " + slot(in.first_result + static_cast<ValueId>(k)) + " = made[" + std::to_string(k) + "];");
  line("}");
  line("__syncthreads();");
}

std::string BlockKernel::results(const ssa::Function& f, const std::vector<ValueId>& values) const {
  std::string vals;
  std::string widths;
  for (const ValueId v : values) {
    vals += (vals.empty() ? "" : ", ") + slot(v);
    widths +=
        (widths.empty() ? "" : ", ") + std::to_string(width(f.value_types[static_cast<std::size_t>(v)]));
  }
  const std::string n = std::to_string(values.size());
  return "nvm_val v[" + n + "] = {" + vals + "}; const int w[" + n + "] = {" + widths + "};";
}

void BlockKernel::write_end(FunctionId id, const ssa::Block& block) {
  const ssa::Function& f = function(id);
  const ssa::Terminator& end = block.end;
  if (end.kind == ssa::Exit::kBranch) {
    line("pc = *(const u8*)" + slot(end.condition) + ".at != 0 ? " +
         std::to_string(label(id, end.target, 0)) + " : " + std::to_string(label(id, end.otherwise, 0)) +
         ";");
    line("break;");
    return;
  }
  line("{");
  if (end.kind == ssa::Exit::kJump) {
    const std::vector<ValueId>& to = function(id).blocks[static_cast<std::size_t>(end.target)].parameters;
    for (std::size_t k = 0; k < to.size(); ++k)
      line("const nvm_val t" + std::to_string(k) + " = " + slot(end.arguments[k]) + ";");
    line("__syncthreads();");
    line("if (threadIdx.x == 0) {");
    for (std::size_t k = 0; k < to.size(); ++k) line("  " + slot(to[k]) + " = t" + std::to_string(k) + ";");
    line("}");
    line("__syncthreads();");
    line("pc = " + std::to_string(label(id, end.target, 0)) + ";");
  } else {
    line(results(f, end.arguments));
    line("pc = F[0].n;");
    if (id == entry_) {
      line("if (pc < 0) {");
      line("  if (!nvm_failed(b)) nvm_deliver(b, v, w, a.s[7], a.s[8], (u64*)a.s[9], out);");
      line("  goto done;");
      line("}");
    }
    line("nvm_val* const up = (nvm_val*)F[0].at;");
    line("nvm_leave(b, F, v, w);");
    line("for (int k = 0; k < " + std::to_string(end.arguments.size()) + "; ++k) made[k] = v[k];");
    line("F = up;");
  }
  line("break;");
  line("}");
}

std::string BlockKernel::source() const {
  const ssa::Function& f = function(entry_);
  const std::string parameters = std::to_string(f.blocks[0].parameters.size());
  std::string out = tables_ + R"(struct k0_args {
  u64 s[)" + std::to_string(kBlockArgs) +
                    R"(];
};
extern "C" __global__ void __launch_bounds__(NVM_BT) k0(const k0_args a) {
  for (i64 turn = blockIdx.x; turn < (i64)a.s[0]; turn += gridDim.x) {
    const i64 group = ((const i64*)a.s[1])[turn];
    const u64* const w = (const u64*)a.s[2] + 4 * group * )" +
                    parameters + R"(;
    u64* const out = (u64*)a.s[3] + 3 * group * )" +
                    std::to_string(f.results.size()) + R"(;
    nvm_arena b;
    b.C = (u64*)a.s[4] + group;
    b.top = a.s[5] != 0 ? a.s[5] + (u64)blockIdx.x * a.s[6] : (u64)NVM_ARENA(a.s[6]);
    b.end = b.top + a.s[6];
    b.box = (i64*)b.top;
    b.top += 8 * (NVM_BT + 2);
    b.stop = 0;
)" + (counts_ ? "    b.moved = 0;\n" : "") +
                    R"(    u64* const C = b.C;
    nvm_val made[)" +
                    std::to_string(most_results_) + R"(];
    i64 pc = )" + std::to_string(labels_.at({entry_, {0, 0}})) +
                    R"(;
    nvm_val* F = nvm_enter(b, 0, -1, )" +
                    std::to_string(f.values()) + R"();
    if (F == 0) goto done;
)";
  for (std::size_t k = 0; k < f.blocks[0].parameters.size(); ++k) {
    const ValueId p = f.blocks[0].parameters[k];
    const Type t = f.value_types[static_cast<std::size_t>(p)];
    const std::string call = t == Type::kSegdes ? "nvm_b_segments" : "nvm_b_vector<" + type(t) + ">";
    out += "    " + call + "(b, w + " + std::to_string(4 * k) + ", &" + slot(p) +
           ");\n    if (b.stop != 0) goto done;\n";
  }
  out += "    for (;;) switch (pc) {\n" + text_ + "      default: goto done;\n    }\n  done:\n";
  out +=
      R"(    __syncthreads();
    if (threadIdx.x == 0 && b.stop != 0 && *C == 0) *C = b.stop;
)" +
      (counts_ ? "    if (threadIdx.x == 0) ((u64*)a.s[" + std::to_string(kMoved) + "])[group] = b.moved;\n"
               : "") +
      R"(    __syncthreads();
  }
}
NVM_ENTRY(k0, k0_args)
)";
  return out;
}

}  // namespace

std::optional<BlockCode> generate_block(const ssa::Module& module, FunctionId function, bool counts,
                                        std::string& reason) {
  BlockKernel kernel(module, function, counts);
  if (!kernel.write()) {
    reason = kernel.refusal();
    return std::nullopt;
  }
  BlockCode code;
  code.source = (counts ? "#define NVM_COUNTS_BYTES\n" : "") + (kBlockText + (kFoldText + kernel.source()));
  code.entry = "k0";
  code.int_bytes = module.int_bits == IntBits::k32 ? 4 : 8;
  for (const Type t : module.functions[static_cast<std::size_t>(function)].results)
    code.widths.push_back(t == Type::kSegdes ? 0
                          : t == Type::kBool ? 1
                          : t == Type::kInt  ? code.int_bytes
                                             : 8);
  return code;
}

}  // namespace nvm::gpu
