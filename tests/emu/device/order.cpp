#include "tests/emu/device/order.h"

#include <algorithm>

namespace emu {

namespace {

// Is something in `done` neither before m nor of its stream?
bool at_odds(const Clock& done, const Moment& m) {
  return std::any_of(done.begin(), done.end(), [&](const auto& entry) {
    const auto known = m.before.find(entry.first);
    return entry.first != m.stream && (known == m.before.end() || known->second < entry.second);
  });
}

}  // namespace

void join(Clock& into, const Clock& from) {
  for (const auto& [stream, number] : from) into[stream] = std::max(into[stream], number);
}

std::string History::touch(const Moment& m, bool write, const Words* words) {
  std::string wrong;
  if (at_odds(writes_, m)) wrong = "uses memory that another stream writes";
  if (words == nullptr) {
    if (at_odds(cell_writes_, m)) wrong = "uses cells that a kernel of another stream writes";
    if (write && (at_odds(reads_, m) || at_odds(cell_reads_, m)))
      wrong = "writes memory that another stream reads";
    (write ? writes_ : reads_)[m.stream] = m.number;
    return wrong;
  }
  if (!words->changed.empty() && at_odds(reads_, m)) wrong = "writes cells that another stream reads";
  for (const std::size_t word : words->read) {
    if (at_odds(by_word_[word], m)) wrong = "reads a cell that another stream writes";
    read_by_word_[word][m.stream] = m.number;
  }
  for (const std::size_t word : words->changed) {
    Clock& cell = by_word_[word];
    if (at_odds(cell, m)) wrong = "writes a cell that another stream writes";
    if (at_odds(read_by_word_[word], m)) wrong = "writes a cell that another stream reads";
    cell[m.stream] = m.number;
    cell_writes_[m.stream] = m.number;
  }
  cell_reads_[m.stream] = m.number;
  return wrong;
}

}  // namespace emu
