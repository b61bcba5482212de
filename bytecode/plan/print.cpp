#include <string>

#include "bytecode/plan/plan.h"

namespace nvm::plan {

namespace {

const char* storage_name(Storage s) {
  switch (s) {
    case Storage::kI8: return "i8";
    case Storage::kI32: return "i32";
    case Storage::kI64: return "i64";
    case Storage::kF64: return "f64";
    case Storage::kB8: return "b8";
  }
  return "";
}

const char* form_name(DescForm f) {
  switch (f) {
    case DescForm::kOneSegment: return "one segment";
    case DescForm::kRegular: return "regular";
    case DescForm::kIrregular: return "irregular";
  }
  return "";
}

const char* role_name(VarRole r) {
  return r == VarRole::kInput ? "input" : r == VarRole::kTemp ? "temp" : "output";
}

std::string number(const char* prefix, std::int32_t n) { return prefix + std::to_string(n); }

std::string print_var(const Plan& plan, std::size_t i) {
  const Var& v = plan.vars[i];
  std::string out = std::string("  x") + std::to_string(i) + ": " + role_name(v.role) + " ";
  if (v.is_desc)
    return out + "segdes " + number("n", v.length) + ":" + number("n", v.total) + " " + form_name(v.form) +
           "\n";
  return out + storage_name(v.storage) + "[" + number("n", v.length) + "]\n";
}

std::string print_sink(const Sink& s, std::size_t i) {
  std::string out = "    s" + std::to_string(i) + ": ";
  const std::string value = number("v", s.value);
  const std::string combine =
      s.combine == Scalar::kNoScalar ? "" : std::string(scalar_info(s.combine).name) + " ";
  switch (s.kind) {
    case SinkKind::kStore: out += number("x", s.out) + "[i] = " + value; break;
    case SinkKind::kReduce: out += number("x", s.out) + " = reduce " + combine + value; break;
    case SinkKind::kScan: out += "scan " + combine + value; break;
    case SinkKind::kSegReduce:
      out += number("x", s.out) + " = reduce " + combine + value + " by " + number("x", s.desc);
      break;
    case SinkKind::kSegScan: out += "scan " + combine + value + " by " + number("x", s.desc); break;
    case SinkKind::kCount:
      out += (s.out_length == kNone ? "" : number("n", s.out_length) + " = ") + "count " + value;
      if (s.desc != kNone) out += " by " + number("x", s.desc) + " into " + number("x", s.out_desc);
      break;
    case SinkKind::kScatter:
      out += number("x", s.out) + "[" + number("v", s.index) + "] = " + value;
      if (s.distinct) out += " distinct";
      if (s.flag != kNone) out += " if " + number("v", s.flag);
      if (s.init != kNone) out += " over " + number("x", s.init);
      break;
    case SinkKind::kPartition:
      out += number("x", s.out) + " = part " + value + " at " + number("x", s.init) + " by s" +
             std::to_string(s.filter);
      if (s.desc != kNone) out += " in " + number("x", s.desc);
      break;
    case SinkKind::kRank:
      out += number("x", s.out) + " = rank " + (s.down ? "down " : "") + value;
      if (s.desc != kNone) out += " by " + number("x", s.desc);
      break;
    case SinkKind::kRandom: out += number("x", s.out) + " = random below " + value; break;
    case SinkKind::kSegdes:
      out +=
          number("x", s.out_desc) + " = segments of " + value + ", " + number("n", s.out_length) + " = sum";
      break;
  }
  if (s.filter != kNone && s.kind != SinkKind::kPartition) out += " where s" + std::to_string(s.filter);
  return out + " :" + std::string(type_name(s.type)) + "\n";
}

std::string print_repeat(const Repeat& r) {
  std::string out = "    repeat while " + number("v", r.more) + ", at most " + number("x", r.limit);
  for (const Repeat::Carried& c : r.carried) out += ", " + number("v", c.value) + " = " + number("v", c.next);
  return out + "\n";
}

}  // namespace

std::string print(const Plan& plan) {
  std::string out = "plan int" + std::to_string(static_cast<int>(plan.int_bits)) + "\n";
  for (std::size_t i = 0; i < plan.lengths.size(); ++i) {
    const LengthKind kind = plan.lengths[i];
    const char* name = kind == LengthKind::kOne ? "one" : kind == LengthKind::kBound ? "bound" : "counted";
    out += "  n" + std::to_string(i) + ": " + name + "\n";
  }
  for (std::size_t i = 0; i < plan.vars.size(); ++i) out += print_var(plan, i);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    out += "  kernel " + std::to_string(k) + " over n" + std::to_string(plan.kernels[k].space) + "\n";
    out += print(plan.kernels[k].body);
    if (plan.kernels[k].repeat) out += print_repeat(*plan.kernels[k].repeat);
    for (std::size_t i = 0; i < plan.kernels[k].sinks.size(); ++i)
      out += print_sink(plan.kernels[k].sinks[i], i);
  }
  return out;
}

}  // namespace nvm::plan
