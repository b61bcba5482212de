// Cutting kernels into parts: the rules of fission.def, looked up for a pull or a sink of a plan. A part is a
// range of the iterations, known when the kernel runs; the plan and its code are the same for every
// part.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bytecode/plan/plan.h"

namespace nvm::plan {

enum class Need : std::uint8_t {
#define NEED(id, text) id,
#include "bytecode/plan/fission.def"
};
enum class Record : std::uint8_t {
#define RECORD(id, words, text) id,
#include "bytecode/plan/fission.def"
};
enum class Join : std::uint8_t {
#define JOIN(id, text) id,
#include "bytecode/plan/fission.def"
};
enum class Condition : std::uint8_t {
#define CONDITION(id, text) id,
#include "bytecode/plan/fission.def"
};

struct PullRule {
  soac::Pull pull;
  Condition condition;
  Need need;
  const char* text;
};
struct SinkRule {
  SinkKind sink;
  Condition condition;
  Record record;
  Join join;
  const char* text;
};

[[nodiscard]] std::span<const PullRule> pull_rules();
[[nodiscard]] std::span<const SinkRule> sink_rules();

// The rule of value `v`; each value and each sink has one.
[[nodiscard]] const PullRule& rule_of(const Body& body, std::int32_t v);
[[nodiscard]] const SinkRule& rule_of(const Sink& sink);

[[nodiscard]] const char* text(Need need);
[[nodiscard]] const char* text(Record record);
[[nodiscard]] const char* text(Join join);
[[nodiscard]] const char* text(Condition condition);
[[nodiscard]] int most_words(Record record);

// Of each kernel that is cut what its values need, its sinks hand on, and where results are; deterministic.
// Kernels over one number are not cut: whoever reads what they make computes it.
[[nodiscard]] std::string print_parts(const Plan& plan);

}  // namespace nvm::plan
