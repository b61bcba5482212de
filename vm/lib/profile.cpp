#include "vm/lib/profile.hpp"

#include <chrono>
#include <thread>

#include "bytecode/base/read_file.h"
#include "bytecode/base/suggest.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/profile/chrome_trace.h"
#include "vm/profile/html_report.h"
#include "vm/profile/observers.h"
#include "vm/profile/report.h"

namespace nvm::lib {

namespace {

constexpr std::string_view kTables[] = {"line", "function", "kernel"};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : parts_of(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

std::string unknown(const char* what, const std::string& word, const std::vector<std::string_view>& names) {
  std::string message = std::string("there is no ") + what + " " + word;
  const std::string_view near = nearest_name(word, names);
  if (!near.empty()) return message + "; did you mean " + std::string(near) + "?";
  message += "; there are";
  for (const std::string_view name : names) message += " " + std::string(name);
  return message;
}

std::vector<std::string_view> column_names() {
  std::vector<std::string_view> names;
  for (std::size_t c = 0; c < vm::kColumns; ++c)
    names.push_back(vm::column_info(static_cast<vm::Column>(c)).name);
  return names;
}

// Of a query without faults.
vm::ReportStyle style_of(const ProfileQuery& query) {
  vm::ReportStyle style;
  for (const std::string& word : words_of(query.columns))
    if (const auto column = vm::find_column(word)) style.columns.push_back(*column);
  if (const auto column = vm::find_column(query.sort)) style.sort = *column;
  style.in_order = query.sort == "line";
  style.tables = words_of(query.tables);
  style.rows = static_cast<std::size_t>(query.rows);
  return style;
}

int thread_count(int asked) {
  return asked > 0 ? asked : static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::string check_query(const ProfileQuery& query) {
  for (const std::string& word : words_of(query.columns))
    if (!vm::find_column(word)) return unknown("column", word, column_names());
  if (!query.sort.empty() && query.sort != "line" && !vm::find_column(query.sort))
    return unknown("column", query.sort, column_names());
  for (const std::string& word : words_of(query.tables))
    if (std::find(std::begin(kTables), std::end(kTables), word) == std::end(kTables))
      return unknown("table", word, {std::begin(kTables), std::end(kTables)});
  return "";
}

struct Profiler::Impl {
  ProfileOptions options;
  vm::Profile profile;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::string events;  // of the timeline
  std::unique_ptr<vm::ChromeTrace> timeline;
  vm::Observers observers;
  std::optional<vm::Report> report;

  explicit Impl(const ProfileOptions& o) : options(o) {
    observers.add(profile);
    if (!options.timeline) return;
    vm::TraceOptions trace;
    trace.ring = 20000;
    trace.budget = 400;
    trace.kernels = 200;
    trace.keep = true;
    timeline = std::make_unique<vm::ChromeTrace>(
        [this](std::string_view text) {
          events += text;
          return true;
        },
        trace);
    observers.add(*timeline);
  }

  vm::Report& made() {
    if (report) return *report;
    profile.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (timeline) timeline->close();
    const vm::MachineLimits limits = vm::machine_limits(thread_count(options.threads), vm::cache_folder());
    report = vm::make_report(profile, limits, seconds);
    return *report;
  }
  vm::Report& sorted(const vm::ReportStyle& style) {
    vm::sort_rows(made(), style);
    return *report;
  }
};

Made<Profiler> Profiler::make(const ProfileOptions& options) {
  return make_watcher<Profiler>([&] { return std::make_unique<Impl>(options); });
}
Profiler::Profiler(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Profiler::~Profiler() = default;
vm::Observer& Profiler::observer() { return *impl_->observers.one(); }
void Profiler::begin_phase(const std::string& name) {
  impl_->profile.begin_phase(name);
  if (impl_->timeline) impl_->timeline->begin_phase(name);
}
void Profiler::end_phase() {
  impl_->profile.end_phase();
  if (impl_->timeline) impl_->timeline->end_phase();
}

std::string Profiler::text(const ProfileQuery& query) {
  const vm::ReportStyle style = style_of(query);
  return vm::report_text(impl_->sorted(style), style);
}
std::string Profiler::json(const ProfileQuery& query) {
  const vm::ReportStyle style = style_of(query);
  return vm::report_json(impl_->sorted(style), style);
}
std::string Profiler::csv(const ProfileQuery& query) {
  const vm::ReportStyle style = style_of(query);
  return vm::report_csv(impl_->sorted(style), style);
}
std::string Profiler::html(const std::string& title, const std::string& folder, const Capabilities& allow) {
  vm::Report& report = impl_->sorted({});
  return vm::report_html(impl_->profile, report, impl_->events, title, gate_of(allow).and_below(folder));
}
std::string Profiler::folded() { return vm::folded_stacks(impl_->profile); }
std::string Profiler::speedscope(const std::string& name) {
  return vm::speedscope_json(impl_->profile, name);
}

}  // namespace nvm::lib
