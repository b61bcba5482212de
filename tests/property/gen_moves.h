// What moves elements, for random plans: partitions, scatters within segments, one element of each segment.
// Its inputs and outputs are vectors of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bytecode/plan/plan.h"
#include "tests/support/plan_reference.h"

namespace nvm::testing {

// The space of a plan, its segments, and as many segments of other, positive lengths.
struct MoveShape {
  plan::LengthId space, segments, source_total;
  std::int32_t desc, source_desc;
};

class MoveGenerator {
 public:
  MoveGenerator(plan::Plan& plan, Bindings& bindings, std::mt19937_64& random, MoveShape shape)
      : plan_(plan), bindings_(bindings), more_(random), shape_(shape) {}

  // Scatters and partitions within segments, and one element for each.
  void add(plan::Kernel& kernel, bool of_each) {
    if (more_() % 3 == 0) add_segmented_scatter(kernel);
    if (more_() % 3 == 0) add_runs(kernel);
    if (shape_.segments == kOne || !of_each) return;
    if (more_() % 4 == 0)
      add_partition(kernel, add_random_input(ints(), shape_.space),
                    add_random_input(Storage::kB8, shape_.space), shape_.desc);
    if (more_() % 4 == 0) add_replacement();
  }
  // One in eight begins a second side at a wrong place, if it has one: else engines may trap or not.
  void add_partition(plan::Kernel& kernel, std::int32_t values, std::int32_t flags, std::int32_t desc) {
    const std::vector<Element> sides = bindings_.vectors[static_cast<std::size_t>(flags)];
    std::vector<Element> bases;
    auto from = sides.begin();
    for (const std::int64_t n : desc == kNone ? std::vector{static_cast<std::int64_t>(sides.size())}
                                              : bindings_.descs[static_cast<std::size_t>(desc)]) {
      bases.push_back({std::count_if(from, from + n, [](const Element& f) { return f.i == 0; }), 0});
      if (more_() % (8 * (desc == kNone ? 1 : sides.size() + 1)) == 0 && bases.back().i < n) ++bases.back().i;
      from += n;
    }
    const auto element = [&](std::int32_t v) { return element_of(kernel, v); };
    plan::Sink count;
    count.kind = plan::SinkKind::kCount;
    count.value = element(flags);
    count.type = Type::kBool;
    plan::Sink s;
    s.kind = plan::SinkKind::kPartition;
    s.value = element(values);
    s.type = plan_.vars[static_cast<std::size_t>(values)].type;
    s.filter = static_cast<std::int32_t>(kernel.sinks.size());
    s.desc = desc;
    s.init = add_vector(plan::VarRole::kInput, ints(), desc == kNone ? kOne : shape_.segments);
    bindings_.vectors[static_cast<std::size_t>(s.init)] = bases;
    s.out = add_vector(plan::VarRole::kOutput, plan_.vars[static_cast<std::size_t>(values)].storage,
                       shape_.space);
    kernel.sinks.insert(kernel.sinks.end(), {count, s});
  }

 private:
  using Inst = soac::BodyInst;
  using Pull = soac::Pull;
  static constexpr std::int32_t kNone = soac::kNone;
  static constexpr plan::LengthId kOne = 0;  // the first length of every plan

  Storage ints() const { return plan_.int_bits == IntBits::k64 ? Storage::kI64 : Storage::kI32; }
  std::int32_t add_vector(plan::VarRole role, Storage storage, plan::LengthId length) {
    plan::Var var;
    var.role = role;
    var.type = storage == Storage::kF64 ? Type::kFloat : storage == Storage::kB8 ? Type::kBool : Type::kInt;
    var.storage = storage;
    var.length = length;
    plan_.vars.push_back(var);
    bindings_.vectors.emplace_back();
    bindings_.descs.emplace_back();
    return static_cast<std::int32_t>(plan_.vars.size() - 1);
  }
  std::int32_t add_random_input(Storage storage, plan::LengthId length) {
    const std::int32_t v = add_vector(plan::VarRole::kInput, storage, length);
    for (std::int64_t i = bindings_.lengths[static_cast<std::size_t>(length)]; i > 0; --i) {
      const auto x = static_cast<std::int64_t>(more_() % 1000) - 500;
      const Element e = storage == Storage::kF64  ? Element{0, static_cast<double>(x) * 0.25}
                        : storage == Storage::kB8 ? Element{x & 1, 0}
                                                  : Element{x, 0};
      bindings_.vectors[static_cast<std::size_t>(v)].push_back(e);
    }
    return v;
  }
  std::int32_t element_of(plan::Kernel& kernel, std::int32_t v) {
    Inst in;
    in.pull = Pull::kElement;
    in.var = v;
    in.type = plan_.vars[static_cast<std::size_t>(v)].type;
    return kernel.body.add(in);
  }

  // Places among the elements of a segment; one vector in 16 has one that is outside.
  std::int32_t places_within(const std::vector<std::int64_t>& segment,
                             const std::vector<std::int64_t> lengths, plan::LengthId length) {
    const std::int32_t v = add_vector(plan::VarRole::kInput, ints(), length);
    auto& x = bindings_.vectors[static_cast<std::size_t>(v)];
    for (const std::int64_t s : segment) {
      const auto n = static_cast<std::uint64_t>(lengths[static_cast<std::size_t>(s)]);
      x.push_back({static_cast<std::int64_t>(more_() % n), 0});
    }
    if (more_() % 16 == 0)
      x[more_() % x.size()].i = more_() % 2 == 0 ? -1 : *std::max_element(lengths.begin(), lengths.end());
    return v;
  }
  void add_segmented_scatter(plan::Kernel& kernel) {
    const bool own = more_() % 2 == 0;
    const std::int32_t dest = own ? shape_.desc : shape_.source_desc;
    std::vector<std::int64_t> segment;
    const std::vector<std::int64_t> lengths = bindings_.descs[static_cast<std::size_t>(shape_.desc)];
    for (std::size_t s = 0; s < lengths.size(); ++s)
      segment.insert(segment.end(), static_cast<std::size_t>(lengths[s]), static_cast<std::int64_t>(s));
    plan::Sink s;
    s.kind = plan::SinkKind::kScatter;
    s.type = more_() % 2 == 0 ? Type::kFloat : Type::kInt;
    const Storage storage = s.type == Type::kFloat ? Storage::kF64 : ints();
    s.value = element_of(kernel, add_random_input(storage, shape_.space));
    if (more_() % 3 == 0) s.flag = element_of(kernel, add_random_input(Storage::kB8, shape_.space));
    Inst in;
    in.pull = Pull::kSegPlace;
    in.a = element_of(kernel,
                      places_within(segment, bindings_.descs[static_cast<std::size_t>(dest)], shape_.space));
    in.b = s.flag;
    in.desc = shape_.desc;
    in.desc2 = dest;
    s.index = kernel.body.add(in);
    const plan::LengthId length = own ? shape_.space : shape_.source_total;
    if (more_() % 2 == 0) s.init = add_random_input(storage, length);
    s.out = add_vector(plan::VarRole::kOutput, storage, length);
    kernel.sinks.push_back(s);
  }
  // Places start + stride * (index within the segment) in the segments of `lengths`. What has one element or
  // none has any stride, or start, up to the limits of INT; one vector in eight has such numbers anywhere.
  std::int32_t runs_within(plan::Kernel& kernel, const std::vector<std::int64_t> lengths) {
    const std::int64_t most = plan_.int_bits == IntBits::k64 ? INT64_MAX : INT32_MAX;
    const std::int64_t any[] = {0, 1, -1, most, -most - 1, most / 2 + 1, most / 2};
    const auto extreme = [&] { return any[more_() % std::size(any)]; };
    const std::vector<std::int64_t> from = bindings_.descs[static_cast<std::size_t>(shape_.desc)];
    const std::int32_t start = add_vector(plan::VarRole::kInput, ints(), shape_.segments);
    const std::int32_t stride = add_vector(plan::VarRole::kInput, ints(), shape_.segments);
    const bool wrong = more_() % 8 == 0;
    for (std::size_t s = 0; s < from.size(); ++s) {
      const std::int64_t n = from[s], room = lengths[s] - n;
      const auto below = [&](std::int64_t k) {
        return static_cast<std::int64_t>(more_() % static_cast<std::uint64_t>(k));
      };
      Element first{extreme(), 0}, step{extreme(), 0};
      if (!(wrong && more_() % 4 == 0)) {
        if (n > 0) first.i = below(lengths[s]);
        if (n > 1) step.i = 0;
        if (n > 1 && room >= 0 && more_() % 4 != 0) {
          step.i = more_() % 2 == 0 ? 1 : -1;
          first.i = below(room + 1) + (step.i < 0 ? n - 1 : 0);
        }
      }
      bindings_.vectors[static_cast<std::size_t>(start)].push_back(first);
      bindings_.vectors[static_cast<std::size_t>(stride)].push_back(step);
    }
    const auto of_segment = [&](std::int32_t v) {
      Inst in;
      in.pull = Pull::kPerSegment;
      in.var = v;
      in.desc = shape_.desc;
      return kernel.body.add(in);
    };
    Inst within;
    within.pull = Pull::kWithin;
    within.desc = shape_.desc;
    const std::int32_t w = kernel.body.add(within);
    const std::int32_t scaled = kernel.body.apply(Scalar::kMul, Type::kInt, of_segment(stride), w);
    return kernel.body.apply(Scalar::kAdd, Type::kInt, of_segment(start), scaled);
  }
  // Elements of segments that go, or come, by runs.
  void add_runs(plan::Kernel& kernel) {
    const bool own = more_() % 2 == 0;
    const std::int32_t other = own ? shape_.desc : shape_.source_desc;
    const plan::LengthId length = own ? shape_.space : shape_.source_total;
    plan::Sink s;
    s.type = more_() % 2 == 0 ? Type::kFloat : Type::kInt;
    const Storage storage = s.type == Type::kFloat ? Storage::kF64 : ints();
    const bool scatters = more_() % 2 == 0;
    Inst in;
    in.type = scatters ? Type::kInt : s.type;
    in.pull = scatters ? Pull::kSegPlace : Pull::kSegGather;
    in.a = runs_within(kernel, bindings_.descs[static_cast<std::size_t>(other)]);
    in.desc = shape_.desc;
    in.desc2 = other;
    if (!scatters) in.var = add_random_input(storage, length);
    const std::int32_t move = kernel.body.add(in);
    s.kind = scatters ? plan::SinkKind::kScatter : plan::SinkKind::kStore;
    s.value = scatters ? element_of(kernel, add_random_input(storage, shape_.space)) : move;
    if (scatters) s.index = move;
    if (scatters && more_() % 2 == 0) s.init = add_random_input(storage, length);
    s.out = add_vector(plan::VarRole::kOutput, storage, scatters ? length : shape_.space);
    kernel.sinks.push_back(s);
  }
  // One element of each segment is read and replaced.
  void add_replacement() {
    const std::vector<std::int64_t> lengths = bindings_.descs[static_cast<std::size_t>(shape_.source_desc)];
    std::vector<std::int64_t> segment;
    for (std::size_t s = 0; s < lengths.size(); ++s) segment.push_back(static_cast<std::int64_t>(s));
    plan::Kernel k;
    k.space = shape_.segments;
    Inst in;
    in.pull = Pull::kSegGather;
    in.type = Type::kFloat;
    in.a = element_of(k, places_within(segment, lengths, shape_.segments));
    in.var = add_random_input(Storage::kF64, shape_.source_total);
    in.desc2 = shape_.source_desc;
    plan::Sink s;
    s.kind = plan::SinkKind::kScatter;
    s.type = Type::kFloat;
    s.value = k.body.add(in);
    in = {};
    in.pull = Pull::kSegPlace;
    in.a = element_of(k, places_within(segment, lengths, shape_.segments));
    in.desc2 = shape_.source_desc;
    s.index = k.body.add(in);
    s.init = add_random_input(Storage::kF64, shape_.source_total);
    s.distinct = true;
    s.out = add_vector(plan::VarRole::kOutput, Storage::kF64, shape_.source_total);
    k.sinks.push_back(s);
    plan_.kernels.push_back(k);
  }

  plan::Plan& plan_;
  Bindings& bindings_;
  std::mt19937_64& more_;
  MoveShape shape_;
};

}  // namespace nvm::testing
