// Parts of a kernel's source while it is written; shared by the files of this folder, one per combinator.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/codegen/code.h"

namespace nvm::gpu {

using plan::Sink;
using plan::SinkKind;
using soac::BodyInst;
using soac::Pull;

// "long long", "int", "double", "bool": a body value of this type.
[[nodiscard]] std::string cuda_type(Type type, IntBits bits);
// Element type in memory.
[[nodiscard]] const char* cuda_storage(Storage storage);
// A constant with exactly these bits.
[[nodiscard]] std::string cuda_constant(Type type, IntBits bits, std::int64_t imm, double real);
[[nodiscard]] std::string cuda_identity(Scalar combine, Type type, IntBits bits);
// "nvm_op_add"
[[nodiscard]] std::string cuda_fold(Scalar combine);
// The value of a kApply instruction; `name` names its operands.
[[nodiscard]] std::string cuda_apply(const BodyInst& in, IntBits bits,
                                     const std::function<std::string(std::int32_t)>& name);

// One __global__ function: arguments on demand, declarations first, then statements.
class Function {
 public:
  // At least `resident` blocks shall find room in a multiprocessor's registers.
  Function(const plan::Plan& plan, std::string name, int threads, int resident = 1);

  // Local names for arguments: "x3", "n2", "p0".
  std::string data(VarId v, bool written = false);
  std::string length(LengthId n);
  std::string scratch(std::int32_t id);
  // Where the kernel's draws begin: 0 the seed, 1 the first.
  std::string draws(std::int32_t part) { return slot({ArgKind::kDraws, part}); }
  // A segments object over descriptor d.
  std::string segments(VarId d);
  // The segment of element `first`, an expression that is the same in the whole warp, which looks for it
  // together; any if there are no more than `first`.
  std::string find_segment(VarId d, const std::string& first, const std::string& elements);
  [[nodiscard]] std::string type(Type t) const { return cuda_type(t, plan_.int_bits); }

  // Type of vector v's elements in memory.
  [[nodiscard]] std::string storage(VarId v) const;
  // Element `index` of vector v, as a value of its type.
  std::string load(VarId v, const std::string& index);
  // The same of an element that has been read.
  [[nodiscard]] std::string as_value(VarId v, const std::string& element) const;
  // Statement that stores a value there.
  std::string store(VarId v, const std::string& index, const std::string& value);

  void line(const std::string& text) {
    body_ += std::string(2 * static_cast<std::size_t>(depth_), ' ') + text + "\n";
  }
  void open(const std::string& text) {
    line(text + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  void resident(int blocks) { resident_ = blocks; }
  // "" before the body: shared arrays and the like.
  void declare(const std::string& text) { declarations_ += "  " + text + "\n"; }

  [[nodiscard]] std::string source() const;
  [[nodiscard]] const std::vector<Arg>& args() const { return args_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const plan::Plan& plan() const { return plan_; }

 private:
  // Declares `name` once, "a.s[k]" of the argument standing for $ in the declaration.
  std::string argument(Arg arg, const std::string& name, const std::string& declaration);
  [[nodiscard]] std::string slot(Arg arg);

  const plan::Plan& plan_;
  std::string name_;
  int threads_;
  int resident_;
  int depth_ = 1;
  std::vector<Arg> args_;
  std::set<std::string> declared_;
  std::string declarations_;
  std::string body_;
};

class Streams;

// Writes body values. A value is a local "v3" inside the element loop, or "v3[j]" if it lives across loops.
class BodyWriter {
 public:
  BodyWriter(Function& f, const plan::Kernel& kernel);
  // Values that `roots` need, in order.
  [[nodiscard]] std::vector<std::int32_t> closure(const std::vector<std::int32_t>& roots) const;
  // Descriptors whose segment numbers these values need.
  [[nodiscard]] std::set<VarId> descs(const std::vector<std::int32_t>& values) const;

  void make_array(std::int32_t value) { arrays_.insert(value); }
  [[nodiscard]] bool is_array(std::int32_t value) const { return arrays_.contains(value); }
  // Type of a value: places are of 64 bits, however wide INT is.
  [[nodiscard]] std::string type(std::int32_t value) const;
  // "v3" or "v3[j]"
  [[nodiscard]] std::string name(std::int32_t value) const;
  // Statements for one element i; segment numbers are in s<desc>. Nothing for values already written.
  void write(const std::vector<std::int32_t>& values);
  // Where the result of scan sink s stands at the element: an expression.
  void scanned(std::int32_t sink, std::string expression) { scanned_[sink] = std::move(expression); }
  // Dense operands are read and written by these.
  void streams(const Streams* streams) { streams_ = streams; }
  [[nodiscard]] const Streams* streams() const { return streams_; }

 private:
  [[nodiscard]] std::string value(const BodyInst& in);
  // The segment that a segmented gather or place means, as an expression; its first element, and how many it
  // has.
  struct Segment {
    std::string first, length;
  };
  [[nodiscard]] Segment segment(const BodyInst& in);
  [[nodiscard]] std::string gather(const BodyInst& in);
  [[nodiscard]] std::string place(const BodyInst& in);

  Function& f_;
  const plan::Kernel& kernel_;
  std::set<std::int32_t> arrays_;
  std::map<std::int32_t, std::string> scanned_;
  const Streams* streams_ = nullptr;
};

// A kernel of the plan while its launches are made.
struct KernelWriter {
  const plan::Plan& plan;
  plan::Kernel kernel;
  std::string name;  // of its functions, without the pass
  std::string source;
  KernelCode code;
  struct ScatterScratch {
    std::int32_t values = kNone;   // by element of the space
    std::int32_t winners = kNone;  // by place: 1 + the last element that writes it, 0 for none
  };
  std::map<std::int32_t, ScatterScratch> scatters;  // by sink
  std::map<std::int32_t, std::int32_t> scanned;     // scan sink to the scratch that a pass has left

  std::int32_t add_scratch(Scratch s) {
    code.scratch.push_back(s);
    return static_cast<std::int32_t>(code.scratch.size() - 1);
  }
  // A zeroed look-back state of two words per tile.
  std::int32_t add_state(std::int64_t unit, std::int64_t least = 1);
  // What tree.cuh keeps of segments of many units, for at most so many.
  std::int32_t add_far_state(std::int64_t most);
  // The source of f, and its launch.
  void add_launch(const Function& f, LengthId over, std::int64_t items, int threads, int extra = 0);
  // Scans of earlier passes are read from scratch.
  void bind_scanned(Function& f, BodyWriter& body) const;
  [[nodiscard]] const Sink& sink(std::int32_t s) const { return kernel.sinks[static_cast<std::size_t>(s)]; }
  [[nodiscard]] bool scalar(VarId v) const;
  // Values of the body that may trap.
  [[nodiscard]] std::vector<std::int32_t> trapping() const;
};

// One launch's worth of sinks.
struct Pass {
  std::string name;
  VarId shape = kNone;              // tiles: the segments they follow; kNone: the whole space is one segment
  std::vector<std::int32_t> sinks;  // of the kernel, in order
  bool keep_scans = false;          // tiles: scans also go to scratch, for later passes
  bool checks = true;               // evaluates what may trap even if no sink wants it
};
// Random numbers.
void write_random(KernelWriter& k);
// Stores and scatters.
void write_map(KernelWriter& k, const Pass& pass);
// The same and flat reductions, a warp to a unit of 2048 elements.
void write_reduce(KernelWriter& k, const Pass& pass);
inline constexpr int kMostStaged = 8;  // FLOAT reductions of one pass
// Everything, in tiles that follow segments.
void write_tiles(KernelWriter& k, const Pass& pass);

// Parts of a pass, by combinator.
void write_element_sink(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                        const std::string& kept, const std::string& index);
// Scatters to places that are all different write over defaults that nobody else reads: both are one
// variable.
void scatter_in_place(plan::Plan& plan);
void begin_scatter(KernelWriter& k, std::int32_t sink);
// A scatter whose places are all different is a store.
void write_scatter(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                   const std::string& kept);
void finish_scatter(KernelWriter& k, std::int32_t sink);
// `width` neighbouring elements to a thread.
void write_scan(KernelWriter& k, Function& f, std::int32_t sink, int width);
// The filters of a pass over tiles: first each is ranked, then each is looked back for.
class Counts {
 public:
  Counts(KernelWriter& k, Function& f, const BodyWriter& body) : k_(k), f_(f), body_(body) {}
  void rank(std::int32_t sink, int width);
  void look_back(std::int32_t sink);
  // Whether what a sink keeps is put in order in shared memory; then put() is what to do with an element, and
  // store() writes what has been put.
  [[nodiscard]] bool staged(std::int32_t sink) const;
  [[nodiscard]] std::string put(std::int32_t sink, const std::string& value) const;
  void store(std::int32_t sink);

 private:
  void reduce(const Sink& s);

  KernelWriter& k_;
  Function& f_;
  const BodyWriter& body_;
  std::map<std::int32_t, std::string> states_;
  std::set<std::int32_t> known_;
};
void write_segmented_reduce(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink,
                            int width);
// Makes a kernel of SEGDES a scan of its lengths, and adds to the plan the vector of offsets that it stores.
// kNone if there is one segment: then the total is all.
[[nodiscard]] std::pair<VarId, VarId> lower_segdes(plan::Plan& plan, plan::Kernel& kernel);
// The total, at the last element; where there may be none.
void write_total(KernelWriter& k, Function& f, const BodyWriter& body, std::int32_t sink);
void write_no_total(KernelWriter& k, Function& f, std::int32_t sink);
// Identities in all segments, before the pass that reduces the ones that are not empty.
void fill_identities(KernelWriter& k, std::int32_t sink);

}  // namespace nvm::gpu
