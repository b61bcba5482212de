#include "vm/cmd/machine.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <new>

#include "bytecode/base/budget.h"
#include "bytecode/base/read_file.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/terminal.h"

#include "bytecode/base/disk_cache.h"
#include "vm/cmd/deadline.h"
#include "vm/cmd/launched.h"
#include "vm/lib/confine.hpp"

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
  for (const std::string_view part : parts_of(list, ',')) {
    const std::string word(part);
    if (word.empty() && list.empty()) break;
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

std::string devices(const Arguments& arguments) {
  const std::string list = arguments.text(Option::kDevices);
  std::string why;
  if (!list.empty() && !lib::are_devices(list, why)) throw UsageError{"--devices " + list + ": " + why};
  if (!list.empty() && arguments.choice(Option::kEngine) != static_cast<int>(lib::Engine::kCpu))
    throw UsageError{"--devices " + list + ": only with --engine cpu"};
  return list;
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

File input_of(const Arguments& arguments) {
  if (!arguments.given(Option::kInput) || arguments.text(Option::kInput) == "-") return nullptr;
  const std::string path = arguments.text(Option::kInput);
  File file(std::fopen(path.c_str(), "re"));
  if (!file) {
    const int error = errno;
    nvm::Budget::look();  // nobody wrote to it in time
    throw UsageError{"cannot open " + path + ": " + std::strerror(error)};
  }
  return file;
}

std::unique_ptr<OutFile> written_to(const Arguments& arguments, Option option) {
  if (!arguments.given(option) || arguments.text(option) == "-") return nullptr;
  auto file = std::make_unique<OutFile>(arguments.text(option));
  if (file->error() != 0)
    throw UsageError{"--" + std::string(option_info(option).name()) + " " + file->why()};
  return file;
}

int finished(OutFile* file, int status) {
  if (file == nullptr || status != kGood || file->finish()) return status;
  complain("cannot write " + file->path() + ": " + std::strerror(file->error()));
  return kFault;
}

namespace {
char* tuning_text = nullptr;
std::size_t tuning_size = 0;
}  // namespace

std::FILE* tuning() {
  static std::FILE* const file = ::open_memstream(&tuning_text, &tuning_size);
  if (file == nullptr) throw std::bad_alloc();
  return file;
}

std::string tuned() {
  std::fflush(tuning());
  return {tuning_text, tuning_size};
}

lib::Capabilities allowed(const Arguments& arguments) {
  lib::Capabilities capabilities;
  for (const std::string& list : arguments.all(Option::kAllow)) allow(list, capabilities);
  return capabilities;
}

namespace {

std::string folder_of(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

void add_folder(std::vector<std::string>& folders, const std::string& folder) {
  std::error_code unknown;
  if (std::filesystem::canonical(folder, unknown) != "/") folders.push_back(folder);
}

// The kernel's walls leave what the command line names, nvm's own cache and the system's libraries.
void confine(const Arguments& arguments) {
  lib::Confinement to;
  to.read = {"/proc", "/sys", "/dev", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"};
  to.write = {"/dev/null", "/dev/tty", nvm::cache_folder()};
  for (const std::string& file : arguments.operands()) {
    to.read.push_back(file);
    add_folder(to.read, folder_of(file));
    if (arguments.command() == "literate") add_folder(to.write, folder_of(file));  // the page is written anew
  }
  for (const Option option : {Option::kIn, Option::kInput})
    for (const std::string& word : arguments.all(option)) {
      const std::string file = word.substr(word.find('=') + 1);
      to.read.push_back(file);
      to.read.push_back(file.substr(file.find(':') + 1));  // KIND:FILE
    }
  for (const WrittenFile& file : written_files(arguments)) add_folder(to.write, folder_of(file.path));
  static_cast<void>(lib::confine(to));
}

}  // namespace

lib::Limits limits_of(const Arguments& arguments) {
  check_written_files(arguments);
  if (arguments.given(Option::kUntrusted))
    confine(arguments);  // before there are threads, and files are open
  const lib::Options limits = lib::untrusted_limits(looking_at(arguments));
  // Whoever types, types as long as he likes: what he has entered has the time.
  const double seconds = arguments.command() == "repl" ? 0 : limits.time_limit;
  watch_deadline(seconds);
  return {limits.memory, seconds};
}

std::FILE* program_output(const Arguments& arguments, std::FILE* to) {
  return arguments.given(Option::kUntrusted) ? escaped(to) : to;
}

lib::Options looking_at(const Arguments& arguments) {
  lib::Options options;
  options.out = program_output(arguments, stdout);
  options.err = program_output(arguments, stderr);
  options.memory = arguments.size(Option::kMemory);
  options.time_limit = arguments.number(Option::kTimeLimit);
  options.allow = allowed(arguments);
  options.untrusted = arguments.given(Option::kUntrusted);
  if (options.untrusted && arguments.given(Option::kAllow))
    throw UsageError{"--untrusted: nothing can be allowed, and --allow is given"};
  if (options.untrusted && arguments.choice(Option::kArgCheck) != 0)
    throw UsageError{"--untrusted: arguments are checked, and --arg-check off is given"};
  return options;
}

void check_uncounted(const Arguments& arguments) {
  for (const Option option : {Option::kUntrusted, Option::kFuel, Option::kCost, Option::kAssert})
    if (arguments.given(option))
      throw UsageError{"--" + std::string(option_info(option).name()) +
                       ": work is not counted on ranks, so there is no cost, and no limit by fuel"};
}

lib::Options options_of(const Arguments& arguments) {
  lib::Options options = looking_at(arguments);
  options.random = static_cast<lib::Random>(arguments.choice(Option::kRand));
  if (arguments.given(Option::kSeed)) options.seed = arguments.integer(Option::kSeed, INT64_MIN);
  options.threads = static_cast<int>(arguments.integer(Option::kThreads, 0, INT_MAX));
  if (arguments.given(Option::kRanks))
    options.ranks = static_cast<int>(arguments.integer(Option::kRanks, 1, lib::kMostRanks));
  if (arguments.given(Option::kRanks) || arguments.given(Option::kCheckpoint)) check_uncounted(arguments);
  options.carrier = this_rank();
  if (options.carrier != nullptr) take_share(options);
  options.spread = arguments.integer(Option::kSpread, 1);
  options.max_depth = arguments.integer(Option::kMaxDepth, 0);
  options.isa = static_cast<lib::InstructionSet>(arguments.choice(Option::kIsa));
  options.jit = static_cast<lib::Jit>(arguments.choice(Option::kJit));
  options.engine = static_cast<lib::Engine>(arguments.choice(Option::kEngine));
  options.devices = devices(arguments);
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
  options.fuel = static_cast<std::uint64_t>(arguments.integer(Option::kFuel, 0));
  options.output_limit = arguments.size(Option::kOutputLimit);
  return options;
}

}  // namespace nvm::cmd
