#include "vm/lib/session.h"

#include <algorithm>
#include <unordered_map>

#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

namespace {

constexpr std::size_t kMostPrograms = 512;  // loaded
constexpr std::size_t kMostIdle = 32;       // machines, which keep memory and kernels
constexpr std::int64_t kSmall = 4096;       // elements below which compiling takes longer than the operations
constexpr std::int64_t kLong = 4'000'000;   // elements times instructions: some ten milliseconds

using Key = std::vector<std::uint64_t>;
struct Hash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = key.size();
    for (const std::uint64_t word : key) h = (h ^ word) * 0x9E3779B97F4A7C15U, h ^= h >> 29;
    return h;
  }
};

// A loaded program and the machines that are not running it now. A machine keeps what it has compiled for the
// program that it ran last, so each program has machines of its own.
struct Loaded {
  Program program;
  std::vector<Vm> idle;
  std::uint64_t last_used = 0;
  bool forgotten = false;  // no longer among those that are loaded
};

// Nodes below some others that are not evaluated, each once, with how often they are operands there.
std::vector<Node*> unevaluated_below(std::span<const Promise> roots) {
  const std::uint64_t visit = new_visit();
  std::vector<Node*> found;
  const auto meet = [&](const Promise& promise) {
    Node* node = promise.node();
    if (node->evaluated()) return;
    if (node->visit != visit) {
      node->visit = visit;
      node->uses = 0;
      found.push_back(node);
    }
  };
  for (const Promise& root : roots) meet(root);
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const Promise& operand : found[next]->used()) {
      meet(operand);
      ++operand.node()->uses;
    }
  return found;
}

// Those asked for, and those that somebody else holds: they would be computed again when he asks.
std::vector<Promise> to_store(std::span<const Promise> wanted) {
  const std::vector<Node*> below = unevaluated_below(wanted);
  for (const Promise& promise : wanted) promise.node()->uses = -1;
  std::vector<Promise> stored;
  for (Node* node : below)
    if (node->uses < node->refs) stored.emplace_back(node, 0);
  return stored;
}

std::int64_t most_elements(const Graph& graph) {
  std::int64_t most = 0;
  for (const Promise& promise : graph.order)
    if (promise.node()->evaluated()) most = std::max(most, promise.node()->few);
  return most;
}

// Lengths that are computed may be any.
bool makes_lengths(const Graph& graph) {
  static const Instruction* const make = find_instruction("MAKE_SEGDES");
  return std::any_of(graph.instructions.begin(), graph.instructions.end(),
                     [](const Promise& p) { return p.node()->instruction == make; });
}

}  // namespace

struct Session::Impl {
  explicit Impl(const Options& given) : options(given), for_small(given) {
    if (for_small.jit == Jit::kAlways) for_small.jit = Jit::kHot;
  }

  // Watchers are told the host's lines, so graphs from elsewhere are other programs.
  [[nodiscard]] bool watched() const { return !options.watchers.empty(); }
  void add_places(Graph& graph) const {
    for (const Promise& promise : graph.instructions) {
      graph.key.push_back(reinterpret_cast<std::uint64_t>(promise.place().code));
      graph.key.push_back(static_cast<std::uint64_t>(promise.place().offset));
    }
  }
  Result<std::shared_ptr<Loaded>> load(Graph& graph, std::span<const Promise> stored) {
    const auto found = programs.find(graph.key);
    if (found != programs.end()) return found->second;
    LoadOptions loading;
    loading.inputs = graph.input_kinds;
    auto program = Program::from_text(program_text(graph, stored, watched()), "arrays", loading);
    if (!program) return program.failure();
    if (programs.size() >= kMostPrograms) forget();
    auto loaded = std::make_shared<Loaded>(Loaded{*program, {}});
    programs.emplace(graph.key, loaded);
    return loaded;
  }
  Vm take(Loaded& loaded, const Options& chosen) {
    loaded.last_used = ++time;
    if (loaded.idle.empty()) return Vm(chosen);
    Vm vm = std::move(loaded.idle.back());
    loaded.idle.pop_back();
    --idle;
    return vm;
  }
  void give_back(const std::shared_ptr<Loaded>& loaded, Vm vm) {
    if (alone || loaded->forgotten) return;
    loaded->idle.push_back(std::move(vm));
    if (++idle <= kMostIdle) return;
    Loaded* oldest = nullptr;
    for (const auto& [key, other] : programs)
      if (!other->idle.empty() && (oldest == nullptr || other->last_used < oldest->last_used))
        oldest = other.get();
    if (oldest == nullptr) return;
    oldest->idle.erase(oldest->idle.begin());
    --idle;
  }

  void forget() {
    for (const auto& [key, loaded] : programs) loaded->forgotten = true;
    programs.clear();
    idle = 0;
  }

  Options options, for_small;
  std::unordered_map<Key, std::shared_ptr<Loaded>, Hash> programs;
  std::size_t idle = 0;
  std::uint64_t time = 0;
  bool alone = false;
};

Session::Session(const Options& options)
    : impl_(guarded([&] { return new Impl(options); }, [](const Failure&) -> Impl* { return nullptr; })) {}
Session::~Session() {
  if (impl_ != nullptr && !impl_->alone) delete impl_;
}
void Session::abandon() {
  if (impl_ != nullptr) impl_->alone = true;
}
const Options& Session::options() const { return impl_->options; }

std::optional<Session::Unevaluated> Session::evaluate(std::span<const Promise> wanted, const Runner& runner,
                                                      Run& run) {
  const auto fails = [](Failure failure) -> std::optional<Unevaluated> {
    return Unevaluated{std::move(failure), {}};
  };
  return guarded(
      [&]() -> std::optional<Unevaluated> {
        if (impl_ == nullptr) throw std::bad_alloc();  // when it was made
        const std::vector<Promise> stored = to_store(wanted);
        if (stored.empty()) return std::nullopt;
        Graph graph = graph_of(stored);
        const std::int64_t most = most_elements(graph);
        const bool small = most < kSmall;
        const bool long_run =
            makes_lengths(graph) || most > kLong / static_cast<std::int64_t>(graph.instructions.size());
        graph.key.push_back(small ? 1 : 0);
        if (impl_->watched()) impl_->add_places(graph);
        auto loaded = impl_->load(graph, stored);
        if (!loaded) return fails(loaded.failure());
        Vm vm = impl_->take(**loaded, small ? impl_->for_small : impl_->options);
        auto done = runner(vm, (*loaded)->program, graph.inputs, long_run);
        impl_->give_back(*loaded, std::move(vm));
        if (!done) {
          const std::uint32_t line = done.failure().line;  // the text's first line names the function
          const bool known = line >= 2 && line - 2 < graph.instructions.size();
          return Unevaluated{done.failure(), known ? graph.instructions[line - 2] : Promise()};
        }
        auto value = done->values.begin();
        for (const Promise& promise : stored) {
          Node& node = *promise.node();
          const bool by_another = node.evaluated();  // meanwhile, on another thread
          for (int k = 0; k < node.results(); ++k, ++value)
            if (!by_another) node.evaluate(k, *value);
        }
        for (const Promise& promise : stored) promise.node()->drop_operands();
        run = std::move(*done);
        return std::nullopt;
      },
      fails);
}

}  // namespace nvm::lib
