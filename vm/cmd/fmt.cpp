// nvm fmt: NESL programs in one layout.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "bytecode/base/ascii.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "frontend/edit/format.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/language.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/watch.h"

namespace nvm::cmd {

namespace {

// Says what is left as it is; the exit status.
int complain_of(const std::string& name, const std::string& text, const edit::Formatted& formatted) {
  const edit::Text places(text);
  for (const edit::Problem& p : formatted.problems) {
    const SourcePos pos = places.pos(p.span.begin);
    complain(name + ":" + std::to_string(pos.line) + ":" + std::to_string(pos.column) +
             ": this form is left as it is: " + p.text);
  }
  return formatted.problems.empty() ? kGood : kRefused;
}

int format_file(const std::string& path, bool check_only) {
  const auto language = edit::language_of("", path);
  if (language == edit::Language::kRemora || has_ending(path, ".vcode")) {
    complain(path + ": programs in NESL are formatted, no others");
    return kRefused;
  }
  const auto text = read_all(path);
  if (!text) {
    complain(path + ": " + unread_because(errno));
    return kRefused;
  }
  const edit::Formatted formatted =
      language == edit::Language::kMarkdown ? edit::format_blocks(*text) : edit::format_nesl(*text);
  const int status = complain_of(path, *text, formatted);
  if (formatted.text == *text) return status;
  if (check_only) {
    say(stdout, path + "\n");
    return kRefused;
  }
  OutFile out(path);
  out.write(formatted.text);
  if (out.finish()) return status;
  complain(out.why());
  return kFault;
}

}  // namespace

int fmt_command(const Words& words) {
  const Arguments arguments("fmt", words);
  const lib::Limits limits = limits_of(arguments);
  if (arguments.operands().empty()) throw UsageError{"expected program files, or - for standard input"};
  const bool check_only = arguments.given(Option::kCheckOnly);
  int worst = kGood;
  for (const std::string& path : arguments.operands()) {
    int status = kGood;
    if (path == "-") {
      const std::string text = Watch().standard_input();
      const edit::Formatted formatted = edit::format_nesl(text);
      status = complain_of(kStandardInput, text, formatted);
      if (!check_only)
        say(stdout, formatted.text);
      else if (formatted.text != text)
        status = kRefused;
    } else {
      status = format_file(path, check_only);
    }
    worst = std::max(worst, status);
  }
  return worst;
}

}  // namespace nvm::cmd
