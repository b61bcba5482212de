// Lambda lifting.
#include <algorithm>
#include <map>
#include <set>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/remora/code.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Expr;
using core::ExprKind;
using core::ExprPtr;

namespace {

using Ids = std::set<std::int32_t>;

struct Uses {
  Ids bound, used, calls;
};

void look(const Expr& top, Uses& uses) {
  std::vector<const Expr*> open{&top};
  while (!open.empty()) {
    check_budget();
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kVar) uses.used.insert(e.id);
    if (e.kind == ExprKind::kLet) uses.bound.insert(e.id);
    if (e.kind == ExprKind::kCall) uses.calls.insert(e.id);
    uses.bound.insert(e.vars.begin(), e.vars.end());
    for (const ExprPtr& k : e.kids) open.push_back(k.get());
  }
}

class Lifting {
 public:
  Lifting(core::Program& program, const std::vector<const core::Type*>& variables)
      : program_(program), variables_(variables) {}

  void run() {
    forget_unreached();
    find_free();
    for (std::size_t f = 0; f < program_.functions.size(); ++f) rewrite(f);
  }

 private:
  // What no call leads to may be made for another meaning of what it calls.
  void forget_unreached() {
    std::vector<bool> reached(program_.functions.size());
    std::vector<std::int32_t> open{program_.entry};
    while (!open.empty()) {
      const auto f = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (reached[f]) continue;
      reached[f] = true;
      Uses uses;
      look(*program_.functions[f].body, uses);
      open.insert(open.end(), uses.calls.begin(), uses.calls.end());
    }
    for (std::size_t f = 0; f < reached.size(); ++f)
      if (!reached[f])
        program_.functions[f].body = node(ExprKind::kUnit, core::base_type(core::TypeKind::kUnit), 0);
  }

  void find_free() {
    for (const core::Function& f : program_.functions) {
      Uses uses;
      uses.bound.insert(f.param);
      look(*f.body, uses);
      Ids free;
      std::set_difference(uses.used.begin(), uses.used.end(), uses.bound.begin(), uses.bound.end(),
                          std::inserter(free, free.end()));
      uses_.push_back(std::move(uses));
      free_.push_back(std::move(free));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t f = 0; f < free_.size(); ++f)
        for (const std::int32_t g : uses_[f].calls)
          for (const std::int32_t v : Ids(free_[static_cast<std::size_t>(g)]))
            if (uses_[f].bound.count(v) == 0) changed |= free_[f].insert(v).second;
    }
  }

  static ExprPtr node(ExprKind kind, const core::Type* type, Origin line) {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->type = type;
    e->line = line;
    return e;
  }

  std::int32_t local(std::int32_t v) {
    const auto [at, fresh] = numbers_.try_emplace(v, static_cast<std::int32_t>(numbers_.size()));
    if (fresh) now_->variables.push_back({variables_[static_cast<std::size_t>(v)], "v"});
    return at->second;
  }

  // Further arguments: the variables of g's that it takes from those around it.
  ExprPtr extended(ExprPtr argument, const Ids& free) {
    std::vector<ExprPtr> all;
    all.push_back(std::move(argument));
    for (const std::int32_t v : free) {
      all.push_back(node(ExprKind::kVar, variables_[static_cast<std::size_t>(v)], all[0]->line));
      all.back()->id = v;
    }
    ExprPtr e = std::move(all.back());
    for (std::size_t k = all.size() - 1; k-- > 0;) {
      ExprPtr p = node(ExprKind::kPair, core::pair_type(all[k]->type, e->type), all[0]->line);
      p->kids.push_back(std::move(all[k]));
      p->kids.push_back(std::move(e));
      e = std::move(p);
    }
    return e;
  }

  void rewrite(std::size_t number) {
    core::Function& f = program_.functions[number];
    now_ = &f;
    numbers_.clear();
    const Ids& free = free_[number];
    if (!free.empty()) {
      // let the old parameter and the others be parts of a new one
      std::vector<std::int32_t> names{f.param};
      names.insert(names.end(), free.begin(), free.end());
      const core::Type* type = variables_[static_cast<std::size_t>(names.back())];
      for (std::size_t k = names.size() - 1; k-- > 0;)
        type = core::pair_type(variables_[static_cast<std::size_t>(names[k])], type);
      f.variables.push_back({type, "v"});
      numbers_[-1] = 0;
      f.param = -1;
      f.body = with_parts(names, type, std::move(f.body));
    }
    f.param = local(f.param);
    std::vector<Expr*> open{f.body.get()};
    while (!open.empty()) {
      check_budget();
      Expr& e = *open.back();
      open.pop_back();
      if (e.kind == ExprKind::kCall && !free_[static_cast<std::size_t>(e.id)].empty())
        e.kids[0] = extended(std::move(e.kids[0]), free_[static_cast<std::size_t>(e.id)]);
      if (e.kind == ExprKind::kVar || e.kind == ExprKind::kLet) e.id = local(e.id);
      for (std::int32_t& v : e.vars) v = local(v);
      for (const ExprPtr& k : e.kids) open.push_back(k.get());
    }
  }

  ExprPtr with_parts(const std::vector<std::int32_t>& names, const core::Type* type, ExprPtr body) const {
    const Origin line = body->line;
    for (std::size_t k = names.size(); k-- > 0;) {
      ExprPtr part = node(ExprKind::kVar, type, line);
      part->id = -1;
      for (std::size_t i = 0; i < k; ++i) {
        ExprPtr rest = node(ExprKind::kSecond, part->type->b, line);
        rest->kids.push_back(std::move(part));
        part = std::move(rest);
      }
      if (k + 1 < names.size()) {
        ExprPtr first = node(ExprKind::kFirst, part->type->a, line);
        first->kids.push_back(std::move(part));
        part = std::move(first);
      }
      ExprPtr let = node(ExprKind::kLet, body->type, line);
      let->id = names[k];
      let->kids.push_back(std::move(part));
      let->kids.push_back(std::move(body));
      body = std::move(let);
    }
    return body;
  }

  core::Program& program_;
  const std::vector<const core::Type*>& variables_;
  std::vector<Uses> uses_;
  std::vector<Ids> free_;
  core::Function* now_ = nullptr;
  std::map<std::int32_t, std::int32_t> numbers_;
};

}  // namespace

void lift_functions(core::Program& program, const std::vector<const core::Type*>& variables) {
  Lifting(program, variables).run();
}

}  // namespace nvm::remora
