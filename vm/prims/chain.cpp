// The line becomes a list of steps over places: memory of operands and results, or rooms, strips of scratch
// memory that are given to intermediate results and used again once those are read. Every thread takes chunks
// of the vectors and drives its strips through all steps.
//
// Bytes: every operand and every wanted result once. A wanted result overwrites an operand from outside that
// nobody else sees and no later step reads.
#include "vm/prims/chain.h"

#include <algorithm>

#include "bytecode/table/views.h"
#include "vm/prims/elementwise.h"
#include "vm/prims/fold.h"
#include "vm/prims/operands.h"
#include "vm/prims/strip.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kStrip = 2048;  // elements; a block of a reduction
static_assert(kStrip == kReduceBlock);
using Rooms = Strip<kStrip>;
constexpr std::int64_t kChunk = 1 << 16;
constexpr std::int64_t kFewest = 64;  // elements; more than a reduction combines without blocks

// Where a step finds or leaves elements.
struct Place {
  std::byte* base = nullptr;  // memory of all elements, null for an operand that does not exist; or
  int room = -1;              // a room of the thread, or
  bool fixed = false;         // one strip that stands for all
  std::size_t width = 8;
  std::byte* at(std::int64_t i, std::byte* rooms) const {
    if (room >= 0) return Rooms::room(rooms, room);
    return fixed || base == nullptr ? base : base + static_cast<std::size_t>(i) * width;
  }
};

struct ChainStep {
  MapLoop loop;                  // without one: a copy
  const Segdes* dist = nullptr;  // of a DIST
  void (*dist_loop)(const void* x, kernels::Segments s, std::int64_t k0, std::int64_t k1,
                    void* out) = nullptr;
  const kernels::Fold* fold = nullptr;
  std::byte* totals = nullptr;  // of a reduction: an accumulator per strip
  std::size_t total_bytes = 8;
  Place from[3];
  Place to;
};

// The segment that element i lies in.
std::int64_t segment_at(kernels::Segments s, std::int64_t count, std::int64_t i) {
  if (s.offsets == nullptr) return s.length == 0 ? 0 : i / s.length;
  return std::upper_bound(s.offsets, s.offsets + count + 1, i) - s.offsets - 1;
}

// Elements i..i+n-1 of what DIST gives.
void distribute(const ChainStep& s, std::int64_t i, std::int64_t n, std::byte* to) {
  const kernels::Segments segments = kernel_segments(*s.dist);
  const std::byte* x = s.from[0].base;
  const std::size_t width = s.to.width;
  const auto part = [&](std::int64_t k, std::int64_t begin, std::int64_t end) {
    s.dist_loop(x + static_cast<std::size_t>(k) * width, kernels::Segments{nullptr, end - begin}, 0, 1,
                to + static_cast<std::size_t>(begin - i) * width);
  };
  const std::int64_t first = segment_at(segments, s.dist->segments(), i);
  const std::int64_t last = segment_at(segments, s.dist->segments(), i + n - 1);
  if (first == last) return part(first, i, i + n);
  const std::int64_t whole = segments.start(first + 1);
  const std::int64_t rest = segments.start(last);
  part(first, i, whole);
  if (first + 1 < last) {
    // The loop counts places from the start of all segments.
    const auto here = reinterpret_cast<std::uintptr_t>(to) - static_cast<std::uintptr_t>(i) * width;
    s.dist_loop(x, segments, first + 1, last, reinterpret_cast<void*>(here));
  }
  part(last, rest, i + n);
}

void run_step(const ChainStep& s, std::int64_t i, std::int64_t n, std::byte* rooms) {
  const std::byte* a = s.from[0].at(i, rooms);
  if (s.fold != nullptr) {
    s.fold->reduce_blocks(a, n, s.totals + static_cast<std::size_t>(i / kStrip) * s.total_bytes);
    return;
  }
  std::byte* to = s.to.at(i, rooms);
  if (s.dist != nullptr) return distribute(s, i, n, to);
  s.loop.run(a, s.from[1].at(i, rooms), s.from[2].at(i, rooms), to, n);
}

}  // namespace

// Plans and executes a line.
class ChainRun {
 public:
  ChainRun(Chain& chain, const std::vector<bool>& wanted, std::vector<Value>& results)
      : c_(chain), context_(*chain.context_), wanted_(wanted), results_(results) {
    find_last_reads();
    places_.resize(c_.ops_.size());
    outputs_.resize(c_.ops_.size());
    for (std::size_t i = 0; i < c_.ops_.size(); ++i) plan(static_cast<int>(i));
  }

  void execute() {
    const std::int64_t n = c_.length_;
    const std::int64_t step = (n / chunk_count(context_, n, kChunk) + kStrip) / kStrip * kStrip;
    const std::int64_t parts = (n + step - 1) / step;
    Rooms::each_chunk(context_, parts, most_rooms_, [&](std::int64_t c, std::byte* rooms) {
      const std::int64_t end = std::min(n, (c + 1) * step);
      for (std::int64_t i = c * step; i < end; i += kStrip)
        for (const ChainStep& s : steps_) run_step(s, i, std::min(kStrip, end - i), rooms);
    });
    finish();
  }

 private:
  using Ref = Chain::Ref;

  [[nodiscard]] static std::size_t operand_of(Ref r) { return static_cast<std::size_t>(~r); }
  [[nodiscard]] const Vector& operand(Ref r) const { return std::get<Vector>(c_.operands_[operand_of(r)]); }

  // From the end: a result that nobody reads and nobody wants is not computed.
  void find_last_reads() {
    last_read_.assign(c_.ops_.size(), -1);
    operand_read_.assign(c_.operands_.size(), -1);
    needed_ = wanted_;
    for (int i = static_cast<int>(c_.ops_.size()) - 1; i >= 0; --i) {
      if (!needed_[static_cast<std::size_t>(i)]) continue;
      const Chain::Instr& in = c_.ops_[static_cast<std::size_t>(i)];
      for (int k = 0; k < in.operands; ++k) {
        const Ref r = in.from[k];
        int& last = r < 0 ? operand_read_[operand_of(r)] : last_read_[static_cast<std::size_t>(r)];
        last = std::max(last, i);
        if (r >= 0) needed_[static_cast<std::size_t>(r)] = true;
      }
    }
  }

  int take_room() {
    if (free_rooms_.empty()) return most_rooms_++;
    const int room = free_rooms_.back();
    free_rooms_.pop_back();
    return room;
  }

  // One strip of a repeated vector, as `wanted`.
  Place repeated(const Vector& v, Storage wanted) {
    blocks_.push_back(context_.pool->allocate(ByteCount(Rooms::kBytes)));
    std::byte* to = blocks_.back().data();
    fill_repeated(v, context_, kStrip, to);
    if (v.storage() != wanted) {
      blocks_.push_back(context_.pool->allocate(ByteCount(Rooms::kBytes)));
      convert(v.storage(), wanted)(to, blocks_.back().data(), kStrip);
      to = blocks_.back().data();
    }
    return {.base = to, .fixed = true, .width = storage_bytes(wanted)};
  }
  [[nodiscard]] kernels::Unary convert(Storage from, Storage to) const {
    return kernel_table(context_.isa).convert[static_cast<int>(from)][static_cast<int>(to)];
  }

  // Where instruction i reads r as `wanted`; widened into a room first if it lies narrower.
  Place source(Ref r, Storage wanted) {
    if (r < 0 && operand(r).is_repeated()) return repeated(operand(r), wanted);
    const Storage lies = c_.storage(r);
    Place place = r >= 0
                      ? places_[static_cast<std::size_t>(r)]
                      : Place{.base = const_cast<std::byte*>(operand(r).raw()), .width = storage_bytes(lies)};
    if (lies == wanted) return place;
    ChainStep s;
    s.loop.unary = convert(lies, wanted);
    s.from[0] = place;
    s.to = {.room = take_room(), .width = storage_bytes(wanted)};
    passing_.push_back(s.to.room);
    steps_.push_back(s);
    return s.to;
  }

  // Memory for the wanted result of instruction i: an operand's from outside if it has no further use.
  Vector memory_for(int i, Storage storage) {
    const Chain::Instr& in = c_.ops_[static_cast<std::size_t>(i)];
    for (int k = 0; k < in.operands; ++k) {
      const Ref r = in.from[k];
      if (r >= 0 || operand_read_[operand_of(r)] != i) continue;
      auto* v = std::get_if<Vector>(&c_.operands_[operand_of(r)]);
      if (v != nullptr && v->length() == c_.length_ && v->unique() &&
          storage_bytes(v->storage()) == storage_bytes(storage))
        return Vector(storage, c_.length_, v->take_buffer());
    }
    return context_.pool->vector(storage, c_.length_);
  }

  void plan(int i) {
    const auto at = static_cast<std::size_t>(i);
    const Chain::Instr& in = c_.ops_[at];
    if (!needed_[at]) return;
    ChainStep s;
    if (op_info(in.op).kind == OpKind::kReduce) {
      plan_reduce(in, at, s);
    } else {
      if (in.op == Op::kDist)
        plan_dist(in, s);
      else
        plan_map(in, s);
      if (wanted_[at]) {
        outputs_[at] = memory_for(i, in.storage);
        s.to = {.base = outputs_[at].mutable_data<std::byte>(), .width = storage_bytes(in.storage)};
      } else {
        s.to = {.room = take_room(), .width = storage_bytes(in.storage)};
      }
      places_[at] = s.to;
    }
    steps_.push_back(s);
    free_rooms_.insert(free_rooms_.end(), passing_.begin(), passing_.end());
    passing_.clear();
    for (int k = 0; k < in.operands; ++k) {
      const Ref r = in.from[k];
      if (r < 0 || last_read_[static_cast<std::size_t>(r)] != i) continue;
      last_read_[static_cast<std::size_t>(r)] = -1;  // read twice by this one
      if (const int room = places_[static_cast<std::size_t>(r)].room; room >= 0) free_rooms_.push_back(room);
    }
  }

  void plan_map(const Chain::Instr& in, ChainStep& s) {
    Storage storages[3];
    for (int k = 0; k < in.operands; ++k) storages[k] = c_.storage(in.from[k]);
    s.loop = map_loop(context_, in.op, in.word, storages);
    for (int k = 0; k < in.operands; ++k)
      s.from[k] = source(in.from[k], s.loop.select != nullptr && k == 0 ? Storage::kB8 : s.loop.operand);
  }

  void plan_dist(const Chain::Instr& in, ChainStep& s) {
    s.from[0].base = const_cast<std::byte*>(operand(in.from[0]).raw());
    s.dist = &std::get<Segdes>(c_.operands_[operand_of(in.from[1])]);
    s.dist_loop = kernel_table(context_.isa).dist[width_index(in.storage)];
  }

  void plan_reduce(const Chain::Instr& in, std::size_t at, ChainStep& s) {
    const Storage from = c_.storage(in.from[0]);
    s.fold = &fold_kernels(context_, op_info(in.op).scalar, from);
    s.from[0] = source(in.from[0], from);
    s.total_bytes = storage_bytes(in.storage);
    blocks_.push_back(context_.pool->allocate(ByteCount::of(c_.length_ / kStrip + 1, 8)));
    s.totals = blocks_.back().data();
    reduced_.push_back({at, steps_.size()});
  }

  void finish() {
    for (const auto& [op, step] : reduced_) {
      const ChainStep& s = steps_[step];
      Fresh out(context_, c_.ops_[op].storage, 1);
      Totals totals;
      s.fold->start_totals(totals);
      s.fold->combine(totals, s.totals, blocks_of(c_.length_));
      s.fold->combined(totals, out.data());
      outputs_[op] = out.take();
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (wanted_[i]) results_[i] = std::move(outputs_[i]);
  }

  Chain& c_;
  const PrimContext& context_;
  const std::vector<bool>& wanted_;
  std::vector<Value>& results_;
  std::vector<bool> needed_;
  std::vector<int> last_read_;     // by instruction: the last that reads it
  std::vector<int> operand_read_;  // by operand from outside
  std::vector<Place> places_;      // by instruction
  std::vector<Vector> outputs_;
  std::vector<ChainStep> steps_;
  std::vector<BufferRef> blocks_;
  std::vector<int> free_rooms_, passing_;
  int most_rooms_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> reduced_;  // instruction, step
};

bool Chain::admits(Op op, TypeWord word) { return op == Op::kDist || is_total_map(op, word); }

bool Chain::reduces(Op op, std::int64_t n) { return op_info(op).kind == OpKind::kReduce && n >= kFewest; }

void Chain::start(const PrimContext& context, std::int64_t length) {
  context_ = &context;
  length_ = length;
}

Chain::Ref Chain::operand(Value vector) {
  const auto& v = std::get<Vector>(vector);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const auto* known = std::get_if<Vector>(&operands_[i]);
    if (known != nullptr && v.buffer() && known->raw() == v.raw() && known->storage() == v.storage() &&
        known->length() == v.length())
      return ~static_cast<Ref>(i);
  }
  operands_.push_back(std::move(vector));
  return ~static_cast<Ref>(operands_.size() - 1);
}

Storage Chain::storage(Ref r) const {
  if (r >= 0) return ops_[static_cast<std::size_t>(r)].storage;
  return std::get<Vector>(operands_[static_cast<std::size_t>(~r)]).storage();
}

Chain::Ref Chain::map(Op op, TypeWord word, std::span<const Ref> operands) {
  Instr in{.op = op, .word = word, .operands = static_cast<int>(operands.size())};
  Storage storages[3];
  for (std::size_t k = 0; k < operands.size(); ++k) {
    in.from[k] = operands[k];
    storages[k] = storage(operands[k]);
  }
  in.storage = map_loop(*context_, op, word, storages).result;
  ops_.push_back(in);
  return static_cast<Ref>(ops_.size() - 1);
}

Chain::Ref Chain::dist(TypeWord word, Value elements, Value s) {
  const Storage storage = std::get<Vector>(elements).storage();
  const Ref x = operand(std::move(elements));
  operands_.push_back(std::move(s));
  const Ref descriptor = ~static_cast<Ref>(operands_.size() - 1);
  ops_.push_back({.op = Op::kDist, .word = word, .operands = 2, .from = {x, descriptor}, .storage = storage});
  return static_cast<Ref>(ops_.size() - 1);
}

Chain::Ref Chain::reduce(Op op, TypeWord word, Ref operand) {
  const Storage from = storage(operand);
  const Storage result = storage_is_int(from) ? wide_int(*context_) : from;
  ops_.push_back({.op = op, .word = word, .operands = 1, .from = {operand}, .storage = result});
  return static_cast<Ref>(ops_.size() - 1);
}

bool Chain::is_reduction(Ref instruction) const {
  return op_info(ops_[static_cast<std::size_t>(instruction)].op).kind == OpKind::kReduce;
}

// A line of one instruction is that instruction.
void Chain::run_alone(Value& result) {
  const Instr& in = ops_[0];
  Value operands[3];
  for (int k = 0; k < in.operands; ++k) {
    Value& from = operands_[static_cast<std::size_t>(~in.from[k])];
    const bool again = k + 1 < in.operands &&
                       std::find(in.from + k + 1, in.from + in.operands, in.from[k]) != in.from + in.operands;
    operands[k] = again ? from : std::move(from);
  }
  run_primitive(*context_, in.op, in.word, {operands, static_cast<std::size_t>(in.operands)}, {&result, 1});
}

void Chain::run(const std::vector<bool>& wanted, std::vector<Value>& results) {
  results.resize(ops_.size());
  if (ops_.size() == 1) {
    if (wanted[0]) run_alone(results[0]);
  } else {
    took(*context_, FastPath::kStripLoop);
    ChainRun(*this, wanted, results).execute();
  }
  clear();
}

void Chain::clear() {
  ops_.clear();
  operands_.clear();
}

}  // namespace nvm::vm
