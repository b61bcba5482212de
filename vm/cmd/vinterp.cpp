// The legacy interpreter's command line and manners (spec: command line, diagnostics and exit status).
#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/watch.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

namespace {

struct TraceWordRow {
  const char* word;
  const char* effect;
};
constexpr TraceWordRow kTraceWords[] = {
#define TRACE_WORD(id, word, effect) {word, effect},
#include "vm/lib/trace_words.def"
};

constexpr const char* kUsage =
    "usage: vinterp [-c] [-t] [-g] [-m N] [-d WORD] FILE\n"
    "  -c       check operands before each instruction\n"
    "  -m N     vector memory in units of 8 bytes\n"
    "  -t       print the elapsed time on standard error\n"
    "  -g       accepted, no effect\n"
    "  --rand libc|philox|lcg48, --int-bits 32|64   other random numbers, other integers than the legacy "
    "ones\n"
    "  --trace FILE  write what happens over time, for Perfetto and chrome://tracing\n"
    "  -d WORD  trace, on standard error; may be repeated:\n";

struct Legacy {
  lib::Random random = lib::Random::kLibc;
  int int_bits = 32;
  bool checks = false;
  bool time = false;
  std::uint64_t memory = 0;  // bytes, 0: no limit
  std::uint32_t shows = 0;   // bits of kTraceWords
  std::string file;
  std::string trace;
};

void usage(std::FILE* to) {
  std::fputs(kUsage, to);
  for (const TraceWordRow& row : kTraceWords)
    std::fprintf(to, "             %-8s %s\n", row.word, row.effect);
}

// The bit of a word of -d, 0 if it is none.
std::uint32_t trace_bit(const char* word) {
  std::uint32_t bit = 1;
  for (const TraceWordRow& row : kTraceWords) {
    if (std::strcmp(word, row.word) == 0) return bit;
    bit <<= 1;
  }
  return 0;
}

// Units of 8 bytes to bytes. Our accounting rounds vectors up a little: a program that fitted must still fit.
std::optional<std::uint64_t> memory_of(const char* text) {
  if (*text == '\0') return 0;
  const char first = text[std::strspn(text, " +-")];
  if (first < '0' || first > '9') return std::nullopt;  // strtod also knows "inf" and ".5"
  const double units = std::strtod(text, nullptr);
  if (!(units > 0 && units < 1e15)) return 0;
  return static_cast<std::uint64_t>(units) * 9 + 32 * 1024;
}

bool choose_random(const std::string& name, lib::Random& random) {
  if (name == "philox")
    random = lib::Random::kPhilox;
  else if (name == "lcg48")
    random = lib::Random::kLcg48;
  else
    return name == "libc";
  return true;
}

constexpr option kLongOptions[] = {{"rand", required_argument, nullptr, 'R'},
                                   {"int-bits", required_argument, nullptr, 'I'},
                                   {"trace", required_argument, nullptr, 'T'},
                                   {}};

// False: print the usage.
bool parse(const Words& words, Legacy& legacy) {
  std::vector<char*> argv{const_cast<char*>("vinterp")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int argc = static_cast<int>(argv.size()) - 1;
  ::optind = 1;
  for (int flag; (flag = ::getopt_long(argc, argv.data(), "cm:tgd:l:", kLongOptions, nullptr)) != -1;) {
    switch (flag) {
      case 'c': legacy.checks = true; break;
      case 't': legacy.time = true; break;
      case 'g': break;
      case 'l': break;  // FUSED is refused when it is read
      case 'R':
        if (!choose_random(::optarg, legacy.random)) return false;
        break;
      case 'I':
        legacy.int_bits = std::atoi(::optarg);
        if (legacy.int_bits != 32 && legacy.int_bits != 64) return false;
        break;
      case 'T': legacy.trace = ::optarg; break;
      case 'm': {
        const auto memory = memory_of(::optarg);
        if (!memory) return false;
        legacy.memory = *memory;
        break;
      }
      case 'd':
        if (trace_bit(::optarg) == 0) return false;
        legacy.shows |= trace_bit(::optarg);
        break;
      default: return false;
    }
  }
  if (::optind + 1 != argc) {
    std::fputs("vinterp: Please supply file name.\n", stderr);
    return false;
  }
  legacy.file = argv[static_cast<std::size_t>(::optind)];
  if (legacy.file == "-") legacy.file = "./-";  // a name like others, not standard input
  return true;
}

int report(const lib::Failure& failure, const Legacy& legacy) {
  say(stderr, failure.message);
  if ((legacy.shows & trace_bit("abort")) != 0) {
    std::fputs("vinterp: dumping core\n", stderr);
    std::signal(SIGABRT, SIG_DFL);  // wanted, so no crash to be noted
    std::abort();
  }
  return 1;
}

int run(const Legacy& legacy, const Watch& watch) {
  std::error_code unknown;
  if (std::filesystem::is_directory(legacy.file, unknown)) {  // where the legacy scanner gave up
    std::fputs("input in flex scanner failed\n", stderr);
    return 2;
  }
  lib::LoadOptions load;
  load.int_bits = legacy.int_bits;
  load.legacy = true;
  load.legacy_trace = legacy.shows;
  auto program = lib::Program::from_file(legacy.file, load);
  if (!program) return report(program.failure(), legacy);
  for (const lib::Message& m : program->messages())
    if (m.severity == lib::Severity::kWarning && m.text.starts_with("label "))  // the others are ours alone
      say(stderr, "vinterp: line " + std::to_string(m.line) + ": warning: " + m.text + "\n");
  lib::Options options;
  options.watchers = watch.watchers();
  options.random = legacy.random;
  options.memory = legacy.memory;
  options.legacy_memory = true;
  options.allow = {{"/"}, {"/"}, true};
  options.legacy_checks = legacy.checks;
  options.legacy_trace = legacy.shows;
  lib::Vm vm(options);
  auto run = [&] {
    const Interruptible guard(&vm);
    return vm.run(*program);
  }();
  if (!run) return report(run.failure(), legacy);
  if (run->exited) return 0;
  if (legacy.time) std::fprintf(stderr, "elapsed time = %f seconds\n", run->counters.seconds);
  if (run->out_closed) return 0;
  for (const lib::Value& value : run->values)
    if (!value.print(stdout)) {
      std::fprintf(stderr, "vinterp: cannot write the results: %s\n", std::strerror(errno));
      return 1;
    }
  return 0;
}

}  // namespace

int vinterp_command(const Words& words) {
  Legacy legacy;
  const bool asked = words.size() == 1 && (words[0] == "--help" || words[0] == "-h");
  if (asked || !parse(words, legacy)) {
    usage(asked ? stdout : stderr);
    return asked ? 0 : 1;
  }
  Watch watch;
  if (!legacy.trace.empty()) watch.trace(legacy.trace);
  return watch.finish(run(legacy, watch));
}

}  // namespace nvm::cmd
