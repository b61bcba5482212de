#include "vm/lib/group_device.h"

#include <algorithm>
#include <bit>

#include "vm/data/pool.h"

namespace nvm::lib {

namespace {

using vm::BufferRef;
using vm::Segdes;
using vm::Value;
using vm::Vector;
using vm::block::Groups;
using vm::block::Layout;
using Kind = ssa::Split::Kind;

class GroupDevice final : public vm::block::GroupEngine {
 public:
  GroupDevice(const ssa::Module& module, std::unique_ptr<gpu::BlockEngine> engine)
      : module_(module), engine_(std::move(engine)) {}

  std::optional<Groups> run(ssa::FunctionId function, const Layout& layout,
                            std::span<const std::int64_t> bounds, vm::Pool& pool, Watched watched) override {
    if (!engine_->refusal(function, watched.bytes).empty()) return std::nullopt;
    gpu::BlockCall call;
    bind(layout, bounds, call);
    call.timed = watched.times;
    call.counted = watched.bytes;
    std::vector<BufferRef> memory(of(function).results.size());
    call.allocate = [&](std::size_t r, std::size_t bytes) -> void* {
      memory[r] = pool.allocate(ByteCount(bytes));
      return memory[r].get()->bytes;
    };
    const bool done = engine_->run(function, call);
    keep_remotes(layout, call);
    if (!done) return std::nullopt;
    return take(function, call, memory);
  }

 private:
  [[nodiscard]] const ssa::Function& of(ssa::FunctionId f) const {
    return module_.functions[static_cast<std::size_t>(f)];
  }

  static void bind(const Layout& layout, std::span<const std::int64_t> bounds, gpu::BlockCall& call) {
    call.groups = bounds.size() - 1;
    for (const Value& value : layout.arguments()) call.arguments.push_back(memory_of(value));
    for (std::size_t g = 0; g < call.groups; ++g) {
      call.most_bytes =
          std::max(call.most_bytes, layout.bytes_before(bounds[g + 1]) - layout.bytes_before(bounds[g]));
      for (std::size_t i = 0; i < layout.splits().size(); ++i)
        call.pieces.push_back(piece_of(layout, i, bounds[g], bounds[g + 1]));
    }
  }
  static gpu::BlockCall::Argument memory_of(const Value& value) {
    gpu::BlockCall::Argument a;
    if (const auto* v = std::get_if<Vector>(&value); v != nullptr && v->buffer() && v->length() > 1) {
      a.data = v->place();
      a.bytes = static_cast<std::size_t>(v->bytes());
      a.remote = vm::remote_of(*v->buffer().get());
    } else if (const auto* s = std::get_if<Segdes>(&value); s != nullptr && !s->is_regular()) {
      a.data = s->offsets();
      a.bytes = static_cast<std::size_t>(s->segments() + 1) * sizeof(std::int64_t);
      a.remote = vm::remote_of(*s->offsets_buffer().get());
    }
    return a;
  }
  static gpu::BlockCall::Piece piece_of(const Layout& layout, std::size_t i, std::int64_t first,
                                        std::int64_t last) {
    const Value& value = layout.arguments()[i];
    const ssa::Split& split = layout.splits()[i];
    const bool whole = split.kind == Kind::kSame;
    gpu::BlockCall::Piece p;
    const auto* v = std::get_if<Vector>(&value);
    const std::int64_t all = v != nullptr ? v->length() : std::get<Segdes>(value).segments();
    const std::int64_t begin = whole ? 0 : layout.begin(i, first);
    p.count = whole ? all : layout.begin(i, last) - begin;
    if (v != nullptr) {
      p.storage = v->storage();
      p.offset = begin * static_cast<std::int64_t>(storage_bytes(p.storage));
      if (all == 1)
        p.bits = v->type() == Type::kFloat ? std::bit_cast<std::uint64_t>(v->scalar_float())
                                           : static_cast<std::uint64_t>(v->scalar_int());
      return p;
    }
    const auto& s = std::get<Segdes>(value);
    p.offset = begin * static_cast<std::int64_t>(sizeof(std::int64_t));
    if (split.kind == Kind::kFrame) {
      p.offset = 0;
      p.count = 1;
      p.bits = static_cast<std::uint64_t>(last - first);
    } else if (s.is_regular()) {
      p.bits = static_cast<std::uint64_t>(s.regular_length());
    }
    return p;
  }
  static void keep_remotes(const Layout& layout, const gpu::BlockCall& call) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i].remote == nullptr) continue;
      const Value& value = layout.arguments()[i];
      const auto* v = std::get_if<Vector>(&value);
      vm::attach_remote(*(v != nullptr ? v->buffer() : std::get<Segdes>(value).offsets_buffer()).get(),
                        call.arguments[i].remote);
    }
  }

  Groups take(ssa::FunctionId function, gpu::BlockCall& call, std::vector<BufferRef>& memory) const {
    Groups groups;
    for (const gpu::BlockCall::Ran& r : call.ran)
      groups.spent.device.push_back({r.groups, r.shared, r.times, r.moved});
    groups.moved = call.moved;
    for (std::size_t g = 0; g < call.groups; ++g) {
      if (call.states[g] == 1) groups.failed = true;
      if (call.states[g] == 2) groups.over_budget.push_back(g);
    }
    if (groups.failed) return groups;
    for (std::size_t r = 0; r < memory.size(); ++r)
      if (memory[r] && call.results[r].remote != nullptr)
        vm::attach_remote(*memory[r].get(), call.results[r].remote);
    groups.joined = groups.over_budget.empty();
    groups.results.resize(groups.joined ? 1 : call.groups);
    for (std::size_t g = 0; g < groups.results.size(); ++g) {
      if (!groups.joined && call.states[g] != 0) continue;
      for (std::size_t r = 0; r < memory.size(); ++r)
        groups.results[g].push_back(value(of(function).results[r], call.results[r], memory[r], g,
                                          groups.joined ? call.groups : g + 1));
    }
    return groups;
  }
  // What groups first .. last-1 have made.
  [[nodiscard]] Value value(Type type, const gpu::BlockCall::Result& result, const BufferRef& memory,
                            std::size_t first, std::size_t last) const {
    const Storage wide = module_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
    const Storage storage = type == Type::kFloat ? Storage::kF64 : type == Type::kBool ? Storage::kB8 : wide;
    const std::int64_t count = result.begin.back();
    const Vector all = count == 0   ? Vector(storage, 0, BufferRef())
                       : count == 1 ? single(storage, memory)
                                    : Vector(storage, count, memory);
    const Vector part = vm::block::slice(all, result.begin[first], result.begin[last]);
    if (type != Type::kSegdes) return part;
    std::int64_t total = 0;
    for (std::size_t g = first; g < last; ++g) total += result.totals[g];
    return Segdes::from_lengths(part, total);
  }
  static Vector single(Storage storage, const BufferRef& memory) {
    const std::byte* data = memory.data();
    if (storage == Storage::kF64) return Vector::of_float(*reinterpret_cast<const double*>(data));
    if (storage == Storage::kB8) return Vector::of_bool(*reinterpret_cast<const std::uint8_t*>(data) != 0);
    if (storage == Storage::kI32) return Vector::of_int(*reinterpret_cast<const std::int32_t*>(data));
    return Vector::of_int(*reinterpret_cast<const std::int64_t*>(data));
  }

  const ssa::Module& module_;
  std::unique_ptr<gpu::BlockEngine> engine_;
};

}  // namespace

std::unique_ptr<vm::block::GroupEngine> make_group_device(const ssa::Module& module, bool background,
                                                          const gpu::BlockLimits& limits) {
  std::string reason;
  auto engine = gpu::BlockEngine::make(module, background, limits, reason);
  if (engine == nullptr) return nullptr;
  return std::make_unique<GroupDevice>(module, std::move(engine));
}

}  // namespace nvm::lib
