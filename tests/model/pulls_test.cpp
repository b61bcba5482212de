// The rules of pulls (bytecode/plan/fission.def): what a part is given suffices, and nothing else would.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/model/pulls.h"

using namespace nvm;
using namespace nvm::model;
using plan::Need;
using plan::PullRule;
using soac::Pull;

namespace {

std::vector<std::vector<std::int64_t>> all_args(std::size_t n, std::int64_t least, std::int64_t most) {
  std::vector<Word> words;
  for (std::int64_t x = least; x <= most; ++x) words.push_back(static_cast<Word>(x));
  std::vector<std::vector<std::int64_t>> all;
  for (const std::vector<Word>& v : all_vectors(n, words)) all.emplace_back(v.begin(), v.end());
  return all;
}

// Gathers: everywhere, and where flags say so.
void add_flagged(std::vector<PullCase>& all, PullCase c) {
  all.push_back(c);
  if (c.n == 0 || c.n > 2) return;
  for (const auto& flags : all_vectors(c.n, {0, 1})) {
    c.wanted.assign(flags.begin(), flags.end());
    all.push_back(c);
  }
}

std::vector<PullCase> plain_cases(Pull pull) {
  std::vector<PullCase> all;
  for (std::size_t n = 0; n <= 5; ++n)
    for (const auto& arg : all_args(n, 0, 1))
      all.push_back({.pull = pull, .n = n, .var = symbols(n), .desc = {{n}}, .arg = arg});
  return all;
}

std::vector<PullCase> segment_cases(Pull pull) {
  std::vector<PullCase> all;
  for (std::size_t n = 0; n <= 6; ++n)
    for (const auto& desc : all_descs(n, 4))
      all.push_back({.pull = pull, .n = n, .var = symbols(desc.size()), .desc = desc});
  return all;
}

std::vector<PullCase> gather_cases() {
  std::vector<PullCase> all;
  for (std::size_t n = 0; n <= 4; ++n)
    for (std::size_t m = 0; m <= 3; ++m)
      for (const auto& index : all_args(n, -1, static_cast<std::int64_t>(m)))
        add_flagged(all, {.pull = Pull::kGather, .n = n, .var = symbols(m), .desc = {}, .arg = index});
  return all;
}

std::vector<PullCase> even_cases() {
  std::vector<PullCase> all;
  for (std::size_t n = 0; n <= 5; ++n)
    for (std::size_t m = 0; m <= 5; ++m)
      for (std::int64_t start = -2; start <= 6; ++start)
        for (std::int64_t stride = -2; stride <= 2; ++stride) {
          PullCase c{.pull = Pull::kGather, .n = n, .var = symbols(m), .desc = {}};
          for (std::size_t i = 0; i < n; ++i) c.arg.push_back(start + stride * static_cast<std::int64_t>(i));
          add_flagged(all, c);
        }
  return all;
}

std::vector<PullCase> segment_gather_cases(Pull pull) {
  std::vector<PullCase> all;
  for (std::size_t n = 0; n <= 3; ++n)
    for (const auto& index : all_args(n, -1, 2))
      for (std::size_t m = 0; m <= 3; ++m)
        for (const auto& desc2 : all_descs(m, 3)) {
          PullCase c{.pull = pull, .n = n, .var = symbols(m), .desc = {}, .desc2 = desc2, .arg = index};
          if (desc2.size() == n) add_flagged(all, c);
          for (const auto& desc : all_descs(n, 3)) {
            c.desc = desc;
            if (desc.size() == desc2.size()) add_flagged(all, c);
          }
        }
  return all;
}

std::vector<PullCase> cases_of(const PullRule& rule) {
  switch (rule.pull) {
    case Pull::kConst:
    case Pull::kUniform:
    case Pull::kApply:
    case Pull::kElement:
    case Pull::kIndex:
    case Pull::kCheck:
    case Pull::kScanned: return plain_cases(rule.pull);
    case Pull::kPerSegment:
    case Pull::kSegment:
    case Pull::kWithin: return segment_cases(rule.pull);
    case Pull::kGather: return rule.condition == plan::Condition::kEven ? even_cases() : gather_cases();
    case Pull::kSegGather:
    case Pull::kSegPlace: return segment_gather_cases(rule.pull);
  }
  return {};
}

bool same(const Yield& whole, const Yield& parts) {
  if (parts.missed || whole.failed != parts.failed) return false;
  return whole.failed || whole.values == parts.values;
}

bool shows(const std::vector<PullCase>& cases, Need need, PullDefect defect = PullDefect::kNoDefect) {
  return std::any_of(cases.begin(), cases.end(), [&](const PullCase& c) {
    const Yield whole = yield_whole(c);
    const std::vector<Cut> cuts = all_cuts(c.n);
    return std::any_of(cuts.begin(), cuts.end(),
                       [&](const Cut& cut) { return !same(whole, yield_by_parts(c, need, cut, defect)); });
  });
}

std::string name(const PullRule& rule) {
  return std::to_string(static_cast<int>(rule.pull)) + " " + text(rule.condition);
}

// More than is needed: all for a range; of segments, elements besides.
bool does(const PullRule& rule, Need other) {
  const bool reads = rule.pull == Pull::kPerSegment;
  return rule.need == Need::kNothing || (rule.need == Need::kRange && other == Need::kWhole) ||
         (rule.need == Need::kSegments && other == Need::kSegmentsOf && !reads);
}

bool matters(PullDefect defect, const PullRule& rule) {
  const bool segments = rule.need == Need::kSegments || rule.need == Need::kSegmentsOf;
  const bool fails = rule.pull == Pull::kCheck || rule.pull == Pull::kGather ||
                     rule.pull == Pull::kSegGather || rule.pull == Pull::kSegPlace;
  switch (defect) {
    case PullDefect::kNoDefect: return false;
    case PullDefect::kBeginOff: return rule.need == Need::kBegin;
    case PullDefect::kShifted:
      return rule.need == Need::kElements || rule.need == Need::kRange || rule.pull == Pull::kPerSegment ||
             rule.pull == Pull::kSegGather;
    case PullDefect::kNumberOff:
      return rule.pull == Pull::kSegment || rule.pull == Pull::kSegPlace || rule.pull == Pull::kSegGather;
    case PullDefect::kPlaceOff: return segments;
    case PullDefect::kDropsRecord: return rule.need == Need::kBefore;
    case PullDefect::kLocalFailure:
    case PullDefect::kLastFailure: return fails;
  }
  return false;
}

constexpr Need kNeeds[] = {
#define NEED(id, text) Need::id,
#include "bytecode/plan/fission.def"
};

}  // namespace

TEST_CASE("what a part is given suffices for every pull, under any cut") {
  for (const PullRule& rule : plan::pull_rules()) {
    INFO("pull " << name(rule));
    const std::vector<PullCase> cases = cases_of(rule);
    CHECK(!cases.empty());
    CHECK_FALSE(shows(cases, rule.need));
  }
}

TEST_CASE("a part that is given anything else misses something, or has more than it needs") {
  for (const PullRule& rule : plan::pull_rules())
    for (const Need need : kNeeds) {
      if (need == rule.need) continue;
      INFO("pull " << name(rule) << ": " << text(need));
      CHECK(shows(cases_of(rule), need) != does(rule, need));
    }
}

TEST_CASE("parts are given fewer elements than there are, unless any may be asked for") {
  for (const PullRule& rule : plan::pull_rules()) {
    std::size_t given = 0, all = 0;
    for (const PullCase& c : cases_of(rule))
      for (const Cut& cut : all_cuts(c.n)) {
        given += yield_by_parts(c, rule.need, cut).given;
        all += kParts * c.var.size();
      }
    INFO("pull " << name(rule));
    CHECK((given < all) == (rule.need != Need::kWhole));
  }
}

TEST_CASE("defects of whoever gives it are seen where they matter") {
  int planted = 0;
  for (const PullRule& rule : plan::pull_rules())
    for (const PullDefect defect : kPullDefects) {
      if (!matters(defect, rule)) continue;
      INFO("pull " << name(rule) << ": defect " << static_cast<int>(defect));
      CHECK(shows(cases_of(rule), rule.need, defect));
      ++planted;
    }
  CHECK(planted >= 20);
}
