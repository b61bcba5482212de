// One NESL expression in kernel mode and with block mode, in turn, in one process: for modes.py.
//
//   modes_bench ROUNDS SEED FILE.nesl EXPRESSION
//
// Each machine computes the expression from the same data, `off` twice: once as `again`, so that two columns
// show what the measurement itself makes of equal things. A line per round, milliseconds of each, in an order
// that is drawn anew for each round, as is who comes first of all: whose first runs meet new memory chooses
// between kernels and primitives by other times. Before them four rounds that do not count, in which block
// mode measures what pays and regions are compiled. Twenty seconds are enough, if three rounds are done. The
// last line has the calls that the last round of `auto` made in groups.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>

#include "vm/lib/nesl.hpp"

namespace {

using namespace nvm::lib;

struct Mode {
  const char* name;
  std::int64_t threshold;
};
constexpr std::array<Mode, 3> kModes = {{{"off", 0}, {"auto", -1}, {"again", 0}}};
constexpr int kWarmUp = 4;
constexpr int kLeastRounds = 3;
constexpr double kBudget = 20e3;  // milliseconds

// Milliseconds of a run; exits if it fails.
double run(Vm& vm, const Nesl::Prepared& prepared, std::uint64_t& calls) {
  const auto begin = std::chrono::steady_clock::now();
  auto done = vm.run(prepared.program, prepared.inputs);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (!done) {
    std::fprintf(stderr, "%s\n", done.failure().message.c_str());
    std::exit(EXIT_FAILURE);
  }
  calls = done->counters.block_calls;
  return took.count();
}

int measure(int rounds, unsigned seed, const char* file, const char* expression) {
  NeslOptions options;
  options.vm.seed = 1;
  Nesl nesl(options, std::cerr, std::cerr);
  if (nesl.run_file(file) != NeslStatus::kOk) return EXIT_FAILURE;
  const auto prepared = nesl.prepare(expression);
  if (!prepared) return EXIT_FAILURE;
  std::vector<Vm> machines;
  for (const Mode& mode : kModes) {
    Options vm = options.vm;
    vm.block_threshold = mode.threshold;
    machines.emplace_back(vm);
    std::printf("%s ", mode.name);
  }
  std::printf("\n");
  std::array<std::size_t, kModes.size()> order = {0, 1, 2};
  std::mt19937 random(seed);
  std::array<std::uint64_t, kModes.size()> calls{};
  double all = 0;
  for (int round = -kWarmUp; round < rounds && (round < kLeastRounds || all < kBudget); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::array<double, kModes.size()> took{};
    for (const std::size_t m : order) all += took[m] = run(machines[m], *prepared, calls[m]);
    if (round < 0) continue;
    for (const double milliseconds : took) std::printf("%.4f ", milliseconds);
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("calls %llu\n", static_cast<unsigned long long>(calls[1]));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: modes_bench ROUNDS SEED FILE.nesl EXPRESSION\n");
    return 2;
  }
  return measure(std::atoi(argv[1]), static_cast<unsigned>(std::atoi(argv[2])), argv[3], argv[4]);
}
