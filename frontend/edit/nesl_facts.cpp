#include "frontend/edit/nesl_facts.h"

#include <algorithm>

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/compile.h"
#include "frontend/nesl/infer.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/types.h"

namespace nvm::edit {

using frontend::Expr;
using frontend::ExprKind;
using frontend::Form;
using frontend::FormKind;
using frontend::Pattern;
using frontend::Type;
using frontend::TypeKind;

namespace {

const Type* result_of(const Type* function) {
  function = function != nullptr ? frontend::resolve(function) : nullptr;
  return function != nullptr && function->kind == TypeKind::kFn ? function->args[1] : nullptr;
}

const Type* argument_of(const Type* function) {
  return result_of(function) != nullptr ? frontend::resolve(function)->args[0] : nullptr;
}

const Type* element_of(const Type* sequence) {
  sequence = sequence != nullptr ? frontend::resolve(sequence) : nullptr;
  return sequence != nullptr && sequence->kind == TypeKind::kSeq ? sequence->args[0] : nullptr;
}

std::string shown(const Type* type) { return type != nullptr ? frontend::print_type(type) : ""; }

}  // namespace

NeslFactFinder::NeslFactFinder(std::string_view text, std::uint32_t column) : text_(text), column_(column) {
  lines_.push_back(0);
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    lines_.push_back(at + 1);
}

std::size_t NeslFactFinder::offset(SourcePos pos) const {
  if (pos.line == 0) return 0;
  if (pos.line > lines_.size()) return text_.size();
  const std::size_t first = pos.line == 1 ? column_ : 1;
  const std::size_t at = lines_[pos.line - 1] + (pos.column >= first ? pos.column - first : 0);
  return std::min(at, text_.size());
}

// The word or symbol of which a tree says where it begins; behind a quote if it is quoted.
Span NeslFactFinder::word_at(SourcePos pos) const {
  std::size_t begin = offset(pos);
  while (begin < text_.size() && (text_[begin] == '\'' || text_[begin] == ' ')) ++begin;
  std::size_t end = begin;
  const auto read = [&] {
    while (end < text_.size() && in_name(text_[end])) ++end;
  };
  read();
  const bool of_module =
      end > begin && end + 1 < text_.size() && text_[end] == '.' && in_name(text_[end + 1]);
  if (of_module && (text_[begin] < '0' || text_[begin] > '9')) {
    ++end;
    read();
  }
  return {begin, end};
}

// Behind the parameters of a function, where its type is written.
std::size_t NeslFactFinder::parameters_end(SourcePos name) const {
  std::size_t at = std::min(text_.find_first_not_of(" \t\r\n", word_at(name).end), text_.size());
  if (at == text_.size() || text_[at] != '(') {
    while (at < text_.size() && in_name(text_[at])) ++at;
    return at;
  }
  for (int depth = 0; at < text_.size();) {
    depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
    ++at;
    if (depth == 0) break;
  }
  return at;
}

void NeslFactFinder::read_keywords(const Form& form) {
  if (form.exp) keywords(*form.exp);
  for (const frontend::Keyword& value : form.defaults) keywords(*value.value);
}

void NeslFactFinder::keywords(const Expr& exp) {
  check_stack();
  for (const frontend::Keyword& keyword : exp.keywords) {
    const Expr& function = *exp.items[0];
    if (function.kind == ExprKind::kName)
      facts_.uses.push_back({word_at(keyword.pos), -1, false, keyword.name, "", function.text});
    keywords(*keyword.value);
  }
  for (const frontend::ExprPtr& item : exp.items) keywords(*item);
  for (const frontend::LetBinding& binding : exp.bindings) keywords(*binding.value);
  for (const frontend::Generator& generator : exp.generators) keywords(*generator.source);
  if (exp.body) keywords(*exp.body);
  if (exp.sieve) keywords(*exp.sieve);
}

NeslFacts NeslFactFinder::find(const Form& form, const frontend::CompiledForm* compiled) {
  frontend::TypeArena passing;
  types_ = &passing;
  form_parts(form, compiled);
  types_ = nullptr;
  return std::move(facts_);
}

void NeslFactFinder::form_parts(const Form& form, const frontend::CompiledForm* compiled) {
  const Type* type = compiled != nullptr ? compiled->type : nullptr;
  if (form.sig) signature(*form.sig);
  switch (form.kind) {
    case FormKind::kFunction:
    case FormKind::kForward: {
      define(form.name, form.name_pos, SymbolKind::kFunction, type);
      facts_.defined.back().documentation = form.doc;
      facts_.defined.back().parameters = frontend::print_pattern(form.pattern);
      facts_.defined.back().declared_only = form.kind == FormKind::kForward;
      for (const frontend::Keyword& value : form.defaults) visit(*value.value);
      bind(form.pattern, argument_of(type), SymbolKind::kParameter, false);
      if (form.exp && !form.sig) facts_.hints.push_back({parameters_end(form.name_pos), shown(type)});
      if (form.exp) visit(*form.exp);
      return;
    }
    case FormKind::kDatatype: return define(form.name, form.name_pos, SymbolKind::kDatatype, type);
    default: break;
  }
  if (form.exp) visit(*form.exp);
  for (const frontend::Keyword& keyword : form.keywords) visit(*keyword.value);
  if (form.kind == FormKind::kBind || form.kind == FormKind::kFileBind || form.kind == FormKind::kBackground)
    define_pattern(form.pattern, type);
  if (form.kind == FormKind::kCommand && form.name == "get" && !form.words.empty())
    define(lower(form.words[0].text), form.words[0].pos, SymbolKind::kVariable, nullptr);
}

void NeslFactFinder::define(const std::string& name, SourcePos pos, SymbolKind kind, const Type* type) {
  const Span span = word_at(pos);
  facts_.defined.push_back({name, shown(type), "", "", kind, span, false});
  facts_.uses.push_back({span, -1, true, name});
}

// The variables that a pattern of the top level defines.
void NeslFactFinder::define_pattern(const Pattern& pattern, const Type* type) {
  check_stack();
  type = type != nullptr ? frontend::resolve(type) : nullptr;
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard: return;
    case Pattern::Kind::kName:
      define(pattern.name, pattern.pos, SymbolKind::kVariable, type);
      facts_.hints.push_back({word_at(pattern.pos).end, shown(type)});
      return;
    case Pattern::Kind::kRecord: {
      record(pattern);
      const bool known = type != nullptr && type->kind == TypeKind::kRecord;
      return define_pattern(pattern.items[0], known ? frontend::record_content(*types_, type) : nullptr);
    }
    case Pattern::Kind::kTuple: break;
  }
  for (std::size_t i = 0; i < pattern.items.size(); ++i) {
    const bool last = i + 1 == pattern.items.size();
    const bool pair = type != nullptr && type->kind == TypeKind::kPair;
    define_pattern(pattern.items[i], last ? type : pair ? type->args[0] : nullptr);
    if (!last) type = pair ? frontend::resolve(type->args[1]) : nullptr;
  }
}

void NeslFactFinder::record(const Pattern& pattern) {
  facts_.uses.push_back({word_at(pattern.pos), -1, false, pattern.name});
}

// The variables of a pattern become visible.
void NeslFactFinder::bind(const Pattern& pattern, const Type* type, SymbolKind kind, bool hint) {
  check_stack();
  type = type != nullptr ? frontend::resolve(type) : nullptr;
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard: return;
    case Pattern::Kind::kName: {
      const Span span = word_at(pattern.pos);
      const auto same = [&](const NeslFacts::Local& l) {
        return l.defined == span && l.name == pattern.name;
      };
      const auto known =
          std::find_if(facts_.locals.begin(), facts_.locals.end(), same);  // {* ...} has it twice
      auto local = static_cast<int>(known - facts_.locals.begin());
      if (known == facts_.locals.end()) {
        facts_.locals.push_back({pattern.name, shown(type), kind, span});
        facts_.uses.push_back({span, local, true, pattern.name});
        if (hint && type != nullptr) facts_.hints.push_back({span.end, shown(type)});
      }
      visible_.push_back({pattern.name, local});
      return;
    }
    case Pattern::Kind::kRecord: {
      record(pattern);
      const bool known = type != nullptr && type->kind == TypeKind::kRecord;
      return bind(pattern.items[0], known ? frontend::record_content(*types_, type) : nullptr, kind, hint);
    }
    case Pattern::Kind::kTuple: break;
  }
  for (std::size_t i = 0; i < pattern.items.size(); ++i) {
    const bool last = i + 1 == pattern.items.size();
    const bool pair = type != nullptr && type->kind == TypeKind::kPair;
    bind(pattern.items[i], last ? type : pair ? type->args[0] : nullptr, kind, hint);
    if (!last) type = pair ? frontend::resolve(type->args[1]) : nullptr;
  }
}

void NeslFactFinder::signature(const frontend::TypeSig& sig) {
  for (const frontend::TypeSig::ClassBinding& binding : sig.classes) {
    const Span span = word_at(binding.pos);
    const auto local = static_cast<int>(facts_.locals.size());
    facts_.locals.push_back({binding.variable, "any " + binding.type_class, SymbolKind::kTypeVariable, span});
    facts_.uses.push_back({span, local, true, binding.variable});
    type_variables_.push_back({binding.variable, local});
  }
  type_names(sig.type);
}

void NeslFactFinder::type_names(const frontend::TypeExpr& type) {
  check_stack();
  for (const frontend::TypeExpr& item : type.items) type_names(item);
  if (type.kind != frontend::TypeExpr::Kind::kName) return;
  const auto variable = std::find_if(type_variables_.begin(), type_variables_.end(),
                                     [&](const Visible& v) { return v.name == type.name; });
  if (variable == type_variables_.end() && frontend::is_base_type(type.name)) return;
  facts_.uses.push_back(
      {word_at(type.pos), variable != type_variables_.end() ? variable->local : -1, false, type.name});
}

void NeslFactFinder::use(const Expr& name) {
  Span span = word_at(name.pos);
  if (name.builtin) {  // an operator, if it is written as it is called
    const std::string_view spelt = name.text == "negate" ? "-" : std::string_view(name.text);
    span.end = span.begin + spelt.size();
    if (lower(text_.substr(std::min(span.begin, text_.size()), spelt.size())) != spelt) return;
  }
  const auto local = name.builtin ? visible_.rend()
                                  : std::find_if(visible_.rbegin(), visible_.rend(),
                                                 [&](const Visible& v) { return v.name == name.text; });
  if (local != visible_.rend()) {
    facts_.uses.push_back({span, local->local, false, name.text});
    NeslFacts::Local& l = facts_.locals[static_cast<std::size_t>(local->local)];
    if (l.type.empty()) l.type = shown(name.type);
    return;
  }
  facts_.uses.push_back({span, -1, false, name.text, shown(name.type)});
}

void NeslFactFinder::visit(const Expr& exp) {
  check_stack();
  const std::size_t outside = visible_.size();
  switch (exp.kind) {
    case ExprKind::kName: return use(exp);
    case ExprKind::kEmpty:
      if (exp.type_expr) type_names(*exp.type_expr);  // else it follows from where it stands
      return;
    case ExprKind::kEach: return visit_each(exp);
    case ExprKind::kLet:
      for (const frontend::LetBinding& binding : exp.bindings) {
        visit(*binding.value);
        bind(binding.pattern, binding.value->type, SymbolKind::kLocal, true);
      }
      break;
    case ExprKind::kLambda: bind(exp.pattern, argument_of(exp.type), SymbolKind::kLocal, false); break;
    default: break;
  }
  for (const frontend::ExprPtr& item : exp.items)
    if (item) visit(*item);
  for (const frontend::Keyword& keyword : exp.keywords) visit(*keyword.value);
  visible_.resize(outside);
}

// No source sees the variables.
void NeslFactFinder::visit_each(const Expr& exp) {
  const std::size_t outside = visible_.size();
  for (const frontend::Generator& generator : exp.generators) visit(*generator.source);
  for (const frontend::Generator& generator : exp.generators)
    bind(generator.pattern, element_of(generator.source->type), SymbolKind::kLocal, false);
  if (exp.body) visit(*exp.body);
  if (exp.sieve) visit(*exp.sieve);
  visible_.resize(outside);
}

}  // namespace nvm::edit
