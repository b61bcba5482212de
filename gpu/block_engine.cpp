#include "gpu/block_engine.h"

#include <algorithm>

#include "gpu/api/nvtx.h"

namespace nvm::gpu {

namespace {

constexpr std::int64_t kRoom =
    24;  // bytes of arena for a byte of arguments, as a rule: frames and what they hold
constexpr std::int64_t kLeastArena = 256 << 10;
constexpr std::int64_t kMostArena = 64 << 20;
constexpr std::int64_t kMore = 4;                            // times as much for groups that ran out of it
constexpr std::int64_t kMostArenas = std::int64_t{1} << 30;  // bytes of all
constexpr std::int64_t kMostBlocks = 1024;
constexpr std::uint64_t kDone = 0, kFull = 2;

// One call on one queue.
class BlockRun {
 public:
  BlockRun(const BlockCode& code, const BlockLimits& limits, BlockCall& call, CudaQueue& queue)
      : code_(code), limits_(limits), call_(call), queue_(queue) {}
  ~BlockRun() {
    static_cast<void>(queue_.wait());  // copies from host memory may still be under way
    for (const Address a : owned_) queue_.free(a);
  }
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;

  bool run() {
    if (call_.timed) begin_times();
    const bool done = compute();
    if (call_.timed) tell_times();
    return done;
  }

 private:
  bool compute() {
    if (!bind() || !first_round() || !other_rounds()) return false;
    if (std::any_of(call_.states.begin(), call_.states.end(),
                    [](std::uint64_t s) { return s != kDone && s != kFull; }))
      return true;
    return join();
  }

  Address take(std::size_t bytes) {
    const Address a = queue_.allocate(std::max<std::size_t>(bytes, 16));
    if (a != 0) owned_.push_back(a);
    return a;
  }
  template <typename T>
  Address put(const std::vector<T>& words) {
    const Address a = take(words.size() * sizeof(T));
    if (a != 0 && !words.empty()) queue_.upload(a, words.data(), words.size() * sizeof(T));
    return a;
  }

  bool bind() {
    std::vector<Address> at;
    std::size_t bytes = 0;
    for (BlockCall::Argument& a : call_.arguments) {
      at.push_back(a.bytes == 0 ? 0 : queue_.bring(a.remote, a.data, a.bytes));
      if (a.bytes > 0 && at.back() == 0) return false;
      bytes += a.bytes;
    }
    for (std::size_t k = 0; k < call_.pieces.size(); ++k) {
      const BlockCall::Piece& p = call_.pieces[k];
      const Address whole = at[k % at.size()];
      words_.insert(words_.end(),
                    {whole == 0 ? 0 : whole + static_cast<Address>(p.offset),
                     static_cast<std::uint64_t>(p.count), p.bits, static_cast<std::uint64_t>(p.storage)});
    }
    results_.resize(3 * code_.widths.size() * call_.groups);
    call_.states.assign(call_.groups, kDone);
    args_[kArguments] = put(words_);
    args_[kResults] = take(8 * results_.size());
    args_[kStates] = take(8 * call_.groups);
    args_[kHeapBytes] = 2 * bytes + 1024 * call_.groups;
    args_[kHeap] = take(args_[kHeapBytes]);
    args_[kHeapTop] = take(8);
    if (call_.counted) args_[kMoved] = take(8 * call_.groups);
    if ((call_.counted && args_[kMoved] == 0) || args_[kArguments] == 0 || args_[kResults] == 0 ||
        args_[kStates] == 0 || args_[kHeap] == 0 || args_[kHeapTop] == 0)
      return false;
    queue_.clear(args_[kStates], 8 * call_.groups);
    queue_.clear(args_[kHeapTop], 8);
    for (std::size_t g = 0; g < call_.groups; ++g) list_.push_back(static_cast<std::int64_t>(g));
    return true;
  }

  bool first_round() {
    const std::int64_t arena = kRoom * call_.most_bytes + (8 << 10);
    if (arena > limits_.shared_bytes) return true;
    args_[kArenas] = 0;
    args_[kArenaBytes] = static_cast<std::uint64_t>(limits_.shared_bytes);
    return launch(static_cast<unsigned>(limits_.shared_bytes)) && unfinished();
  }
  // In the device's memory: all groups, or those that were too large for shared memory; those that ran out
  // of it again in larger arenas, together.
  bool other_rounds() {
    if (limits_.arena_bytes > 0) return list_.empty() || in_arenas(limits_.arena_bytes);
    std::int64_t arena = std::clamp(kRoom * 2 * call_.most_bytes, kLeastArena, kMostArena);
    if (!list_.empty() && !in_arenas(arena)) return false;
    while (!list_.empty() && arena < kMostArena && more_heap()) {
      arena = std::min(kMore * arena, kMostArena);
      if (!in_arenas(arena)) return queue_.error().empty();  // the host makes those that are left
    }
    return true;
  }
  // What ran out may have been the results' memory.
  bool more_heap() {
    const Address heap = take(kMore * args_[kHeapBytes]);
    if (heap == 0) return false;
    args_[kHeapBytes] *= kMore;
    args_[kHeap] = heap;
    queue_.clear(args_[kHeapTop], 8);
    return true;
  }
  bool in_arenas(std::int64_t arena) {
    blocks_ = std::min({static_cast<std::int64_t>(list_.size()), kMostBlocks,
                        std::max<std::int64_t>(kMostArenas / arena, 1)});
    args_[kArenaBytes] = static_cast<std::uint64_t>(arena);
    const Address arenas = queue_.allocate(static_cast<std::size_t>(arena * blocks_));
    if (arenas == 0) return false;
    args_[kArenas] = arenas;
    const bool done = launch(0) && unfinished();
    queue_.free(arenas);
    return done;
  }
  bool launch(unsigned shared_bytes) {
    args_[kGroups] = list_.size();
    args_[kList] = put(list_);
    if (args_[kList] == 0) return false;
    const auto blocks = shared_bytes > 0 ? static_cast<std::int64_t>(list_.size()) : blocks_;
    if (call_.timed) {
      call_.ran.push_back({list_.size(), shared_bytes > 0, {}, 0});
      call_.ran.back().times.asked = std::chrono::steady_clock::now();
      marks_.push_back(queue_.mark());
    }
    queue_.launch(code_.entry, blocks, kBlockThreads, args_, shared_bytes);
    if (call_.timed) marks_.push_back(queue_.mark());
    return true;
  }

  // The device's clock is set by the host's where it has nothing to do yet.
  void begin_times() {
    static_cast<void>(queue_.wait());
    clock_ = std::chrono::steady_clock::now();
    static_cast<void>(queue_.mark());
  }
  void tell_times() {
    static_cast<void>(queue_.wait());
    for (std::size_t k = 0; k < call_.ran.size(); ++k) {
      const double begin = queue_.seconds_at(marks_[2 * k]), end = queue_.seconds_at(marks_[2 * k + 1]);
      if (begin < 0 || end < begin) continue;
      DeviceTimes& times = call_.ran[k].times;
      times.begun = clock_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                 std::chrono::duration<double>(begin));
      times.seconds = end - begin;
    }
    std::erase_if(call_.ran,
                  [](const BlockCall::Ran& r) { return r.times.begun == decltype(r.times.begun){}; });
  }
  // Waits; the list is then of the groups that ran out of memory, to be tried again.
  bool unfinished() {
    queue_.download(call_.states.data(), args_[kStates], 8 * call_.groups);
    std::vector<std::int64_t> moved(call_.counted ? call_.groups : 0);
    if (call_.counted) queue_.download(moved.data(), args_[kMoved], 8 * call_.groups);
    if (!queue_.wait()) return false;
    if (call_.counted) add_moved(moved);
    list_.clear();
    std::vector<std::uint64_t> states = call_.states;
    for (std::size_t g = 0; g < states.size(); ++g)
      if (states[g] == kFull) list_.push_back(static_cast<std::int64_t>(g));
    for (std::uint64_t& s : states)
      if (s == kFull) s = kDone;
    cleared_ = std::move(states);
    queue_.upload(args_[kStates], cleared_.data(), 8 * call_.groups);
    return true;
  }

  void add_moved(const std::vector<std::int64_t>& moved) {
    std::int64_t sum = 0;
    for (const std::int64_t g : list_)
      if (call_.states[static_cast<std::size_t>(g)] == kDone) sum += moved[static_cast<std::size_t>(g)];
    call_.moved += sum;
    if (call_.timed) call_.ran.back().moved = sum;
  }

  bool join() {
    queue_.download(results_.data(), args_[kResults], 8 * results_.size());
    if (!queue_.wait()) return false;
    call_.results.resize(code_.widths.size());
    pieces_.resize(code_.widths.size());
    for (std::size_t r = 0; r < code_.widths.size(); ++r)
      if (!join(r)) return false;
    return queue_.wait();
  }
  bool join(std::size_t r) {
    BlockCall::Result& result = call_.results[r];
    std::vector<std::uint64_t>& pieces = pieces_[r];
    std::int64_t count = 0;
    for (std::size_t g = 0; g < call_.groups; ++g) {
      const std::uint64_t* words = results_.data() + 3 * (g * code_.widths.size() + r);
      const std::uint64_t n = call_.states[g] == kDone ? words[1] : 0;
      result.begin.push_back(count);
      result.totals.push_back(n == 0 ? 0 : static_cast<std::int64_t>(words[2]));
      pieces.insert(pieces.end(), {words[0], n, static_cast<std::uint64_t>(count)});
      count += static_cast<std::int64_t>(n);
    }
    result.begin.push_back(count);
    if (count == 0) return true;
    const auto width = static_cast<std::uint64_t>(code_.widths[r]);
    const std::uint64_t made = width == 0 ? static_cast<std::uint64_t>(code_.int_bytes) : width;
    const std::size_t bytes = ByteCount::of(count, made).get();
    result.data = call_.allocate(r, bytes);
    const Address memory = result.data == nullptr ? 0 : queue_.allocate(bytes);
    const Address table = memory == 0 ? 0 : put(pieces);
    if (table == 0) {
      if (memory != 0) queue_.free(memory);
      return false;
    }
    const std::uint64_t words[] = {table, memory, width, made};
    queue_.launch("nvm_join", static_cast<std::int64_t>(call_.groups), kBlockThreads, words, 0);
    queue_.keep(result.remote, memory, result.data, bytes);
    if (call_.counted) call_.moved += 2 * static_cast<std::int64_t>(bytes);
    return true;
  }

  const BlockCode& code_;
  const BlockLimits& limits_;
  BlockCall& call_;
  CudaQueue& queue_;
  std::vector<Address> owned_;
  std::uint64_t args_[kBlockArgs] = {};
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> results_;
  std::vector<std::uint64_t> cleared_;
  std::vector<std::int64_t> list_;
  std::int64_t blocks_ = 1;
  std::vector<std::size_t> marks_;  // two for each of call_.ran
  std::chrono::steady_clock::time_point clock_;
  std::vector<std::vector<std::uint64_t>> pieces_;
};

}  // namespace

std::unique_ptr<BlockEngine> BlockEngine::make(const ssa::Module& module, bool background,
                                               const BlockLimits& limits, std::string& reason) {
  const auto device = shared_device(reason);
  if (device == nullptr) return nullptr;
  return std::unique_ptr<BlockEngine>(new BlockEngine(module, device, background, limits));
}

BlockEngine::BlockEngine(const ssa::Module& module, std::shared_ptr<OpenDevice> device, bool background,
                         const BlockLimits& limits)
    : module_(module), device_(device), compiler_(std::move(device), background), limits_(limits) {}

const BlockEngine::Known& BlockEngine::known(ssa::FunctionId function, bool counted) {
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = known_.try_emplace({function, counted});
  if (!fresh) return it->second;
  it->second.code = generate_block(module_, function, counted, it->second.reason);
  if (it->second.code) it->second.compilation = compiler_.compile(it->second.code->source);
  return it->second;
}

std::string BlockEngine::refusal(ssa::FunctionId function, bool counted) {
  const Known& k = known(function, counted);
  if (!k.code) return k.reason;
  return k.compilation->state() == Compilation::State::kFailed ? k.compilation->reason() : std::string();
}

bool BlockEngine::run(ssa::FunctionId function, BlockCall& call) {
  const Known& k = known(function, call.counted);
  if (!k.code || k.compilation->state() != Compilation::State::kLoaded || device_->lost()) return false;
  const NvtxRange range(k.code->entry + " in groups");
  CudaQueue queue(device_, k.compilation->module());
  const bool done = BlockRun(*k.code, limits_, call, queue).run();
  if (queue.error().empty()) return done;
  device_->lose(queue.error() + ", in block mode");
  return false;
}

}  // namespace nvm::gpu
