// Random programs over vectors, descriptors, conditionals and calls that verify, and whose lengths mostly
// agree: they run far before they fail, if they fail at all. Some constants are of any magnitude; what
// becomes a length or an index is cut down where it does. For differential tests of passes and tiers.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bytecode/program/builder.h"
#include "tests/support/any_numbers.h"
#include "tests/support/choices.h"

namespace nvm::test {

// Lengths are tracked by class: two entries of one class have equal lengths. Class 0 is length one. A
// descriptor has a class of segments and one of its total.
class SegmentProgram {
 public:
  // `checks`: also check conditionals, most of which pass.
  explicit SegmentProgram(Choices choices, bool checks = false)
      : choices_(std::move(choices)), checks_(checks) {}

  Program make(Diagnostics& diagnostics) {
    wide_ = choices_.one_in(2);
    // F(v, s): a vector and a descriptor for it. G(v, s) may call F.
    helper("F", 10);
    callable_.push_back("F");
    helper("G", 10);
    callable_.push_back("G");
    lifted_helper("H", 8);
    begin("MAIN");
    fresh_vector();
    fresh_vector();
    for (std::size_t n = 30; n > 0 && !choices_.empty(); --n) step(0);
    for (std::size_t n = choices_.below(stack_.size()); n > 0; --n) pop(choices_.below(stack_.size()));
    builder_.end_function();
    return builder_.finish(diagnostics);
  }

 private:
  struct Entry {
    Type type = Type::kInt;
    int length = 0;  // class; of a descriptor: segments
    int total = 0;   // descriptors only
  };

  void begin(const std::string& name) {
    builder_.begin_function(name);
    stack_.clear();
    classes_ = 1;
  }

  // Takes a vector of INT and a descriptor of it; leaves one vector of INT of the same length.
  void helper(const std::string& name, std::size_t length) {
    begin(name);
    const int total = classes_++;
    const int segments = choices_.one_in(2) ? 0 : classes_++;
    stack_ = {{Type::kInt, total, 0}, {Type::kSegdes, segments, total}};
    for (std::size_t n = choices_.below(length); n > 0; --n) step(1);
    vector_of(Type::kInt, total);
    const auto extra = static_cast<std::int32_t>(stack_.size()) - 1;
    builder_.pop(extra, 1);
    builder_.end_function();
  }

  // H(s, v, frame): a descriptor, a vector of INT under it, and one segment for the segments of s, as lifted
  // functions take them. Leaves a vector of INT under s.
  void lifted_helper(const std::string& name, std::size_t length) {
    begin(name);
    const int total = classes_++;
    const int segments = classes_++;
    stack_ = {{Type::kSegdes, segments, total}, {Type::kInt, total, 0}, {Type::kSegdes, 0, segments}};
    for (std::size_t n = choices_.below(length); n > 0; --n) operation();
    vector_of(Type::kInt, total);
    builder_.pop(static_cast<std::int32_t>(stack_.size()) - 1, 1);
    builder_.end_function();
  }

  // ---- stack

  void copy(std::size_t at) {
    builder_.copy(1, static_cast<std::int32_t>(stack_.size() - 1 - at));
    stack_.push_back(stack_[at]);
  }
  void pop(std::size_t at) {
    builder_.pop(1, static_cast<std::int32_t>(stack_.size() - 1 - at));
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void emit(Op op, TypeWord word, std::size_t takes, std::vector<Entry> leaves) {
    builder_.emit(op, word);
    stack_.resize(stack_.size() - takes);
    stack_.insert(stack_.end(), leaves.begin(), leaves.end());
  }
  void scalar(Type type) {
    const auto small = static_cast<std::int64_t>(choices_.below(6)) - 1;
    const bool any = wide_ && choices_.one_in(4);
    if (type == Type::kInt) builder_.const_int(any ? any_int() : choices_.one_in(2) ? small : small & 1);
    if (type == Type::kFloat) builder_.const_float(any ? any_constant() : static_cast<double>(small) / 2);
    if (type == Type::kBool) builder_.const_bool(small > 1);
    stack_.push_back({type, 0, 0});
  }
  static TypeWord word_of(Type type) {
    return type == Type::kInt ? TypeWord::kInt : type == Type::kFloat ? TypeWord::kFloat : TypeWord::kBool;
  }

  template <typename Fits>
  std::vector<std::size_t> find(Fits fits) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < stack_.size(); ++i)
      if (fits(stack_[i])) found.push_back(i);
    return found;
  }
  std::size_t pick(const std::vector<std::size_t>& from) { return from[choices_.below(from.size())]; }
  [[nodiscard]] std::vector<std::size_t> vectors(int length) const {
    return find([&](const Entry& e) { return e.type != Type::kSegdes && e.length == length; });
  }

  // ---- values of a wanted shape, pushed

  void fresh_vector() {
    constexpr std::size_t kLengths[] = {5, 1, 0, 3, 40, 8};
    const bool any = wide_ && choices_.one_in(3);
    const bool floats = any && choices_.one_in(2);
    Constant c;
    c.word = floats ? TypeWord::kFloat : TypeWord::kInt;
    for (std::size_t n = kLengths[choices_.below(6)]; n > 0; --n) {
      if (floats)
        c.floats.push_back(any_constant());
      else
        c.ints.push_back(any ? any_int() : static_cast<std::int64_t>(choices_.below(5)));
    }
    builder_.constant(c);
    stack_.push_back({floats ? Type::kFloat : Type::kInt, classes_++, 0});
  }
  std::function<std::uint64_t()> bits() {
    return [this] { return choices_.bits(); };
  }
  double any_constant() {  // there are none of NaN
    const double x = any_float(bits());
    return std::isnan(x) ? -0.0 : x;
  }
  std::int64_t any_int() { return test::any_int(bits(), IntBits::k64); }

  void vector_of(Type type, int length) {
    const auto same =
        find([&](const Entry& e) { return e.type == type && e.type != Type::kSegdes && e.length == length; });
    if (!same.empty() && !choices_.one_in(4)) return copy(pick(same));
    scalar(type);
    if (length == 0) return;
    one_segment(length);
    emit(Op::kDist, word_of(type), 2, {{type, length, 0}});
  }

  // A descriptor of one segment with this total, through any value that has the length.
  void one_segment(int total) {
    const auto over = find([&](const Entry& e) { return e.type == Type::kSegdes && e.total == total; });
    const auto like = vectors(total);
    if (!over.empty() && (like.empty() || choices_.one_in(2))) {
      copy(over[0]);
      emit(Op::kLengths, TypeWord::kNone, 1, {{Type::kInt, stack_.back().length, 0}});
      copy(stack_.size() - 1);
      emit(Op::kLength, TypeWord::kInt, 1, {{Type::kInt, 0, 0}});
      emit(Op::kMakeSegdes, TypeWord::kNone, 1, {{Type::kSegdes, 0, stack_[stack_.size() - 2].length}});
      emit(Op::kAddReduce, TypeWord::kInt, 2, {{Type::kInt, 0, 0}});
    } else if (like.empty()) {
      const auto of = find([&](const Entry& e) { return e.type == Type::kSegdes && e.length == total; });
      return one_segment_of_segments(of[0]);
    } else {
      const std::size_t at = like[0];
      copy(at);
      emit(Op::kLength, word_of(stack_[at].type), 1, {{Type::kInt, 0, 0}});
    }
    emit(Op::kMakeSegdes, TypeWord::kNone, 1, {{Type::kSegdes, 0, total}});
  }

  void descriptor_of(int total) {
    const auto over = find([&](const Entry& e) { return e.type == Type::kSegdes && e.total == total; });
    if (!over.empty() && !choices_.one_in(5)) return copy(pick(over));
    one_segment(total);
  }

  // ---- steps; each leaves what it makes on the stack

  void step(int depth) {
    const std::size_t what = choices_.below(12);
    if (what == 0) return fresh_vector();
    if (what == 1) return new_descriptor();
    if (what == 2 && depth < 2) return conditional(depth);
    if (what == 3 && !callable_.empty()) return call();
    if (what == 4) return move();
    if (what == 5) return pack();
    if (what == 6 && checks_) return check();
    operation();
  }

  // Lengths 0 .. 3 from a vector of INT, and a vector of the new total.
  void new_descriptor() {
    const auto ints = find([](const Entry& e) { return e.type == Type::kInt; });
    if (ints.empty()) return;
    const int segments = stack_[pick(ints)].length;
    vector_of(Type::kInt, segments);
    repeated(3, segments);
    emit(Op::kAnd, TypeWord::kInt, 2, {{Type::kInt, segments, 0}});
    const int total = classes_++;
    emit(Op::kMakeSegdes, TypeWord::kNone, 1, {{Type::kSegdes, segments, total}});
    vector_of(Type::kInt, segments);
    copy(stack_.size() - 2);
    emit(Op::kDist, TypeWord::kInt, 2, {{Type::kInt, total, 0}});
  }

  void repeated(std::int64_t value, int length) {
    builder_.const_int(value);
    stack_.push_back({Type::kInt, 0, 0});
    if (length == 0) return;
    one_segment(length);
    emit(Op::kDist, TypeWord::kInt, 2, {{Type::kInt, length, 0}});
  }

  void operation() {
    const OpInfo& info = all_ops()[choices_.below(all_ops().size())];
    const bool wanted = info.kind == OpKind::kMap || info.kind == OpKind::kScan ||
                        info.kind == OpKind::kReduce || info.kind == OpKind::kRank ||
                        info.kind == OpKind::kDist || info.kind == OpKind::kIota ||
                        info.kind == OpKind::kShape;
    if (!wanted || info.op == Op::kMakeSegdes) return;
    std::vector<TypeWord> words;
    for (const TypeWord w : {TypeWord::kNone, TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool})
      if (word_allowed(info.op, w)) words.push_back(w);
    const TypeWord word = words[choices_.below(words.size())];
    const Shape& shape = op_shape(info.op);
    int letters[128];
    for (int& l : letters) l = -1;
    letters['1'] = 0;
    bind_descriptor(info, shape, letters);
    const std::size_t below = stack_.size();
    for (std::size_t i = 0; i < info.operands.size(); ++i)
      operand(info.operands[i], word, shape.terms[i], letters);
    std::vector<Entry> leaves;
    for (std::size_t r = 0; r < info.results.size(); ++r) {
      const ShapeTerm& t = shape.terms[info.operands.size() + r];
      int& length = letters[static_cast<unsigned char>(t.length)];
      if (length < 0) length = classes_++;
      leaves.push_back({letter_type(info.results[r], word), length, 0});
    }
    emit(info.op, word, stack_.size() - below, leaves);
  }

  // Chooses the descriptor first, since it ties two classes.
  void bind_descriptor(const OpInfo& info, const Shape& shape, int* letters) {
    for (std::size_t i = 0; i < info.operands.size(); ++i) {
      if (info.operands[i] != 'S') continue;
      const auto found = find([](const Entry& e) { return e.type == Type::kSegdes; });
      if (found.empty()) continue;
      chosen_ = static_cast<int>(pick(found));
      letters[static_cast<unsigned char>(shape.terms[i].length)] =
          stack_[static_cast<std::size_t>(chosen_)].length;
      letters[static_cast<unsigned char>(shape.terms[i].total)] =
          stack_[static_cast<std::size_t>(chosen_)].total;
      return;
    }
    chosen_ = -1;
  }

  void operand(char letter, TypeWord word, const ShapeTerm& term, int* letters) {
    int& length = letters[static_cast<unsigned char>(term.length)];
    if (letter == 'S') {
      if (chosen_ >= 0) return copy(static_cast<std::size_t>(chosen_));
      int& total = letters[static_cast<unsigned char>(term.total)];
      if (total < 0) total = any_length();
      length = 0;
      return one_segment(total);
    }
    if (length < 0) length = letter_is_single(letter) ? 0 : any_length();
    vector_of(letter_type(letter, word), length);
  }

  int any_length() {
    const auto all = find([](const Entry& e) { return e.type != Type::kSegdes; });
    return all.empty() ? 0 : stack_[pick(all)].length;
  }

  // Permutations, gathers and extractions whose indices are mostly in range.
  void move() {
    const int n = any_length();
    if (vectors(n).empty()) return;
    descriptor_of(n);
    const Entry s = stack_.back();
    const std::size_t at = stack_.size() - 1;
    vector_of(Type::kInt, n);
    const std::size_t how = choices_.below(5);
    if (how == 0) {  // any small indices
      vector_of(Type::kInt, n);
      repeated(3, n);
      emit(Op::kAnd, TypeWord::kInt, 2, {{Type::kInt, n, 0}});
    } else if (how == 1) {  // 0, 1, ...
      repeated(0, at, s.length);
      repeated(1, at, s.length);
      copy(at);
      emit(Op::kIndex, TypeWord::kNone, 3, {{Type::kInt, n, 0}});
    } else {  // a permutation
      vector_of(choices_.one_in(2) ? Type::kFloat : Type::kInt, n);
      const TypeWord word = word_of(stack_.back().type);
      copy(at);
      emit(Op::kRankUp, word, 2, {{Type::kInt, n, 0}});
    }
    copy(at);
    if (choices_.one_in(2)) {
      emit(Op::kPermute, TypeWord::kInt, 3, {{Type::kInt, n, 0}});
    } else {
      copy(at);
      emit(Op::kBpermute, TypeWord::kInt, 4, {{Type::kInt, n, 0}});
    }
  }

  // One for each segment of a descriptor.
  void repeated(std::int64_t value, std::size_t descriptor, int segments) {
    builder_.const_int(value);
    stack_.push_back({Type::kInt, 0, 0});
    if (segments == 0) return;
    one_segment_of_segments(descriptor);
    emit(Op::kDist, TypeWord::kInt, 2, {{Type::kInt, segments, 0}});
  }

  void one_segment_of_segments(std::size_t descriptor) {
    copy(descriptor);
    emit(Op::kLengths, TypeWord::kNone, 1, {{Type::kInt, stack_[descriptor].length, 0}});
    emit(Op::kLength, TypeWord::kInt, 1, {{Type::kInt, 0, 0}});
    emit(Op::kMakeSegdes, TypeWord::kNone, 1, {{Type::kSegdes, 0, stack_[descriptor].length}});
  }

  void pack() {
    const int n = any_length();
    vector_of(Type::kInt, n);
    vector_of(Type::kBool, n);
    if (n == 0) {
      builder_.const_int(1);
      stack_.push_back({Type::kInt, 0, 0});
      emit(Op::kMakeSegdes, TypeWord::kNone, 1, {{Type::kSegdes, 0, 0}});
    } else {
      descriptor_of(n);
    }
    const int segments = stack_.back().length;
    const int kept = classes_++;
    emit(Op::kPack, TypeWord::kInt, 3, {{Type::kInt, kept, 0}, {Type::kSegdes, segments, kept}});
  }

  void call() {
    // Equal shapes only: the helpers are written for a vector and a descriptor of it.
    const auto over = find([](const Entry& e) { return e.type == Type::kSegdes; });
    if (over.empty()) return;
    const std::size_t at = pick(over);
    const int total = stack_[at].total;
    if (choices_.one_in(2)) {
      copy(at);
      vector_of(Type::kInt, total);
      one_segment_of_segments(at);
      builder_.call("H");
      stack_.resize(stack_.size() - 3);
      stack_.push_back({Type::kInt, total, 0});
      return;
    }
    vector_of(Type::kInt, total);
    copy(at);
    builder_.call(callable_[choices_.below(callable_.size())]);
    stack_.resize(stack_.size() - 2);
    stack_.push_back({Type::kInt, total, 0});
  }

  void check() {
    const int n = any_length();
    vector_of(Type::kBool, n);
    if (!choices_.one_in(6)) {  // f and not f
      copy(stack_.size() - 1);
      emit(Op::kNot, TypeWord::kBool, 1, {{Type::kBool, n, 0}});
      emit(Op::kAnd, TypeWord::kBool, 2, {{Type::kBool, n, 0}});
    }
    if (n != 0) {
      one_segment(n);
      emit(Op::kOrReduce, TypeWord::kBool, 2, {{Type::kBool, 0, 0}});
    }
    stack_.pop_back();
    builder_.emit(Op::kIf);
    Constant message;
    message.word = TypeWord::kChar;
    message.ints = {'c', 'h', 'e', 'c', 'k', static_cast<std::int64_t>('0' + checks_made_++ % 10), '\n'};
    builder_.constant(message);
    builder_.emit(Op::kWrite, TypeWord::kChar);
    builder_.emit(Op::kExit);
    builder_.emit(Op::kEndif);
  }

  void conditional(int depth) {
    const int n = any_length();
    vector_of(Type::kBool, n);
    if (n != 0) {
      one_segment(n);
      emit(choices_.one_in(2) ? Op::kAndReduce : Op::kOrReduce, TypeWord::kBool, 2, {{Type::kBool, 0, 0}});
    }
    stack_.pop_back();
    builder_.emit(Op::kIf);
    const std::vector<Entry> before = stack_;
    branch(before, n, depth);
    builder_.emit(Op::kElse);
    branch(before, n, depth);
    builder_.emit(Op::kEndif);
    stack_ = before;
    stack_.push_back({Type::kInt, n, 0});
  }

  void branch(const std::vector<Entry>& before, int n, int depth) {
    stack_ = before;
    for (std::size_t k = choices_.below(5); k > 0; --k) step(depth + 1);
    vector_of(Type::kInt, n);
    builder_.pop(static_cast<std::int32_t>(stack_.size() - before.size()) - 1, 1);
  }

  Choices choices_;
  bool checks_;
  bool wide_ = false;  // has data of every magnitude
  int checks_made_ = 0;
  ProgramBuilder builder_{"random"};
  std::vector<Entry> stack_;
  std::vector<std::string> callable_;
  int classes_ = 1;
  int chosen_ = -1;
};

}  // namespace nvm::test
