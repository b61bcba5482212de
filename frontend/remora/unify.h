// Finding what unknowns stand for (section 13.1).
#pragma once

#include "frontend/remora/types.h"

namespace nvm::remora {

class Unifier {
 public:
  explicit Unifier(Variables& variables) : v_(variables) {}

  // While one lives, equations of dimensions that lack more than one unknown wait there, to be tried again
  // when more is known; else they fail.
  using Equations = std::vector<std::pair<Dim, Dim>>;
  class Deferral {
   public:
    Deferral(Unifier& unifier, Equations& to) : unifier_(unifier) { unifier_.later_ = &to; }
    ~Deferral() { unifier_.later_ = nullptr; }
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;

   private:
    Unifier& unifier_;
  };

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
  [[nodiscard]] bool lacks_several(const Dim& d) const;
  static bool occurs(Var unknown, const Type& in);
  bool bodies(const Atom& a, const Atom& b);
  [[nodiscard]] bool open_shape(const Piece& p) const { return p.shape != kNoVar && v_.is_open(p.shape); }
  bool piece_equal(const Piece& a, const Piece& b);

  Variables& v_;
  Equations* later_ = nullptr;
};

// For every variable of a binder another one.
[[nodiscard]] Substitution renaming(const Variables& variables, const std::vector<Var>& from,
                                    const std::vector<Var>& to);

}  // namespace nvm::remora
