#include "frontend/remora/top_level.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bytecode/base/budget.h"
#include "frontend/remora/checker.h"
#include "frontend/remora/values.h"

namespace nvm::remora {

namespace {

std::set<ValueId> values_in(std::span<const Form> forms) {
  std::set<ValueId> found;
  std::vector<const Expr*> open;
  for (const Form& form : forms)
    if (form.body != nullptr) open.push_back(form.body.get());
  while (!open.empty()) {
    check_budget();
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kValue) found.insert(e.value);
    for (const ExprRef& k : e.kids) open.push_back(k.get());
  }
  return found;
}

// Definitions that may call each other are one group.
std::vector<std::vector<Form>> grouped(std::span<const Form> forms) {
  std::vector<std::vector<Form>> groups;
  for (const Form& form : forms) {
    if (!form.continues) groups.emplace_back();
    groups.back().push_back(form);
  }
  return groups;
}

}  // namespace

class TopLevel::Adding {
 public:
  explicit Adding(TopLevel& top) : top_(top), first_(top.next_) {}
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;
  void done() { first_ = top_.next_; }
  ~Adding() {
    while (!top_.groups_.empty() && top_.groups_.rbegin()->first >= first_) {
      const auto last = std::prev(top_.groups_.end());
      for (const Number used : last->second.uses) --top_.groups_.find(used)->second.users;
      for (const Form& form : last->second.forms) top_.group_of_.erase(form.defines);
      top_.groups_.erase(last);
    }
  }

 private:
  TopLevel& top_;
  Number first_;
};

// ---- a text

TopLevel::Text::Text(TopLevel& top, std::string_view text, std::uint32_t line)
    : top_(top), back_(top.context_), level_(std::in_place, top.context_.scope) {
  errors_ = Checker(top_.context_).text(text, line);
  checked_ = top_.program_.variables.next();
  if (errors_.empty()) add_older(false);
}

void TopLevel::Text::add_older(bool all) {
  std::vector<Form>& forms = top_.program_.forms;
  forms.erase(forms.begin(), forms.begin() + static_cast<std::ptrdiff_t>(own_));
  std::set<Number> needed = top_.used_by(forms);
  if (all)
    for (const auto& [number, group] : top_.groups_) needed.insert(number);
  std::vector<Number> open(needed.begin(), needed.end());
  while (!open.empty()) {
    const Group& group = top_.groups_.at(open.back());
    open.pop_back();
    for (const Number used : group.uses)
      if (needed.insert(used).second) open.push_back(used);
  }
  std::vector<Form> older;
  for (const Number number : needed) {
    const auto& group = top_.groups_.at(number).forms;
    older.insert(older.end(), group.begin(), group.end());
  }
  own_ = older.size();
  forms.insert(forms.begin(), std::make_move_iterator(older.begin()), std::make_move_iterator(older.end()));
}

TopLevel::Change TopLevel::Text::accept(bool whole) {
  if (!whole)
    if (auto change = accept_values()) return std::move(*change);
  Change change;
  Release release;
  Adding adding(top_);
  std::size_t at = own_;
  for (std::vector<Form>& forms : grouped(std::span(top_.program_.forms).subspan(own_))) {
    const bool stays = forms[0].defines >= 0 || whole;
    for (Form& form : forms) {
      if (form.use == Form::Use::kKept) {
        form.use = Form::Use::kGiven;
        form.body = nullptr;
      }
      if (stays) change.came.push_back({at, form.defines});
      ++at;
    }
    if (!stays) continue;
    Group group;
    group.uses = top_.used_by(forms);
    group.users = forms.size();
    group.forms = std::move(forms);
    top_.add(std::move(group));
  }
  if (!whole) release = top_.release(top_.context_.scope.hidden());
  change.gone = release.values;
  adding.done();
  top_.context_.scope.settle();
  top_.carry_out(release);
  top_.context_.forget_variables(checked_);
  back_.keep();
  back_.to.forms = 0;
  return change;
}

// If all that is left are values nothing else of the text need stay: they are given, as those from outside.
std::optional<TopLevel::Change> TopLevel::Text::accept_values() {
  Context& context = top_.context_;
  if (context.scope.has_new_abbreviations()) return std::nullopt;
  std::vector<Given> values;
  std::vector<std::size_t> at;
  const std::vector<Form>& forms = top_.program_.forms;
  for (std::size_t k = own_; k < forms.size(); ++k) {
    if (forms[k].defines < 0) continue;
    if (forms[k].use != Form::Use::kKept) return std::nullopt;
    const std::string& name = top_[forms[k].defines].name;
    if (top_.find(name) != forms[k].defines) continue;  // another one of the text has the name
    const Type type = remora::type_of(top_.program_, forms[k]);
    const std::string written = print(type, top_.variables());
    Scope none;
    TypeReader reader(none, top_.program_.variables);
    if (!equal(reader.type(read_trees(written)[0]), type)) return std::nullopt;
    values.push_back({name, written});
    at.push_back(k);
  }
  level_.reset();
  context.roll_back(back_.to);
  own_ = 0;
  Change change = top_.give_all(values);
  for (std::size_t k = 0; k < at.size(); ++k) change.came[k].form = at[k];
  back_.keep();
  return change;
}

// ---- what is defined

TopLevel::Change TopLevel::give(const Given& given) { return give_all({&given, 1}); }

TopLevel::Change TopLevel::give_all(std::span<const Given> given) {
  const Scope::Level level(context_.scope);
  RollBack back(context_);
  Adding adding(*this);
  const std::size_t forms = program_.forms.size();
  Change change;
  for (const Given& value : given) {
    context_.give(value);
    Group group;
    group.forms = {program_.forms.back()};
    group.users = 1;
    change.came.push_back({0, group.forms[0].defines});
    add(std::move(group));
  }
  const Release release = this->release(context_.scope.hidden());
  change.gone = release.values;
  adding.done();
  program_.forms.resize(forms);
  context_.scope.settle();
  carry_out(release);
  back.keep();
  return change;
}

std::set<TopLevel::Number> TopLevel::used_by(std::span<const Form> forms) const {
  std::set<Number> found;
  for (const ValueId v : values_in(forms))
    if (const auto it = group_of_.find(v); it != group_of_.end()) found.insert(it->second);
  return found;
}

void TopLevel::add(Group group) {
  const auto at = groups_.emplace_hint(groups_.end(), next_++, std::move(group));
  for (const Number used : at->second.uses) ++groups_.at(used).users;
  for (const Form& form : at->second.forms)
    if (form.defines >= 0) group_of_[form.defines] = at->first;
}

TopLevel::Release TopLevel::release(const std::vector<ValueId>& unnamed) const {
  Release out;
  std::vector<Number> open;
  for (const ValueId v : unnamed)
    if (const auto it = group_of_.find(v); it != group_of_.end()) open.push_back(it->second);
  while (!open.empty()) {
    const Number number = open.back();
    open.pop_back();
    const Group& group = groups_.at(number);
    if (++out.fewer[number] < group.users) continue;
    out.groups.push_back(number);
    for (const Form& form : group.forms) out.values.push_back(form.defines);
    open.insert(open.end(), group.uses.begin(), group.uses.end());
  }
  return out;
}

void TopLevel::carry_out(const Release& release) noexcept {
  for (const auto& [number, users] : release.fewer) groups_.find(number)->second.users -= users;
  for (const ValueId v : release.values) group_of_.erase(v);
  for (const Number number : release.groups) groups_.erase(number);
}

ValueId TopLevel::find(const std::string& name) const {
  const ValueId* const value = context_.scope.value(name);
  return value != nullptr ? *value : -1;
}

Type TopLevel::type_of(ValueId value) const { return program_.variables.resolved((*this)[value].type); }

}  // namespace nvm::remora
