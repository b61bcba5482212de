#include "frontend/tail_parallel.h"

#include "bytecode/base/stack.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace nvm::frontend {
namespace {

using core::Expr;
using core::ExprKind;
using core::Prim;
using core::TypeKind;

class Finder {
 public:
  Finder(const core::Program& program, std::int32_t self) : program_(program), self_(self) {}

  bool run() {
    const Expr& body = *program_.functions[static_cast<std::size_t>(self_)].body;
    return body.type->kind == TypeKind::kSeq && calls(body) && !comes_back(body) && concatenates(body);
  }

 private:
  // Contains a recursive call, or the results of some.
  [[nodiscard]] bool calls(const Expr& e) const {
    check_stack();
    if (e.kind == ExprKind::kCall && e.id == self_) return true;
    if (e.kind == ExprKind::kVar && results_.contains(e.id)) return true;
    return std::any_of(e.kids.begin(), e.kids.end(), [&](const auto& kid) { return calls(*kid); });
  }

  // Calls another function that comes back here.
  [[nodiscard]] bool comes_back(const Expr& body) const {
    std::set<std::int32_t> reached{self_};
    std::vector<const Expr*> open{&body};
    while (!open.empty()) {
      const Expr& e = *open.back();
      open.pop_back();
      for (const auto& kid : e.kids) open.push_back(kid.get());
      if (e.kind != ExprKind::kCall || !reached.insert(e.id).second) continue;
      open.push_back(program_.functions[static_cast<std::size_t>(e.id)].body.get());
      if (calls(*open.back())) return true;
    }
    return false;
  }

  // The sequence is put together of recursive results and of others.
  bool concatenates(const Expr& e) {
    check_stack();
    if (!calls(e)) return true;
    switch (e.kind) {
      case ExprKind::kCall: return e.id == self_ && !calls(*e.kids[0]);
      case ExprKind::kIf: return !calls(*e.kids[0]) && either(*e.kids[1], *e.kids[2]);
      case ExprKind::kLet: return let(e);
      case ExprKind::kPrim: return prim(e);
      default: return false;
    }
  }

  // Only one of the branches is taken: each may use what the other does.
  bool either(const Expr& a, const Expr& b) {
    const auto before = taken_;
    if (!concatenates(a)) return false;
    const auto after_a = std::exchange(taken_, before);
    if (!concatenates(b)) return false;
    taken_.insert(after_a.begin(), after_a.end());
    return true;
  }

  bool let(const Expr& e) {
    const Expr& value = *e.kids[0];
    if (calls(value)) {
      if (!lists(value)) return false;
      results_.insert(e.id);
    }
    return concatenates(*e.kids[1]);
  }

  bool prim(const Expr& e) {
    const Expr& of = *e.kids[0];
    switch (e.prim) {
      case Prim::kFlatten: return of.kind == ExprKind::kVar ? take(of, -1) : lists(of);
      case Prim::kAppend:
        return of.kind == ExprKind::kPair && concatenates(*of.kids[0]) && concatenates(*of.kids[1]);
      case Prim::kElt: {
        if (of.kind != ExprKind::kPair || of.kids[0]->kind != ExprKind::kVar) return false;
        const Expr& index = *of.kids[1];
        return index.kind == ExprKind::kInt && index.number >= 0 && take(*of.kids[0], index.number);
      }
      default: return false;
    }
  }

  // A sequence of sequences each of which is so put together.
  bool lists(const Expr& e) {
    check_stack();
    if (e.kind == ExprKind::kSeq)
      return std::all_of(e.kids.begin(), e.kids.end(), [&](const auto& kid) { return concatenates(*kid); });
    if (e.kind != ExprKind::kEach) return false;
    for (std::size_t i = 0; i < e.kids.size(); ++i)
      if (i != e.vars.size() && calls(*e.kids[i])) return false;
    // What was bound outside would be used by every instance.
    const auto outside = std::exchange(results_, {});
    const bool good = concatenates(*e.kids[e.vars.size()]);
    results_ = outside;
    return good && !calls_results(*e.kids[e.vars.size()]);
  }
  [[nodiscard]] bool calls_results(const Expr& e) const {
    if (e.kind == ExprKind::kVar && results_.contains(e.id)) return true;
    return std::any_of(e.kids.begin(), e.kids.end(), [&](const auto& kid) { return calls_results(*kid); });
  }

  // The results in a variable, all (-1) or one, are used here and nowhere else.
  bool take(const Expr& variable, std::int64_t index) {
    if (!results_.contains(variable.id)) return false;
    const auto used = taken_.find(variable.id);
    if (used != taken_.end() && (index < 0 || used->second.contains(-1) || used->second.contains(index)))
      return false;
    taken_[variable.id].insert(index);
    return true;
  }

  const core::Program& program_;
  std::int32_t self_;
  std::set<std::int32_t> results_;  // variables bound to sequences of results
  std::map<std::int32_t, std::set<std::int64_t>> taken_;
};

bool calls_outside(const Expr& e, std::int32_t function) {
  check_stack();
  if (e.kind == ExprKind::kCall && e.id == function) return true;
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    const bool body = e.kind == ExprKind::kEach && i == e.vars.size();
    if (!body && calls_outside(*e.kids[i], function)) return true;
  }
  return false;
}

}  // namespace

bool recurs_in_each(const core::Program& program, std::int32_t function) {
  return !calls_outside(*program.functions[static_cast<std::size_t>(function)].body, function);
}

bool is_tail_parallel(const core::Program& program, std::int32_t function) {
  return Finder(program, function).run();
}

}  // namespace nvm::frontend
