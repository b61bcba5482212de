#include "vm/cmd/figures.h"

#include <charconv>
#include <cstdio>

#include "vm/cmd/commands.h"
#include "vm/profile/bound.h"

namespace nvm::cmd {

namespace {

using Names = std::map<std::string, double, std::less<>>;

void line(const char* name, std::uint64_t value) {
  std::fprintf(stderr, "%-15s %llu\n", name, static_cast<unsigned long long>(value));
}

void print_counters(const lib::Counters& c) {
  line("instructions", c.instructions);
  // That of masked loops is not counted.
  line(c.masked_loops == 0 ? "work" : "work elsewhere", c.work);
  line("uncharged", c.uncharged);
  line("bytes", c.bytes);
  line("peak bytes", c.peak_bytes);
  line("mapped bytes", c.mapped_bytes);
  line("regions", c.regions);
  line("fused", c.fused);
  line("compiled", c.compiled);
  line("block calls", c.block_calls);
  line("block groups", c.block_groups);
  line("block levels", c.block_levels);
  std::fprintf(stderr, "%-15s %.6f\n%-15s %.6f\n", "compile seconds", c.compile_seconds, "seconds",
               c.seconds);
  if (c.largest_share > 0) {  // there were ranks
    line("rounds", c.rounds);
    line("messages", c.messages);
    line("bytes sent", c.bytes_sent);
    std::fprintf(stderr, "%-15s %.2f\n%-15s %.6f\n", "largest share", c.largest_share, "waited seconds",
                 c.waited_seconds);
  }
  if (c.checkpoints > 0) line("checkpoints", c.checkpoints);
  if (!c.devices.empty()) std::fputs("devices (parts, iterations):\n", stderr);
  for (const lib::Counters::Device& d : c.devices)
    std::fprintf(stderr, "  %-13s %llu %llu\n", d.name.c_str(), static_cast<unsigned long long>(d.parts),
                 static_cast<unsigned long long>(d.iterations));
  if (c.fast_paths.empty()) return;
  std::fputs("fast paths:\n", stderr);
  for (const auto& [name, times] : c.fast_paths)
    std::fprintf(stderr, "  %-17.*s %llu\n", static_cast<int>(name.size()), name.data(),
                 static_cast<unsigned long long>(times));
}

void print_cost(const lib::Counters& c) {
  line("work", c.work);
  line("depth", c.instructions);
  std::fprintf(stderr, "%-15s %.1f\n", "parallelism",
               c.instructions == 0 ? 0.0 : static_cast<double>(c.work) / static_cast<double>(c.instructions));
  line("peak bytes", c.peak_bytes);
}

Names names_of(const Arguments& arguments, const lib::Counters& c, const Lengths& lengths) {
  Names names{{"work", static_cast<double>(c.work)},
              {"depth", static_cast<double>(c.instructions)},
              {"peak", static_cast<double>(c.peak_bytes)}};
  for (const auto& [name, length] : lengths) names["#" + name] = static_cast<double>(length);
  for (const std::string& word : arguments.all(Option::kLet)) {
    const std::size_t equals = word.find('=');
    double value = 0;
    const char* from = word.data() + std::min(equals, word.size() - 1) + 1;
    const char* to = word.data() + word.size();
    if (equals == std::string::npos || equals == 0 || std::from_chars(from, to, value).ptr != to ||
        from == to || (word[0] >= '0' && word[0] <= '9'))
      throw UsageError{"--let " + word + ": expected NAME=NUMBER"};
    if (!names.try_emplace(word.substr(0, equals), value).second)
      throw UsageError{"--let " + word + ": this name is taken"};
  }
  return names;
}

}  // namespace

void check_figures(const Arguments& arguments, const Lengths& lengths) {
  const Names names = names_of(arguments, {}, lengths);
  for (const std::string& bound : arguments.all(Option::kAssert)) {
    const vm::BoundCheck check = vm::check_bound(bound, names);
    if (!check.error.empty()) throw UsageError{"--assert: " + check.error};
  }
}

int report_figures(const Arguments& arguments, const lib::Counters& counters, const Lengths& lengths) {
  if (arguments.given(Option::kStats)) print_counters(counters);
  if (arguments.given(Option::kCost)) print_cost(counters);
  const Names names = names_of(arguments, counters, lengths);
  int status = kGood;
  for (const std::string& bound : arguments.all(Option::kAssert)) {
    const vm::BoundCheck check = vm::check_bound(bound, names);
    if (check.holds) continue;
    std::fprintf(stderr, "nvm: the bound %s does not hold: %.12g against %.12g (work %llu, depth %llu)\n",
                 bound.c_str(), check.left, check.right, static_cast<unsigned long long>(counters.work),
                 static_cast<unsigned long long>(counters.instructions));
    status = kFault;
  }
  return status;
}

}  // namespace nvm::cmd
