#include "tests/bench/suite/outside.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tests/bench/suite/exchange.h"
#include "vm/lib/nesl.hpp"

namespace nvm::bench {

namespace {

// What a command printed, and how it ended.
struct Output {
  std::string text;
  int status = 0;
};

Output output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  Output out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.text.append(buffer, n);
  out.status = ::pclose(pipe);
  return out;
}

std::optional<double> last_number(const std::string& text) {
  static const std::regex number(R"([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)");
  std::optional<double> last;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), number); it != std::sregex_iterator(); ++it)
    last = std::strtod(it->str().c_str(), nullptr);
  return last;
}

// Seconds that a command printed, and what went wrong if it did not.
struct Printed {
  double seconds = 0;
  std::string wrong;
};

Printed printed_by(const std::string& command) {
  const Output out = output_of(command);
  const auto seconds = last_number(out.text);
  if (out.status != 0) return {0, "status " + std::to_string(WEXITSTATUS(out.status))};
  if (!seconds) return {0, "printed no number"};
  return {*seconds, *seconds > 0 ? "" : "printed " + std::to_string(*seconds) + " as seconds"};
}

// Elements of eight bytes that a legacy interpreter may use: it takes its memory at the start, and touches
// what it needs.
constexpr std::int64_t kLegacyMemory = 400'000'000;

struct LegacyProgram {
  std::string_view id;
  const char* expression;
};
constexpr LegacyProgram kLegacy[] = {
#define LEGACY(id, expression) {id, expression},
#include "tests/bench/workloads/legacy.def"
};

// VCODE of the expression with N in place, in a file that goes with its owner.
class VcodeFile {
 public:
  VcodeFile(const Workload& workload, const std::string& expression)
      : path_(std::filesystem::temp_directory_path() /
              ("nvm_bench_" + std::to_string(::getpid()) + ".vcode")) {
    std::ostringstream messages;
    lib::Nesl nesl({}, messages, messages);
    nesl.compile_only();
    std::optional<std::string> vcode;
    if (nesl.run_file(workload.program_file()) == lib::NeslStatus::kOk) vcode = nesl.compile(expression);
    if (!vcode) throw std::runtime_error(std::string(workload.id) + ": " + messages.str());
    std::ofstream(path_) << *vcode;
  }
  ~VcodeFile() { std::filesystem::remove(path_); }
  VcodeFile(const VcodeFile&) = delete;
  VcodeFile& operator=(const VcodeFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Contestant command_contestant(const std::string& name, const std::string& command, const Workload& workload,
                              const Instance& instance, const Problem& problem) {
  const auto exchange = std::make_shared<Exchange>(instance);
  const auto last = std::make_shared<Printed>();
  const std::string line = "export NVM_BENCH_WORKLOAD=" + std::string(workload.id) +
                           " NVM_BENCH_N=" + std::to_string(instance.n > 0 ? instance.n : problem.n) +
                           " NVM_BENCH_SEED=" + std::to_string(problem.seed) +
                           " NVM_BENCH_THREADS=" + std::to_string(problem.threads) + " NVM_BENCH_DATA='" +
                           exchange->path() + "'; " + command;
  const auto run = [=] {
    exchange->forget();
    *last = printed_by(line);
    return last->seconds;
  };
  const auto check = [=]() -> std::string {
    if (!last->wrong.empty()) return last->wrong;
    return exchange->check().value_or("");
  };
  Contestant c{name, command, run, check, 0};
  c.unchecked = [=] { return !exchange->check().has_value(); };
  return c;
}

std::optional<Contestant> legacy_contestant(const std::string& path, const Workload& workload,
                                            std::int64_t n) {
  for (const LegacyProgram& program : kLegacy) {
    if (program.id != workload.id) continue;
    const std::string expression =
        std::regex_replace(program.expression, std::regex(R"(\bN\b)"), std::to_string(n));
    const auto file = std::make_shared<VcodeFile>(workload, expression);
    const auto last = std::make_shared<Printed>();
    const std::string command =
        "'" + path + "' -m " + std::to_string(kLegacyMemory) + " '" + file->path() + "'";
    const auto run = [=] {
      *last = printed_by(command);
      return last->seconds;
    };
    Contestant c{"legacy", "data of its own, one thread", run, [file, last] { return last->wrong; }, 0};
    c.unchecked = [] { return true; };
    return c;
  }
  return std::nullopt;
}

}  // namespace nvm::bench
