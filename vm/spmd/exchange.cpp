#include "vm/spmd/exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nvm::vm::spmd {

namespace {

ranks::Waiting looking(ranks::Waiting w, const std::atomic<Stop>* stop) {
  if (stop != nullptr)
    w.look = [stop] {
      if (const Stop why = stop->load(); why != Stop::kNo) throw stop_fault(why);
    };
  return w;
}

// What is told of a failure; equal lengths for all.
struct Told {
  static constexpr std::size_t kMostText = 2048;
  Fault::Kind kind;
  Site site;
  std::uint64_t serial;
  std::int64_t depth;
  Site calls[CallTrail::kMost];
  bool called[CallTrail::kMost];
  std::uint64_t length;
  char text[kMostText];
};

const ssa::Inst& inst_at(const ssa::Module& module, const Site& site) {
  return module.functions[static_cast<std::size_t>(site.function)]
      .blocks[static_cast<std::size_t>(site.block)]
      .insts[static_cast<std::size_t>(site.index)];
}

void put_header(std::byte* to, const void* header, std::size_t n) { std::memcpy(to, header, n); }

}  // namespace

bool strikes_one(Fault::Kind kind) {
  using Kind = Fault::Kind;
  return kind == Kind::kMemory || kind == Kind::kTime || kind == Kind::kInterrupted ||
         kind == Kind::kDevice || kind == Kind::kIo;
}

Exchange::Exchange(ranks::Ranks& carrier, const ssa::Module& module, const std::atomic<Stop>* stop,
                   ranks::Waiting waiting)
    : rounds_(carrier, looking(std::move(waiting), stop)), module_(module) {}

Exchange::Header Exchange::header() const {
  return {path_, (failure_ ? failure_->number : kNever) | (wanted_ && wanted_() ? kAsked : 0)};
}

template <typename F>
void Exchange::round(F start) {
  settle_();
  try {
    start();
    rounds_.finish();
  } catch (const ranks::Broken& broken) {
    broken_ = broken;
    throw Fault{Fault::Kind::kInterrupted, broken.text()};
  }
}

void Exchange::place(Pieces& pieces, std::span<const std::int64_t> lengths) const {
  std::size_t at = 0;
  for (const std::int64_t length : lengths) {
    pieces.at_.push_back(at + sizeof(Header));
    pieces.length_.push_back(static_cast<std::size_t>(length));
    at += sizeof(Header) + static_cast<std::size_t>(length);
  }
  pieces.bytes_.resize(at);
}

Pieces Exchange::gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths) {
  Pieces pieces;
  place(pieces, lengths);
  std::vector<std::byte> out(sizeof(Header) + mine.size());
  const Header h = header();
  put_header(out.data(), &h, sizeof h);
  std::copy(mine.begin(), mine.end(), out.begin() + sizeof h);
  std::vector<std::int64_t> in_bytes(lengths.begin(), lengths.end());
  for (std::int64_t& n : in_bytes) n += static_cast<std::int64_t>(sizeof h);
  round([&] { rounds_.ranks().start_all_gather(out, in_bytes, pieces.bytes_); });
  check(pieces);
  return pieces;
}

Pieces Exchange::trade(std::span<const std::span<const std::byte>> out,
                       std::span<const std::int64_t> received) {
  Pieces pieces;
  place(pieces, received);
  const Header h = header();
  constexpr auto kHeader = static_cast<std::int64_t>(sizeof h);
  std::vector<std::int64_t> sent, in_bytes;
  std::size_t all = 0;
  for (const auto& piece : out) all += sizeof h + piece.size();
  std::vector<std::byte> bytes(all);
  std::byte* to = bytes.data();
  for (const auto& piece : out) {
    put_header(to, &h, sizeof h);
    std::copy(piece.begin(), piece.end(), to + sizeof h);
    to += sizeof h + piece.size();
    sent.push_back(kHeader + static_cast<std::int64_t>(piece.size()));
  }
  for (const std::int64_t n : received) in_bytes.push_back(kHeader + n);
  round([&] { rounds_.ranks().start_all_to_all(bytes, sent, pieces.bytes_, in_bytes); });
  check(pieces);
  return pieces;
}

std::vector<std::byte> Exchange::send(int from, std::span<const std::byte> bytes) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size()), 0);
  lengths[static_cast<std::size_t>(from)] = sizeof(std::uint64_t);
  const std::uint64_t mine = bytes.size();
  const auto said = rank() == from ? std::as_bytes(std::span(&mine, 1)) : std::span<const std::byte>();
  const Pieces pieces = gather(said, lengths);
  std::uint64_t n = 0;
  std::memcpy(&n, pieces.of(from).data(), sizeof n);
  std::vector<std::byte> all(n);
  if (rank() == from) std::copy(bytes.begin(), bytes.end(), all.begin());
  if (n > 0) round([&] { rounds_.ranks().start_broadcast(from, all); });
  return all;
}

void Exchange::pass(const ssa::Inst& inst, const Site& site, const Callers* callers) {
  const auto mix = [&](std::uint64_t word) {
    path_ = (path_ ^ word) * 0x9E3779B97F4A7C15U;
    path_ ^= path_ >> 32;
  };
  mix(static_cast<std::uint64_t>(site.function) << 40 ^ static_cast<std::uint64_t>(site.block) << 20 ^
      static_cast<std::uint64_t>(site.index));
  mix(static_cast<std::uint64_t>(inst.op));
  ++number_;
  site_ = site;
  callers_ = callers;
}

void Exchange::may_have_failed(const Fault* fault) {
  unsaid_ = true;
  if (fault == nullptr || failure_) return;
  failure_ = Failure{number_, *fault, site_, callers_ != nullptr ? callers_->trail() : CallTrail()};
}

void Exchange::meet() {
  const std::vector<std::int64_t> nothing(static_cast<std::size_t>(size()), 0);
  static_cast<void>(gather({}, nothing));
}

void Exchange::check(const Pieces& pieces) {
  unsaid_ = false;
  said_ = number_;
  std::uint64_t failed = kNever;
  int failing = 0;
  for (int r = 0; r < size(); ++r) {
    Header h;
    std::memcpy(&h, pieces.bytes_.data() + pieces.at_[static_cast<std::size_t>(r)] - sizeof h, sizeof h);
    if (h.path != path_) disagree();
    if (r == 0 && (h.failed & kAsked) != 0) asked_ = true;
    if ((h.failed & ~kAsked) < failed) {
      failed = h.failed & ~kAsked;
      failing = r;
    }
  }
  if (failed != kNever) fail(failing, failed);
}

void Exchange::disagree() {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size()), sizeof(Site));
  std::vector<std::byte> all(sizeof(Site) * static_cast<std::size_t>(size()));
  round([&] { rounds_.ranks().start_all_gather(std::as_bytes(std::span(&site_, 1)), lengths, all); });
  std::string text = "the ranks have gone different ways:";
  for (int r = 0; r < size(); ++r) {
    Site s;
    std::memcpy(&s, all.data() + sizeof s * static_cast<std::size_t>(r), sizeof s);
    const ssa::Function& f = module_.functions[static_cast<std::size_t>(s.function)];
    text += (r == 0 ? " rank " : ", rank ") + std::to_string(r) + " is at instruction " +
            std::to_string(s.index) + " of block " + std::to_string(s.block) + " of " +
            (f.origin.empty() ? f.name : f.origin);
  }
  broken_ = ranks::Broken{-1, text};
  throw Fault{Fault::Kind::kInterrupted, text};
}

// What has failed first, and where, from the rank that knows.
void Exchange::fail(int rank, std::uint64_t number) {
  Told told{};
  if (rank == this->rank()) {
    NVM_CHECK(failure_ && failure_->number == number, "a rank knows what has failed there");
    const Failure& f = *failure_;
    told.kind = f.fault.kind;
    told.site = f.site;
    told.serial = f.trail.serial;
    told.depth = f.trail.depth;
    for (std::size_t i = 0; i < CallTrail::kMost; ++i) {
      told.calls[i] = f.trail.calls[i].site;
      told.called[i] = f.trail.calls[i].inst != nullptr;
    }
    told.length = std::min(f.fault.message.size(), Told::kMostText);
    std::memcpy(told.text, f.fault.message.data(), told.length);
  }
  round([&] { rounds_.ranks().start_broadcast(rank, std::as_writable_bytes(std::span(&told, 1))); });
  failure_.reset();
  Thrown thrown{told.site, {}};
  thrown.trail.serial = told.serial;
  thrown.trail.depth = told.depth;
  for (std::size_t i = 0; i < CallTrail::kMost; ++i)
    if (told.called[i]) thrown.trail.calls[i] = {&inst_at(module_, told.calls[i]), told.calls[i]};
  thrown_ = thrown;
  throw Fault{told.kind, std::string(told.text, told.length)};
}

const ssa::Inst* Exchange::located_at(Site& site, CallTrail& trail) const {
  if (!thrown_) return nullptr;
  site = thrown_->site;
  trail = thrown_->trail;
  return &inst_at(module_, site);
}

}  // namespace nvm::vm::spmd
