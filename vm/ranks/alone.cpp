#include "vm/ranks/alone.h"

#include <algorithm>

namespace nvm::ranks {

std::string Alone::host(int /*r*/) const { return host_name(); }

void Alone::check() const {
  if (broken_) throw why_;
}

void Alone::start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                             std::span<std::byte> all) {
  check();
  tally_.all_gather(mine, lengths, all);
  std::copy(mine.begin(), mine.end(), all.begin());
}

void Alone::start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                             std::span<std::byte> in, std::span<const std::int64_t> received) {
  check();
  tally_.all_to_all(out, sent, in, received);
  std::copy(out.begin(), out.end(), in.begin());
}

void Alone::start_shift(std::span<const std::byte> out, std::span<std::byte> in) {
  check();
  tally_.shift(out, in);
}

void Alone::start_broadcast(int from, std::span<std::byte> bytes) {
  check();
  tally_.broadcast(from, bytes);
}

bool Alone::done() {
  check();
  return tally_.asked(true);
}

void Alone::give_up(const Broken& why) {
  if (!broken_) why_ = why;
  broken_ = true;
  tally_.broken();
}

void Alone::abort(int /*status*/, std::string_view why) { give_up({whole_, std::string(why)}); }

std::unique_ptr<Ranks> Alone::split(std::span<const int> /*colours*/) {
  check();
  return std::make_unique<Alone>(whole_);
}

void Alone::close() { check(); }

}  // namespace nvm::ranks
