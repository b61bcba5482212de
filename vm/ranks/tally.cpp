#include "vm/ranks/tally.h"

#include <unistd.h>

#include <array>
#include <numeric>

#include "bytecode/base/check.h"

namespace nvm::ranks {
namespace {

bool adds_up(std::span<const std::int64_t> lengths, std::size_t bytes) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) == static_cast<std::int64_t>(bytes);
}

}  // namespace

void Tally::start(std::int64_t messages, std::int64_t bytes) {
  NVM_CHECK(!running_, "a round is started before the last one is over");
  running_ = true;
  ++counts_.rounds;
  counts_.messages += messages;
  counts_.bytes_sent += bytes;
}

void Tally::all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                       std::span<std::byte> all) {
  NVM_CHECK(std::ssize(lengths) == size_ && adds_up(lengths, all.size()) &&
                lengths[static_cast<std::size_t>(rank_)] == std::ssize(mine),
            "lengths of a gather");
  const std::int64_t others = mine.empty() ? 0 : size_ - 1;
  start(others, others * std::ssize(mine));
}

void Tally::all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                       std::span<std::byte> in, std::span<const std::int64_t> received) {
  const auto me = static_cast<std::size_t>(rank_);
  NVM_CHECK(std::ssize(sent) == size_ && adds_up(sent, out.size()) && std::ssize(received) == size_ &&
                adds_up(received, in.size()) && sent[me] == received[me],
            "lengths of an exchange");
  std::int64_t messages = 0;
  for (std::size_t r = 0; r < sent.size(); ++r) messages += r != me && sent[r] > 0 ? 1 : 0;
  start(messages, std::ssize(out) - sent[me]);
}

void Tally::shift(std::span<const std::byte> out, std::span<std::byte> in) {
  NVM_CHECK((rank_ > 0 || in.empty()) && (rank_ + 1 < size_ || out.empty()), "a shift beyond the ends");
  start(out.empty() ? 0 : 1, std::ssize(out));
}

void Tally::broadcast(int from, std::span<std::byte> bytes) {
  NVM_CHECK(from >= 0 && from < size_, "a broadcast from a rank that there is not");
  const std::int64_t others = from == rank_ && !bytes.empty() ? size_ - 1 : 0;
  start(others, others * std::ssize(bytes));
}

bool Tally::asked(bool done) {
  NVM_CHECK(running_, "no round was started");
  if (!done && !waits_) since_ = Clock::now();
  if (done && waits_) counts_.waited_seconds += std::chrono::duration<double>(Clock::now() - since_).count();
  waits_ = !done;
  running_ = !done;
  return done;
}

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace nvm::ranks
