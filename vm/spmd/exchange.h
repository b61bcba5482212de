// The rounds of one rank of a program. In front of what a round carries each rank says by which way it has
// come, and whether something has failed there that the others do not know: so ranks that do not agree stop,
// and what fails on one fails on all, in program order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/interp/machine.h"
#include "vm/ranks/rounds.h"

namespace nvm::vm::spmd {

// What the ranks have given, each its own.
class Pieces {
 public:
  [[nodiscard]] std::span<const std::byte> of(int r) const {
    return std::span(bytes_).subspan(at_[static_cast<std::size_t>(r)], length_[static_cast<std::size_t>(r)]);
  }

 private:
  friend class Exchange;
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> at_, length_;
};

// May a fault of this kind be one rank's only? All others follow from the program, so all ranks have them.
[[nodiscard]] bool strikes_one(Fault::Kind kind);

class Exchange {
 public:
  // All must outlive it; `stop` may be null.
  Exchange(ranks::Ranks& carrier, const ssa::Module& module, const std::atomic<Stop>* stop,
           ranks::Waiting waiting = {});

  [[nodiscard]] int rank() const { return rounds_.rank(); }
  [[nodiscard]] int size() const { return rounds_.size(); }

  // What all ranks give to all; `lengths` in bytes, the same on all ranks.
  [[nodiscard]] Pieces gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths);
  // What each rank gives to each: out[r] to rank r, which knows its length.
  [[nodiscard]] Pieces trade(std::span<const std::span<const std::byte>> out,
                             std::span<const std::int64_t> received);
  // From one to all, of a length that only it knows.
  [[nodiscard]] std::vector<std::byte> send(int from, std::span<const std::byte> bytes);

  // Called before each round; what it throws, all ranks throw before the round.
  void before_rounds(std::function<void()> settle) { settle_ = std::move(settle); }

  // Control has come to this instruction, on all ranks.
  void pass(const ssa::Inst& inst, const Site& site, const Callers* callers);
  // It may have failed on some ranks only. On this one it has, or not.
  void may_have_failed(const Fault* fault);
  // A round in which nothing else is said; if something may have failed since the last one.
  void meet();
  void agree() {
    if (unsaid_) meet();
  }

  // Before each round the first rank is asked whether all are to pause; it tells them in that round.
  void ask_before_rounds(std::function<bool()> wanted) { wanted_ = std::move(wanted); }
  [[nodiscard]] bool asked() const { return asked_; }
  void answered() { asked_ = false; }
  [[nodiscard]] std::int64_t rounds() const { return rounds_.ranks().counts().rounds; }
  // Instructions that control has passed since the last round.
  [[nodiscard]] std::uint64_t passed_since() const { return number_ - said_; }

  // Where what was thrown last belongs to, if it is not the instruction that control has come to.
  [[nodiscard]] const ssa::Inst* located_at(Site& site, CallTrail& trail) const;
  // From here on nothing thrown belongs to an earlier instruction.
  void located_here() { thrown_.reset(); }
  // The carrier has failed: why.
  [[nodiscard]] const std::optional<ranks::Broken>& broken() const { return broken_; }

 private:
  static constexpr std::uint64_t kAsked = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kNever = kAsked - 1;
  struct Header {
    std::uint64_t path;
    // Number of the first instruction that has failed here, kNever if none has; with kAsked from the first
    // rank that asks.
    std::uint64_t failed;
  };
  struct Failure {
    std::uint64_t number = kNever;
    Fault fault;
    Site site;
    CallTrail trail;
  };
  struct Thrown {
    Site site;
    CallTrail trail;
  };

  [[nodiscard]] Header header() const;
  template <typename F>
  void round(F start);
  void check(const Pieces& pieces);
  void place(Pieces& pieces, std::span<const std::int64_t> lengths) const;
  [[noreturn]] void disagree();
  [[noreturn]] void fail(int rank, std::uint64_t number);

  ranks::Rounds rounds_;
  std::function<void()> settle_ = [] {};
  std::function<bool()> wanted_;  // none but on the first rank
  const ssa::Module& module_;
  std::uint64_t path_ = 0;
  std::uint64_t number_ = 0;
  Site site_;
  const Callers* callers_ = nullptr;
  std::uint64_t said_ = 0;  // number_ at the last round
  bool asked_ = false;
  bool unsaid_ = false;  // something may have failed since the last round
  std::optional<Failure> failure_;
  std::optional<Thrown> thrown_;
  std::optional<ranks::Broken> broken_;
};

}  // namespace nvm::vm::spmd
