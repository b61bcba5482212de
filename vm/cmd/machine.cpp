#include "vm/cmd/machine.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "vm/cmd/deadline.h"

namespace nvm::cmd {

namespace {

// The folder behind read= or write=; "/", any file, if there is none.
std::string folder_in(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return "/";
  const std::string folder = word.substr(equals + 1);
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown))
    throw UsageError{"--allow " + word + ": " +
                     (folder.empty() ? "expected a folder" : folder + " is no folder")};
  return folder;
}

void allow(const std::string& list, lib::Capabilities& to) {
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const std::string what = word.substr(0, word.find('='));
    if (what == "read")
      to.read.push_back(folder_in(word));
    else if (what == "write")
      to.write.push_back(folder_in(word));
    else if (word == "spawn")
      to.spawn = true;
    else
      throw UsageError{"--allow " + word + ": expected read, read=DIR, write, write=DIR or spawn"};
  }
}

// N, or 0 for "off".
std::int64_t guard_after(const Arguments& arguments) {
  const std::string text = arguments.text(Option::kGuardAfter);
  if (text == "off") return 0;
  try {
    return arguments.integer(Option::kGuardAfter, 1);
  } catch (const UsageError&) {
    throw UsageError{"--guard-after " + text + ": expected off or an integer, 1 or more"};
  }
}

// N, or what Options::block_threshold has for "off" and "auto".
std::int64_t block_threshold(const Arguments& arguments) {
  const std::string text = arguments.text(Option::kBlockThreshold);
  if (text == "off") return 0;
  if (text == "auto") return -1;
  try {
    return arguments.integer(Option::kBlockThreshold, 1);
  } catch (const UsageError&) {
    throw UsageError{"--block-threshold " + text + ": expected off, auto or an integer, 1 or more"};
  }
}

}  // namespace

File file_of(const Arguments& arguments, Option option, const char* mode) {
  if (!arguments.given(option) || arguments.text(option) == "-") return nullptr;
  const std::string& path = arguments.text(option);
  File file(std::fopen(path.c_str(), mode));
  if (!file) throw UsageError{"cannot open " + path + ": " + std::strerror(errno)};
  return file;
}

namespace {
char* tuning_text = nullptr;
std::size_t tuning_size = 0;
}  // namespace

std::FILE* tuning() {
  static std::FILE* const file = ::open_memstream(&tuning_text, &tuning_size);
  return file;
}

std::string tuned() {
  std::fflush(tuning());
  return {tuning_text, tuning_size};
}

lib::Limits limits_of(const Arguments& arguments) {
  // Whoever types, types as long as he likes: what he has entered has the time.
  const double seconds = arguments.command() == "repl" ? 0 : arguments.number(Option::kTimeLimit);
  end_long_after(seconds);
  return {arguments.size(Option::kMemory), seconds};
}

lib::Capabilities allowed(const Arguments& arguments) {
  lib::Capabilities capabilities;
  for (const std::string& list : arguments.all(Option::kAllow)) allow(list, capabilities);
  return capabilities;
}

lib::Options options_of(const Arguments& arguments) {
  lib::Options options;
  options.random = static_cast<lib::Random>(arguments.choice(Option::kRand));
  if (arguments.given(Option::kSeed)) options.seed = arguments.integer(Option::kSeed, INT64_MIN);
  options.threads = static_cast<int>(arguments.integer(Option::kThreads, 0));
  options.memory = arguments.size(Option::kMemory);
  options.max_depth = arguments.integer(Option::kMaxDepth, 0);
  options.time_limit = arguments.number(Option::kTimeLimit);
  options.isa = static_cast<lib::InstructionSet>(arguments.choice(Option::kIsa));
  options.jit = static_cast<lib::Jit>(arguments.choice(Option::kJit));
  options.engine = static_cast<lib::Engine>(arguments.choice(Option::kEngine));
  options.perf = static_cast<lib::Perf>(arguments.choice(Option::kPerf));
  options.fusion = static_cast<lib::Fusion>(arguments.choice(Option::kFusion));
  options.region_limit = arguments.integer(Option::kRegionLimit, 1);
  options.region_variants = arguments.integer(Option::kRegionVariants, 1);
  options.guard_after = guard_after(arguments);
  options.code_memory = arguments.size(Option::kCodeMemory);
  options.block_threshold = block_threshold(arguments);
  if (arguments.command() == "tune") {
    options.block_threshold = -1;
    options.tune = tuning();
  }
  options.count = arguments.given(Option::kStats);
  options.cost = arguments.given(Option::kCost) || arguments.given(Option::kAssert);
  options.allow = allowed(arguments);
  return options;
}

}  // namespace nvm::cmd
