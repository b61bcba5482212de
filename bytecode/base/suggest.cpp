#include "bytecode/base/suggest.h"
#include "bytecode/base/ascii.h"

#include <algorithm>
#include <array>

namespace nvm {

namespace {

constexpr std::size_t kLongest = 48;  // longer names get no suggestion

// Optimal string alignment distance; both no longer than kLongest.
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongest + 1>;
  Row before{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates,
                              std::size_t shortest) {
  for (const std::string_view c : candidates)
    if (same_but_case(word, c)) return c;
  if (word.size() < shortest || word.size() > kLongest) return {};
  std::size_t best = word.size() < 6 ? 2 : word.size() / 3 + 1;  // only fewer edits than this count
  std::string_view found;
  for (const std::string_view c : candidates) {
    if (c.size() > kLongest || c.size() + best <= word.size() || word.size() + best <= c.size()) continue;
    const std::size_t d = distance(word, c);
    if (d < best) {
      best = d;
      found = c;
    }
  }
  return found;
}

}  // namespace nvm
