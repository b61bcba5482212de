// Random programs, made through ProgramBuilder from a list of choices.
#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bytecode/program/builder.h"
#include "tests/support/choices.h"

namespace nvm::test {

// A constant of the kind; lengths 0, 1 and a few, values from the edges of their types.
inline Constant random_constant(Choices& choices, TypeWord word, std::size_t length) {
  Constant c;
  c.word = word;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint64_t bits = choices.bits();
    const auto small = static_cast<std::int64_t>(bits % 7) - 3;
    switch (word) {
      case TypeWord::kFloat: {
        const auto any = std::bit_cast<double>(bits);
        c.floats.push_back(choices.one_in(2) && !std::isnan(any) ? any : static_cast<double>(small) / 2);
        break;
      }
      case TypeWord::kBool: c.ints.push_back(static_cast<std::int64_t>(bits % 2)); break;
      case TypeWord::kSegdes: c.ints.push_back(static_cast<std::int64_t>(bits % 5)); break;
      case TypeWord::kChar: c.ints.push_back(static_cast<std::int64_t>(bits % 300) - 130); break;
      default: c.ints.push_back(choices.one_in(2) ? static_cast<std::int64_t>(bits) : small); break;
    }
  }
  return c;
}

inline Constant random_constant(Choices& choices, TypeWord word) {
  constexpr std::size_t kLengths[] = {1, 0, 3, 1, 2, 1, 1, 60};
  return random_constant(choices, word, kLengths[choices.below(8)]);
}

inline TypeWord random_word(Choices& choices, Op op) {
  constexpr TypeWord kWords[] = {TypeWord::kNone, TypeWord::kInt,    TypeWord::kFloat,
                                 TypeWord::kBool, TypeWord::kSegdes, TypeWord::kChar};
  std::vector<TypeWord> allowed;
  for (const TypeWord word : kWords)
    if (word_allowed(op, word)) allowed.push_back(word);
  return allowed[choices.below(allowed.size())];
}

// Any program that can be written down: all instructions, any counts, sensible or not.
class AnyProgram {
 public:
  explicit AnyProgram(Choices choices) : choices_(std::move(choices)) {}

  Program make(Diagnostics& diagnostics) {
    if (choices_.one_in(2)) builder_.origins().own = "dir/a file {%}.nesl";
    const std::size_t functions = 1 + choices_.below(4);
    for (std::size_t i = 0; i < functions; ++i) {
      builder_.begin_function(name(i));
      if (choices_.one_in(2)) builder_.current().origin = "qs";
      builder_.current().lifted = choices_.one_in(2);
      builder_.current().tail_parallel = choices_.one_in(2);
      for (std::size_t n = choices_.below(40); n > 0 && !choices_.empty(); --n) instruction(functions);
      for (; open_ > 0; --open_) builder_.emit(Op::kEndif);
      elses_.clear();
      builder_.end_function();
    }
    return builder_.finish(diagnostics);
  }

 private:
  static std::string name(std::size_t i) {
    constexpr const char* kNames[] = {"A", "++_11", "1.x", "<=?"};
    return kNames[i % 4];
  }

  void instruction(std::size_t functions) {
    if (choices_.one_in(4)) {
      constexpr const char* kFiles[] = {"", "b.nesl", "c {}.nesl"};
      const char* const file = kFiles[choices_.below(3)];
      builder_.origin_line(builder_.line_of(file, static_cast<std::uint32_t>(choices_.below(3))));
    }
    const Op op = all_ops()[choices_.below(all_ops().size())].op;
    const auto number = [&] { return static_cast<std::int32_t>(choices_.below(6)) - 1; };
    switch (op) {
      case Op::kCopy: {
        const std::int32_t count = number();
        return builder_.copy(count, number());
      }
      case Op::kPop: {
        const std::int32_t count = number();
        return builder_.pop(count, number());
      }
      case Op::kCpop: {
        const std::int32_t count = number();
        return builder_.cpop(count, number());
      }
      case Op::kConst: return builder_.constant(random_constant(choices_, random_word_of_const()));
      case Op::kCall: return builder_.call(name(choices_.below(functions)));
      case Op::kIf:
        ++open_;
        elses_.push_back(false);
        return builder_.emit(op);
      case Op::kElse:
        if (open_ == 0 || elses_.back()) return;
        elses_.back() = true;
        return builder_.emit(op);
      case Op::kEndif:
        if (open_ == 0) return;
        --open_;
        elses_.pop_back();
        return builder_.emit(op);
      case Op::kRet: return;
      default: return builder_.emit(op, random_word(choices_, op));
    }
  }

  TypeWord random_word_of_const() { return random_word(choices_, Op::kConst); }

  Choices choices_;
  ProgramBuilder builder_{"random"};
  std::size_t open_ = 0;
  std::vector<bool> elses_;
};

// A program that verifies: every instruction finds operands of its kinds, branches balance. Lengths and
// values are as they come, so running it may fault.
class TypedProgram {
 public:
  explicit TypedProgram(Choices choices) : choices_(std::move(choices)) {}

  // Kinds that the entry leaves, deepest first, in `results`.
  Program make(Diagnostics& diagnostics, std::vector<Type>& results) {
    for (std::size_t i = choices_.below(3); i > 0; --i) {
      Signature s{"F" + std::to_string(i), {}, {}};
      for (std::size_t n = choices_.below(4); n > 0; --n) s.operands.push_back(random_kind());
      s.results = function(s.name, s.operands, 12);
      callable_.push_back(std::move(s));
    }
    results = function("MAIN", {}, 40);
    return builder_.finish(diagnostics);
  }

 private:
  struct Signature {
    std::string name;
    std::vector<Type> operands;
    std::vector<Type> results;
  };

  Type random_kind() { return static_cast<Type>(choices_.below(4)); }

  std::vector<Type> function(const std::string& name, std::vector<Type> operands, std::size_t length) {
    builder_.begin_function(name);
    stack_ = std::move(operands);
    steps(length, 0);
    builder_.end_function();
    return stack_;
  }

  void steps(std::size_t count, int depth) {
    for (; count > 0 && !choices_.empty(); --count) {
      const std::size_t what = choices_.below(8);
      if (what == 0 && depth < 3)
        conditional(depth);
      else if (what == 1 && !callable_.empty())
        call(callable_[choices_.below(callable_.size())]);
      else if (what == 2)
        shuffle();
      else
        operation(all_ops()[choices_.below(all_ops().size())].op);
    }
  }

  // A value of this kind on top: a copy of one that is there, or a constant.
  void operand(Type kind) {
    std::vector<std::size_t> depths;
    for (std::size_t i = 0; i < stack_.size(); ++i)
      if (stack_[stack_.size() - 1 - i] == kind) depths.push_back(i);
    if (!depths.empty() && choices_.one_in(2)) {
      builder_.copy(1, static_cast<std::int32_t>(depths[choices_.below(depths.size())]));
    } else {
      constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool, TypeWord::kSegdes};
      builder_.constant(random_constant(choices_, kWords[static_cast<std::size_t>(kind)]));
    }
    stack_.push_back(kind);
  }

  void operation(Op op) {
    const OpInfo& info = op_info(op);
    if (info.kind == OpKind::kBlock || info.kind == OpKind::kControl) return;
    const TypeWord word = random_word(choices_, op);
    for (const char letter : info.operands) operand(letter_type(letter, word));
    builder_.emit(op, word);
    stack_.resize(stack_.size() - info.operands.size());
    for (const char letter : info.results) stack_.push_back(letter_type(letter, word));
  }

  void call(const Signature& callee) {
    for (const Type kind : callee.operands) operand(kind);
    builder_.call(callee.name);
    stack_.resize(stack_.size() - callee.operands.size());
    stack_.insert(stack_.end(), callee.results.begin(), callee.results.end());
  }

  void conditional(int depth) {
    operand(Type::kBool);
    stack_.pop_back();
    builder_.emit(Op::kIf);
    const std::vector<Type> before = stack_;
    branch(before, depth);
    if (choices_.one_in(2)) {
      builder_.emit(Op::kElse);
      branch(before, depth);
    }
    builder_.emit(Op::kEndif);
  }

  void branch(const std::vector<Type>& before, int depth) {
    steps(choices_.below(5), depth + 1);
    const auto extra = static_cast<std::int32_t>(stack_.size() - before.size());
    builder_.pop(extra, 0);
    stack_ = before;
  }

  // Only copies: what lies below stays as it is, so branches balance.
  void shuffle() {
    const std::size_t depth = choices_.below(stack_.size() + 1);
    const std::size_t count = choices_.below(stack_.size() - depth + 1);
    builder_.copy(static_cast<std::int32_t>(count), static_cast<std::int32_t>(depth));
    const std::size_t first = stack_.size() - depth - count;
    for (std::size_t i = 0; i < count; ++i) stack_.push_back(stack_[first + i]);
    if (count < 2) return;
    builder_.cpop(1, static_cast<std::int32_t>(count) - 1);
    const Type moved = stack_[stack_.size() - count];
    stack_.erase(stack_.end() - static_cast<std::ptrdiff_t>(count));
    stack_.push_back(moved);
  }

  Choices choices_;
  ProgramBuilder builder_{"random"};
  std::vector<Signature> callable_;
  std::vector<Type> stack_;
};

}  // namespace nvm::test
