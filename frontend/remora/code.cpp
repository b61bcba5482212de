#include "frontend/remora/code.h"
#include "bytecode/base/stack.h"

#include <algorithm>
#include <utility>

namespace nvm::remora {

namespace core = frontend::core;
using Prim = core::Prim;

std::int32_t Coder::fresh(const Type* type) {
  variables_.push_back(type);
  return static_cast<std::int32_t>(variables_.size()) - 1;
}

Coder::ExprPtr Coder::node(Kind kind, const Type* type) const {
  auto e = std::make_unique<core::Expr>();
  e->kind = kind;
  e->type = type;
  e->line = *line_;
  return e;
}

Coder::ExprPtr Coder::use(Code c) const {
  if (c.known && c.type == integer_type()) {
    ExprPtr e = node(Kind::kInt, c.type);
    e->number = *c.known;
    return e;
  }
  ExprPtr e = node(Kind::kVar, c.type);
  e->id = c.id;
  return e;
}

Code Coder::bind(ExprPtr value) {
  const Code c{fresh(value->type), value->type, {}};
  open_.back().blocks.back().lets.emplace_back(c.id, std::move(value));
  return c;
}

Coder::ExprPtr Coder::close(Code result) {
  ExprPtr e = use(result);
  auto& lets = open_.back().blocks.back().lets;
  for (auto it = lets.rbegin(); it != lets.rend(); ++it) {
    ExprPtr let = node(Kind::kLet, e->type);
    let->line = it->second->line;
    let->id = it->first;
    let->kids.push_back(std::move(it->second));
    let->kids.push_back(std::move(e));
    e = std::move(let);
  }
  open_.back().blocks.pop_back();
  return e;
}

Code Coder::begin_function(std::string name, const Type* parameter) {
  Open open;
  open.function.name = std::move(name);
  open.function.line = *line_;
  open_.push_back(std::move(open));
  open_.back().blocks.emplace_back();
  const Code c{fresh(parameter), parameter, {}};
  open_.back().function.param = c.id;
  return c;
}

std::int32_t Coder::reserve() {
  program_.functions.emplace_back();
  return static_cast<std::int32_t>(program_.functions.size()) - 1;
}

void Coder::end_function(Code result, std::int32_t at) {
  ExprPtr body = close(result);
  open_.back().function.body = std::move(body);
  program_.functions[static_cast<std::size_t>(at)] = std::move(open_.back().function);
  open_.pop_back();
}

Code Coder::call(std::int32_t function, Code argument, const Type* result) {
  ExprPtr e = node(Kind::kCall, result);
  e->id = function;
  e->kids.push_back(use(argument));
  return bind(std::move(e));
}

core::Program Coder::take(std::int32_t entry) {
  program_.entry = entry;
  program_.sound = true;
  lift_functions(program_, variables_);
  return std::move(program_);
}

Code Coder::input(const Type* type, std::size_t number) {
  ExprPtr e = node(Kind::kInput, type);
  e->id = static_cast<std::int32_t>(number);
  program_.inputs.push_back(static_cast<std::uint32_t>(number));
  return bind(std::move(e));
}

Code Coder::integer(std::int64_t n) { return {-1, integer_type(), n}; }

Code Coder::real(double x) {
  ExprPtr e = node(Kind::kFloat, real_type());
  e->real = x;
  return bind(std::move(e));
}

Code Coder::boolean(bool b) {
  ExprPtr e = node(Kind::kBool, boolean_type());
  e->number = b ? 1 : 0;
  return bind(std::move(e));
}

Code Coder::integers(std::span<const std::int64_t> numbers) {
  if (numbers.empty()) return empty(integer_type());
  ExprPtr e = node(Kind::kSeq, core::seq_type(integer_type()));
  for (const std::int64_t n : numbers) {
    e->kids.push_back(node(Kind::kInt, integer_type()));
    e->kids.back()->number = n;
  }
  return bind(std::move(e));
}

Code Coder::reals(std::span<const double> numbers) {
  if (numbers.empty()) return empty(real_type());
  ExprPtr e = node(Kind::kSeq, core::seq_type(real_type()));
  for (const double x : numbers) {
    e->kids.push_back(node(Kind::kFloat, real_type()));
    e->kids.back()->real = x;
  }
  return bind(std::move(e));
}

Code Coder::booleans(std::span<const std::int64_t> numbers) {
  if (numbers.empty()) return empty(boolean_type());
  ExprPtr e = node(Kind::kSeq, core::seq_type(boolean_type()));
  for (const std::int64_t n : numbers) {
    e->kids.push_back(node(Kind::kBool, boolean_type()));
    e->kids.back()->number = n;
  }
  return bind(std::move(e));
}

Code Coder::empty(const Type* element) { return bind(node(Kind::kEmpty, core::seq_type(element))); }

Code Coder::zero(const Type* type) {
  check_stack();
  switch (type->kind) {
    case core::TypeKind::kFloat: return real(0);
    case core::TypeKind::kBool: return boolean(false);
    case core::TypeKind::kSeq: return empty(type->a);
    case core::TypeKind::kPair: return pair(zero(type->a), zero(type->b));
    default: return integer(0);
  }
}

Coder::ExprPtr Coder::argument(std::span<const Code> arguments) const {
  ExprPtr e = use(arguments.back());
  for (std::size_t k = arguments.size() - 1; k-- > 0;) {
    ExprPtr p = node(Kind::kPair, core::pair_type(arguments[k].type, e->type));
    p->kids.push_back(use(arguments[k]));
    p->kids.push_back(std::move(e));
    e = std::move(p);
  }
  return e;
}

Code Coder::plus(Code a, Code b) {
  std::int64_t n = 0;
  if (a.known && b.known && !__builtin_add_overflow(*a.known, *b.known, &n)) return integer(n);
  if (a.known == 0) return b;
  if (b.known == 0) return a;
  return op(Prim::kAdd, integer_type(), {a, b});
}

Code Coder::minus(Code a, Code b) {
  std::int64_t n = 0;
  if (a.known && b.known && !__builtin_sub_overflow(*a.known, *b.known, &n)) return integer(n);
  if (b.known == 0) return a;
  return op(Prim::kSub, integer_type(), {a, b});
}

Code Coder::times(Code a, Code b) {
  std::int64_t n = 0;
  if (a.known && b.known && !__builtin_mul_overflow(*a.known, *b.known, &n)) return integer(n);
  if (a.known == 1) return b;
  if (b.known == 1) return a;
  return op(Prim::kMul, integer_type(), {a, b});
}

Code Coder::quotient(Code a, Code b) {
  if (b.known == 1) return a;
  if (a.known && b.known && *b.known > 0) return integer(*a.known / *b.known);
  return op(Prim::kDiv, integer_type(), {a, b});
}

Code Coder::remainder(Code a, Code b) { return op(Prim::kRem, integer_type(), {a, b}); }

Code Coder::pair(Code a, Code b) {
  const Code both[] = {a, b};
  return bind(argument(both));
}

Code Coder::tuple(std::span<const Code> parts) {
  if (parts.empty()) return integer(0);
  if (parts.size() == 1) return parts[0];
  return bind(argument(parts));
}

const core::Type* Coder::tuple_type(std::span<const Type* const> parts) {
  if (parts.empty()) return integer_type();
  const Type* type = parts.back();
  for (std::size_t k = parts.size() - 1; k-- > 0;) type = core::pair_type(parts[k], type);
  return type;
}

std::vector<Code> Coder::parts(Code tuple, std::size_t n) {
  std::vector<Code> out;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    out.push_back(first(tuple));
    tuple = second(tuple);
  }
  if (n > 0) out.push_back(tuple);
  return out;
}

Code Coder::first(Code pair) {
  ExprPtr e = node(Kind::kFirst, pair.type->a);
  e->kids.push_back(use(pair));
  return bind(std::move(e));
}

Code Coder::second(Code pair) {
  ExprPtr e = node(Kind::kSecond, pair.type->b);
  e->kids.push_back(use(pair));
  return bind(std::move(e));
}

Code Coder::sequence(std::span<const Code> elements) {
  ExprPtr e = node(Kind::kSeq, core::seq_type(elements[0].type));
  for (const Code& c : elements) e->kids.push_back(use(c));
  return bind(std::move(e));
}

Code Coder::dist(Code x, Code n) { return op(Prim::kDist, core::seq_type(x.type), {x, n}); }

Code Coder::range(Code from, Code to) {
  return op(Prim::kIseq, core::seq_type(integer_type()), {from, integer(1), to});
}

Code Coder::groups(Code v, Code n, Code size) {
  return op(Prim::kPartition, core::seq_type(v.type), {v, dist(size, n)});
}

Code Coder::pack(Code v, Code flags) {
  const Code pairs = op(Prim::kZip, core::seq_type(core::pair_type(v.type->a, boolean_type())), {v, flags});
  return op(Prim::kPack, v.type, {pairs});
}

Code Coder::checked(Code fine, const std::string& message, Code value) {
  // The message has to be a literal where it stands.
  ExprPtr text = node(Kind::kString, core::seq_type(core::base_type(core::TypeKind::kChar)));
  text->text = message;
  ExprPtr rest = node(Kind::kPair, core::pair_type(text->type, value.type));
  rest->kids.push_back(std::move(text));
  rest->kids.push_back(use(value));
  ExprPtr all = node(Kind::kPair, core::pair_type(boolean_type(), rest->type));
  all->kids.push_back(use(fine));
  all->kids.push_back(std::move(rest));
  ExprPtr e = node(Kind::kPrim, value.type);
  e->prim = Prim::kCheck;
  e->kids.push_back(std::move(all));
  return bind(std::move(e));
}

Code Coder::each(std::span<const Code> sequences, const Body& body) {
  ExprPtr e = node(Kind::kEach, nullptr);
  std::vector<Code> elements;
  for (const Code& s : sequences) {
    elements.push_back({fresh(s.type->a), s.type->a, {}});
    e->vars.push_back(elements.back().id);
    e->kids.push_back(use(s));
  }
  ExprPtr inside = block(true, [&] { return body(elements); });
  e->type = core::seq_type(inside->type);
  e->kids.push_back(std::move(inside));
  return bind(std::move(e));
}

Code Coder::branch(Code condition, Part yes, Part no) {
  const auto closed = [&](Part& part) {
    return block(false, [&] {
      open_.back().blocks.back().lets = std::move(part.lets);
      return part.result;
    });
  };
  ExprPtr c = use(condition);
  ExprPtr a = closed(yes);
  ExprPtr b = closed(no);
  ExprPtr e = node(Kind::kIf, a->type);
  e->kids.push_back(std::move(c));
  e->kids.push_back(std::move(a));
  e->kids.push_back(std::move(b));
  return bind(std::move(e));
}

Bindings::Bindings(const Coder& code)
    : code_(code), function_(code.open_.size() - 1), end_(code.open_.back().blocks.size()) {
  const auto& blocks = code.open_.back().blocks;
  for (first_ = end_ - 1; first_ > 0 && !blocks[first_].repeated;) --first_;
}

const core::Expr* Bindings::of(std::int32_t variable) const {
  const auto& blocks = code_.open_[function_].blocks;
  const auto before = [](const auto& let, std::int32_t id) { return let.first < id; };
  for (std::size_t b = first_; b < end_; ++b) {
    const auto& lets = blocks[b].lets;
    const auto let = std::lower_bound(lets.begin(), lets.end(), variable, before);
    if (let != lets.end() && let->first == variable) return let->second.get();
  }
  return nullptr;
}

}  // namespace nvm::remora
