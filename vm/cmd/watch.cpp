#include "vm/cmd/watch.h"

#include <cstdio>

#include "vm/cmd/commands.h"

namespace nvm::cmd {

Watch::Watch(const Arguments& arguments) {
  if (arguments.given(Option::kTrace)) trace(arguments.text(Option::kTrace));
}

void Watch::trace(const std::string& path) {
  trace_ = std::make_shared<lib::Trace>(path);
  add(trace_);
}

void Watch::begin_phase(const std::string& name) const {
  for (const auto& watcher : watchers_) watcher->begin_phase(name);
}

void Watch::end_phase() const {
  for (const auto& watcher : watchers_) watcher->end_phase();
}

int Watch::finish(int status) const {
  end_phase();
  if (!trace_) return status;
  const std::string wrong = trace_->close();
  if (wrong.empty()) return status;
  std::fprintf(stderr, "nvm: %s\n", wrong.c_str());
  return status == kGood ? kFault : status;
}

}  // namespace nvm::cmd
