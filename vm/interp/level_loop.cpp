#include "vm/interp/level_loop.h"

#include <algorithm>

#include "vm/interp/frames.h"
#include "vm/interp/interp.h"
#include "vm/interp/value_moves.h"
#include "vm/prims/operands.h"
#include "vm/prims/repeated.h"

namespace nvm::vm {

namespace {

const Segdes& sizes_of(const CodeFunction& function, std::span<const Value> arguments) {
  return std::get<Segdes>(arguments[function.levels->sizes]);
}

// Of Ints among the results.
Storage widest(const PrimContext& context, std::span<const Value> arguments) {
  std::optional<Storage> most;
  for (const Value& argument : arguments)
    if (const auto* v = std::get_if<Vector>(&argument); v != nullptr && v->type() == Type::kInt)
      most = std::max(most.value_or(Storage::kI8), v->is_scalar() ? wide_int(context) : v->storage());
  return most.value_or(wide_int(context));
}

// Of so many elements that a level has of its own, each read and written in every vector.
std::int64_t filled_bytes(const Destination& destination, std::int64_t elements) {
  std::size_t width = 0;
  for (const Destination::Target& target : destination.targets) width += storage_bytes(target.storage);
  return 2 * elements * static_cast<std::int64_t>(width);
}

// One level: where its results are wanted, and what it says of those of the next.
class Level {
 public:
  Level(const PrimContext& context, const CodeFunction& function, const Destination& destination)
      : context_(context), lengths_(function.levels->lengths), destination_(destination) {}

  // Writes what there is of `values`, results of the level for `sizes`; `next`: the sizes of the call that
  // waits. False if they are not so long or not filled.
  bool fill(std::span<const Value> values, const Segdes& sizes, const Segdes& next) {
    const Segdes& lengths = std::get<Segdes>(values[lengths_]);
    if (!lengths.identical(sizes) && !(lengths == sizes)) return false;
    for (std::size_t r = 0; r < values.size(); ++r) {
      if (r == lengths_) continue;
      PendingSlice slice;
      slice.s = next;
      if (!vm::fill(context_, values[r], sizes, destination_.places,
                    destination_.targets[r - (r > lengths_ ? 1 : 0)], slice) ||
          slice.known != next.total())
        return false;
      if (!slice.found) slice.places = begins_of(context_, next, slice.memory);
      if (known_ && !agree(next, slice.places)) return false;
      if (known_) continue;
      known_ = true;
      places_ = slice.places;
      memory_ = std::move(slice.memory);
    }
    return true;
  }
  // Of the call that waits.
  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] const BufferRef& memory() const { return memory_; }

 private:
  // Do all vectors put the same segments to the same places?
  bool agree(const Segdes& next, const Places& places) const {
    for (std::int64_t k = 0; k < next.segments(); ++k)
      if (places_[k] != places[k] && next.length(k) > 0) return false;
    return true;
  }

  const PrimContext& context_;
  std::size_t lengths_;
  Destination destination_;
  bool known_ = false;
  Places places_;
  BufferRef memory_;  // of the list of `places_`, if they have one
};

}  // namespace

OwnDestination::OwnDestination(const PrimContext& context, const CodeFunction& function,
                               std::span<const Value> arguments)
    : sizes_(sizes_of(function, arguments)), lengths_(function.levels->lengths) {
  const std::vector<Type>& results = function.source->results;
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (r == lengths_) continue;
    const Storage storage = results[r] == Type::kFloat  ? Storage::kF64
                            : results[r] == Type::kBool ? Storage::kB8
                                                        : widest(context, arguments);
    vectors_.push_back(std::make_unique<Fresh>(context, storage, sizes_.total()));
    targets_.push_back({vectors_.back()->data(), storage});
  }
  places_ = begins_of(context, sizes_, memory_);
}

std::vector<Value> OwnDestination::take() {
  std::vector<Value> results;
  for (auto& vector : vectors_) results.emplace_back(vector->take());
  results.insert(results.begin() + static_cast<std::ptrdiff_t>(lengths_), sizes_);
  return results;
}

bool fill_results(const PrimContext& context, const CodeFunction& function, std::span<const Value> arguments,
                  std::span<const Value> results, const Destination& destination) {
  return Level(context, function, destination).fill(results, sizes_of(function, arguments), Segdes());
}

bool Interp::goes_by_levels(ssa::FunctionId function, std::span<const Value> arguments) const {
  const CodeFunction& f = code_.functions[static_cast<std::size_t>(function)];
  return machine_.levels != nullptr && views_.leaves && f.levels && machine_.levels->may(function) &&
         std::holds_alternative<Segdes>(arguments[f.levels->sizes]);
}

// As many calls may be open here as in the usual way.
void Interp::check_levels(std::int64_t level, std::int32_t slots) const {
  if (machine_.max_depth > 0 && calls_.outside() + level >= machine_.max_depth)
    throw depth_fault(machine_.max_depth);
  if (static_cast<std::size_t>(level) >
      machine_.max_frame_bytes / sizeof(Value) / static_cast<std::size_t>(slots))
    throw frame_fault();
}

void Interp::run_levels(ssa::FunctionId function, std::vector<Value> arguments, Destination destination) {
  const CodeFunction& f = code_.functions[static_cast<std::size_t>(function)];
  BufferRef memory;  // of the places of `destination`
  std::int64_t level = 0;
  for (;; ++level) {
    if (level > 0 && machine_.meter != nullptr) machine_.meter->next_level(function);
    if (level > 0 && machine_.calls != nullptr &&
        machine_.calls->call_into(function, calls_.outside() + level, arguments, destination))
      break;
    const Segdes sizes = sizes_of(f, arguments);
    pending_.clear();
    if (level > 0 && machine_.meter != nullptr) machine_.meter->enter_level(function, arguments);
    enter(function, arguments);
    arguments.clear();
    loop();
    if (exited_) throw Fault{Fault::Kind::kDenied, "a level ends the program"};
    Level made(machine_.prims, f, destination);
    const Segdes next = !pending_.waits() ? Segdes() : sizes_of(f, pending_.arguments());
    if (!made.fill(values_, sizes, next)) throw not_so_long();
    took(machine_.prims, FastPath::kLevel);
    if (accounts_.counts_moved()) accounts_.moved(filled_bytes(destination, sizes.total() - next.total()));
    values_.clear();
    if (!pending_.waits()) break;
    if (machine_.path != nullptr) machine_.path->end_level();
    check_levels(level, std::max(f.slots, 1));
    arguments = std::move(pending_.arguments());
    memory = made.memory();
    destination.places = made.places();
  }
  if (machine_.path != nullptr) machine_.path->put_together();
  machine_.levels->count(level + 1);
}

// True if that is the outcome; else the call is to be made in the usual way. `destination`: null, or where
// the results are wanted, for a call that has to go by levels.
bool Interp::call_by_levels(ssa::FunctionId function, std::vector<Value> arguments, std::int64_t callers,
                            const Destination* destination, Outcome& outcome) {
  calls_.begin(callers);
  exited_ = false;
  pending_.begin(true);
  bool done = true;
  const Accounts::State before = accounts_.state();
  try {
    if (destination != nullptr) {
      run_levels(function, std::move(arguments), *destination);
    } else {
      OwnDestination own(machine_.prims, code_.functions[static_cast<std::size_t>(function)], arguments);
      run_levels(function, std::move(arguments), own.destination());
      outcome.values = own.take();
    }
  } catch (const Fault& fault) {
    const bool final = fault.kind == Fault::Kind::kTime || fault.kind == Fault::Kind::kInterrupted ||
                       fault.kind == Fault::Kind::kRecursion || fault.kind == Fault::Kind::kMemory;
    done = final || destination != nullptr;
    if (done) outcome.error = at_.step != nullptr ? calls_.locate(fault) : RunError();
    if (done) outcome.error->kind = fault.kind;
    if (!done) accounts_.go_back_to(before);
    if (!done && machine_.path != nullptr) machine_.path->clear();
    if (!final) machine_.levels->give_up(function);
    forget();
  }
  pending_.begin(false);
  exited_ = false;
  pending_.clear();
  values_.clear();
  calls_.clear();
  return done;
}

Outcome Interp::call_into(ssa::FunctionId function, std::vector<Value> arguments, std::int64_t callers,
                          const Destination& destination) {
  Outcome outcome;
  static_cast<void>(call_by_levels(function, std::move(arguments), callers, &destination, outcome));
  return outcome;
}

}  // namespace nvm::vm
