// libnvm: profiles of runs.
#pragma once

#include <memory>
#include <string>

#include "vm/lib/watch.hpp"

namespace nvm::lib {

// What to show of a profile; lists are names between commas, "" for the usual.
struct ProfileQuery {
  std::string columns;  // see vm/profile/columns.def
  std::string sort;     // the column to sort by, descending; "line" for the order of the source
  std::string tables;   // line, function, kernel
  std::int64_t rows = 30;
};
// What is wrong with a query, with the names there are; "" if nothing.
[[nodiscard]] std::string check_query(const ProfileQuery& query);

struct ProfileOptions {
  int threads = 0;        // that the runs use, 0: all processors
  bool timeline = false;  // keep events for the page's timeline
};

// Watches runs; afterwards it says who spent what. The time between its making and the first report counts as
// the whole.
class Profiler final : public Watcher {
  struct Impl;

 public:
  [[nodiscard]] static Made<Profiler> make(const ProfileOptions& options);
  explicit Profiler(std::unique_ptr<Impl> impl) noexcept;
  ~Profiler() override;
  [[nodiscard]] vm::Observer& observer() override;
  void begin_phase(const std::string& name) override;
  void end_phase() override;

  [[nodiscard]] std::string text(const ProfileQuery& query);
  [[nodiscard]] std::string json(const ProfileQuery& query);
  [[nodiscard]] std::string csv(const ProfileQuery& query);
  // One page that needs nothing else: timeline, flame graph, sources, fusion graphs, kernels against the
  // machine's limits, recursion levels. `title` stands above it. Sources are shown if
  // they are below `folder`, or may be read.
  [[nodiscard]] std::string html(const std::string& title, const std::string& folder = ".",
                                 const Capabilities& allow = {});
  [[nodiscard]] std::string folded();                             // for flame graph tools
  [[nodiscard]] std::string speedscope(const std::string& name);  // for speedscope.app

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::lib
