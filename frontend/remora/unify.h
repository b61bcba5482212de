// Finding what unknowns stand for (section 13.1).
#pragma once

#include "frontend/remora/types.h"

namespace nvm::remora {

class Unifier {
 public:
  explicit Unifier(Variables& variables) : v_(variables) {}

  // Each makes both sides equal by solving unknowns on either, and says whether that was possible; what was
  // solved before a failure stays.
  bool exact(const Type& a, const Type& b);
  bool exact(const AtomRef& a, const AtomRef& b);
  bool exact(const Shape& a, const Shape& b);
  bool exact(const Dim& a, const Dim& b);
  // Matches the last pieces of `argument`, as many as `cell` has, which has no unknown shape; how many pieces
  // are in front of them, or nothing.
  std::optional<std::size_t> end(const Shape& argument, const Shape& cell);
  [[nodiscard]] bool has_open_shape(const Shape& s) const;
  [[nodiscard]] bool has_open(const Type& t) const;
  // A binder's body with fresh unknowns, or fresh rigid variables, for what it binds.
  Type opened(const Atom& binder, bool unknown, std::vector<Var>* made = nullptr);

 private:
  bool solve_dim(const Dim& unknown, const Dim& other);
  static bool occurs(Var unknown, const Type& in);
  bool bodies(const Atom& a, const Atom& b);
  [[nodiscard]] bool open_shape(const Piece& p) const { return p.shape != kNoVar && v_.is_open(p.shape); }
  bool piece_equal(const Piece& a, const Piece& b);

  Variables& v_;
};

// For every variable of a binder another one.
[[nodiscard]] Substitution renaming(const Variables& variables, const std::vector<Var>& from,
                                    const std::vector<Var>& to);

}  // namespace nvm::remora
