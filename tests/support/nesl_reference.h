// Well-typed NESL expressions as trees, and what they mean, one element after the other: the reference for
// programs that are compiled. Arithmetic wraps in 64 bits; floats are small multiples of a quarter, so that
// sums are exact in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nvm::test::nesl {

struct Type {
  enum class Kind : std::uint8_t { kInt, kBool, kFloat, kSeq, kPair } kind = Kind::kInt;
  std::vector<Type> parts = {};
  friend bool operator==(const Type&, const Type&) = default;
};
inline Type seq(Type element) { return {Type::Kind::kSeq, {std::move(element)}}; }
inline Type pair(Type a, Type b) { return {Type::Kind::kPair, {std::move(a), std::move(b)}}; }
inline const Type kInt{Type::Kind::kInt}, kBool{Type::Kind::kBool}, kFloat{Type::Kind::kFloat};

inline std::string text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kInt: return "int";
    case Type::Kind::kBool: return "bool";
    case Type::Kind::kFloat: return "float";
    case Type::Kind::kSeq: return "[" + text(type.parts[0]) + "]";
    case Type::Kind::kPair: break;
  }
  return "(" + text(type.parts[0]) + ", " + text(type.parts[1]) + ")";
}

struct Value {
  std::int64_t number = 0;  // also of a bool
  double real = 0;
  std::vector<Value> parts = {};  // of a sequence or a pair
  friend bool operator==(const Value&, const Value&) = default;
};

// A program that would take too long.
struct TooMuch {};

// An operation: `form` is its NESL with $0, $1, ... for the operands, each of which stands there once.
struct Operation {
  std::string form;
  std::vector<Type> operands;
  Type result;
  std::function<Value(const std::vector<Value>&)> apply;
};

struct Node {
  enum class Kind : std::uint8_t {
    kConstant,   // value
    kEmpty,      // the empty sequence of the type
    kVariable,   // names[0]
    kOperation,  // operation, applied to kids
    kIf,
    kLet,      // names bound to kids[0], a pair if there are two; then kids[1]
    kEach,     // {kids[1] : names in kids[0] | kids[2]}; without kids[2] no sieve
    kIndexed,  // {kids[1] : names[0] in kids[0]; names[1] in [0 : #kids[0]]}
    kGroups,   // split(kids[0], {kids[1] : names[0] in kids[0]}), or its group `number`
    kList,
    kPair,
    kCall,  // names[0] with kids as its arguments
  } kind = Kind::kConstant;
  Type type;
  std::vector<Node> kids = {};
  std::vector<std::string> names = {};
  Value value = {};
  int group = -1;
  const Operation* operation = nullptr;
};

struct Function {
  std::string name;
  std::vector<std::pair<std::string, Type>> parameters;
  Node body;
};

// ---- as text

inline std::string text(const Value& v, const Type& type);

inline std::string text_of_float(double x) {
  std::string digits = std::to_string(std::fabs(x));  // six of them behind the point
  while (digits.back() == '0' && digits[digits.size() - 2] != '.') digits.pop_back();
  return (x < 0 ? "-" : "") + digits;
}

// As the top level prints it.
inline std::string text(const Value& v, const Type& type) {
  switch (type.kind) {
    case Type::Kind::kInt: return std::to_string(v.number);
    case Type::Kind::kBool: return v.number != 0 ? "T" : "F";
    case Type::Kind::kFloat: return text_of_float(v.real);
    default: break;
  }
  const bool is_pair = type.kind == Type::Kind::kPair;
  std::string out;
  for (std::size_t i = 0; i < v.parts.size(); ++i)
    out += (i > 0 ? ", " : "") + text(v.parts[i], type.parts[is_pair ? i : 0]);
  if (is_pair && type.parts[1].kind == Type::Kind::kPair) {  // pairs on the right are one tuple
    const std::string rest = text(v.parts[1], type.parts[1]);
    out = text(v.parts[0], type.parts[0]) + ", " + rest.substr(1, rest.size() - 2);
  }
  return is_pair ? "(" + out + ")" : "[" + out + "]";
}

inline std::string text(const Node& e) {
  const auto kid = [&](std::size_t i) { return text(e.kids[i]); };
  const auto all = [&] {
    std::string out;
    for (std::size_t i = 0; i < e.kids.size(); ++i) out += (i > 0 ? ", " : "") + kid(i);
    return out;
  };
  const std::string pattern = e.names.empty()       ? ""
                              : e.names.size() == 1 ? e.names[0]
                                                    : "(" + e.names[0] + ", " + e.names.back() + ")";
  switch (e.kind) {
    case Node::Kind::kConstant: {
      const bool negative = e.value.number < 0 || e.value.real < 0;
      const std::string plain = text(e.value, e.type);
      return negative ? "(" + plain + ")" : plain;
    }
    case Node::Kind::kEmpty: return "([] " + text(e.type.parts[0]) + ")";
    case Node::Kind::kVariable: return e.names[0];
    case Node::Kind::kIf: return "(if " + kid(0) + " then " + kid(1) + " else " + kid(2) + ")";
    case Node::Kind::kLet: return "(let " + pattern + " = " + kid(0) + " in " + kid(1) + ")";
    case Node::Kind::kEach:
      return "{" + kid(1) + " : " + pattern + " in " + kid(0) + (e.kids.size() > 2 ? " | " + kid(2) : "") +
             "}";
    case Node::Kind::kIndexed:
      return "(let s_ = " + kid(0) + " in {" + kid(1) + " : " + e.names[0] + " in s_; " + e.names[1] +
             " in [0:#s_]})";
    case Node::Kind::kGroups:
      return "(let s_ = " + kid(0) + "; g_ = split(s_, {" + kid(1) + " : " + e.names[0] + " in s_}) in g_" +
             (e.group < 0 ? "" : "[" + std::to_string(e.group) + "]") + ")";
    case Node::Kind::kList: return "[" + all() + "]";
    case Node::Kind::kPair: return "(" + all() + ")";
    case Node::Kind::kCall: return e.names[0] + "(" + all() + ")";
    case Node::Kind::kOperation: break;
  }
  std::string out;
  const std::string& form = e.operation->form;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '$')
      out += kid(static_cast<std::size_t>(form[++i] - '0'));
    else
      out += form[i];
  return "(" + out + ")";
}

// With its type: nothing is left to inference.
inline std::string text(const Function& f) {
  std::string names, types;
  for (const auto& [name, type] : f.parameters) {
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + text(type);
  }
  if (f.parameters.size() > 1) types = "(" + types + ")";
  return "function " + f.name + "(" + names + ") : " + types + " -> " + text(f.body.type) + " = " +
         text(f.body) + " $\n";
}

// ---- what it means

// Variables have names of their own: none hides another.
class Evaluator {
 public:
  Evaluator(const std::vector<Function>& functions, std::int64_t most_steps)
      : functions_(functions), steps_(most_steps) {}

  Value eval(const Node& e) {
    if (--steps_ < 0) throw TooMuch();
    switch (e.kind) {
      case Node::Kind::kConstant: return e.value;
      case Node::Kind::kEmpty: return {};
      case Node::Kind::kVariable: return variables_.at(e.names[0]);
      case Node::Kind::kIf: return eval(e.kids[eval(e.kids[0]).number != 0 ? 1 : 2]);
      case Node::Kind::kLet: return under(e.names, eval(e.kids[0]), [&] { return eval(e.kids[1]); });
      case Node::Kind::kCall: return call(e);
      case Node::Kind::kEach:
      case Node::Kind::kIndexed: return each(e);
      case Node::Kind::kGroups: return groups(e);
      case Node::Kind::kList:
      case Node::Kind::kPair: return {0, 0, operands(e)};
      case Node::Kind::kOperation: break;
    }
    return checked(e.operation->apply(operands(e)));
  }

 private:
  static constexpr double kLargest = 100000;  // float
  static constexpr std::size_t kLongest = 20000;

  Value checked(Value v) {
    steps_ -= static_cast<std::int64_t>(v.parts.size());
    if (v.parts.size() > kLongest || std::fabs(v.real) > kLargest) throw TooMuch();
    return v;
  }

  std::vector<Value> operands(const Node& e) {
    std::vector<Value> values;
    for (const Node& kid : e.kids) values.push_back(eval(kid));
    return values;
  }

  template <typename Body>
  Value under(const std::vector<std::string>& names, const Value& value, const Body& body) {
    for (std::size_t i = 0; i < names.size(); ++i)
      variables_[names[i]] = names.size() == 1 ? value : value.parts[i];
    Value result = body();
    for (const std::string& name : names) variables_.erase(name);
    return result;
  }

  Value call(const Node& e) {
    const auto f = std::find_if(functions_.begin(), functions_.end(),
                                [&](const Function& g) { return g.name == e.names[0]; });
    std::map<std::string, Value> inside;
    for (std::size_t i = 0; i < e.kids.size(); ++i) inside[f->parameters[i].first] = eval(e.kids[i]);
    std::swap(inside, variables_);
    Value result = eval(f->body);
    std::swap(inside, variables_);
    return result;
  }

  Value each(const Node& e) {
    Value out;
    std::int64_t place = 0;
    for (const Value& element : eval(e.kids[0]).parts) {
      const Value both{0, 0, {element, {place++}}};
      under(e.names, e.kind == Node::Kind::kIndexed ? both : element, [&] {
        if (e.kids.size() < 3 || eval(e.kids[2]).number != 0) out.parts.push_back(eval(e.kids[1]));
        return Value();
      });
    }
    return checked(std::move(out));
  }

  Value groups(const Node& e) {
    Value sides{0, 0, {Value(), Value()}};
    for (const Value& element : eval(e.kids[0]).parts) {
      const Value flag = under(e.names, element, [&] { return eval(e.kids[1]); });
      sides.parts[flag.number != 0 ? 1 : 0].parts.push_back(element);
    }
    return e.group < 0 ? sides : sides.parts[static_cast<std::size_t>(e.group)];
  }

  const std::vector<Function>& functions_;
  std::int64_t steps_;
  std::map<std::string, Value> variables_;
};

}  // namespace nvm::test::nesl
