#include <algorithm>
#include <array>
#include <set>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/remora/types.h"

namespace nvm::remora {

namespace {

class Printer {
 public:
  explicit Printer(const Variables& variables) : variables_(variables) {}

  std::string type(const Type& t) {
    check_stack();
    check_budget();
    if (t.array != kNoVar) return name(t.array);
    if (t.shape.empty()) return atom(*t.atom);
    return "[" + atom(*t.atom) + " " + shape(t.shape) + "]";
  }

  std::string shape(const Shape& s) {
    std::string out;
    for (const Piece& p : s)
      out += (out.empty() ? "" : " ") + (p.shape == kNoVar ? dim(p.dim) : name(p.shape));
    return out;
  }

  std::string dim(const Dim& d) {
    if (const auto n = d.number()) return std::to_string(*n);
    std::vector<std::string> terms;
    std::int64_t constant = 0;
    for (const auto& [m, c] : d.terms) {
      if (m.empty())
        constant = c;
      else
        terms.push_back(term(m, c));
    }
    std::sort(terms.begin(), terms.end());
    if (constant != 0) terms.push_back(std::to_string(constant));
    return terms.size() == 1 ? terms[0] : list("+", terms);
  }

 private:
  static std::string list(const std::string& head, const std::vector<std::string>& parts) {
    std::string out = "(" + head;
    for (const std::string& p : parts) out += " " + p;
    return out + ")";
  }

  std::string term(const Monomial& m, std::int64_t coefficient) {
    std::vector<std::string> factors;
    if (coefficient != 1) factors.push_back(std::to_string(coefficient));
    for (const Var v : m)
      factors.push_back(variables_[v].sort == Sort::kShape ? "(prod " + name(v) + ")" : name(v));
    return factors.size() == 1 ? factors[0] : list("*", factors);
  }

  std::string atom(const Atom& a) {
    switch (a.kind) {
      case AtomKind::kInt: return "int";
      case AtomKind::kFloat: return "float";
      case AtomKind::kBool: return "bool";
      case AtomKind::kChar: return "char";
      case AtomKind::kVar: return name(a.var);
      case AtomKind::kFunction: {
        std::string parameters;
        for (std::size_t k = 0; k < a.arity(); ++k) parameters += (k > 0 ? " " : "") + type(a.types[k]);
        return "(-> (" + parameters + ") " + type(a.result()) + ")";
      }
      case AtomKind::kForall: return bound("Forall", a);
      case AtomKind::kPi: return bound("Pi", a);
      case AtomKind::kSigma: return bound("Sigma", a);
      case AtomKind::kRecord: {
        std::string fields;
        for (std::size_t k = 0; k < a.names.size(); ++k)
          fields += (k > 0 ? " (" : "(") + a.names[k] + " " + type(a.types[k]) + ")";
        return "{" + fields + "}";
      }
    }
    return "";
  }

  std::string bound(const std::string& word, const Atom& a) {
    std::string names;
    for (const Var v : a.bound) names += (names.empty() ? "" : " ") + (names_[v] = renamed(v));
    return "(" + word + " (" + names + ") " + type(a.types[0]) + ")";
  }

  std::string renamed(Var v) {
    static constexpr std::array<const char*, 4> kLetters = {"d", "@s", "t", "@t"};
    const auto sort = static_cast<std::size_t>(variables_[v].sort);
    return kLetters.at(sort) + std::to_string(++counts_.at(sort));
  }

  // Other variables of the same name get a number.
  std::string name(Var v) {
    const auto [at, fresh] = names_.try_emplace(v, variables_[v].name);
    for (int k = 2; fresh && !taken_.insert(at->second).second; ++k)
      at->second = variables_[v].name + std::to_string(k);
    return at->second;
  }

  const Variables& variables_;
  std::map<Var, std::string> names_;
  std::set<std::string> taken_;
  std::array<int, 4> counts_{};
};

}  // namespace

std::string print(const Type& t, const Variables& variables) { return Printer(variables).type(t); }
std::string print(const Shape& s, const Variables& variables) {
  return "[" + Printer(variables).shape(s) + "]";
}
std::string print(const Dim& d, const Variables& variables) { return Printer(variables).dim(d); }

}  // namespace nvm::remora
