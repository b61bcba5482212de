// Speed of generated kernels on the device, data resident: the time from the first kernel's start to the last
// one's end, by events, as bytes that must move per second; beside it a device-to-device copy and, where nvcc
// has built them, the rivals of rivals.h. Results are first held against the CPU engine. One JSON object on
// standard output, a table on standard error; without a device, why not.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "gpu/api/nvrtc.h"
#include "gpu/codegen/code.h"
#include "gpu/launch.h"
#include "gpu/memory/cuda_queue.h"
#include "gpu/order_engine.h"
#include "tests/gpu/bench_cases.h"
#include "tests/gpu/rivals.h"
#include "tests/support/plan_runner.h"
#include "vm/cpu/cpu_engine.h"

using namespace nvm;
using namespace nvm::bench;

namespace {

constexpr int kRounds = 7;

// A stream that notes when kernels start and end.
class TimedQueue final : public gpu::Queue {
 public:
  TimedQueue(std::shared_ptr<gpu::OpenDevice> device, const gpu::LoadedModule& module)
      : device_(std::move(device)), queue_(device_, module) {}
  gpu::Address allocate(std::size_t bytes) override { return queue_.allocate(bytes); }
  void free(gpu::Address a) override { queue_.free(a); }
  void upload(gpu::Address to, const void* from, std::size_t n) override { queue_.upload(to, from, n); }
  void download(void* to, gpu::Address from, std::size_t n) override { queue_.download(to, from, n); }
  void copy(gpu::Address to, gpu::Address from, std::size_t n) override { queue_.copy(to, from, n); }
  void clear(gpu::Address a, std::size_t n) override {
    queue_.begin_timing();
    queue_.clear(a, n);
  }
  void launch(const std::string& entry, std::int64_t blocks, int threads,
              std::span<const std::uint64_t> words, unsigned shared_bytes) override {
    queue_.begin_timing();
    queue_.launch(entry, blocks, threads, words, shared_bytes);
    queue_.end_timing();
  }
  // Inputs and results stay there between rounds.
  gpu::Address bring(std::shared_ptr<Remote>& remote, const void* data, std::size_t n) override {
    return queue_.bring(remote, data, n);
  }
  void keep(std::shared_ptr<Remote>& remote, gpu::Address a, void* data, std::size_t n) override {
    queue_.keep(remote, a, data, n);
  }
  bool share(std::shared_ptr<Remote>& remote, gpu::Address a, void* data, std::size_t n) override {
    return queue_.share(remote, a, data, n);
  }
  bool wait() override { return queue_.wait(); }
  [[nodiscard]] double seconds() { return queue_.seconds(); }
  [[nodiscard]] const std::string& error() const { return queue_.error(); }

 private:
  std::shared_ptr<gpu::OpenDevice> device_;
  gpu::CudaQueue queue_;
};

class BenchHost final : public plan::Host {
 public:
  void* allocate(plan::VarId v, Storage storage, std::int64_t length) override {
    auto& m = memory[v];
    m.resize(static_cast<std::size_t>(length) * storage_bytes(storage) + 64);
    return m.data();
  }
  void release(plan::VarId) override {}
  [[nodiscard]] bool cancelled() const override { return false; }
  std::map<plan::VarId, std::vector<char>> memory;
};

// Arguments of one run; outputs are kept in host.
struct Bound {
  explicit Bound(const Case& c) : arrays(c.plan.vars.size()), descs(c.plan.vars.size()), lengths(c.lengths) {
    for (std::size_t v = 0; v < arrays.size(); ++v) {
      const plan::Var& var = c.plan.vars[v];
      const auto total = var.is_desc ? lengths[static_cast<std::size_t>(var.total)] : 0;
      if (var.is_desc) descs[v] = {lengths[static_cast<std::size_t>(var.length)], total, total, nullptr};
      if (!c.offsets[v].empty()) descs[v].offsets = c.offsets[v].data();
      if (c.reals[v].empty()) continue;
      arrays[v].storage = Storage::kF64;
      arrays[v].length = static_cast<std::int64_t>(c.reals[v].size());
      arrays[v].real = c.reals[v][0];
      if (arrays[v].length != 1) arrays[v].data = const_cast<double*>(c.reals[v].data());
    }
  }
  [[nodiscard]] plan::Run run() { return {arrays, descs, lengths, &host, 16}; }
  std::vector<plan::Array> arrays;
  std::vector<plan::Desc> descs;
  std::vector<std::int64_t> lengths;
  BenchHost host;
};

bool same_results(const Case& c, const Bound& a, const Bound& b) {
  for (std::size_t v = 0; v < c.plan.vars.size(); ++v) {
    if (c.plan.vars[v].role != plan::VarRole::kOutput || c.plan.vars[v].is_desc) continue;
    const plan::Array& x = a.arrays[v];
    const plan::Array& y = b.arrays[v];
    if (x.length != y.length) return false;
    const auto bytes = static_cast<std::size_t>(x.length) * storage_bytes(x.storage);
    if (!c.exact && x.storage == Storage::kF64 && x.length > 1) {
      const auto* p = static_cast<const double*>(x.data);
      const auto* q = static_cast<const double*>(y.data);
      for (std::int64_t i = 0; i < x.length; ++i)
        if (!(std::abs(p[i] - q[i]) <= 1e-12)) return false;
      continue;
    }
    if (x.length == 1 ? std::memcmp(&x.real, &y.real, 8) != 0
                      : bytes > 0 && std::memcmp(x.data, y.data, bytes) != 0)
      return false;
  }
  return true;
}

double copy_ceiling(const gpu::LoadedModule& module, const std::shared_ptr<gpu::OpenDevice>& device,
                    std::size_t bytes) {
  gpu::CudaQueue queue(device, module);
  const gpu::Address a = queue.allocate(bytes);
  const gpu::Address b = queue.allocate(bytes);
  double best = 1e9;
  for (int i = 0; i < kRounds; ++i) {
    queue.begin_timing();
    queue.copy(b, a, bytes);
    queue.end_timing();
    if (!queue.wait()) return 0;
    best = std::min(best, queue.seconds());
  }
  queue.free(a);
  queue.free(b);
  return 2.0 * static_cast<double>(bytes) / best;
}

// The best of some rounds, in seconds, on the host's clock.
double best_of(int rounds, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// Nothing of a rival that is not there.
void tell(const char* name, double value, const char* unit) {
  if (value < 0) return;
  std::printf(",\n \"%s_%s\": %.3f", name, unit, value);
  std::fprintf(stderr, "%-34s %10.3f %s\n", name, value, unit);
}

// What a region costs beside its work: a short one, again and again, which becomes a graph.
void measure_overhead(const std::shared_ptr<gpu::OpenDevice>& device) {
  std::string reason;
  const Case c = short_case();
  const gpu::Code code = gpu::generate(c.plan, "");
  const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + code.source, c.name, device->arch());
  const gpu::LoadedModule module(device, compiled.cubin.data(), reason);
  tell("cubin_load",
       1e6 * best_of(kRounds,
                     [&] {
                       const gpu::LoadedModule again(device, compiled.cubin.data(), reason);
                       gpu::Kernel kernel = nullptr;
                       static_cast<void>(again.find(code.kernels[0].launches[0].entry, kernel));
                     }),
       "us");
  Bound bound(c);
  tell("short_region",
       1e6 * best_of(50,
                     [&] {
                       gpu::CudaQueue queue(device, module);
                       static_cast<void>(gpu::run_code(code, bound.run(), queue));
                     }),
       "us");
}

void measure_transfers(std::int64_t n, gpu::OpenDevice& device) {
  std::vector<double> host(static_cast<std::size_t>(n), 1.0);
  const std::size_t bytes = 8 * host.size();
  const gpu::DevicePointer memory = device.take(bytes);
  if (memory == 0) return;
  const auto rate = [&](double seconds) { return static_cast<double>(bytes) / seconds * 1e-9; };
  tell("to_device", rate(best_of(3, [&] { static_cast<void>(device.upload(memory, host.data(), bytes)); })),
       "gb_per_s");
  tell("from_device",
       rate(best_of(3, [&] { static_cast<void>(device.download(host.data(), memory, bytes)); })), "gb_per_s");
  device.release(memory);
}

// Whether `ranks` are those of a stable sort.
bool are_ranks(const std::vector<std::int64_t>& keys, const std::vector<std::int64_t>& ranks) {
  constexpr std::int64_t kNone = -1;
  std::vector<std::int64_t> at(keys.size(), kNone);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    if (rank >= at.size() || at[rank] != kNone) return false;
    at[rank] = static_cast<std::int64_t>(i);
  }
  for (std::size_t k = 1; k < at.size(); ++k) {
    const auto one = static_cast<std::size_t>(at[k - 1]), next = static_cast<std::size_t>(at[k]);
    if (keys[one] > keys[next] || (keys[one] == keys[next] && one > next)) return false;
  }
  return true;
}

// Keys on the device, of which some bits differ. False if they are not in order.
bool measure_sort(std::int64_t n, int bits, bool ranks, gpu::DeviceOrderer& orderer) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> keys(static_cast<std::size_t>(n)), sorted(keys.size());
  for (std::int64_t& k : keys) k = static_cast<std::int64_t>(random() >> (64 - bits));
  OrderTask task;
  task.ranks = ranks;
  task.count = n;
  task.from = keys.data();
  task.to = sorted.data();
  bool good = true;
  const double seconds = best_of(kRounds, [&] {
    task.to_remote = nullptr;
    good = orderer.order(task) && good;
  });
  std::string why;
  good = good && task.to_remote != nullptr && task.to_remote->fetch(why) &&
         (ranks ? are_ranks(keys, sorted) : std::is_sorted(sorted.begin(), sorted.end()));
  const std::string work = ranks ? "rank" : "sort", width = std::to_string(bits);
  const double rival = rivals::seconds(work + " " + width + " bits", n, {}, kRounds);
  const auto rate = [&](double time) { return static_cast<double>(n) / time * 1e-9; };
  tell((work + "_" + width + "_bits").c_str(), rate(seconds), "gkeys_per_s");
  tell((work + "_" + width + "_bits_cub").c_str(), rate(rival), "gkeys_per_s");
  return good;
}
bool measure_sorting(std::int64_t n, const std::shared_ptr<gpu::OpenDevice>& device) {
  gpu::Compiler compiler(device, false);
  gpu::DeviceOrderer orderer(device, compiler, 0);
  bool good = true;
  for (const int bits : {20, 32, 64}) good = measure_sort(n, bits, false, orderer) && good;
  for (const int bits : {20, 64}) good = measure_sort(n, bits, true, orderer) && good;
  return good;
}

// One case after the other; what fails is told, and the next has its turn.
class Measurement {
 public:
  Measurement(std::int64_t n, std::shared_ptr<gpu::OpenDevice> device) : n_(n), device_(std::move(device)) {}

  void measure(const Case& c) {
    const gpu::Code code = gpu::generate(c.plan, "");
    const gpu::Compiled compiled = gpu::compile_cuda(gpu::prelude() + code.source, c.name, device_->arch());
    if (compiled.cubin.empty()) return tell_failed(c, compiled.log);
    std::string why;
    const gpu::LoadedModule module(device_, compiled.cubin.data(), why);
    if (!module.ok()) return tell_failed(c, why);
    if (ceiling_ == 0) ceiling_ = copy_ceiling(module, device_, static_cast<std::size_t>(8 * n_));
    Bound bound(c);
    std::vector<double> times;
    if (!run(code, module, bound, times, why)) return tell_failed(c, why);
    tell_case(c, times, equals_cpu(c, bound));
  }
  [[nodiscard]] double ceiling() const { return ceiling_; }
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  bool run(const gpu::Code& code, const gpu::LoadedModule& module, Bound& bound, std::vector<double>& times,
           std::string& why) {
    for (int i = 0; i < kRounds; ++i) {
      TimedQueue queue(device_, module);
      const plan::RunStatus status = gpu::run_code(code, bound.run(), queue);
      why = queue.error().empty() ? "no memory" : queue.error();
      if (status != plan::RunStatus::kDone) return false;
      times.push_back(queue.seconds());
    }
    std::sort(times.begin(), times.end());
    return plan::fetch_inputs(bound.run(), why);
  }
  [[nodiscard]] bool equals_cpu(const Case& c, const Bound& bound) {
    Bound reference(c);
    std::string reason;
    const auto code = cpu_ == nullptr ? nullptr : cpu_->compile(c.plan, reason);
    if (code == nullptr || code->run(reference.run()) != plan::RunStatus::kDone) return true;
    return same_results(c, bound, reference);
  }
  void tell_failed(const Case& c, std::string why) {
    for (char& x : why)
      if (x == '"' || x == '\\' || static_cast<unsigned char>(x) < ' ') x = ' ';
    std::printf("%s\n  {\"name\": \"%s\", \"failed\": \"%s\"}", separator_, c.name.c_str(), why.c_str());
    std::fprintf(stderr, "%-34s FAILED: %s\n", c.name.c_str(), why.c_str());
    separator_ = ",";
    ++wrong_;
  }
  void tell_case(const Case& c, const std::vector<double>& times, bool same) {
    const double rate = c.bytes / times[0];
    const double rival = rivals::seconds(c.rival, n_, c.segment_offsets, kRounds);
    const double of_copy = ceiling_ > 0 ? rate / ceiling_ : 0;
    const double of_rival = rival < 0 ? 0 : rival / times[0];
    const bool met = of_rival >= c.least_of_rival || of_copy >= c.least_of_copy;
    std::printf(
        "%s\n  {\"name\": \"%s\", \"best_us\": %.2f, \"median_us\": %.2f, \"gb_per_s\": %.1f, "
        "\"of_copy\": %.3f, \"rival_us\": %.2f, \"of_rival\": %.3f, \"target_met\": %s, \"equals_cpu\": %s}",
        separator_, c.name.c_str(), times[0] * 1e6, times[times.size() / 2] * 1e6, rate / 1e9, of_copy,
        rival * 1e6, of_rival,
        met         ? "true"
        : rival < 0 ? "null"
                    : "false",
        same ? "true" : "false");
    std::fprintf(stderr, "%-34s %10.1f us %9.1f GB/s %6.2f of copy %6.2f of rival  %s%s\n", c.name.c_str(),
                 times[0] * 1e6, rate / 1e9, of_copy, of_rival,
                 met         ? "target met"
                 : rival < 0 ? "open, nothing to hold it against"
                             : "below target",
                 same ? "" : "  DIFFERS FROM CPU");
    separator_ = ",";
    wrong_ += same ? 0 : 1;
  }

  const std::int64_t n_;
  const std::shared_ptr<gpu::OpenDevice> device_;
  const std::unique_ptr<plan::Engine> cpu_ = vm::cpu::make_engine({});
  double ceiling_ = 0;
  const char* separator_ = "";
  int wrong_ = 0;
};

int measure(std::int64_t n, const std::shared_ptr<gpu::OpenDevice>& device) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // who ends this gets what was measured
  std::printf("{\"device\": \"%s\", \"nvrtc\": \"%s\", \"elements\": %lld, \"cases\": [",
              device->name().c_str(), gpu::nvrtc_version().c_str(), static_cast<long long>(n));
  Measurement m(n, device);
  for (const auto& make : cases(n)) m.measure(make());
  const double ceiling = m.ceiling();
  int wrong = m.wrong();
  std::printf("\n], \"copy_gb_per_s\": %.1f", ceiling / 1e9);
  if (device->lost() || ceiling == 0) {
    std::printf("}\n");
    return 1;
  }
  tell("copy_by_runtime", 16e-9 * static_cast<double>(n) / rivals::seconds("copy", n, {}, kRounds),
       "gb_per_s");
  measure_overhead(device);
  measure_transfers(n, *device);
  // What whole programs are held against (run_all).
  constexpr std::int64_t kProgram = 1 << 22;
  tell("cub_sort_program", 1e6 * rivals::seconds("sort 64 bits", kProgram, {}, kRounds), "us");
  tell("bitonic_by_hand_program", 1e6 * rivals::seconds("bitonic", kProgram, {}, kRounds), "us");
  if (!measure_sorting(n, device)) {
    ++wrong;
    std::fprintf(stderr, "sorting FAILED\n");
  }
  std::printf("}\n");
  return wrong == 0 ? 0 : 1;
}

// Without a device: everything up to the launch, and the reason.
int rehearse(const std::string& reason) {
  std::printf("{\"device\": null, \"reason\": \"%s\", \"cases\": [", reason.c_str());
  bool first = true;
  for (const auto& make : cases(4096)) {
    const Case c = make();
    std::printf("%s{\"name\": \"%s\", \"source_bytes\": %zu}", first ? "" : ", ", c.name.c_str(),
                gpu::generate(c.plan, "").source.size());
    first = false;
  }
  std::printf("]}\n");
  std::fprintf(stderr, "no measurements: %s\n", reason.c_str());
  return 0;
}

// The sources as NVRTC gets them, for who wants to read machine code.
int write_sources(const std::string& folder) {
  const auto write = [&](std::string name, const std::string& source) {
    std::replace(name.begin(), name.end(), ' ', '_');
    std::ofstream(folder + "/" + name + ".cu") << gpu::prelude() << source;
  };
  for (const auto& make : cases(4096)) {
    const Case c = make();
    write(c.name, gpu::generate(c.plan, "").source);
  }
  write("sort", gpu::order_source());
  return 0;
}

}  // namespace

// Sorting alone.
int sorts(std::int64_t n, const std::shared_ptr<gpu::OpenDevice>& device) {
  std::printf("{\"device\": \"%s\", \"elements\": %lld", device->name().c_str(), static_cast<long long>(n));
  const bool good = measure_sorting(n, device);
  std::printf("}\n");
  return good ? 0 : 1;
}

// bench [ELEMENTS], bench --sorts ELEMENTS, or bench --sources FOLDER
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--sources") == 0) return write_sources(argv[2]);
  std::string reason;
  const auto device = gpu::OpenDevice::open(0, reason);
  std::string words;
  if (device == nullptr) return rehearse(reason);
  if (!gpu::nvrtc_available(words)) return rehearse(words);
  if (argc == 3 && std::strcmp(argv[1], "--sorts") == 0) return sorts(std::atoll(argv[2]), device);
  return measure(argc > 1 ? std::atoll(argv[1]) : 100'000'000, device);
}
