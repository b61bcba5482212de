// Random NESL programs, well-typed: functions of nested sequences, some of them recursive on a smaller
// number, conditionals and recursive calls inside of apply-to-each.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/choices.h"
#include "tests/support/nesl_operations.h"

namespace nvm::test::nesl {

class Generator {
 public:
  explicit Generator(Choices choices) : choices_(std::move(choices)) {}

  // The last function is to be called with an integer.
  std::vector<Function> make() {
    const std::size_t helpers = choices_.below(3);
    for (std::size_t i = 0; i < helpers; ++i) functions_.push_back(helper());
    functions_.push_back(main());
    return std::move(functions_);
  }

 private:
  using Kind = Node::Kind;

  Type type(int depth) {
    switch (choices_.below(depth > 0 ? 9 : 4)) {
      case 0:
      case 1: return kInt;
      case 2: return kBool;
      case 3: return kFloat;
      case 4: return pair(type(depth - 1), type(depth - 1));
      default: return seq(type(depth - 1));
    }
  }

  std::string fresh() { return "x" + std::to_string(names_++); }

  Function head(const std::string& name, const std::vector<Type>& parameters) {
    Function f{name, {}, {}};
    for (const Type& type : parameters) f.parameters.emplace_back(fresh(), type);
    scope_ = f.parameters;
    return f;
  }

  // A sequence of numbers, one of such sequences, what the helpers make of something; then anything.
  Function main() {
    Function f = head("main", {kInt});
    const Type result = type(3);
    const auto last = [&] { return expression(result, 4); };
    std::function<Node(std::size_t)> from = [&](std::size_t i) -> Node {
      if (i == functions_.size()) return last();
      Type type;
      Node value = calls(functions_[i], false, type);
      return bound(type, std::move(value), [&] { return from(i + 1); });
    };
    f.body = bound(seq(kInt), expression(seq(kInt), 3), [&] {
      return bound(seq(seq(kInt)), expression(seq(seq(kInt)), 3), [&] { return from(0); });
    });
    return f;
  }

  // let a new variable be `value` in what `rest` makes
  template <typename Rest>
  Node bound(const Type& type, Node value, const Rest& rest) {
    const std::string name = fresh();
    scope_.emplace_back(name, type);
    Node body = rest();
    scope_.pop_back();
    Node e{Kind::kLet, body.type, {}, {name}};
    e.kids.push_back(std::move(value));
    e.kids.push_back(std::move(body));
    return e;
  }

  // One call, or one for each element of something.
  Node calls(const Function& f, bool recursive, Type& type) {
    type = f.body.type;
    if (choices_.below(3) == 0) return call(f, 2, recursive);
    const Type element = choices_.below(2) == 0 ? kInt : this->type(1);
    Node e{Kind::kEach, type = seq(type), {expression(seq(element), 2)}, {fresh()}};
    scope_.emplace_back(e.names[0], element);
    e.kids.push_back(call(f, 2, recursive));
    scope_.pop_back();
    return e;
  }

  Function helper() {
    Function f = head("f" + std::to_string(functions_.size()), {kInt, type(2)});
    const Type result = type(2);
    if (choices_.below(2) == 0) {
      f.body = expression(result, 4);
      return f;
    }
    const Node n = variable(f.parameters[0].first, kInt);
    Node base = expression(result, 2);
    recursion_ = f;
    recursion_.body.type = result;
    may_recur_ = true;
    Type type;
    Node value = calls(recursion_, true, type);
    Node step = bound(type, std::move(value), [&] { return expression(result, 3); });
    may_recur_ = false;
    f.body = {Kind::kIf, result, {operation("$0 >= $1", {integer(0), n}), std::move(base), std::move(step)}};
    return f;
  }

  static Node variable(const std::string& name, const Type& type) {
    return {Kind::kVariable, type, {}, {name}};
  }
  static Node integer(std::int64_t i) { return {Kind::kConstant, kInt, {}, {}, {i}}; }
  static Node operation(const std::string& form, std::vector<Node> kids) {
    for (const Operation& o : operations())
      if (o.form == form && o.operands[0] == kids[0].type)
        return {Kind::kOperation, o.result, std::move(kids), {}, {}, -1, &o};
    return integer(0);
  }

  Node constant(const Type& type) {
    const auto n = static_cast<std::int64_t>(choices_.below(12)) - 3;
    switch (type.kind) {
      case Type::Kind::kInt: return integer(choices_.one_in(9) ? n * 1000003 : n);
      case Type::Kind::kBool: return operation("$0 < $1", {leaf(kInt), integer(n)});
      case Type::Kind::kFloat: return {Kind::kConstant, type, {}, {}, {0, static_cast<double>(n) / 4}};
      case Type::Kind::kPair: return {Kind::kPair, type, {leaf(type.parts[0]), leaf(type.parts[1])}};
      case Type::Kind::kSeq: break;
    }
    Node e{n < 0 ? Kind::kEmpty : Kind::kList, type};
    for (std::int64_t i = 0; n >= 0 && i <= n % 3; ++i) e.kids.push_back(leaf(type.parts[0]));
    return e;
  }

  Node leaf(const Type& type) {
    std::vector<std::string> fitting;
    for (const auto& [name, of] : scope_)
      if (of == type) fitting.push_back(name);
    if (fitting.empty() || choices_.one_in(6)) return constant(type);
    return variable(fitting[fitting.size() - 1 - choices_.below(fitting.size())], type);
  }

  Node expression(const Type& type, int depth) {
    if (depth <= 0 || choices_.empty()) return leaf(type);
    switch (choices_.below(12)) {
      case 0: return leaf(type);
      case 1:
        return {Kind::kIf,
                type,
                {expression(kBool, depth - 1), expression(type, depth - 1), expression(type, depth - 1)}};
      case 2: return let(type, depth);
      case 3:
      case 4: return call(type, depth);
      case 5:
      case 6:
      case 7:
        if (type.kind == Type::Kind::kSeq) return sequence(type, depth);
        break;
      default: break;
    }
    if (type.kind == Type::Kind::kPair)
      return {
          Kind::kPair, type, {expression(type.parts[0], depth - 1), expression(type.parts[1], depth - 1)}};
    return operation(type, depth);
  }

  Node operation(const Type& type, int depth) {
    std::vector<const Operation*> fitting;
    for (const Operation& o : operations())
      if (o.result == type) fitting.push_back(&o);
    if (fitting.empty()) return type.kind == Type::Kind::kSeq ? sequence(type, depth) : leaf(type);
    const Operation* o = fitting[choices_.below(fitting.size())];
    Node e{Kind::kOperation, type, {}, {}, {}, -1, o};
    for (const Type& operand : o->operands) e.kids.push_back(expression(operand, depth - 1));
    return e;
  }

  // With more variables in scope.
  Node inside(const std::vector<std::string>& names, const std::vector<Type>& types, const Type& type,
              int depth) {
    const std::size_t outer = scope_.size();
    for (std::size_t i = 0; i < names.size(); ++i) scope_.emplace_back(names[i], types[i]);
    Node e = expression(type, depth);
    scope_.resize(outer);
    return e;
  }

  // The names for a value of the type: two for a pair, at times.
  std::vector<std::string> pattern(const Type& of, std::vector<Type>& types) {
    const bool both = of.kind == Type::Kind::kPair && choices_.below(2) == 0;
    types = both ? of.parts : std::vector<Type>{of};
    std::vector<std::string> names{fresh()};
    if (both) names.push_back(fresh());
    return names;
  }

  Node let(const Type& type, int depth) {
    const Type bound = this->type(2);
    Node value = expression(bound, depth - 1);
    std::vector<Type> types;
    const auto names = pattern(bound, types);
    return {Kind::kLet, type, {std::move(value), inside(names, types, type, depth - 1)}, names};
  }

  Node sequence(const Type& type, int depth) {
    const Type& element = type.parts[0];
    const std::size_t what = choices_.below(10);
    if (what == 0) {
      Node list{Kind::kList, type};
      for (std::size_t i = 0; i <= choices_.below(3); ++i)
        list.kids.push_back(expression(element, depth - 1));
      return list;
    }
    if (what == 1) return groups(type, type, depth, static_cast<int>(choices_.below(2)));
    if (what == 2 && element.kind == Type::Kind::kSeq) return groups(element, type, depth, -1);
    const Type from = choices_.below(2) == 0 ? kInt : this->type(2);
    Node source = expression(seq(from), depth - 1);
    if (what == 3) {
      const std::vector<std::string> names{fresh(), fresh()};
      return {
          Kind::kIndexed, type, {std::move(source), inside(names, {from, kInt}, element, depth - 1)}, names};
    }
    std::vector<Type> types;
    const auto names = pattern(from, types);
    Node e{Kind::kEach, type, {std::move(source), inside(names, types, element, depth - 1)}, names};
    if (what > 7) e.kids.push_back(inside(names, types, kBool, depth - 2));
    return e;
  }

  Node groups(const Type& of, const Type& type, int depth, int group) {
    Node source = expression(of, depth - 1);
    const std::vector<std::string> names{fresh()};
    Node e{Kind::kGroups, type, {std::move(source), inside(names, {of.parts[0]}, kBool, depth - 2)}, names};
    e.group = group;
    return e;
  }

  // Of a function with that result.
  Node call(const Type& type, int depth) {
    if (may_recur_ && recursion_.body.type == type) return call(recursion_, depth, true);
    std::vector<const Function*> fitting;
    for (const Function& f : functions_)
      if (f.body.type == type) fitting.push_back(&f);
    if (fitting.empty()) return operation(type, depth);
    return call(*fitting[choices_.below(fitting.size())], depth, false);
  }

  // The first argument is a number that recursion counts down.
  Node call(const Function& f, int depth, bool recursive) {
    Node e{Kind::kCall, f.body.type, {}, {f.name}};
    for (const auto& [name, of] : f.parameters) {
      const bool counts = e.kids.empty();
      if (counts && recursive)
        e.kids.push_back(operation("$0 - $1", {variable(name, kInt), integer(1)}));
      else if (counts)
        e.kids.push_back(integer(static_cast<std::int64_t>(choices_.below(4))));
      else
        e.kids.push_back(expression(of, depth - 1));
    }
    return e;
  }

  Choices choices_;
  std::vector<Function> functions_;
  std::vector<std::pair<std::string, Type>> scope_;
  Function recursion_;  // the one that is made; its body has the type of its result
  bool may_recur_ = false;
  int names_ = 0;
};

}  // namespace nvm::test::nesl
