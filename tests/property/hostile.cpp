// Memory safety of every instruction of the table, whatever its operands: lengths that do not agree,
// descriptors of other totals, indices from everywhere, lengths that no memory holds. Each case is executed
// by primitives, compiled, and cut into groups, with guard pages behind all vectors; all ways give the same
// values, or all fail. A new row of the table is covered by itself.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bytecode/table/op_info.h"
#include "vm/lib/nvm.hpp"

namespace nvm {
namespace {

// Before the first pool is made.
const bool guarded = ::setenv("NVM_GUARD_PAGES", "1", 1) == 0;

char current_case[4096];
void tell_case(int signal) {
  static_cast<void>(!::write(2, current_case, std::strlen(current_case)));
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

using lib::Kind;
using lib::Value;

enum class Role : std::uint8_t { kElements, kStarts, kStrides, kPerSegment, kSegments, kLengths };

// One input of a program, and which operand it is for.
struct Input {
  Type type;
  Role role;
  std::size_t operand;
};

// A program that executes one instruction. Each operand is an input, or made of some in a way that fuses.
class Subject {
 public:
  Subject(const OpInfo& info, TypeWord word, std::mt19937_64& random) : info_(info), word_(word) {
    std::vector<std::string> made;
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < info.operands.size(); ++i) {
      const std::size_t before = inputs_.size();
      made.push_back(operand(letter_type(info.operands[i], word), i, random() % 4));
      counts.push_back(inputs_.size() - before);
    }
    std::size_t entries = inputs_.size();
    std::string code;
    for (std::size_t i = 0; i < made.size(); ++i) {
      code +=
          "CPOP " + std::to_string(counts[i]) + " " + std::to_string(entries - counts[i]) + "\n" + made[i];
      entries -= counts[i] - 1;
    }
    code += std::string(info.text) + (word == TypeWord::kNone ? "" : " " + std::string(type_word_text(word)));
    text_ = "{nvm function f lifted}\nFUNC TRY\n" + code + "\nRET\nFUNC MAIN\nCALL TRY\nRET\n";
  }

  [[nodiscard]] const OpInfo& info() const { return info_; }
  [[nodiscard]] TypeWord word() const { return word_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
  [[nodiscard]] std::vector<Kind> kinds() const {
    std::vector<Kind> kinds;
    for (const Input& input : inputs_) kinds.push_back(static_cast<Kind>(input.type));
    return kinds;
  }

 private:
  void input(Type type, Role role, std::size_t i) { inputs_.push_back({type, role, i}); }

  std::string operand(Type type, std::size_t i, std::uint64_t how) {
    const std::string name(type_word_text(word_of(type)));
    if (type == Type::kSegdes) {
      input(how == 0 ? Type::kInt : Type::kSegdes, how == 0 ? Role::kLengths : Role::kSegments, i);
      return how == 0 ? "MAKE_SEGDES\n" : "";
    }
    if (how == 0 || letter_is_single(info_.operands[i])) {
      input(type, Role::kElements, i);
      return "";
    }
    if (how == 1) {
      input(type, Role::kPerSegment, i);
      input(Type::kSegdes, Role::kSegments, i);
      return "DIST " + name + "\n";
    }
    if (type == Type::kInt && how == 2) {
      input(Type::kInt, Role::kStarts, i);
      input(Type::kInt, Role::kStrides, i);
      input(Type::kSegdes, Role::kSegments, i);
      return "INDEX\n";
    }
    input(type == Type::kBool ? Type::kInt : type, Role::kElements, i);
    if (type != Type::kBool) return type == Type::kInt ? "NOT INT\nNOT INT\n" : "COPY 1 0\n+ FLOAT\n";
    input(Type::kInt, Role::kPerSegment, i);
    input(Type::kSegdes, Role::kSegments, i);
    return "DIST INT\n< INT\n";
  }

  const OpInfo& info_;
  const TypeWord word_;
  std::vector<Input> inputs_;
  std::string text_;
};

// Operands for it: mostly such as it can be executed on, with an index or a length here and there that is
// not.
class Cases {
 public:
  Cases(const Subject& subject, IntBits bits, std::mt19937_64& random)
      : subject_(subject), bits_(bits), random_(random) {}

  std::vector<Value> draw() {
    note_ = "";
    k_ = pick({0, 1, 1, 2, 3, 40, 500});
    each_ = pick({0, 1, 2, 7, 40});
    n_ = k_ * each_;
    m_ = roll(2) == 0 ? n_ : k_ * pick({0, 1, each_ + 1});
    const std::size_t operands = subject_.info().operands.size();
    const std::size_t bad = roll(3) != 0 ? operands : roll(operands);  // whose length is wrong
    std::vector<Value> values;
    for (const Input& input : subject_.inputs()) {
      const ShapeTerm& term = op_shape(subject_.info().op).terms[input.operand];
      const std::int64_t wrong = input.operand == bad ? pick({-1, 1, 2, 64, 5000}) : 0;
      const bool described = subject_.info().operands[input.operand] == 'S';
      const std::int64_t length = of(described ? term.total : term.length);
      values.push_back(make(input, described ? of(term.length) : segments_of(length), length, wrong));
    }
    return values;
  }
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  std::uint64_t roll(std::uint64_t below) { return random_() % below; }
  std::int64_t pick(std::initializer_list<std::int64_t> of) {
    return of.begin()[static_cast<std::ptrdiff_t>(roll(of.size()))];
  }
  [[nodiscard]] std::int64_t of(char letter) const {
    return letter == 'n' ? n_ : letter == 'm' ? m_ : letter == 'k' ? k_ : 1;
  }
  // How many segments the descriptors have that an operand of this length is made by.
  [[nodiscard]] std::int64_t segments_of(std::int64_t length) const {
    return length == k_ ? 1 : std::max<std::int64_t>(k_, 1);
  }

  Value make(const Input& input, std::int64_t segments, std::int64_t length, std::int64_t wrong) {
    const auto size = [&](std::int64_t n) {
      return static_cast<std::size_t>(std::max<std::int64_t>(n + wrong, 0));
    };
    switch (input.role) {
      case Role::kElements: return vector(input.type, size(length));
      case Role::kPerSegment: return vector(input.type, static_cast<std::size_t>(segments));
      case Role::kStarts: return ints(static_cast<std::size_t>(segments));
      case Role::kStrides:
        return roll(2) == 0 ? constant(1, segments) : ints(static_cast<std::size_t>(segments));
      case Role::kLengths: return lib::make_ints(lengths(segments, static_cast<std::int64_t>(size(length))));
      case Role::kSegments: break;
    }
    const std::vector<std::int64_t> of = lengths(segments, static_cast<std::int64_t>(size(length)));
    if (auto made = lib::make_segdes(of)) return *made;
    return *lib::make_segdes({});  // which is another that does not fit
  }

  Value constant(std::int64_t x, std::int64_t n) {
    note_ += " INT*" + std::to_string(n) + " all " + std::to_string(x);
    return lib::make_ints(std::vector<std::int64_t>(static_cast<std::size_t>(n), x));
  }

  Value vector(Type type, std::size_t n) {
    if (type == Type::kFloat) {
      note_ += " FLOAT*" + std::to_string(n);
      std::vector<double> x(n);
      for (double& e : x) e = static_cast<double>(roll(100)) - 50;
      return lib::make_floats(x);
    }
    if (type == Type::kBool) {
      note_ += " BOOL*" + std::to_string(n);
      const std::uint64_t dense = roll(3);
      std::vector<std::uint8_t> x(n);
      for (auto& e : x) e = dense == 0 ? 0 : dense == 1 ? 1 : roll(2) != 0;
      return lib::make_bools(x);
    }
    return ints(n);
  }

  // Indices that are all right, all the same, ascend from somewhere, or one of them is not right.
  Value ints(std::size_t n) {
    const bool narrow = bits_ == IntBits::k32;
    const std::int64_t least = narrow ? INT32_MIN : INT64_MIN, most = narrow ? INT32_MAX : INT64_MAX;
    const std::int64_t far = narrow ? std::int64_t{1} << 30 : std::int64_t{1} << 62;
    const std::int64_t evil = pick({-1, 0, 1, each_, n_, m_, least, most, most - 4, least + 4, far, -far,
                                    5000, 1 << 20, narrow ? 0 : std::int64_t{1} << 45,
                                    narrow ? 0 : std::int64_t{1} << 61, narrow ? 0 : INT32_MAX});
    const std::uint64_t how = roll(6);
    note_ += " INT*" + std::to_string(n) + " way " + std::to_string(how) + " with " + std::to_string(evil);
    std::vector<std::int64_t> x(n);
    const auto below = static_cast<std::uint64_t>(std::max<std::int64_t>(each_, 1));
    for (std::size_t i = 0; i < n; ++i) {
      const auto up = static_cast<std::int64_t>(static_cast<std::uint64_t>(evil) + i);
      x[i] = how == 0   ? evil
             : how == 1 ? (narrow ? static_cast<std::int32_t>(up) : up)
             : how == 2 ? static_cast<std::int64_t>(i % below)
             : how == 3 ? static_cast<std::int64_t>(i)
                        : static_cast<std::int64_t>(roll(below));
    }
    if (how == 4 && n > 0) x[roll(n)] = evil;
    return lib::make_ints(x);
  }

  std::vector<std::int64_t> lengths(std::int64_t k, std::int64_t total) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(k), 0);
    const std::uint64_t how = roll(5);
    if (k > 0 && how == 0) lengths[roll(static_cast<std::uint64_t>(k))] = total;
    if (k > 0 && how == 1)
      for (std::int64_t i = 0; i < total; ++i) ++lengths[roll(static_cast<std::uint64_t>(k))];
    if (k > 0 && how >= 2) {
      for (std::int64_t& length : lengths) length = total / k;
      lengths.back() += total % k;
    }
    if (k > 0 && roll(16) == 0)
      lengths[0] =
          bits_ == IntBits::k32 ? INT32_MAX : pick({-1, std::int64_t{1} << 45, INT64_MAX, INT64_MIN});
    note_ += " SEGDES of " + std::to_string(k) + ", total " + std::to_string(total) + " way " +
             std::to_string(how);
    return lengths;
  }

  const Subject& subject_;
  const IntBits bits_;
  std::mt19937_64& random_;
  std::int64_t k_ = 0, each_ = 0, n_ = 0, m_ = 0;
  std::string note_;
};

struct Way {
  const char* name;
  lib::Vm vm;
};
std::vector<Way> ways() {
  std::vector<Way> ways;
  lib::Options options;
  options.memory = std::uint64_t{64} << 20;
  options.threads = 2;
  options.seed = 1;
  options.block_threshold = 0;
  options.jit = lib::Jit::kOff;
  ways.push_back({"primitives", lib::Vm(options)});
  options.jit = lib::Jit::kAlways;
  ways.push_back({"compiled", lib::Vm(options)});
  options.isa = lib::InstructionSet::kAvx2;
  ways.push_back({"compiled for AVX2", lib::Vm(options)});
  options.block_threshold = 1;
  ways.push_back({"groups", lib::Vm(options)});
  return ways;
}

std::string outcome(const lib::Result<lib::Run>& run) {
  if (!run) return "failed: " + run.failure().reason;
  std::string text;
  constexpr std::int64_t kMost = 1 << 22;  // elements that are compared; segments of a descriptor may be 2^31
  for (const Value& value : const_cast<lib::Result<lib::Run>&>(run)->values)
    text += value.size() > kMost ? std::to_string(value.size()) + " elements\n" : value.text();
  return text;
}

// How much is needed is another question in every way.
bool lacks_memory(const std::string& outcome) {
  return outcome.starts_with("failed: ran out of vector memory");
}

void try_instruction(std::vector<Way>& ways, const Subject& subject, IntBits bits, std::mt19937_64& random) {
  constexpr int kDraws = 12;
  lib::LoadOptions load;
  load.int_bits = static_cast<int>(bits);
  load.function = "MAIN";
  load.inputs = subject.kinds();
  auto program = lib::Program::from_text(subject.text(), "hostile", load);
  INFO(subject.text() << (program ? "" : program.failure().message));
  REQUIRE(program);
  Cases cases(subject, bits, random);
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<Value> inputs = cases.draw();
    std::string expected;
    for (Way& way : ways) {
      const std::string about = std::string(way.name) + ", INT of " + std::to_string(load.int_bits) +
                                " bits:" + cases.note() + "\n" + subject.text();
      std::strncpy(current_case, about.c_str(), sizeof current_case - 1);
      const std::string found = outcome(way.vm.run(*program, inputs));
      if (&way == &ways.front()) expected = found;
      INFO(about);
      if (!lacks_memory(found) && !lacks_memory(expected)) REQUIRE(found == expected);
    }
  }
}

TEST_CASE("no operand makes an instruction touch what is not its own") {
  REQUIRE(guarded);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, tell_case);
  std::vector<Way> all = ways();
  const char* seed = std::getenv("NVM_HOSTILE_SEED");
  std::mt19937_64 random(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1);
  constexpr int kProgramsEach = 6;
  for (const OpInfo& info : all_ops()) {
    if (info.kind == OpKind::kBlock || info.kind == OpKind::kControl || info.kind == OpKind::kHost) continue;
    for (const TypeWord word : {TypeWord::kNone, TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool})
      for (int i = 0; word_allowed(info.op, word) && i < kProgramsEach; ++i)
        try_instruction(all, Subject(info, word, random), i % 3 == 2 ? IntBits::k32 : IntBits::k64, random);
  }
}

}  // namespace
}  // namespace nvm
