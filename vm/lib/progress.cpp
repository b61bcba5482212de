#include "vm/profile/progress.h"

#include "bytecode/base/printable.h"
#include "vm/lib/guarded.h"

namespace nvm::lib {

struct Progress::Impl {
  std::FILE* terminal;
  vm::Progress progress;
  explicit Impl(std::FILE* file)
      : terminal(file), progress([file](const std::string& line) {
          std::fprintf(file, "\r%s\x1b[K", printable(line).c_str());
          std::fflush(file);
        }) {}
};

Made<Progress> Progress::make(std::FILE* terminal) {
  return make_watcher<Progress>([&] { return std::make_unique<Impl>(terminal); });
}
Progress::Progress(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Progress::~Progress() = default;
vm::Observer& Progress::observer() { return impl_->progress; }

}  // namespace nvm::lib
