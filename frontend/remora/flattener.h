// Inside of flatten().
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "frontend/remora/flatten.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

using Dims = std::vector<std::int64_t>;

// The atoms of an array in each lane of the context at `depth`, in the vector `name`.
struct FlatArray {
  std::string name = {};
  AtomKind kind = AtomKind::kInt;
  Dims shape = {};
  std::size_t depth = 0;
};

struct FlatScope;
using FlatScopeRef = const FlatScope*;  // of Flattener::scopes_

// An array, or a function or abstraction that is known.
struct FlatValue {
  std::optional<FlatArray> array = {};
  const Expr* code = nullptr;  // kLambda, kTypeLambda, kIndexLambda, kIfFunction
  FlatScopeRef scope = nullptr;
  Substitution known = {};
  std::int32_t library = -1;
  std::vector<Dims> indices = {};
};

struct FlatScope {
  ValueId id = -1;
  FlatValue value;
  FlatScopeRef next = nullptr;
};

class Flattener {
 public:
  explicit Flattener(const Program& program) : program_(program) {}
  FlatProgram all();

 private:
  using Values = std::vector<FlatValue>;
  using Place = std::function<std::string(const std::string&)>;

  FlatValue eval(const Expr& e);
  FlatArray array(const Expr& e);
  FlatArray literal(const Expr& e);
  void append_atoms(const Expr& e, AtomKind kind, std::string& text) const;
  FlatValue stacked(const Expr& e);
  FlatValue apply(const Expr& e);
  FlatValue instantiate(const Expr& e);
  FlatValue conditional(const Expr& e);
  FlatValue let(const Expr& e);
  void bind(ValueId id, FlatValue value);
  // `frames` of the arguments are beginnings of `frame`.
  FlatValue framed(const FlatValue& f, Values arguments, const std::vector<Dims>& frames, const Dims& frame);
  FlatValue call(const FlatValue& f, const Values& arguments);
  FlatValue closure(const FlatValue& f, const Values& arguments);

  // ---- the library; flatten_library.cpp
  FlatValue library(const FlatValue& f, const Values& arguments);
  [[nodiscard]] std::optional<FlatArray> scalar_call(Library id, const std::vector<FlatArray>& a);
  [[nodiscard]] std::optional<FlatArray> checked_call(Library id, const std::vector<FlatArray>& a);
  [[nodiscard]] std::optional<FlatArray> rearranged(const FlatValue& f, const std::vector<FlatArray>& a);
  FlatArray reduced(const FlatValue& op, FlatArray x, const Dims& pad);
  FlatArray scanned(const FlatValue& op, FlatArray x, const Dims& pad);
  FlatArray with_zero(const FlatValue& op, const FlatArray& zero, const FlatArray& x, const Dims& frame);
  FlatArray combined(const FlatValue& op, const FlatArray& a, const FlatArray& b, const Dims& frame);
  FlatValue prefix(Library id, const FlatValue& f, const Values& arguments);
  FlatValue folded(Library id, const Values& arguments);
  FlatArray total(const FlatArray& x, const char* function);
  FlatArray gathered(const FlatArray& x, const FlatArray& index, bool checked);

  // ---- vectors; flatten_vectors.cpp
  FlatArray emit(AtomKind kind, Dims shape, std::size_t depth, const std::string& text);
  [[nodiscard]] std::int64_t length(const FlatArray& a) const;
  FlatArray empty(AtomKind kind, Dims shape, std::size_t depth);
  // Element k of the result is the one at index(k), written for a variable k.
  FlatArray picked(const FlatArray& a, Dims shape, std::size_t depth, const std::string& index);
  FlatArray expand(const FlatArray& a, std::size_t depth);
  // Cells, each `times` times.
  FlatArray repeated(const FlatArray& a, std::int64_t times, Dims shape, std::size_t depth);
  // `body` of p, q, r, ... of arrays of one shape.
  FlatArray each(AtomKind kind, const std::string& body, std::vector<FlatArray> arrays);
  // n items: item j is the one at place(j).
  FlatArray items(const FlatArray& a, std::int64_t n, const Place& place);
  FlatArray appended(const FlatArray& a, const FlatArray& b);
  FlatArray constant(std::int64_t n);
  void note(const char* kind, const FlatArray& failed);  // where the mask is set

  [[nodiscard]] std::size_t depth() const { return lanes_.size() - 1; }
  [[nodiscard]] Dims dims(const Shape& s) const;
  [[nodiscard]] Type type(const Type& t) const;
  [[noreturn]] void refuse(const std::string& what) const;

  const Program& program_;
  std::vector<std::int64_t> lanes_{1};
  std::deque<FlatScope> scopes_;  // all there were
  FlatScopeRef scope_ = nullptr;
  Substitution known_;
  std::optional<FlatArray> mask_;
  SourcePos here_, site_;
  int calls_ = 0;
  std::int64_t evaluated_ = 0;
  std::int64_t names_ = 0;
  std::string text_;
  std::vector<FlatCheck> checks_;
  std::vector<std::string> flags_;
};

[[nodiscard]] std::int64_t count_of(const Dims& d);
[[nodiscard]] Dims joined_dims(const Dims& a, const Dims& b);

}  // namespace nvm::remora
