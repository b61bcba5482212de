#include "gpu/codegen/streams.h"

#include <algorithm>

namespace nvm::gpu {

namespace {

std::string text(int n) { return std::to_string(n); }

int bytes_of(const std::string& type) {
  if (type == "i8" || type == "u8") return 1;
  return type == "int" ? 4 : 8;
}

}  // namespace

void Streams::note(const std::string& pointer, const std::string& type) {
  if (std::find(pointers_.begin(), pointers_.end(), pointer) == pointers_.end()) pointers_.push_back(pointer);
  widest_ = std::max(widest_, bytes_of(type));
}

Streams::Operand Streams::vector(VarId v, bool written) const {
  const std::string type = f_.storage(v);
  return {f_.data(v, written), type, bytes_of(type)};
}

std::vector<Streams::Operand> Streams::read_by(const std::vector<std::int32_t>& values) const {
  std::vector<Operand> out;
  const auto add = [&](Operand o) {
    if (std::none_of(out.begin(), out.end(), [&](const Operand& p) { return p.pointer == o.pointer; }))
      out.push_back(std::move(o));
  };
  for (const std::int32_t v : values) {
    const BodyInst& in = k_.kernel.body.insts[static_cast<std::size_t>(v)];
    if (in.pull == Pull::kElement && !k_.scalar(in.var)) add(vector(in.var, false));
    if (in.pull == Pull::kScanned)
      if (const auto it = k_.scanned.find(in.a); it != k_.scanned.end())
        add({f_.scratch(it->second), "u64", 8});
  }
  return out;
}

std::vector<Streams::Operand> Streams::written_by(const std::vector<std::int32_t>& sinks) const {
  std::vector<Operand> out;
  for (const std::int32_t s : sinks) {
    const Sink& sink = k_.sink(s);
    if (sink.kind == SinkKind::kStore && sink.filter == kNone && !k_.scalar(sink.out))
      out.push_back(vector(sink.out, true));
  }
  return out;
}

void Streams::add(const std::vector<std::int32_t>& values, const std::vector<std::int32_t>& sinks) {
  for (const Operand& o : read_by(values)) note(o.pointer, o.type);
  for (const Operand& o : written_by(sinks)) note(o.pointer, o.type);
  for (const auto& [s, scratch] : k_.scanned)
    body_.scanned(s, "nvm_as<" + f_.type(k_.sink(s).type) + ">(l" + f_.scratch(scratch) + "[g].get(e))");
}

void Streams::add_write(const std::string& pointer, const std::string& type) { note(pointer, type); }

void Streams::begin() {
  if (pointers_.empty()) return;
  width_ = std::min(most_, 16 / widest_);
  std::string all;
  for (const std::string& p : pointers_) all += (all.empty() ? "" : " | ") + ("(u64)" + p);
  f_.line("const bool wide = nvm_aligned(" + all + ");");
  body_.streams(this);
}

std::string Streams::pack(const Operand& o) const { return "nvm_pack<" + o.type + ", " + text(width_) + ">"; }

std::string Streams::element(VarId v) const { return k_.scalar(v) ? "" : "l" + f_.data(v) + "[g].get(e)"; }

std::string Streams::store(std::int32_t sink, const std::string& value) const {
  const Sink& s = k_.sink(sink);
  if (s.filter != kNone || k_.scalar(s.out)) return "";
  return "o" + f_.data(s.out, true) + ".set(e, (" + f_.storage(s.out) + ")" + value + ");";
}

void Streams::loop(const Loop& loop, const std::vector<std::int32_t>& values,
                   const std::vector<std::int32_t>& sinks, const std::function<void()>& element) {
  write_loop(loop, read_by(values), written_by(sinks), element);
}

void Streams::write(const Loop& loop, const std::string& pointer, const std::string& type,
                    const std::string& value) {
  write_loop(loop, {}, {{pointer, type, bytes_of(type)}},
             [&] { f_.line("o" + pointer + ".set(e, " + value + ");"); });
}

void Streams::open_groups(const Loop& loop) {
  f_.line("#pragma unroll");
  f_.open("for (int g = 0; g < " + text(loop.groups) + "; ++g)");
  f_.line("const int q = c * " + text(loop.groups) + " + g;");
  f_.line("const i64 at = " + loop.at + ";");
}

// One question for all packs of a chunk, so that their loads follow each other.
void Streams::read(const Loop& loop, const std::vector<Operand>& reads) {
  if (reads.empty()) return;
  for (const Operand& o : reads) f_.line(pack(o) + " l" + o.pointer + "[" + text(loop.groups) + "];");
  f_.line("bool full = wide;");
  open_groups(loop);
  f_.line("full = full && at + " + text(width_) + " <= " + loop.end + ";");
  f_.close();
  for (const char* how : {"if (full)", "else"}) {
    f_.open(how);
    open_groups(loop);
    for (const Operand& o : reads)
      f_.line("l" + o.pointer + "[g]." + (*how == 'i' ? "read" : "load") + "(" + o.pointer + ", at" +
              (*how == 'i' ? "" : ", " + loop.end + ", wide") + ");");
    f_.close();
    f_.close();
  }
}

void Streams::write_loop(const Loop& loop, const std::vector<Operand>& reads,
                         const std::vector<Operand>& writes, const std::function<void()>& element) {
  f_.line("#pragma unroll" + loop.unroll);
  f_.open("for (int c = 0; c < " + text(loop.chunks) + "; ++c)");
  read(loop, reads);
  open_groups(loop);
  for (const Operand& o : writes) f_.line(pack(o) + " o" + o.pointer + " = {};");
  f_.line("#pragma unroll");
  f_.open("for (int e = 0; e < " + text(width_) + "; ++e)");
  f_.line("const i64 i = at + e;");
  f_.line("const int j = q * " + text(width_) + " + e;");
  f_.line("if (" + (loop.begin.empty() ? "" : "i < " + loop.begin + " || ") + "i >= " + loop.end +
          ") continue;");
  element();
  f_.close();
  for (const Operand& o : writes)
    f_.line("o" + o.pointer + ".store(" + o.pointer + ", at, " + (loop.begin.empty() ? "0" : loop.begin) +
            ", " + loop.end + ", wide);");
  f_.close();
  if (loop.behind) loop.behind();
  f_.close();
}

}  // namespace nvm::gpu
