// Passes over tiles. First sweep: what scans combine and filters ask; then the scans and ranks of the tile;
// second sweep: everything else, with scans and ranks at hand; then the tile's reductions. An element's
// values that both sweeps need stay in registers.
#include <algorithm>
#include <bit>

#include "gpu/codegen/streams.h"

namespace nvm::gpu {

namespace {

bool in_first_sweep(const Sink& s) {
  return s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan || s.kind == SinkKind::kCount;
}
bool reduces(const Sink& s) {
  return (s.kind == SinkKind::kReduce && s.filter == kNone) || s.kind == SinkKind::kSegReduce;
}

class TileWriter {
 public:
  TileWriter(KernelWriter& k, const Pass& pass)
      : k_(k),
        pass_(pass),
        f_(k.plan, k.name + pass.name, 256),
        body_(f_, k.kernel),
        streams_(k, f_, body_, 4),
        counts_(k, f_, body_) {
    items_ = 16;
    n_ = f_.length(k.kernel.space);
    k.bind_scanned(f_, body_);
  }

  void write() {
    choose_values();
    write_head();
    sweep(true);
    for (const std::int32_t s : pass_.sinks) {
      if (k_.sink(s).kind == SinkKind::kCount) counts_.rank(s, streams_.width());
      if (k_.sink(s).kind == SinkKind::kScan || k_.sink(s).kind == SinkKind::kSegScan) scan(s);
    }
    for (const auto& [s, values] : staged_) store_kept(s, values);
    for (const std::int32_t s : pass_.sinks)
      if (k_.sink(s).kind == SinkKind::kCount) counts_.look_back(s);
    sweep(false);
    for (const std::int32_t s : pass_.sinks)
      if (reduces(k_.sink(s))) write_segmented_reduce(k_, f_, body_, s, streams_.width());
    for (const std::int32_t s : pass_.sinks)
      if (k_.sink(s).kind == SinkKind::kSegdes) write_no_total(k_, f_, s);
    k_.add_launch(f_, k_.kernel.space, whole() ? 4096 : 2048, 256);
  }

 private:
  static std::string text(std::int32_t n) { return std::to_string(n); }
  // The space is one segment.
  [[nodiscard]] bool whole() const { return pass_.shape == kNone; }
  // Over a thread's elements of the tile; many are read before anything is computed.
  [[nodiscard]] Streams::Loop loop() const {
    const int width = streams_.width();
    const int chunks = streams_.vectors() > 1 ? 2 : 1;
    return {chunks,
            items_ / chunks / width,
            "base + (q * 256 + threadIdx.x) * " + std::to_string(width),
            "begin",
            "end",
            ""};
  }

  [[nodiscard]] bool folds() const {
    return std::any_of(pass_.sinks.begin(), pass_.sinks.end(), [&](std::int32_t s) {
      return k_.sink(s).combine != Scalar::kNoScalar && k_.sink(s).filter == kNone;
    });
  }

  void choose_values() {
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> second = pass_.checks ? k_.trapping() : std::vector<std::int32_t>{};
    std::vector<std::int32_t> behind = second;
    for (const std::int32_t s : pass_.sinks) {
      const Sink& sink = k_.sink(s);
      if (counts_.staged(s)) staged_[s] = body_.closure({sink.value});
      auto& roots = in_first_sweep(sink) ? first : behind;
      for (const std::int32_t v : {sink.value, sink.index, sink.flag}) {
        roots.push_back(v);
        if (&roots == &behind && !counts_.staged(s)) second.push_back(v);
      }
    }
    first_ = body_.closure(first);
    second_ = not_first(body_.closure(second));
    for (const std::int32_t v : kept_between(body_.closure(behind))) body_.make_array(v);
    for (const std::int32_t s : pass_.sinks)
      if (reduces(k_.sink(s))) body_.make_array(k_.sink(s).value);
    for (const std::int32_t v : first_) descs_of(v);
    for (const std::int32_t v : second_) descs_of(v);
    streams_.add(first_, {});
    streams_.add(second_, pass_.sinks);
    for (auto& [s, values] : staged_) {
      values = not_first(values);
      for (const std::int32_t v : values) descs_of(v);
      streams_.add(values, {});
    }
  }
  [[nodiscard]] std::vector<std::int32_t> not_first(const std::vector<std::int32_t>& values) const {
    std::vector<std::int32_t> out;
    for (const std::int32_t v : values)
      if (!std::binary_search(first_.begin(), first_.end(), v)) out.push_back(v);
    return out;
  }
  void descs_of(std::int32_t v) {
    const VarId d = k_.kernel.body.insts[static_cast<std::size_t>(v)].desc;
    if (d != kNone) descs_.insert(d);
  }
  // Values of the first sweep that the second reads.
  [[nodiscard]] std::set<std::int32_t> kept_between(const std::vector<std::int32_t>& all) const {
    std::set<std::int32_t> out;
    const auto early = [&](std::int32_t v) {
      if (v != kNone && std::binary_search(first_.begin(), first_.end(), v)) out.insert(v);
    };
    for (const std::int32_t v : all) {
      const BodyInst& in = k_.kernel.body.insts[static_cast<std::size_t>(v)];
      if (std::binary_search(first_.begin(), first_.end(), v) || in.pull == Pull::kScanned) continue;
      for (const std::int32_t arg : {in.a, in.b, in.c}) early(arg);
    }
    for (const std::int32_t s : pass_.sinks)
      if (!in_first_sweep(k_.sink(s)))
        for (const std::int32_t v : {k_.sink(s).value, k_.sink(s).index, k_.sink(s).flag}) early(v);
    return out;
  }

  void write_head() {
    const std::string count = std::to_string(items_);
    if (folds() || !staged_.empty())
      f_.declare("NVM_SHARED(u64, tile, " + std::to_string(256 * items_ / 8 * (folds() ? 9 : 8)) + ");");
    if (folds())
      f_.declare(whole() ? "NVM_SHARED(u64, totals, NVM_WHOLE_UNITS * NVM_GROUPS);"
                         : "NVM_SHARED(u64, list, NVM_LIST);");
    f_.declare("NVM_SHARED(u64, counts, NVM_COUNTS);");
    f_.declare("NVM_SHARED(u64, box, NVM_BOX);");
    const std::int32_t ticket =
        k_.add_scratch({.length = kNone, .unit = 1, .bytes = 8, .least = 1, .zeroed = true});
    f_.line("const i64 t = nvm_ticket(box, " + f_.scratch(ticket) + ");");
    if (whole()) {
      f_.line("const i64 begin = t * NVM_WHOLE;");
      f_.line("const i64 end = begin + nvm_whole_count(" + n_ + ", t);");
    } else {
      f_.line("const auto shape = " + f_.segments(pass_.shape) + ";");
      f_.line("const nvm_span span = nvm_range(shape, " + n_ + ", t, box);");
      f_.line("const i64 begin = span.begin, end = span.end;");
    }
    if (pass_.keep_scans)
      for (const std::int32_t s : pass_.sinks) keep_scan(s);
    streams_.begin();
    const std::string width = std::to_string(streams_.width());
    f_.line("const i64 base = begin - begin % " + width + ";");
    for (const VarId d : descs_)
      f_.line("i64 " + (d == pass_.shape ? std::string("segment") : "q_s" + text(d)) + "[" + count + "];");
    auto arrays = static_cast<int>(pass_.sinks.size());
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(k_.kernel.body.insts.size()); ++v) {
      if (!body_.is_array(v)) continue;
      f_.line(body_.type(v) + " v" + text(v) + "[" + count + "];");
      ++arrays;
    }
    // While one looks back, others read, as many as have registers for what they keep.
    f_.resident(arrays <= 3 ? 4 : arrays <= 6 ? 3 : 2);
    for (const std::int32_t s : pass_.sinks) declare_sink(s, count);
    write_segments();
  }
  void declare_sink(std::int32_t s, const std::string& count) {
    const Sink& sink = k_.sink(s);
    if (sink.kind == SinkKind::kScan || sink.kind == SinkKind::kSegScan) {
      f_.line(f_.type(sink.type) + " c" + text(s) + "[" + count + "];");
      body_.scanned(s, "c" + text(s) + "[j]");
    } else if (sink.kind == SinkKind::kCount) {
      f_.line("int q" + text(s) + "[" + count + "];");
    }
  }
  // Segment numbers of all elements, by descriptor.
  void write_segments() {
    for (const VarId d : descs_) {
      const bool followed = d == pass_.shape;
      const std::string array = followed ? "segment" : "q_s" + text(d);
      f_.open("");
      f_.line("i64 s = " + (followed ? "span.first" : f_.find_segment(d, "begin", n_)) + ";");
      f_.line("#pragma unroll 1");
      f_.open("for (int j = 0; j < " + std::to_string(items_) + "; ++j)");
      f_.line("const i64 i = begin + nvm_place<" + std::to_string(streams_.width()) + ">(j, begin);");
      f_.line("if (i >= begin && i < end) s = " + f_.segments(d) + ".seek(s, i);");
      f_.line(array + "[j] = s;");
      f_.close();
      f_.close();
    }
    if (folds() && !whole()) f_.line("nvm_list_units(shape, span, list);");
  }

  void sweep(bool first) {
    const std::vector<std::int32_t>& values = first ? first_ : second_;
    const bool any = std::any_of(pass_.sinks.begin(), pass_.sinks.end(), [&](std::int32_t s) {
      return in_first_sweep(k_.sink(s)) == first && !counts_.staged(s);
    });
    if (!any && (first || second_.empty())) return;
    if (first)
      for (const std::int32_t s : pass_.sinks)
        if (k_.sink(s).kind == SinkKind::kCount)
          f_.line("for (int j = 0; j < " + std::to_string(items_) + "; ++j) q" + text(s) + "[j] = -1;");
    streams_.loop(loop(), values, first ? std::vector<std::int32_t>{} : pass_.sinks, [&] {
      elements(values);
      for (const std::int32_t s : pass_.sinks)
        if (in_first_sweep(k_.sink(s)) == first && !counts_.staged(s)) element(s);
    });
  }
  void elements(const std::vector<std::int32_t>& values) {
    for (const VarId d : body_.descs(values))
      f_.line("const i64 s" + text(d) + " = " + (d == pass_.shape ? "segment" : "q_s" + text(d)) + "[j];");
    body_.write(values);
  }
  void store_kept(std::int32_t s, const std::vector<std::int32_t>& values) {
    streams_.loop(loop(), values, {}, [&] {
      elements(values);
      f_.line(counts_.put(s, body_.name(k_.sink(s).value)));
    });
    counts_.store(s);
  }
  void element(std::int32_t s) {
    const Sink& sink = k_.sink(s);
    if (sink.kind == SinkKind::kCount)
      f_.line("q" + text(s) + "[j] = " + body_.name(sink.value) + " ? 0 : -1;");
    else if (in_first_sweep(sink))
      f_.line("c" + text(s) + "[j] = " + body_.name(sink.value) + ";");
    else if (sink.filter == kNone)
      write_element_sink(k_, f_, body_, s, "", "i");
    else
      write_element_sink(k_, f_, body_, s, "q" + text(sink.filter) + "[j] >= 0",
                         "b" + text(sink.filter) + " + q" + text(sink.filter) + "[j]");
  }

  void keep_scan(std::int32_t s) {
    k_.scanned[s] =
        k_.add_scratch({.length = k_.kernel.space, .unit = 1, .bytes = 8, .least = 1, .zeroed = false});
    streams_.add_write(f_.scratch(k_.scanned[s]), "u64");
  }
  void scan(std::int32_t s) {
    write_scan(k_, f_, s, streams_.width());
    if (pass_.keep_scans)
      streams_.write(loop(), f_.scratch(k_.scanned[s]), "u64", "nvm_bits(c" + text(s) + "[j])");
  }

  KernelWriter& k_;
  const Pass& pass_;
  Function f_;
  BodyWriter body_;
  Streams streams_;
  Counts counts_;
  int items_;
  std::string n_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> second_;
  std::map<std::int32_t, std::vector<std::int32_t>> staged_;  // by sink, what it alone needs
  std::set<VarId> descs_;
};

}  // namespace

void write_tiles(KernelWriter& k, const Pass& pass) { TileWriter(k, pass).write(); }

void write_segmented_reduce(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                            int width) {
  const Sink& s = k.sink(sink);
  const std::string type = f.type(s.type);
  const std::string state = f.scratch(k.add_state(2048, 32));
  // No segment ends in an empty space, and one that is the whole of it is not filled beforehand.
  if (s.kind == SinkKind::kReduce)
    f.line("if (" + f.length(k.kernel.space) + " == 0 && threadIdx.x == 0) " +
           f.store(s.out, "0", cuda_identity(s.combine, s.type, k.plan.int_bits)));
  const std::string value = body.name(s.value);
  const std::string how = "<" + cuda_fold(s.combine) + ", " + type + ", " + std::to_string(width) + ">";
  const std::string values = value.substr(0, value.find('['));
  const std::string identity = cuda_identity(s.combine, s.type, k.plan.int_bits);
  const std::string write = ", [&](i64 s, " + type + " x) { " + f.store(s.out, "s", "x") + " });";
  if (s.kind == SinkKind::kReduce)
    return f.line("nvm_whole_reduce" + how + "(tile, box, " + f.length(k.kernel.space) + ", t, " + values +
                  ", " + identity + ", " + state + write);
  const std::string far = s.type == Type::kFloat ? f.scratch(k.add_far_state(std::int64_t{1} << 33)) : state;
  f.line("nvm_tile_reduce" + how + "(tile, list, box, shape, span, " + values + ", " + identity + ", " +
         state + ", " + far + ", t" + write);
}

void fill_identities(KernelWriter& k, std::int32_t sink) {
  const Sink& s = k.sink(sink);
  const plan::Var& var = k.plan.vars[static_cast<std::size_t>(s.out)];
  const bool wide = var.is_desc || k.scalar(s.out);
  const std::size_t width = wide ? 8 : storage_bytes(var.storage);
  std::uint64_t bits = 0;
  if (s.type == Type::kFloat) {
    bits = std::bit_cast<std::uint64_t>(float_identity(s.combine));
  } else if (s.type == Type::kBool) {
    bits = bool_identity(s.combine) ? 1 : 0;
  } else {
    bits = static_cast<std::uint64_t>(int_identity(s.combine, k.plan.int_bits));
  }
  Launch fill{"nvm_fill", var.length, 4096, 0, 256, {}, {bits, width}};
  fill.args = {{ArgKind::kCells, kNone},
               {ArgKind::kData, s.out},
               {ArgKind::kLength, var.length},
               {ArgKind::kBits, 0},
               {ArgKind::kBits, 1}};
  k.code.launches.push_back(std::move(fill));
}

}  // namespace nvm::gpu
