#include "vm/cmd/watch.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "vm/cmd/checkpoint.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/crash.h"
#include "vm/cmd/launched.h"
#include "vm/cmd/terminal.h"

namespace nvm::cmd {

Watch::Watch(const Arguments& arguments) {
  if (arguments.given(Option::kTrace)) trace(arguments.text(Option::kTrace));
  if (arguments.given(Option::kProgress) && ::isatty(STDERR_FILENO) != 0)
    add(made(lib::Progress::make(stderr)));
  checkpoint_ = checkpoint_of(arguments);
  if (!arguments.given(Option::kRecord)) return;
  const std::string& path = arguments.text(Option::kRecord);
  recording_ = made(lib::Recording::open(path, arguments.words_without(kNotRecorded)));
  add(recording_);
  crash_is_recorded(path);
}

void Watch::trace(const std::string& path) {
  trace_ = made(lib::Trace::open(path));
  add(trace_);
}

const std::string& Watch::standard_input() const {
  if (!standard_input_) standard_input_ = of_first_rank([this] { return lib::read_file("-", watchers_); });
  if (!standard_input_) throw UsageError{std::string("standard input: ") + std::strerror(errno)};
  return *standard_input_;
}

void Watch::begin_phase(const std::string& name) const {
  for (const auto& watcher : watchers_) watcher->begin_phase(name);
}

void Watch::end_phase() const {
  for (const auto& watcher : watchers_) watcher->end_phase();
}

int Watch::finish(int status) const {
  end_phase();
  for (const std::string& wrong : {trace_ ? trace_->close() : "", recording_ ? recording_->close() : ""}) {
    if (wrong.empty()) continue;
    complain(wrong);
    if (status == kGood) status = kFault;
  }
  return status;
}

}  // namespace nvm::cmd
