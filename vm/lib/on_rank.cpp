#include "vm/lib/on_rank.h"

#include "vm/interp/interp.h"
#include "vm/lib/checkpoint.h"
#include "vm/lib/record_file.h"
#include "vm/spmd/calls.h"
#include "vm/spmd/hook.h"

namespace nvm::lib {

vm::Outcome OnRank::run(const vm::Code& code, const vm::Machine& machine, std::span<const vm::Value> inputs,
                        const Options& options, vm::block::BlockMode* blocks) {
  vm::spmd::Settings settings;
  settings.spread = options.spread;
  vm::spmd::Hook hook(exchange_, machine.prims, std::move(settings), machine.hook);
  vm::Machine alone = machine;
  alone.calls = blocks;
  vm::spmd::Calls calls(code, alone, inputs, hook.parts());
  vm::Machine together = machine;
  together.hook = &hook;
  together.calls = blocks != nullptr ? &calls : nullptr;
  std::optional<vm::spmd::Checkpointing> checkpoints;
  if (Checkpoint* const kept = options.checkpoint.get())
    together.checkpoints = &checkpoints.emplace(code, hook.parts(), machine.host->random(),
                                                exchange_.rank() == 0 ? kept : nullptr, kept->continues());
  vm::Outcome outcome = vm::Interp(code, together, inputs).run();
  largest_share_ = hook.parts().largest_share();
  dealt_out_ = calls.dealt_out();
  return outcome;
}

// What happens to one rank only is said to be that one's.
void OnRank::end(vm::Outcome& outcome) {
  seat_.alone = false;
  seat_.broken = exchange_.broken().has_value();
  if (!outcome.error) return;
  const vm::Fault::Kind kind = outcome.error->kind;
  seat_.alone = vm::spmd::strikes_one(kind);
  if (seat_.broken || exchange_.size() == 1) return;
  if (kind == vm::Fault::Kind::kMemory || kind == vm::Fault::Kind::kDevice)
    outcome.error->message = "rank " + std::to_string(exchange_.rank()) + ": " + outcome.error->message;
}

void OnRank::report(Counters& counters) const {
  const ranks::Counts counts = seat_.carrier->counts();
  counters.rounds = static_cast<std::uint64_t>(counts.rounds - before_.rounds);
  counters.messages = static_cast<std::uint64_t>(counts.messages - before_.messages);
  counters.bytes_sent = static_cast<std::uint64_t>(counts.bytes_sent - before_.bytes_sent);
  counters.waited_seconds = counts.waited_seconds - before_.waited_seconds;
  counters.largest_share = largest_share_;
  counters.block_calls += static_cast<std::uint64_t>(dealt_out_);
}

bool OnRank::plays() const { return exchange_.rank() != 0 || (outside_ != nullptr && outside_->plays()); }

std::optional<std::string> OnRank::read_file(const std::string& path, const Reader& outside) {
  return vm::read_file(outside_, path, outside);
}

// What is not allowed fails on all ranks alike.
bool OnRank::ended() const { return exchange_.rank() != 0 || (outside_ != nullptr && outside_->ended()); }

bool OnRank::play(Op op, vm::Pool& pool, std::span<vm::Value> results) {
  if (exchange_.rank() == 0) {
    if (outside_ == nullptr || !outside_->play(op, pool, results)) return false;
    tell(results);
    return true;
  }
  const std::vector<std::byte> told = exchange_.send(0, {});
  PartReader in({reinterpret_cast<const char*>(told.data()), told.size()});
  for (vm::Value& value : results) value = in.value(pool);
  if (!in.good()) throw vm::Fault{vm::Fault::Kind::kIo, "what rank 0 tells makes no sense"};
  return true;
}

void OnRank::note(Op op, std::span<const vm::Value> results) {
  if (exchange_.rank() != 0) return;
  if (outside_ != nullptr) outside_->note(op, results);
  tell(results);
}

void OnRank::tell(std::span<const vm::Value> results) {
  PartWriter part;
  for (const vm::Value& value : results) part.value(value);
  const std::string bytes = part.take();
  static_cast<void>(exchange_.send(0, std::as_bytes(std::span(bytes))));
}

}  // namespace nvm::lib
