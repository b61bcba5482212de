#include "bytecode/plan/linear.h"

#include <lpsolve/lp_lib.h>

#include <algorithm>
#include <mutex>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"

namespace nvm::plan {

namespace {

// lp_solve sets up its vector routines for all programs when it makes one, without regard to other threads.
std::mutex& making() {
  static std::mutex mutex;
  return mutex;
}

int __WINAPI out_of_steps(lprec*, void* steps) { return --*static_cast<int*>(steps) < 0 ? TRUE : FALSE; }

}  // namespace

struct LinearProgram::Solver {
  lprec* lp = nullptr;
};

LinearProgram::LinearProgram(std::span<const double> costs)
    : costs_(costs.begin(), costs.end()),
      least_(costs.size(), 0.0),
      most_(costs.size(), 1.0),
      solver_(std::make_unique<Solver>()) {
  const std::lock_guard lock(making());
  lprec* lp = solver_->lp = make_lp(0, static_cast<int>(costs.size()));
  NVM_CHECK(lp != nullptr, "out of memory");
  set_verbose(lp, NEUTRAL);
  set_minim(lp);
  set_scaling(lp, SCALE_NONE);  // all factors are small integers
  set_presolve(lp, PRESOLVE_DUALS, 0);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    set_obj(lp, static_cast<int>(i) + 1, costs[i]);
    set_upbo(lp, static_cast<int>(i) + 1, 1.0);
  }
  set_add_rowmode(lp, TRUE);
}

LinearProgram::~LinearProgram() { delete_lp(solver_->lp); }

void LinearProgram::add(std::span<const Term> terms, bool exactly, double sum) {
  std::vector<double> factors;
  std::vector<int> columns;
  for (const Term& t : terms) {
    factors.push_back(t.factor);
    columns.push_back(t.variable + 1);
  }
  const bool added = add_constraintex(solver_->lp, static_cast<int>(terms.size()), factors.data(),
                                      columns.data(), exactly ? EQ : LE, sum) == TRUE;
  NVM_CHECK(added, "out of memory");
  rows_.push_back({{terms.begin(), terms.end()}, sum, exactly});
}
void LinearProgram::add_exactly(std::span<const Term> terms, double sum) { add(terms, true, sum); }
void LinearProgram::add_at_most(std::span<const Term> terms, double sum) { add(terms, false, sum); }

void LinearProgram::limit(std::int32_t variable, double least, double most) {
  least_[at(variable)] = least;
  most_[at(variable)] = most;
  set_add_rowmode(solver_->lp, FALSE);
  set_bounds(solver_->lp, variable + 1, least, most);
}

// Costs are the constraints' sums, each times its multiplier, and what each variable costs beyond that; a sum
// that is only a limit can do no more than lower them.
double LinearProgram::bound(std::span<const double> multipliers) const {
  double bound = 0.0;
  std::vector<double> left = costs_;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double m = rows_[r].exactly ? multipliers[r] : std::min(multipliers[r], 0.0);
    bound += m * rows_[r].sum;
    for (const Term& t : rows_[r].terms) left[at(t.variable)] -= m * t.factor;
  }
  for (std::size_t v = 0; v < left.size(); ++v) bound += left[v] * (left[v] < 0.0 ? most_[v] : least_[v]);
  return bound;
}

std::optional<LinearProgram::Solution> LinearProgram::solve(int& steps) {
  lprec* lp = solver_->lp;
  set_add_rowmode(lp, FALSE);
  put_abortfunc(lp, out_of_steps, &steps);
  default_basis(lp);
  if (::solve(lp) != OPTIMAL) return std::nullopt;
  Solution s;
  s.values.resize(costs_.size());
  get_variables(lp, s.values.data());
  std::vector<double> multipliers(1 + rows_.size() + costs_.size());
  if (get_dual_solution(lp, multipliers.data()) != TRUE) return std::nullopt;
  s.bound = bound(std::span(multipliers).subspan(1, rows_.size()));
  return s;
}

std::string solver_version() {
  int major = 0, minor = 0, release = 0, build = 0;
  lp_solve_version(&major, &minor, &release, &build);
  std::string out;
  for (const int part : {major, minor, release, build})
    out += (out.empty() ? "" : ".") + std::to_string(part);
  return out;
}

}  // namespace nvm::plan
