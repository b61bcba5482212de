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

bool may_fail(const Sink& s) {
  return s.kind == SinkKind::kScatter || s.kind == SinkKind::kPartition || by_primitive(s);
}
bool may_fail(const Kernel& kernel) {
  for (std::size_t v = 0; v < kernel.body.insts.size(); ++v)
    if (soac::may_trap(kernel.body, v)) return true;
  return std::any_of(kernel.sinks.begin(), kernel.sinks.end(), [](const Sink& s) { return may_fail(s); });
}

std::string handed_on(Record record) {
  const int words = most_words(record);
  return (words == 1 ? "1 word, " : "at most " + std::to_string(words) + " words, ") +
         std::string(text(record));
}

// Lines "who, who: what", in the order in which they were first said.
class Grouped {
 public:
  void say(const std::string& what, const std::string& who) {
    const auto known =
        std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.what == what; });
    if (known == lines_.end())
      lines_.push_back({what, who});
    else
      known->who += ", " + who;
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Line& l : lines_) out += "    " + l.who + ": " + l.what + "\n";
    return out;
  }

 private:
  struct Line {
    std::string what, who;
  };
  std::vector<Line> lines_;
};

std::string print_parts(const Kernel& kernel) {
  Grouped needs, records, results;
  for (std::size_t v = 0; v < kernel.body.insts.size(); ++v) {
    const Need need = rule_of(kernel.body, static_cast<std::int32_t>(v)).need;
    if (need != Need::kNothing) needs.say("needs " + std::string(text(need)), "v" + std::to_string(v));
  }
  for (std::size_t s = 0; s < kernel.sinks.size(); ++s) {
    const SinkRule& rule = rule_of(kernel.sinks[s]);
    const std::string who = "s" + std::to_string(s);
    if (rule.record != Record::kNothing) records.say("hands on " + handed_on(rule.record), who);
    results.say("results " + std::string(text(rule.join)), who);
  }
  if (may_fail(kernel)) records.say("hands on " + handed_on(Record::kFailure), "checks");
  return needs.text() + records.text() + results.text();
}

}  // namespace

std::string print_parts(const Plan& plan) {
  std::string out;
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const Kernel& kernel = plan.kernels[k];
    const bool one = plan.lengths[static_cast<std::size_t>(kernel.space)] == LengthKind::kOne;
    out += (one ? "  no parts of kernel " : "  parts [a, b) of kernel ") + std::to_string(k) + " over n" +
           std::to_string(kernel.space) + "\n" + (one ? "" : print_parts(kernel));
  }
  return out;
}

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
