#include "vm/cmd/commands.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/run.h"
#include "vm/cmd/terminal.h"
#include "vm/lib/record.hpp"

namespace nvm::cmd {

// The recorded command line, with what is added to it. The outside is the recorded one: files it read need
// not be there any more.
int replay_command(const Words& words) {
  if (words.empty() || words.front().starts_with("-"))
    throw UsageError{"expected a record, then options of run"};
  const auto replay = made(lib::Replay::open(words.front()));
  Words all = Arguments("run", replay->words()).words_without(kNotRecorded);
  all.insert(all.end(), words.begin() + 1, words.end());
  const Arguments arguments("run", all);
  const lib::Limits limits = limits_of(arguments);
  if (arguments.given(Option::kRecord)) throw UsageError{"--record: what is run again is recorded already"};
  Watch watch(arguments);
  watch.add(replay);
  const int status = watch.finish(run_program(arguments, watch, stdout));
  const std::string difference = replay->difference();
  complain(difference.empty() ? replay->summary() : "replay: " + difference);
  return difference.empty() ? status : kFault;
}

}  // namespace nvm::cmd
