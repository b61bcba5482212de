#include "frontend/remora/type_reader.h"

#include <algorithm>
#include <set>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"

namespace nvm::remora {

namespace {

using Kind = Tree::Kind;

[[noreturn]] void fail(const char* kind, const Tree& at, std::string text) {
  throw Error{kind, at.pos, std::move(text)};
}

}  // namespace

bool is_word(const Tree& t, std::string_view words) {
  if (!t.is(Kind::kName)) return false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == t.text) return true;
    at = end + 1;
  }
  return false;
}

std::string name_of(const Tree& t, std::string_view what) {
  if (!t.is(Kind::kName)) fail("syntax", t, "expected " + std::string(what));
  return t.text;
}

bool is_array_type(const Tree& t) {
  return t.is(Kind::kSquare) || (t.is(Kind::kName) && t.text.starts_with('@')) ||
         (t.is(Kind::kRound) && !t.kids.empty() && is_word(t.kids[0], "Arr A"));
}

void parts(const Tree& t, std::size_t n, std::string_view shape, Kind brackets) {
  if (t.is(brackets) && t.kids.size() == n) return;
  fail("syntax", t.is(brackets) && t.kids.size() > n ? t.kids[n] : t, "expected " + std::string(shape));
}

Type TypeReader::type(const Tree& t) {
  check_stack();
  check_budget();
  switch (t.kind) {
    case Kind::kName: {
      if (t.text == "int") return scalar(AtomKind::kInt);
      if (t.text == "float") return scalar(AtomKind::kFloat);
      if (t.text == "bool") return scalar(AtomKind::kBool);
      if (t.text == "char") return scalar(AtomKind::kChar);
      if (const Type* known = scope_.type(t.text)) return *known;
      fail("unbound-type", t, "there is no type " + visible(t.text));
    }
    case Kind::kSquare:
      if (t.kids.empty()) fail("syntax", t, "expected [element-type dimension ...]");
      return {kNoVar, atom(t.kids[0]), spliced(std::span(t.kids).subspan(1))};
    case Kind::kCurly: return record(t);
    case Kind::kRound:
      if (!t.kids.empty()) return form(t);
      [[fallthrough]];
    default: fail("syntax", t, "expected a type");
  }
}

AtomRef TypeReader::atom(const Tree& t) {
  const Type found = type(t);
  if (found.array != kNoVar || is_array_type(t) || !found.shape.empty())
    fail("kind", t, "expected an element type, not that of an array: elements of arrays are atoms");
  return found.atom;
}

Type TypeReader::form(const Tree& t) {
  const Tree& head = t.kids[0];
  if (is_word(head, "Arr A")) {
    parts(t, 3, "(Arr element-type shape)");
    return {kNoVar, atom(t.kids[1]), shape(t.kids[2])};
  }
  if (is_word(head, "-> →")) {
    parts(t, 3, "(-> (parameter-type ...) result-type)");
    if (!t.kids[1].is(Kind::kRound))
      fail("syntax", t.kids[1], "expected the parameters' types in parentheses");
    std::vector<Type> parameters;
    for (const Tree& p : t.kids[1].kids) parameters.push_back(type(p));
    return scalar(function_type(std::move(parameters), type(t.kids[2])));
  }
  if (is_word(head, "Forall ∀")) return bound(AtomKind::kForall, t);
  if (is_word(head, "Pi Π")) return bound(AtomKind::kPi, t);
  if (is_word(head, "Sigma Σ")) return bound(AtomKind::kSigma, t);
  fail("syntax", t, "expected a type");
}

Type TypeReader::bound(AtomKind kind, const Tree& t) {
  parts(t, 3, "(" + t.kids[0].text + " (variable ...) type)");
  const Scope::Level level(scope_);
  std::vector<Var> names = kind == AtomKind::kForall ? bind_types(t.kids[1]) : bind_indices(t.kids[1]);
  return scalar(binder(kind, std::move(names), type(t.kids[2])));
}

Type TypeReader::record(const Tree& t) {
  std::vector<std::pair<std::string, Type>> fields;
  for (const Tree& f : t.kids) {
    parts(f, 2, "(field type)");
    const std::string name = name_of(f.kids[0], "the name of a field");
    for (const auto& [known, type] : fields)
      if (known == name) fail("duplicate", f.kids[0], "two fields are called " + name);
    fields.emplace_back(name, type(f.kids[1]));
  }
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Atom a;
  a.kind = AtomKind::kRecord;
  for (auto& [name, type] : fields) {
    a.names.push_back(name);
    a.types.push_back(std::move(type));
  }
  return scalar(atom_of(std::move(a)));
}

TypeReader::Index TypeReader::named(const Tree& t) {
  const Shape* known = scope_.index(t.text);
  if (known == nullptr) fail("unbound-index", t, "there is no index " + visible(t.text));
  if (!t.text.starts_with('@')) return (*known)[0].dim;
  return *known;
}

TypeReader::Index TypeReader::index(const Tree& t) {
  check_stack();
  check_budget();
  if (t.is(Kind::kInt)) {
    if (t.number < 0) fail("sort", t, "a dimension is a natural number");
    return Dim(t.number);
  }
  if (t.is(Kind::kName)) return named(t);
  if (t.is(Kind::kSquare)) return spliced(t.kids);
  if (!t.is(Kind::kRound) || t.kids.empty()) fail("syntax", t, "expected an index: a dimension or a shape");
  const auto rest = std::span(t.kids).subspan(1);
  if (is_word(t.kids[0], "shape ++")) return spliced(rest);
  if (is_word(t.kids[0], "prod")) {
    parts(t, 2, "(prod shape)");
    return variables_.product(shape(rest[0]));
  }
  if (!is_word(t.kids[0], "+ *"))
    fail("syntax", t, "expected an index: (+ ...), (* ...), (++ ...), (shape ...) or (prod ...)");
  const bool sum = t.kids[0].text == "+";
  Dim out(sum ? 0 : 1);
  try {
    for (const Tree& part : rest) out = sum ? plus(out, dim(part)) : times(out, dim(part));
  } catch (const TooLarge&) {
    fail("sort", t, "this dimension is too large");
  }
  return out;
}

Dim TypeReader::dim(const Tree& t) {
  const Index found = index(t);
  if (const Dim* d = std::get_if<Dim>(&found)) return *d;
  fail("sort", t, "expected a dimension, this is a shape");
}

Shape TypeReader::shape(const Tree& t) {
  const Index found = index(t);
  if (const Dim* d = std::get_if<Dim>(&found)) return {piece(*d)};
  return std::get<Shape>(found);
}

Shape TypeReader::spliced(std::span<const Tree> pieces) {
  Shape out;
  for (const Tree& p : pieces) out = joined(std::move(out), shape(p));
  return out;
}

std::vector<Var> TypeReader::bind(std::span<const Tree> names, bool types) {
  std::vector<Var> out;
  std::set<std::string> seen;
  for (const Tree& t : names) {
    const std::string name = name_of(t, types ? "a type variable" : "an index variable");
    if (!seen.insert(name).second) fail("duplicate", t, "two variables are called " + name);
    if (types && is_word(t, "int float bool char")) fail("duplicate", t, name + " is a type of the language");
    const bool at = name.starts_with('@');
    const Sort sort = types ? (at ? Sort::kArray : Sort::kAtom) : (at ? Sort::kShape : Sort::kDim);
    const Var v = variables_.fresh(sort, name);
    out.push_back(v);
    if (sort == Sort::kArray) scope_.bind_type(name, {v, {}, {}});
    if (sort == Sort::kAtom) scope_.bind_type(name, scalar(variable_type(v)));
    if (sort == Sort::kShape) scope_.bind_index(name, {{v, {}}});
    if (sort == Sort::kDim) scope_.bind_index(name, {piece(Dim::of(v))});
  }
  return out;
}

std::vector<Var> TypeReader::bind_types(std::span<const Tree> names) { return bind(names, true); }
std::vector<Var> TypeReader::bind_indices(std::span<const Tree> names) { return bind(names, false); }
std::vector<Var> TypeReader::bind_types(const Tree& names) {
  if (!names.is(Kind::kRound)) fail("syntax", names, "expected names in parentheses");
  return bind(names.kids, true);
}
std::vector<Var> TypeReader::bind_indices(const Tree& names) {
  if (!names.is(Kind::kRound)) fail("syntax", names, "expected names in parentheses");
  return bind(names.kids, false);
}

}  // namespace nvm::remora
