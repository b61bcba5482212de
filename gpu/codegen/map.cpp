// Bodies, and the pass that only stores: every thread takes 4 elements of its warp's run of them (16 of one
// byte), 16 where segment numbers are wanted, so that looking for the first one is shared.
#include <algorithm>

#include "bytecode/base/check.h"
#include "gpu/codegen/streams.h"

namespace nvm::gpu {

BodyWriter::BodyWriter(Function& f, const plan::Kernel& kernel) : f_(f), kernel_(kernel) {}

std::vector<std::int32_t> BodyWriter::closure(const std::vector<std::int32_t>& roots) const {
  const auto& insts = kernel_.body.insts;
  std::vector<bool> wanted(insts.size(), false);
  for (const std::int32_t r : roots)
    if (r != kNone) wanted[static_cast<std::size_t>(r)] = true;
  for (std::size_t i = insts.size(); i-- > 0;) {
    if (!wanted[i] || insts[i].pull == Pull::kScanned) continue;
    for (const std::int32_t arg : {insts[i].a, insts[i].b, insts[i].c})
      if (arg != kNone) wanted[static_cast<std::size_t>(arg)] = true;
  }
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < insts.size(); ++i)
    if (wanted[i]) values.push_back(static_cast<std::int32_t>(i));
  return values;
}

std::set<VarId> BodyWriter::descs(const std::vector<std::int32_t>& values) const {
  std::set<VarId> out;
  for (const std::int32_t v : values) {
    const BodyInst& in = kernel_.body.insts[static_cast<std::size_t>(v)];
    if (in.desc != kNone) out.insert(in.desc);
  }
  return out;
}

std::string BodyWriter::name(std::int32_t value) const {
  return "v" + std::to_string(value) + (is_array(value) ? "[j]" : "");
}

std::string BodyWriter::type(std::int32_t value) const {
  const BodyInst& in = kernel_.body.insts[static_cast<std::size_t>(value)];
  return in.pull == Pull::kSegPlace ? "i64" : f_.type(in.type);
}

void BodyWriter::write(const std::vector<std::int32_t>& values) {
  for (const std::int32_t v : values) {
    const BodyInst& in = kernel_.body.insts[static_cast<std::size_t>(v)];
    f_.line((is_array(v) ? "" : "const " + type(v) + " ") + name(v) + " = " + value(in) + ";");
  }
}

std::string BodyWriter::value(const BodyInst& in) {
  const std::string seg = "s" + std::to_string(in.desc);
  switch (in.pull) {
    case Pull::kConst: return cuda_constant(in.type, f_.plan().int_bits, in.imm, in.real);
    case Pull::kUniform: return f_.load(in.var, "0");
    case Pull::kElement: {
      const std::string dense = streams_ == nullptr ? "" : streams_->element(in.var);
      return dense.empty() ? f_.load(in.var, "i") : f_.as_value(in.var, dense);
    }
    case Pull::kIndex: return "(" + f_.type(in.type) + ")i";
    case Pull::kPerSegment: return f_.load(in.var, seg);
    case Pull::kSegment: return "(" + f_.type(in.type) + ")" + seg;
    case Pull::kWithin:
      return "(" + f_.type(in.type) + ")(i - " + f_.segments(in.desc) + ".offset(" + seg + "))";
    case Pull::kGather:
    case Pull::kSegGather: return gather(in);
    case Pull::kSegPlace: return place(in);
    case Pull::kApply: return cuda_apply(in, f_.plan().int_bits, [this](std::int32_t v) { return name(v); });
    case Pull::kCheck: return "nvm_check(" + name(in.a) + ", C)";
    case Pull::kScanned: return scanned_.at(in.a);
  }
  return {};
}

BodyWriter::Segment BodyWriter::segment(const BodyInst& in) {
  const std::string g = f_.segments(in.desc2);
  const std::string seg = in.desc == kNone ? "i" : "s" + std::to_string(in.desc);
  const std::string first = g + ".offset(" + seg + ")";
  return {first, g + ".offset(" + seg + " + 1) - " + first};
}

std::string BodyWriter::place(const BodyInst& in) {
  const Segment s = segment(in);
  const std::string out = "nvm_segment_place(" + s.first + ", " + s.length + ", (i64)" + name(in.a) + ", C)";
  return in.b == kNone ? out : name(in.b) + " ? " + out + " : -1";
}

std::string BodyWriter::gather(const BodyInst& in) {
  const plan::Var& var = f_.plan().vars[static_cast<std::size_t>(in.var)];
  const std::string type = f_.type(in.type);
  const bool scalar = f_.plan().lengths[static_cast<std::size_t>(var.length)] == plan::LengthKind::kOne;
  std::string index = name(in.a);
  std::string first;
  std::string length = f_.length(var.length);
  if (in.pull == Pull::kSegGather) {
    const Segment s = segment(in);
    first = s.first;
    length = s.length;
    if (scalar) index = length + " > 0 ? " + index + " : -1";
  }
  const std::string cell = "C[" + std::to_string(scalar_cell(f_.plan(), in.var)) + "]";
  const std::string source = scalar ? "" : f_.data(in.var) + (first.empty() ? "" : " + " + first);
  std::string out = scalar ? "nvm_gather_cell<" + type + ">(" + cell + ", " + index + ", C)"
                           : "nvm_gather<" + type + ">(" + source + ", " + length + ", " + index + ", C)";
  return in.b == kNone ? out : name(in.b) + " ? " + out + " : (" + type + ")0";
}

void write_element_sink(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                        const std::string& kept, const std::string& index) {
  const Sink& s = k.sink(sink);
  if (s.kind == SinkKind::kScatter) return write_scatter(k, f, body, sink, kept);
  if (s.kind == SinkKind::kSegdes) return write_total(k, f, body, sink);
  if (s.kind != SinkKind::kStore) return;
  const std::string dense = body.streams() == nullptr ? "" : body.streams()->store(sink, body.name(s.value));
  if (!dense.empty()) return f.line(dense);
  f.line((kept.empty() ? "" : "if (" + kept + ") ") + f.store(s.out, index, body.name(s.value)));
}

void write_map(KernelWriter& k, const Pass& pass) {
  constexpr int kResident = 3;  // enough to hide memory behind long bodies, 80 registers for each thread
  Function f(k.plan, k.name + pass.name, 256, kResident);
  BodyWriter body(f, k.kernel);
  k.bind_scanned(f, body);
  std::vector<std::int32_t> roots = pass.checks ? k.trapping() : std::vector<std::int32_t>{};
  for (const std::int32_t s : pass.sinks)
    for (const std::int32_t v : {k.sink(s).value, k.sink(s).index, k.sink(s).flag}) roots.push_back(v);
  const std::vector<std::int32_t> values = body.closure(roots);
  const std::set<VarId> descs = body.descs(values);
  Streams streams(k, f, body, 16);
  streams.add(values, pass.sinks);
  streams.begin();
  const int width = streams.width();
  const int items = descs.empty() ? std::max(4, width) : 16;
  const int groups = std::max(1, 4 / width);
  const std::string run = std::to_string(32 * width);
  const std::string n = f.length(k.kernel.space);
  f.line("const i64 begin = ((i64)blockIdx.x * 8 + threadIdx.x / 32) * " + std::to_string(32 * items) + ";");
  f.line("const i64 first = begin + threadIdx.x % 32 * " + std::to_string(width) + ";");
  for (const VarId d : descs)
    f.line("i64 s" + std::to_string(d) + " = " + f.find_segment(d, "begin", n) + ";");
  const Streams::Loop loop{items / (groups * width), groups, "first + q * " + run, "", n, " 1"};
  streams.loop(loop, values, pass.sinks, [&] {
    for (const VarId d : descs)
      f.line("s" + std::to_string(d) + " = " + f.segments(d) + ".seek(s" + std::to_string(d) + ", i);");
    body.write(values);
    for (const std::int32_t s : pass.sinks) write_element_sink(k, f, body, s, "", "i");
  });
  k.add_launch(f, k.kernel.space, 256 * items, 256);
}

}  // namespace nvm::gpu
