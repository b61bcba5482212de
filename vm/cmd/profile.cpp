#include "vm/lib/profile.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "vm/cmd/commands.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/run.h"
#include "vm/cmd/terminal.h"

namespace nvm::cmd {

namespace {

lib::ProfileQuery query_of(const Arguments& arguments) {
  lib::ProfileQuery query;
  query.columns = arguments.text(Option::kColumns);
  query.sort = arguments.text(Option::kSort);
  query.tables = arguments.text(Option::kBy);
  query.rows = arguments.integer(Option::kTop, 0);
  const std::string wrong = lib::check_query(query);
  if (!wrong.empty()) throw UsageError{wrong};
  if (arguments.given(Option::kJson) && arguments.given(Option::kCsv))
    throw UsageError{"--json and --csv: one of them"};
  return query;
}

std::string folder_of(const Arguments& arguments) {
  const std::string file = arguments.operands().empty() ? "" : arguments.operands().front();
  const std::string parent = std::filesystem::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

// False, with a message, if the system refuses.
bool print(const std::string& text) {
  if (say(stdout, text) && std::fflush(stdout) == 0) return true;
  complain(std::string("cannot write the profile: ") + std::strerror(errno));
  return false;
}

// The same for a file, if it is wanted.
template <typename F>
bool export_to(OutFile* file, F text) {
  if (file == nullptr) return true;
  file->write(text());
  return finished(file, kGood) == kGood;
}

}  // namespace

// The report is what the command is for: it has standard output for itself, unless --output gives the program
// a file, the program writes to standard error.
int profile_command(const Words& words) {
  const Arguments arguments("profile", words);
  const lib::Limits limits = limits_of(arguments);
  const lib::ProfileQuery query = query_of(arguments);
  const std::string path = arguments.given(Option::kExpression) && arguments.operands().empty()
                               ? arguments.text(Option::kExpression)
                               : arguments.operand("a program file");
  lib::ProfileOptions options;
  options.threads = static_cast<int>(arguments.integer(Option::kThreads, 0));
  options.timeline = arguments.given(Option::kHtml);
  const auto html = written_to(arguments, Option::kHtml), folded = written_to(arguments, Option::kFolded),
             speedscope = written_to(arguments, Option::kSpeedscope);
  const auto profiler = made(lib::Profiler::make(options));
  Watch watch(arguments);
  watch.add(profiler);
  const int status = watch.finish(run_program(arguments, watch, stderr));
  if (status == kRefused) return status;
  const std::string report = arguments.given(Option::kJson)  ? profiler->json(query)
                             : arguments.given(Option::kCsv) ? profiler->csv(query)
                                                             : profiler->text(query);
  bool good = print(report);
  good &=
      export_to(html.get(), [&] { return profiler->html(path, folder_of(arguments), allowed(arguments)); });
  good &= export_to(folded.get(), [&] { return profiler->folded(); });
  good &= export_to(speedscope.get(), [&] { return profiler->speedscope(path); });
  return good || status != kGood ? status : kFault;
}

}  // namespace nvm::cmd
