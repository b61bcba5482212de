#include "gpu/codegen/writer.h"

#include <algorithm>

#include "bytecode/base/check.h"

namespace nvm::gpu {

using plan::LengthKind;

namespace {

std::string numbered(const char* prefix, std::int32_t n) { return prefix + std::to_string(n); }

bool is_scalar(const plan::Plan& plan, VarId v) {
  const plan::Var& var = plan.vars[static_cast<std::size_t>(v)];
  return !var.is_desc && plan.lengths[static_cast<std::size_t>(var.length)] == LengthKind::kOne;
}

}  // namespace

Function::Function(const plan::Plan& plan, std::string name, int threads, int resident)
    : plan_(plan), name_(std::move(name)), threads_(threads), resident_(resident) {
  argument({ArgKind::kCells, kNone}, "C", "u64* const C = (u64*)$;");
}

std::string Function::slot(Arg arg) {
  const auto it = std::find(args_.begin(), args_.end(), arg);
  const auto at = it - args_.begin();
  if (it == args_.end()) args_.push_back(arg);
  return "a.s[" + std::to_string(at) + "]";
}

std::string Function::argument(Arg arg, const std::string& name, const std::string& declaration) {
  if (!declared_.insert(name).second) return name;
  std::string text = declaration;
  text.replace(text.find('$'), 1, slot(arg));
  declare(text);
  return name;
}

std::string Function::data(VarId v, bool written) {
  const std::string pointer = storage(v) + "* __restrict__";
  const std::string name = numbered("x", v);
  return argument({ArgKind::kData, v}, name,
                  (written ? "" : "const ") + pointer + " const " + name + " = (" +
                      (written ? "" : "const ") + pointer.substr(0, pointer.find(' ')) + ")$;");
}

std::string Function::length(LengthId n) {
  std::string name = numbered("n", n);
  if (declared_.insert(name).second)
    declare("const i64 " + name + " = (i64)C[" + std::to_string(length_cell(n)) + "];");
  return name;
}

std::string Function::scratch(std::int32_t id) {
  const std::string name = numbered("p", id);
  return argument({ArgKind::kScratch, id}, name, "u64* const " + name + " = (u64*)$;");
}

std::string Function::segments(VarId d) {
  const plan::Var& var = plan_.vars[static_cast<std::size_t>(d)];
  std::string name = numbered("g", d);
  if (declared_.contains(name)) return name;
  switch (var.form) {
    case plan::DescForm::kOneSegment: {
      const std::string total = length(var.total);
      declare("const nvm_whole " + name + " = {" + total + "};");
      break;
    }
    case plan::DescForm::kRegular:
      declare("const nvm_regular " + name + " = {(i64)" + slot({ArgKind::kRegularLength, d}) + "};");
      break;
    case plan::DescForm::kIrregular: {
      const std::string offsets = slot({ArgKind::kOffsets, d});
      declare("const nvm_irregular " + name + " = {(const i64*)" + offsets + ", (i64)" +
              slot({ArgKind::kLength, var.length}) + "};");
      break;
    }
  }
  declared_.insert(name);
  return name;
}

std::string Function::find_segment(VarId d, const std::string& first, const std::string& elements) {
  return first + " < " + elements + " ? " + segments(d) + ".find(" + first + ", " + elements + ") : 0";
}

std::string Function::storage(VarId v) const {
  const plan::Var& var = plan_.vars[static_cast<std::size_t>(v)];
  return cuda_storage(var.is_desc ? Storage::kI64 : var.storage);
}

std::string Function::load(VarId v, const std::string& index) {
  const Type t = plan_.vars[static_cast<std::size_t>(v)].type;
  if (is_scalar(plan_, v)) return "nvm_as<" + type(t) + ">(C[" + std::to_string(scalar_cell(plan_, v)) + "])";
  return as_value(v, data(v) + "[" + index + "]");
}

std::string Function::as_value(VarId v, const std::string& element) const {
  const Type t = plan_.vars[static_cast<std::size_t>(v)].type;
  return t == Type::kBool ? element + " != 0" : "(" + type(t) + ")" + element;
}

std::string Function::store(VarId v, const std::string& index, const std::string& value) {
  if (is_scalar(plan_, v))
    return "C[" + std::to_string(scalar_cell(plan_, v)) + "] = nvm_bits(" + value + ");";
  return data(v, true) + "[" + index + "] = (" + storage(v) + ")" + value + ";";
}

std::string Function::source() const {
  const std::string args = name_ + "_args";
  const std::string bounds =
      std::to_string(threads_) + (resident_ > 1 ? ", " + std::to_string(resident_) : std::string());
  return "struct " + args + " {\n  u64 s[" + std::to_string(args_.size()) +
         "];\n};\nextern \"C\" __global__ void " + "__launch_bounds__(" + bounds + ") " + name_ + "(const " +
         args + " a) {\n" + declarations_ + body_ + "}\nNVM_ENTRY(" + name_ + ", " + args + ")\n";
}

bool KernelWriter::scalar(VarId v) const { return is_scalar(plan, v); }

std::vector<std::int32_t> KernelWriter::trapping() const {
  std::vector<std::int32_t> values;
  for (std::size_t v = 0; v < kernel.body.insts.size(); ++v) {
    const BodyInst& in = kernel.body.insts[v];
    const bool checks = in.pull == Pull::kGather || in.pull == Pull::kSegGather ||
                        in.pull == Pull::kSegPlace || in.pull == Pull::kCheck;
    if (checks || (in.pull == Pull::kApply && in.type == Type::kInt && scalar_info(in.scalar).traps))
      values.push_back(static_cast<std::int32_t>(v));
  }
  return values;
}

std::int32_t KernelWriter::add_state(std::int64_t unit, std::int64_t least) {
  return add_scratch({.length = kernel.space, .unit = unit, .bytes = 16, .least = least, .zeroed = true});
}

std::int32_t KernelWriter::add_far_state(std::int64_t most) {
  return add_scratch({.length = kernel.space, .unit = 2048, .bytes = 16, .zeroed = true, .most = most});
}

void KernelWriter::add_launch(const Function& f, LengthId over, std::int64_t items, int threads, int extra) {
  source += f.source();
  code.launches.push_back({f.name(), over, items, extra, threads, f.args(), {}});
}

void KernelWriter::bind_scanned(Function& f, BodyWriter& body) const {
  for (const auto& [s, scratch] : scanned)
    body.scanned(s, "nvm_as<" + f.type(sink(s).type) + ">(" + f.scratch(scratch) + "[i])");
}

}  // namespace nvm::gpu
