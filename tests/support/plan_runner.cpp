#include "tests/support/plan_runner.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

namespace nvm::testing {

namespace {

using plan::VarRole;

constexpr std::size_t kPadding = 64;
constexpr std::byte kGuard{0xA5};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Elements followed by bytes that must stay as they are.
class Guarded {
 public:
  Guarded(Storage storage, std::int64_t length)
      : bytes_(static_cast<std::size_t>(length) * storage_bytes(storage)),
        memory_(static_cast<std::byte*>(::operator new (bytes_ + kPadding, std::align_val_t{64}))) {
    std::memset(memory_.get(), 0x5A, bytes_);
    std::memset(memory_.get() + bytes_, static_cast<int>(kGuard), kPadding);
  }
  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] bool intact() const {
    for (std::size_t i = 0; i < kPadding; ++i)
      if (memory_.get()[bytes_ + i] != kGuard) return false;
    return true;
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

void put(std::byte* data, Storage storage, std::size_t i, const Element& e) {
  switch (storage) {
    case Storage::kI8:
    case Storage::kB8: reinterpret_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(e.i); return;
    case Storage::kI32: reinterpret_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(e.i); return;
    case Storage::kI64: reinterpret_cast<std::int64_t*>(data)[i] = e.i; return;
    case Storage::kF64: reinterpret_cast<double*>(data)[i] = e.f; return;
  }
}
Element get(const void* data, Storage storage, std::size_t i) {
  switch (storage) {
    case Storage::kI8: return {static_cast<const std::int8_t*>(data)[i], 0};
    case Storage::kB8: return {static_cast<const std::uint8_t*>(data)[i], 0};
    case Storage::kI32: return {static_cast<const std::int32_t*>(data)[i], 0};
    case Storage::kI64: return {static_cast<const std::int64_t*>(data)[i], 0};
    case Storage::kF64: return {0, static_cast<const double*>(data)[i]};
  }
  return {};
}

class GuardedHost final : public plan::Host {
 public:
  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override {
    if (vectors.count(var) != 0) trouble = "allocated twice: x" + std::to_string(var);
    return vectors.try_emplace(var, storage, length).first->second.data();
  }
  void release(plan::VarId var) override {
    const auto it = vectors.find(var);
    if (it == vectors.end()) {
      trouble = "released but not allocated: x" + std::to_string(var);
      return;
    }
    check(var, it->second);
    vectors.erase(it);
  }
  [[nodiscard]] bool cancelled() const override { return false; }
  void ran(plan::KernelWay way) override { ++ways[way]; }
  void check(plan::VarId var, const Guarded& v) {
    if (!v.intact()) trouble = "written behind the end: x" + std::to_string(var);
  }
  std::map<plan::VarId, Guarded> vectors;
  std::string trouble;
  std::map<plan::KernelWay, int> ways;
};

// Arguments of one run, made from bindings.
class Arguments {
 public:
  Arguments(const plan::Plan& plan, const Bindings& in)
      : lengths(in.lengths), arrays(plan.vars.size()), descs(plan.vars.size()) {
    for (std::size_t i = 0; i < plan.lengths.size(); ++i)
      if (plan.lengths[i] == plan::LengthKind::kOne) lengths[i] = 1;
    for (std::size_t v = 0; v < plan.vars.size(); ++v) {
      if (plan.vars[v].role != VarRole::kInput) continue;
      plan.vars[v].is_desc ? bind_desc(plan.vars[v], v, in.descs[v])
                           : bind_vector(plan.vars[v], v, in.vectors[v]);
    }
  }
  [[nodiscard]] bool intact() const {
    for (const Guarded& g : memory_)
      if (!g.intact()) return false;
    return true;
  }

  std::vector<std::int64_t> lengths;
  std::vector<plan::Array> arrays;
  std::vector<plan::Desc> descs;

 private:
  void bind_vector(const plan::Var& var, std::size_t v, const std::vector<Element>& x) {
    plan::Array& a = arrays[v];
    a.storage = var.storage;
    a.length = static_cast<std::int64_t>(x.size());
    if (x.size() == 1) {
      a.scalar = x[0].i;
      a.real = x[0].f;
      return;
    }
    const Guarded& g = memory_.emplace_back(var.storage, a.length);
    for (std::size_t i = 0; i < x.size(); ++i) put(g.data(), var.storage, i, x[i]);
    a.data = g.data();
  }
  void bind_desc(const plan::Var& var, std::size_t v, const std::vector<std::int64_t>& x) {
    plan::Desc& d = descs[v];
    d.segments = static_cast<std::int64_t>(x.size());
    auto& sums = offsets_.emplace_back(1, 0);
    for (const std::int64_t n : x) sums.push_back(sums.back() + n);
    d.total = sums.back();
    if (var.form == plan::DescForm::kIrregular) {
      d.offsets = sums.data();
    } else if (var.form == plan::DescForm::kRegular) {
      d.regular_length = x.empty() ? 0 : x[0];
    }
  }
  std::vector<Guarded> memory_;
  std::vector<std::vector<std::int64_t>> offsets_;
};

void take_output(const plan::Var& var, const plan::Array& a, std::size_t v, Bindings& results) {
  std::vector<Element> x;
  for (std::int64_t i = 0; i < a.length; ++i) {
    if (a.length == 1) {
      x.push_back({a.storage == Storage::kF64 ? 0 : a.scalar, a.storage == Storage::kF64 ? a.real : 0.0});
    } else {
      x.push_back(get(a.data, a.storage, at(i)));
    }
  }
  if (!var.is_desc) {
    results.vectors[v] = std::move(x);
    return;
  }
  results.descs[v].clear();
  for (const Element& e : x) results.descs[v].push_back(e.i);
}

bool same(const Element& a, const Element& b, bool real, double tolerance) {
  if (!real) return a.i == b.i;
  if (std::isnan(a.f) && std::isnan(b.f)) return true;
  if (std::bit_cast<std::uint64_t>(a.f) == std::bit_cast<std::uint64_t>(b.f)) return true;
  return tolerance > 0.0 && std::fabs(a.f - b.f) <= tolerance * std::fmax(1.0, std::fabs(a.f));
}

}  // namespace

PlanRun run_plan(const plan::Code& code, const plan::Plan& plan, const Bindings& inputs, int threads) {
  GuardedHost host;
  Arguments args(plan, inputs);
  PlanRun out;
  out.results = inputs;
  out.status = code.run({args.arrays, args.descs, args.lengths, &host, threads});
  std::string lost;  // what a device has comes home
  for (plan::Array& a : args.arrays)
    if (a.remote != nullptr && !a.remote->fetch(lost)) out.trouble = lost;
  for (const auto& [var, vector] : host.vectors) host.check(var, vector);
  if (!args.intact()) host.trouble = "written behind an input";
  if (!host.trouble.empty()) out.trouble = host.trouble;
  out.ways = host.ways;
  if (out.status != plan::RunStatus::kDone) return out;
  out.results.lengths = args.lengths;
  for (std::size_t v = 0; v < plan.vars.size(); ++v) {
    if (plan.vars[v].role == VarRole::kOutput) take_output(plan.vars[v], args.arrays[v], v, out.results);
    if (plan.vars[v].role == VarRole::kTemp && host.vectors.count(static_cast<plan::VarId>(v)) != 0)
      out.trouble = "a temporary was not released: x" + std::to_string(v);
  }
  return out;
}

std::string differences(const plan::Plan& plan, const Bindings& wanted, const Bindings& got,
                        double tolerance) {
  for (std::size_t v = 0; v < plan.vars.size(); ++v) {
    const plan::Var& var = plan.vars[v];
    if (var.role != VarRole::kOutput) continue;
    const std::string name = "x" + std::to_string(v);
    if (var.is_desc) {
      if (wanted.descs[v] != got.descs[v]) return name + ": other kept counts";
      continue;
    }
    const auto& w = wanted.vectors[v];
    const auto& g = got.vectors[v];
    if (w.size() != g.size())
      return name + ": " + std::to_string(g.size()) + " elements, not " + std::to_string(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      const bool real = var.type == Type::kFloat;
      if (same(w[i], g[i], real, tolerance)) continue;
      return name + "[" + std::to_string(i) + "] of " + std::to_string(w.size()) + ": " +
             (real ? std::to_string(g[i].f) : std::to_string(g[i].i)) + ", not " +
             (real ? std::to_string(w[i].f) : std::to_string(w[i].i));
    }
  }
  return {};
}

}  // namespace nvm::testing
