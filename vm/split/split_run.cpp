#include "vm/split/split_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bytecode/base/at.h"
#include "bytecode/plan/uses.h"
#include "vm/data/fork_join.h"

namespace nvm::vm {

using plan::RunStatus;
using plan::SinkKind;
using soac::kNone;

namespace {

// One element of an array, as INT sign-extended, or as the bits that it has.
std::uint64_t element(const plan::Array& a, std::int64_t i) {
  if (a.length == 1 && a.storage != Storage::kF64) return static_cast<std::uint64_t>(a.scalar);
  std::uint64_t bits = 0;
  if (a.length == 1) {
    std::memcpy(&bits, &a.real, sizeof bits);
    return bits;
  }
  switch (a.storage) {
    case Storage::kI8: return static_cast<std::uint64_t>(static_cast<const std::int8_t*>(a.data)[i]);
    case Storage::kB8: return static_cast<const std::uint8_t*>(a.data)[i];
    case Storage::kI32: return static_cast<std::uint64_t>(static_cast<const std::int32_t*>(a.data)[i]);
    case Storage::kI64:
    case Storage::kF64: break;
  }
  return static_cast<const std::uint64_t*>(a.data)[i];
}

// Its low bytes, as one of them.
void put(void* data, Storage storage, std::int64_t i, std::uint64_t element) {
  const std::size_t bytes = storage_bytes(storage);
  std::memcpy(static_cast<std::byte*>(data) + static_cast<std::size_t>(i) * bytes, &element, bytes);
}

// Of one element, it is in the array itself.
void settle(plan::Array& a, void* data, std::int64_t length) {
  a.data = data;
  a.length = 2;
  const std::uint64_t only = length == 1 ? element(a, 0) : 0;
  a.length = length;
  a.scalar = static_cast<std::int64_t>(only);
  if (a.storage == Storage::kF64) std::memcpy(&a.real, &only, sizeof only);
}

}  // namespace

// What one part is run with.
struct SplitRun::PartArguments {
  std::vector<plan::Array> arrays;
  std::vector<plan::Desc> descs;
  std::vector<std::int64_t> lengths;
  std::int64_t begin = 0, end = 0;
  RunStatus status = RunStatus::kNoMemory;
};

class SplitRun::PartHost final : public plan::Host {
 public:
  // `records` is null where a kernel is not cut.
  PartHost(SplitRun& of, const Records* records) : of_(of), host_(*of.run_.host), records_(records) {}
  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override {
    return of_.memory(var, storage, length);
  }
  void shrink(plan::VarId var, std::int64_t length) override {
    if (records_ == nullptr) host_.shrink(var, length);
  }
  void release(plan::VarId) override {}
  void ran(plan::KernelWay way) override {
    if (records_ == nullptr) host_.ran(way);
  }
  [[nodiscard]] bool cancelled() const override {
    return host_.cancelled() || (records_ != nullptr && records_->stopped());
  }
  [[nodiscard]] RunStatus primitive(plan::PrimitiveStep& step) override { return host_.primitive(step); }
  [[nodiscard]] std::optional<Draws> draws(std::size_t kernel) const override { return host_.draws(kernel); }
  void begin_share() override { host_.begin_share(); }
  void end_share() override { host_.end_share(); }

 private:
  SplitRun& of_;
  plan::Host& host_;
  const Records* records_;
};

SplitRun::SplitRun(const plan::Code& code, const plan::Plan& plan, const plan::Run& run, Crew& crew)
    : code_(code),
      plan_(plan),
      run_(run),
      crew_(crew),
      arrays_(run.arrays.begin(), run.arrays.end()),
      descs_(run.descs.begin(), run.descs.end()) {}

SplitRun::~SplitRun() = default;

RunStatus SplitRun::run() {
  const auto dead = plan::dead_after(plan_);
  for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
    run_.host->begin_kernel(k);
    const RunStatus status = run_kernel(k);
    run_.host->end_kernel(k);
    if (status != RunStatus::kDone) return status;
    for (const plan::VarId v : dead[k]) {
      if (memory_.erase(v) == 0) continue;
      run_.host->release(v);
      arrays_[at(v)] = {};
    }
  }
  publish();
  return RunStatus::kDone;
}

RunStatus SplitRun::run_kernel(std::size_t k) {
  const plan::Kernel& kernel = plan_.kernels[k];
  const std::int64_t n = run_.lengths[at(kernel.space)];
  const bool alone =
      by_primitive(kernel) || plan_.lengths[at(kernel.space)] == plan::LengthKind::kOne || n == 0;
  std::vector<std::int64_t> ends;
  if (!alone)
    for (const std::int64_t end : crew_.ends(kernel, n, descs_))
      if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
  return ends.size() < 2 ? run_whole(k) : run_parts(k, ends);
}

RunStatus SplitRun::run_whole(std::size_t k) {
  PartHost host(*this, nullptr);
  const plan::Part part{k, 0, run_.lengths[at(plan_.kernels[k].space)], nullptr};
  const RunStatus status = code_.run({arrays_, descs_, run_.lengths, &host, run_.threads, &part});
  if (status == RunStatus::kDone) make_kept_descs(plan_.kernels[k]);
  return status;
}

RunStatus SplitRun::run_parts(std::size_t k, const std::vector<std::int64_t>& ends) {
  const plan::Kernel& kernel = plan_.kernels[k];
  Records records(ends.size(), kernel.sinks.size());
  if (!prepare(kernel, records)) return RunStatus::kNoMemory;
  PartHost host(*this, &records);
  std::vector<PartArguments> parts(ends.size());
  ForkedCalls calls(static_cast<int>(parts.size()));
  const auto run = [&](std::size_t p, int threads) {
    calls.call([&] {
      run_part({k, p == 0 ? 0 : ends[p - 1], ends[p], &records.of(p)}, threads, host, parts[p]);
    });
    records.ended(p, parts[p].status == RunStatus::kDone);
    return parts[p].end - parts[p].begin;
  };
  calls.run([&] { crew_.work(parts.size(), run_.threads, run); }, [] {});
  ++counters_.kernels;
  counters_.parts += parts.size();
  counters_.records += records.count();
  counters_.words += records.words();
  for (const RunStatus worst : {RunStatus::kTrapped, RunStatus::kNoMemory, RunStatus::kCancelled})
    for (const PartArguments& part : parts)
      if (part.status == worst) return worst;
  join(kernel, parts, records);
  make_kept_descs(kernel);
  return RunStatus::kDone;
}

void SplitRun::run_part(const plan::Part& part, int threads, plan::Host& host, PartArguments& args) {
  args.arrays = arrays_;
  args.descs = descs_;
  args.lengths.assign(run_.lengths.begin(), run_.lengths.end());
  args.begin = part.begin;
  args.end = part.end;
  crew_.lend(plan_, part, args.arrays, args.descs);
  args.status = code_.run({args.arrays, args.descs, args.lengths, &host, threads, &part});
}

// What scatters write into is filled before anybody writes. False: out of memory.
bool SplitRun::prepare(const plan::Kernel& kernel, Records& records) {
  for (std::size_t i = 0; i < kernel.sinks.size(); ++i) {
    const plan::Sink& s = kernel.sinks[i];
    if (s.kind != SinkKind::kScatter) continue;
    if (!s.distinct || run_.lengths[at(plan_.vars[at(s.out)].length)] == 1) records.list(i);
    if (!fill(s)) return false;
  }
  return true;
}

bool SplitRun::fill(const plan::Sink& sink) {
  const plan::Var& var = plan_.vars[at(sink.out)];
  const std::int64_t length = run_.lengths[at(var.length)];
  plan::Array& out = arrays_[at(sink.out)];
  out = {};
  out.storage = var.storage;
  out.length = length;
  if (length == 1) {
    const std::uint64_t only = sink.init == kNone ? 0 : element(arrays_[at(sink.init)], 0);
    settle(out, const_cast<std::uint64_t*>(&only), 1);
    out.data = nullptr;
    return true;
  }
  out.data = memory(sink.out, var.storage, length);
  if (out.data == nullptr) return false;
  const std::size_t bytes = static_cast<std::size_t>(length) * storage_bytes(var.storage);
  if (sink.init == kNone) {
    std::memset(out.data, 0, bytes);
    return true;
  }
  const plan::Array& init = arrays_[at(sink.init)];
  if (init.storage == var.storage)
    std::memcpy(out.data, init.data, bytes);
  else
    for (std::int64_t i = 0; i < length; ++i) put(out.data, var.storage, i, element(init, i));
  return true;
}

void SplitRun::join(const plan::Kernel& kernel, std::vector<PartArguments>& parts, const Records& records) {
  for (const plan::Sink& s : kernel.sinks) {
    if (s.kind != SinkKind::kCount) continue;
    if (s.out_desc != kNone) arrays_[at(s.out_desc)] = parts.back().arrays[at(s.out_desc)];
    if (s.out_length == kNone) continue;
    std::int64_t& total = run_.lengths[at(s.out_length)];
    total = 0;
    for (const PartArguments& part : parts) total += part.lengths[at(s.out_length)];
  }
  for (std::size_t i = 0; i < kernel.sinks.size(); ++i) {
    const plan::Sink& s = kernel.sinks[i];
    if (s.kind == SinkKind::kScatter)
      join_writes(i, s.out, parts.size(), records);
    else if (s.kind == SinkKind::kStore && s.filter != kNone)
      join_kept(s, parts);
    else if (s.out != kNone)
      arrays_[at(s.out)] = parts.back().arrays[at(s.out)];
  }
}

// Each part has put what it keeps where it begins.
void SplitRun::join_kept(const plan::Sink& sink, std::vector<PartArguments>& parts) {
  const plan::Var& var = plan_.vars[at(sink.out)];
  const auto bytes = static_cast<std::int64_t>(storage_bytes(var.storage));
  auto* data = static_cast<std::byte*>(memory_.at(sink.out));
  std::int64_t kept = 0;
  for (const PartArguments& part : parts) {
    const std::int64_t more = part.lengths[at(var.length)];
    if (more > 0 && kept != part.begin) {
      std::memmove(data + kept * bytes, data + part.begin * bytes, static_cast<std::size_t>(more * bytes));
      counters_.moved += static_cast<std::uint64_t>(more);
    }
    kept += more;
  }
  plan::Array& out = arrays_[at(sink.out)];
  out = {};
  out.storage = var.storage;
  settle(out, data, kept);
  if (kept < parts.back().end) run_.host->shrink(sink.out, kept);
}

// In the order of the parts: the last one wins.
void SplitRun::join_writes(std::size_t sink, plan::VarId out, std::size_t parts, const Records& records) {
  plan::Array& a = arrays_[at(out)];
  for (std::size_t p = 0; p < parts; ++p)
    for (const plan::Write& w : records.writes(p, sink)) {
      ++counters_.writes;
      std::uint64_t cell = 0;
      put(a.data == nullptr ? &cell : a.data, a.storage, w.place, w.element);
      if (a.data != nullptr) continue;
      settle(a, &cell, 1);
      a.data = nullptr;
    }
}

void SplitRun::make_kept_descs(const plan::Kernel& kernel) {
  for (const plan::Sink& s : kernel.sinks) {
    if (s.kind != SinkKind::kCount || s.out_desc == kNone) continue;
    const plan::Array& counts = arrays_[at(s.out_desc)];
    plan::Desc& d = descs_[at(s.out_desc)];
    const std::int64_t total = run_.lengths[at(s.out_length)];
    d = {counts.length, total, total, nullptr};
    if (plan_.vars[at(s.out_desc)].form == plan::DescForm::kOneSegment) continue;
    auto offsets = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(counts.length) + 1);
    for (std::int64_t i = 0; i < counts.length; ++i)
      offsets[static_cast<std::size_t>(i) + 1] =
          offsets[static_cast<std::size_t>(i)] + static_cast<std::int64_t>(element(counts, i));
    d.offsets = offsets.get();
    offsets_.push_back(std::move(offsets));
  }
}

void SplitRun::publish() {
  for (std::size_t v = 0; v < plan_.vars.size(); ++v)
    if (plan_.vars[v].role == plan::VarRole::kOutput) run_.arrays[v] = arrays_[v];
  for (const plan::Kernel& kernel : plan_.kernels)
    for (const plan::Sink& s : kernel.sinks)
      if (plan::ors_ints(s)) run_.arrays[at(s.out)] = arrays_[at(s.out)];
}

void* SplitRun::memory(plan::VarId var, Storage storage, std::int64_t length) {
  const std::lock_guard lock(mutex_);
  const auto known = memory_.find(var);
  if (known != memory_.end()) return known->second;
  void* data = run_.host->allocate(var, storage, length);
  if (data != nullptr) memory_.emplace(var, data);
  return data;
}

}  // namespace nvm::vm
