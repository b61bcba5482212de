#include "vm/cmd/launched.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "bytecode/base/late.h"
#include "vm/cmd/arguments.h"
#include "vm/cmd/crash.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/rank_files.h"
#include "vm/cmd/terminal.h"
#include "vm/lib/carrier.h"
#include "vm/ranks/agree.h"
#include "vm/ranks/faults.h"
#include "vm/ranks/mpi.h"

namespace nvm::cmd {
namespace {

// What the first rank alone sees to.
constexpr Option kFirstOnly[] = {Option::kOut,      Option::kOutput, Option::kTrace, Option::kRecord,
                                 Option::kProgress, Option::kStats,  Option::kCost,  Option::kAssert,
                                 Option::kInput,    Option::kPerf};
// What may be different on each.
constexpr Option kOwn[] = {Option::kThreads, Option::kMemory, Option::kTimeLimit, Option::kCodeMemory};

std::shared_ptr<lib::Carrier>& carrier() {
  static std::shared_ptr<lib::Carrier> only;
  return only;
}

// What is said on standard error until it is known who speaks.
class Voice {
 public:
  // Of the first rank, which speaks at once, or of another.
  explicit Voice(bool first) {
    if (first) return;
    text_ = open_memstream(&said_, &length_);
    if (text_ == nullptr) return;
    std::swap(stderr, text_);
    std::FILE* const nowhere = std::fopen("/dev/null", "we");
    if (nowhere != nullptr) stdout = nowhere;
  }
  // At once, from any rank.
  void aloud(const std::string& text) const {
    if (text_ == nullptr) return complain(text);
    say(text_, "nvm: " + text + "\n");
    std::fflush(text_);
  }
  // As that rank, whose message it is.
  void speak(int rank) {
    if (text_ == nullptr) return;
    std::fflush(stderr);
    const std::string text(said_, length_);
    const std::string name = "rank " + std::to_string(rank) + ": ";
    if (!text.empty()) say(text_, (text.find(name) == std::string::npos ? name : "") + text);
    std::fflush(text_);
  }

 private:
  std::FILE* text_ = nullptr;  // the real one
  char* said_ = nullptr;
  std::size_t length_ = 0;
};

ranks::Waiting waiting_of(const Arguments& arguments, int rank, const Voice& voice) {
  ranks::Waiting waiting;
  std::string limit = arguments.text(Option::kWaitLimit);
  if (const std::size_t comma = limit.find(','); comma != std::string::npos) {
    if (limit.substr(comma) != ",stop")
      throw UsageError{"--wait-limit " + limit + ": expected SECONDS or SECONDS,stop"};
    waiting.stop = true;
    limit.resize(comma);
  }
  char* end = nullptr;
  waiting.limit = std::strtod(limit.c_str(), &end);
  if (end == limit.c_str() || *end != 0 || waiting.limit < 0)
    throw UsageError{"--wait-limit " + limit + ": expected SECONDS or SECONDS,stop"};
  if (waiting.stop) return waiting;
  // Of another rank than the first, the first one is missing, or it does not know who.
  waiting.late = [rank, &voice](const std::vector<int>& missing, double seconds) {
    std::string who;
    for (const int r : missing) who += (who.empty() ? " for rank " : ", ") + std::to_string(r);
    if (rank > 0 && missing.empty()) return;
    voice.aloud("rank " + std::to_string(rank) + " has waited " + std::to_string(static_cast<int>(seconds)) +
                " s" + (who.empty() ? ", and no rank is known to be missing" : who));
  };
  return waiting;
}

// While MPI begins, for which its library waits until all processes have come: it knows no limit, and there
// are no rounds yet. The first rank speaks, and where that is the one that is missing, the second.
class Beginning {
 public:
  Beginning(const ranks::Waiting& waiting, double time_limit, int rank, const Voice& voice) {
    if (rank >= 2) return;
    const double patience = waiting.limit * (rank + 1);
    if (patience > 0)
      missing_.set(patience, [rank, patience, stop = waiting.stop, &voice] {
        voice.aloud(
            "rank " + std::to_string(rank) + " has waited " + std::to_string(static_cast<int>(patience)) +
            " s for MPI to begin: a process that the launcher started has ended, is stopped, or is no nvm");
        if (stop) std::_Exit(kFault);
      });
    if (time_limit > 0)
      end_.set(time_limit, [&voice] {
        voice.aloud("time limit reached");
        std::_Exit(kFault);
      });
  }

 private:
  Late missing_, end_;
};

// Where a run is gone on with, the first rank alone has its file, and tells what it is about.
std::vector<ranks::Fact> facts_of(const Arguments& arguments, bool resumes) {
  std::string words;
  for (const std::string& word : arguments.words_without(kOwn)) words += (words.empty() ? "" : " ") + word;
  std::vector<ranks::Fact> facts = {{"build of nvm", lib::version()}, {"command line", words}};
  for (ranks::Fact& fact : facts_of_files(arguments, resumes)) facts.push_back(std::move(fact));
  return facts;
}

// What is wrong, on all ranks alike, or "".
std::string all_read_the_same(lib::Carrier& rank, const Arguments& arguments, bool resumes) {
  std::string wrong = disagreement(rank.rounds(), facts_of(arguments, resumes));
  if (wrong.empty()) wrong = unreadable_on_ranks(arguments, resumes);
  return wrong.empty() ? share_standard_input(arguments) : wrong;
}

// The words of a rank that only computes.
Words words_of_other(const Arguments& arguments) {
  for (const Option option : kFirstOnly) {
    std::string name = "NVM_";
    for (const char c : option_info(option).name())
      name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
    unsetenv(name.c_str());
  }
  return arguments.words_without(kFirstOnly);
}

std::unique_ptr<ranks::Ranks> open_carrier(const ranks::Launcher& launcher) {
  const char* const plugin = std::getenv("NVM_MPI");
  ranks::MpiOptions options;
  options.plugin = plugin == nullptr ? "" : plugin;
  auto opened = ranks::mpi_ranks(launcher, options);
  const char* const wished = std::getenv("NVM_RANK_FAULTS");  // for tests
  if (wished == nullptr) return opened;
  const auto faults = ranks::Faults::read(wished);
  if (!faults) throw ranks::Refused(std::string("NVM_RANK_FAULTS=") + wished + " makes no sense");
  return with_faults(std::move(opened), *faults);
}

// All ranks have ended alike, and each knows it: the one that has something to say does.
int end_together(lib::Carrier& rank, Voice& voice, int status) {
  if (!rank.all_run(0) && status == kGood) {
    complain(rank.unlike());
    status = kRefused;
  }
  const bool speaks = rank.unable() == rank.rank();
  if (speaks) voice.speak(rank.rank());
  rank.rounds().close();
  carrier().reset();
  return status;
}

// This rank ends, and the others do not know: they may be in a round.
[[noreturn]] void end_all(lib::Carrier& rank, Voice& voice, int status, const std::string& why) {
  // The first one may have the same to say.
  if (rank.rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  voice.speak(rank.rank());
  std::fflush(nullptr);
  rank.rounds().ranks().abort(status, why);
  std::_Exit(status);
}

int run_rank(lib::Carrier& rank, Voice& voice, const std::function<int()>& run) {
  int status = kFault;
  std::string why = "failed";
  try {
    status = run();
    if (!rank.asked()) rank.all_begin(status == kGood);
    if (status == kGood || rank.in_step()) return end_together(rank, voice, status);
  } catch (const ranks::Broken& broken) {
    why = broken.why;
    complain(broken.text());
  } catch (const UsageError& e) {
    why = e.message;
    complain(why);
  }
  end_all(rank, voice, status, why);
}

// --ranks 1: a program of the ranks of another one, which starts nvm for itself.
bool runs_alone(const Words& words) {
  try {
    return Arguments("run", words).text(Option::kRanks) == "1";
  } catch (const UsageError&) {
    return false;  // told later, once
  }
}

}  // namespace

void note_copies(const std::string& command) {
  const ranks::Launcher launcher = ranks::find_launcher();
  if (launcher.size <= 1 || launcher.rank != 0) return;
  complain(
      "each of the launcher's " + std::to_string(launcher.size) + " processes runs " + command +
      " for itself, and writes the same files: only run and resume run a program on all of them together");
}

std::shared_ptr<lib::Carrier> this_rank() { return carrier(); }

std::optional<std::string> of_first_rank(const std::function<std::optional<std::string>()>& read) {
  if (carrier() == nullptr) return read();
  ranks::Rounds& rounds = carrier()->rounds();
  std::optional<std::string> text;
  if (rounds.rank() == 0) text = read();
  const int error = rounds.broadcast(0, text ? 0 : errno);
  std::string all = rounds.broadcast_text(0, std::move(text).value_or(""));
  if (error == 0) return all;
  errno = error;
  return std::nullopt;
}

void take_share(lib::Options& options) {
  const ranks::Launcher launcher = ranks::find_launcher();
  if (options.threads == 0) options.threads = ranks::share_of(ranks::processors(), launcher);
}

Words words_of_rank(const Arguments& arguments) {
  if (carrier() == nullptr || carrier()->rank() == 0) return arguments.words_without({});
  return words_of_other(arguments);
}

int run_launched(const Words& words, bool resumes, const std::function<int(const Words&)>& run) {
  const ranks::Launcher launcher = ranks::find_launcher();
  if (launcher.size <= 1 || runs_alone(words)) return run(words);
  Voice voice(launcher.rank == 0);
  try {
    const Arguments arguments("run", words);
    if (arguments.given(Option::kRanks))
      throw UsageError{"--ranks: the launcher says how many there are; --ranks 1 runs alone"};
    check_uncounted(arguments);  // nor are ranks without the network
    const ranks::Waiting waiting = waiting_of(arguments, launcher.rank, voice);
    const double time_limit = arguments.number(Option::kTimeLimit);
    crash_of_rank(launcher.rank);
    {
      const Beginning beginning(waiting, time_limit, launcher.rank, voice);
      carrier() =
          std::make_shared<lib::Carrier>(open_carrier(launcher), waiting, std::max(1, launcher.local_size));
    }
    lib::Carrier& rank = *carrier();
    return run_rank(rank, voice, [&] {
      if (const std::string wrong = all_read_the_same(rank, arguments, resumes); !wrong.empty()) {
        complain(wrong);
        rank.ended(true);
        rank.all_begin(rank.rank() != 0);
        return static_cast<int>(kRefused);
      }
      const std::string bound = bound_too_tightly(ranks::processors(), launcher);
      if (rank.rank() == 0 && !bound.empty() && !arguments.given(Option::kThreads)) complain(bound);
      return run(rank.rank() == 0 || resumes ? words : words_of_other(arguments));
    });
  } catch (const UsageError& e) {
    say(stderr, "nvm run: " + e.message + "\n");
  } catch (const ranks::Refused& e) {
    complain(e.what());
  }
  return kRefused;
}

}  // namespace nvm::cmd
