#include "frontend/edit/index.h"

#include <algorithm>
#include <tuple>

namespace nvm::edit {

const Occurrence* Index::at(std::size_t offset) const {
  auto it = std::lower_bound(occurrences.begin(), occurrences.end(), offset,
                             [](const Occurrence& o, std::size_t at) { return o.span.end < at; });
  // One that begins here is meant rather than one that ends here.
  const Occurrence* found = nullptr;
  for (; it != occurrences.end() && it->span.begin <= offset; ++it)
    if (found == nullptr || found->span.end == offset)
      found = found != nullptr && it->span == found->span ? found : &*it;
  return found;
}

std::vector<const Occurrence*> Index::of_group(int group) const {
  std::vector<const Occurrence*> found;
  for (const Occurrence& o : occurrences)
    if (symbols[static_cast<std::size_t>(o.symbol)].group == group) found.push_back(&o);
  return found;
}

void Index::sort() {
  const auto key = [](const Occurrence& o) {
    return std::tuple(o.span.begin, o.span.end, !o.defines, o.symbol);
  };
  std::sort(occurrences.begin(), occurrences.end(),
            [&](const Occurrence& a, const Occurrence& b) { return key(a) < key(b); });
  const auto same = [](const Occurrence& a, const Occurrence& b) {
    return a.span == b.span && a.symbol == b.symbol;
  };
  occurrences.erase(std::unique(occurrences.begin(), occurrences.end(), same), occurrences.end());
  for (std::size_t i = 1; i < occurrences.size(); ++i)
    if (occurrences[i].span == occurrences[i - 1].span)
      occurrences[i].shared = occurrences[i - 1].shared = true;
  std::sort(inlays.begin(), inlays.end(), [](const Inlay& a, const Inlay& b) { return a.at < b.at; });
}

}  // namespace nvm::edit
