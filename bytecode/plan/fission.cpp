#include "bytecode/plan/fission.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "bytecode/plan/affine.h"
#include "bytecode/table/identities.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;

constexpr PullRule kPullRules[] = {
#define PULL(pull, condition, need, text) {Pull::pull, Condition::condition, Need::need, text},
#include "bytecode/plan/fission.def"
};
constexpr SinkRule kSinkRules[] = {
#define SINK(sink, condition, record, join, text) \
  {SinkKind::sink, Condition::condition, Record::record, Join::join, text},
#include "bytecode/plan/fission.def"
};

bool holds(Condition condition, const Body& body, const BodyInst& in) {
  return condition == Condition::kAlways ||
         (condition == Condition::kEven && affine_within(body, in.a, kNone).has_value());
}
bool holds(Condition condition, const Sink& s) {
  switch (condition) {
    case Condition::kAlways: return true;
    case Condition::kFree: return any_order(s.type);
    case Condition::kTree: return !any_order(s.type);
    case Condition::kDistinct: return s.distinct;
    case Condition::kEven: return false;
  }
  return false;
}

}  // namespace

std::span<const PullRule> pull_rules() { return kPullRules; }
std::span<const SinkRule> sink_rules() { return kSinkRules; }

const PullRule& rule_of(const Body& body, std::int32_t v) {
  const BodyInst& in = body.insts.at(static_cast<std::size_t>(v));
  const auto* rule = std::find_if(std::begin(kPullRules), std::end(kPullRules), [&](const PullRule& r) {
    return r.pull == in.pull && holds(r.condition, body, in);
  });
  NVM_CHECK(rule != std::end(kPullRules), "a pull has a rule of fission");
  return *rule;
}

const SinkRule& rule_of(const Sink& sink) {
  const auto* rule = std::find_if(std::begin(kSinkRules), std::end(kSinkRules), [&](const SinkRule& r) {
    return r.sink == sink.kind && holds(r.condition, sink);
  });
  NVM_CHECK(rule != std::end(kSinkRules), "a sink has a rule of fission");
  return *rule;
}

const char* text(Need need) {
  static constexpr const char* kTexts[] = {
#define NEED(id, text) text,
#include "bytecode/plan/fission.def"
  };
  return kTexts[static_cast<int>(need)];
}
const char* text(Record record) {
  static constexpr const char* kTexts[] = {
#define RECORD(id, words, text) text,
#include "bytecode/plan/fission.def"
  };
  return kTexts[static_cast<int>(record)];
}
const char* text(Join join) {
  static constexpr const char* kTexts[] = {
#define JOIN(id, text) text,
#include "bytecode/plan/fission.def"
  };
  return kTexts[static_cast<int>(join)];
}
const char* text(Condition condition) {
  static constexpr const char* kTexts[] = {
#define CONDITION(id, text) text,
#include "bytecode/plan/fission.def"
  };
  return kTexts[static_cast<int>(condition)];
}
int most_words(Record record) {
  static constexpr int kWords[] = {
#define RECORD(id, words, text) words,
#include "bytecode/plan/fission.def"
  };
  return kWords[static_cast<int>(record)];
}

}  // namespace nvm::plan
