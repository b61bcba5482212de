#include "vm/ranks/faults.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace nvm::ranks {
namespace {

using What = Faults::What;

class FaultyRanks final : public Ranks {
 public:
  FaultyRanks(std::unique_ptr<Ranks> inner, const Faults& faults, std::int64_t* calls)
      : inner_(std::move(inner)),
        faults_(faults),
        calls_(calls == nullptr ? own_calls_ : *calls),
        random_(0x9e3779b9U * static_cast<std::uint32_t>(inner_->rank() + 1)) {}

  [[nodiscard]] int rank() const override { return inner_->rank(); }
  [[nodiscard]] int size() const override { return inner_->size(); }
  [[nodiscard]] std::string name() const override { return inner_->name(); }
  [[nodiscard]] std::string host(int r) const override { return inner_->host(r); }

  void start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                        std::span<std::byte> all) override {
    call();
    const std::int64_t sent = inner_->counts().bytes_sent;
    inner_->start_all_gather(mine, lengths, all);
    started(sent);
  }
  void start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                        std::span<std::byte> in, std::span<const std::int64_t> received) override {
    call();
    const std::int64_t before = inner_->counts().bytes_sent;
    inner_->start_all_to_all(out, sent, in, received);
    started(before);
  }
  void start_shift(std::span<const std::byte> out, std::span<std::byte> in) override {
    call();
    const std::int64_t sent = inner_->counts().bytes_sent;
    inner_->start_shift(out, in);
    started(sent);
  }
  void start_broadcast(int from, std::span<std::byte> bytes) override {
    call();
    const std::int64_t sent = inner_->counts().bytes_sent;
    inner_->start_broadcast(from, bytes);
    started(sent);
  }
  [[nodiscard]] bool done() override;
  [[nodiscard]] std::vector<int> absent() override { return inner_->absent(); }

  void give_up(const Broken& why) override { inner_->give_up(why); }
  void abort(int status, std::string_view why) override { inner_->abort(status, why); }
  [[nodiscard]] std::unique_ptr<Ranks> split(std::span<const int> colours) override;
  void close() override {
    call();
    inner_->close();
  }

  [[nodiscard]] double seconds() const override { return inner_->seconds(); }
  [[nodiscard]] Counts counts() const override {
    Counts counts = inner_->counts();
    counts.waited_seconds += waited_;
    return counts;
  }

 private:
  void call();
  void started(std::int64_t sent_before);
  // From 1 - jitter to 1 + jitter.
  [[nodiscard]] double vary() {
    random_ = random_ * 1664525U + 1013904223U;
    return 1 + faults_.jitter * (static_cast<double>(random_ >> 8) / (1 << 23) - 1);
  }

  std::unique_ptr<Ranks> inner_;
  Faults faults_;
  std::int64_t own_calls_ = 0;
  std::int64_t& calls_;
  std::uint32_t random_;
  bool asked_ = false;  // in this round
  bool over_ = false;   // but it takes longer
  double over_since_ = 0;
  double due_ = 0;  // when the round may be over
  double waited_ = 0;
};

// A call of the seam, which may be the one that something happens at.
void FaultyRanks::call() {
  if (++calls_ != faults_.call || faults_.rank != rank()) return;
  switch (faults_.what) {
    case What::kNothing: return;
    case What::kDelay: std::this_thread::sleep_for(std::chrono::duration<double>(faults_.seconds)); return;
    case What::kFail: {
      const Broken why{rank(), "failed at call " + std::to_string(calls_) + ", as a test wished"};
      inner_->give_up(why);
      throw why;
    }
    case What::kStop:
    case What::kKill:
      if (faults_.act) {
        faults_.act(*inner_);
      } else {
        (void)std::raise(faults_.what == What::kStop ? SIGSTOP : SIGKILL);
      }
  }
}

void FaultyRanks::started(std::int64_t sent_before) {
  const auto steps =
      static_cast<double>(std::bit_width(static_cast<unsigned>(size() - 1)));  // ceil(log2(size))
  const auto bytes = static_cast<double>(inner_->counts().bytes_sent - sent_before);
  due_ = seconds() + (faults_.latency * steps + faults_.seconds_a_byte * bytes) * vary();
  asked_ = false;
  over_ = false;
}

bool FaultyRanks::done() {
  if (!std::exchange(asked_, true)) call();
  if (!over_) {
    if (!inner_->done()) return false;
    over_ = true;
    over_since_ = seconds();
  }
  const double now = seconds();
  if (now < due_) return false;
  waited_ += now - over_since_;
  return true;
}

std::unique_ptr<Ranks> FaultyRanks::split(std::span<const int> colours) {
  call();
  Faults network;
  network.latency = faults_.latency;
  network.seconds_a_byte = faults_.seconds_a_byte;
  network.jitter = faults_.jitter;
  return with_faults(inner_->split(colours), network);
}

bool read_number(std::string_view text, auto& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_word(std::string_view name, std::string_view value, Faults& faults) {
  static constexpr std::array<std::string_view, 5> kWhats = {"nothing", "delay", "fail", "stop", "kill"};
  if (name == "latency") return read_number(value, faults.latency);
  if (name == "byte") return read_number(value, faults.seconds_a_byte);
  if (name == "jitter") return read_number(value, faults.jitter);
  if (name == "seconds") return read_number(value, faults.seconds);
  if (name == "call") return read_number(value, faults.call);
  if (name == "rank") return read_number(value, faults.rank);
  const auto* const what = std::find(kWhats.begin(), kWhats.end(), value);
  if (name != "do" || what == kWhats.end()) return false;
  faults.what = static_cast<What>(what - kWhats.begin());
  return true;
}

}  // namespace

std::optional<Faults> Faults::read(std::string_view words) {
  Faults faults;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (word.empty()) continue;
    if (equals == std::string_view::npos) return {};
    if (!read_word(word.substr(0, equals), word.substr(equals + 1), faults)) return {};
  }
  return faults;
}

std::unique_ptr<Ranks> with_faults(std::unique_ptr<Ranks> ranks, const Faults& faults, std::int64_t* calls) {
  return std::make_unique<FaultyRanks>(std::move(ranks), faults, calls);
}

}  // namespace nvm::ranks
