// The rules of sinks (bytecode/plan/fission.def), executed part by part for everything small: any cut makes
// what no cut makes, and any other entry in a rule, or a defect of whoever executes it, is seen.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/model/sink_cases.h"

using namespace nvm;
using namespace nvm::model;
using plan::Join;
using plan::Record;
using plan::SinkKind;
using plan::SinkRule;

namespace {

// Whether some cut shows.
bool shows(const SinkCase& c, const SinkRule& rule, Defect defect = Defect::kNoDefect) {
  const Whole whole(c);
  const std::vector<Cut> cuts = all_cuts(c.value.size());
  for (const Cut& target : target_cuts(c))
    for (const Cut& cut : cuts)
      if (made_by_parts(c, rule, cut, target, defect) != whole.laid_out(cut, target)) return true;
  return false;
}

bool shows(const std::vector<SinkCase>& cases, const SinkRule& rule, Defect defect = Defect::kNoDefect) {
  return std::any_of(cases.begin(), cases.end(), [&](const SinkCase& c) { return shows(c, rule, defect); });
}

std::string name(const SinkRule& rule) {
  return std::to_string(static_cast<int>(rule.sink)) + " " + text(rule.condition);
}

// Does the rule do with another entry? Then more is handed on, or kept in order, than is needed. Lanes need
// an operation that is commutative.
bool does(const SinkRule& rule, Record other) {
  if (rule.record == Record::kTotal)
    return other == Record::kGroup || (other == Record::kLanes && rule.sink == SinkKind::kCount);
  return false;
}
bool does(const SinkRule& rule, Join other) {
  return rule.join == Join::kAnyOrder && other == Join::kInOrder;
}

bool matters(Defect defect, const SinkRule& rule) {
  const bool in_tree = rule.record == Record::kLanes || rule.record == Record::kGroup;
  switch (defect) {
    case Defect::kNoDefect: return false;
    case Defect::kDropsRecord: return rule.record != Record::kNothing;
    case Defect::kDropsBlock: return in_tree;
    case Defect::kPlaceOff:
      return in_tree || rule.sink == SinkKind::kRandom || rule.sink == SinkKind::kPartition;
    case Defect::kNumberOff: return rule.join == Join::kAtBegin || rule.join == Join::kMerged;
    case Defect::kReversed: return rule.join != Join::kAnyOrder && rule.sink != SinkKind::kCount;
    case Defect::kOwnFirst: return rule.join == Join::kInOrder;
  }
  return false;
}

}  // namespace

TEST_CASE("any cut of any sink makes what no cut makes") {
  for (const SinkRule& rule : plan::sink_rules()) {
    const SinkCases cases(rule);
    INFO("sink " << name(rule));
    CHECK(!cases.symbolic.empty());
    CHECK_FALSE(shows(cases.symbolic, rule));
    CHECK_FALSE(shows(cases.concrete, rule));
  }
}

TEST_CASE("any other record or join in a rule is wrong, or more than is needed") {
  for (const SinkRule& rule : plan::sink_rules()) {
    const SinkCases cases(rule);
    for (const Record record : {Record::kNothing, Record::kTotal, Record::kLanes, Record::kGroup}) {
      if (record == rule.record || rule.record == Record::kNothing)
        continue;  // such a rule asks for no record
      SinkRule other = rule;
      other.record = record;
      INFO("sink " << name(rule) << ": " << text(record));
      CHECK(shows(cases.symbolic, other) != does(rule, record));
      if (rule.condition == plan::Condition::kTree) CHECK(shows(cases.concrete, other));
    }
    for (const Join join :
         {Join::kSideBySide, Join::kAtBegin, Join::kInOrder, Join::kAnyOrder, Join::kMerged}) {
      if (join == rule.join) continue;
      SinkRule other = rule;
      other.join = join;
      INFO("sink " << name(rule) << ": " << text(join));
      CHECK(shows(cases.symbolic, other) != does(rule, join));
    }
  }
}

TEST_CASE("defects of whoever executes a rule are seen where they matter") {
  int planted = 0;
  for (const SinkRule& rule : plan::sink_rules()) {
    const SinkCases cases(rule);
    for (const Defect defect : kDefects) {
      if (!matters(defect, rule)) continue;
      INFO("sink " << name(rule) << ": defect " << static_cast<int>(defect));
      CHECK(shows(cases.symbolic, rule, defect));
      ++planted;
    }
  }
  CHECK(planted >= 40);
}
