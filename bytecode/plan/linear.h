// Linear programs: the least cost of variables between 0 and 1 under linear constraints. By lp_solve, which
// only linear.cpp knows, and which is believed nothing: a bound is computed from its multipliers of the
// constraints and holds whatever they are. (Left to search for whole numbers, lp_solve 5.5.2.5 misses the
// least solution of small programs.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nvm::plan {

class LinearProgram {
 public:
  explicit LinearProgram(std::span<const double> costs);  // by variable
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  struct Term {
    std::int32_t variable = 0;
    double factor = 1.0;
  };
  void add_exactly(std::span<const Term> terms, double sum);
  void add_at_most(std::span<const Term> terms, double sum);
  // The variable is between these from now on.
  void limit(std::int32_t variable, double least, double most);

  struct Solution {
    std::vector<double> values;  // by variable, as good as the solver is
    double bound = 0.0;          // nothing costs less
  };
  // nullopt if there is no solution, or the solver gave up. Deterministic; it gives up after as many steps as
  // are left of `steps`, from which it takes those that it made.
  std::optional<Solution> solve(int& steps);

 private:
  struct Row {
    std::vector<Term> terms;
    double sum = 0.0;
    bool exactly = true;
  };
  void add(std::span<const Term> terms, bool exactly, double sum);
  [[nodiscard]] double bound(std::span<const double> multipliers) const;

  std::vector<double> costs_, least_, most_;
  std::vector<Row> rows_;
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

// Of lp_solve: "5.5.2.5".
[[nodiscard]] std::string solver_version();

}  // namespace nvm::plan
