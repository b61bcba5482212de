#include "vm/cmd/pages.h"

#include <cctype>
#include <vector>

#include "bytecode/base/read_file.h"
#include "vm/cmd/arguments.h"
#include "vm/cmd/commands.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

namespace {

std::vector<OptionInfo> options_of_command(std::string_view command) {
  std::vector<OptionInfo> out;
  for (const OptionInfo& o : all_options())
    if (o.belongs_to(command)) out.push_back(o);
  return out;
}

// The one-letter form, "" if there is none.
std::string_view letter(const OptionInfo& o) {
  const std::size_t comma = o.flag.find(',');
  return comma == std::string_view::npos ? std::string_view() : o.flag.substr(comma + 1);
}

// --output, -o FILE
std::string spelled(const OptionInfo& o) {
  std::string out = "--" + std::string(o.name());
  if (!letter(o).empty()) out += ", -" + std::string(letter(o));
  if (!o.argument.empty()) out += " " + std::string(o.argument);
  return out;
}

std::string usage(const CommandInfo& c) {
  std::string out = "nvm " + std::string(c.name);
  if (!options_of_command(c.name).empty()) out += " [OPTIONS]";
  if (!c.operands.empty()) out += " " + std::string(c.operands);
  return out;
}

std::string sentence(std::string_view help) {
  std::string out(help);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out + ".";
}

// Those that may stand on its command line.
std::vector<OptionInfo> completed_options(const CommandInfo& c) {
  return options_of_command(c.operands.ends_with("[OPTIONS of run]") ? "run" : c.name);
}

// The words of an argument such as N|on|off that are typed as they are, between blanks; "" if there are none.
std::string choices(const OptionInfo& o) {
  std::string out;
  if (o.argument.find('|') == std::string_view::npos) return out;
  for (const std::string_view word : parts_of(o.argument, '|'))
    if (word[0] < 'A' || word[0] > 'Z') out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

bool takes_file(const OptionInfo& o) { return o.argument.ends_with("FILE"); }

// `text` with `before` in front of each of the `special` characters.
std::string escaped(std::string_view text, std::string_view special, std::string_view before) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

// Whether a command takes an option that means there what it means for `nvm run`.
bool as_for_run(const OptionInfo& o, std::string_view command) {
  return command != "run" && o.belongs_to("run") && o.help_of(command) == o.help_of("run");
}

// The options of a command; those of `nvm run` by name only, since they are explained there.
std::string option_table(std::string_view command) {
  std::string shared, rows;
  for (const OptionInfo& o : options_of_command(command)) {
    if (as_for_run(o, command)) {
      shared += (shared.empty() ? "`--" : ", `--") + std::string(o.name()) + "`";
      continue;
    }
    rows += "| `" + escaped(spelled(o), "|", "\\") + "` | " +
            (o.fallback.empty() ? "" : "`" + escaped(o.fallback, "|", "\\") + "`") + " | " +
            escaped(o.help_of(command), "|*", "\\") + " |\n";
  }
  std::string page;
  if (!shared.empty()) page += "Options of `nvm run`: " + shared + ".\n\n";
  if (!rows.empty()) page += "| option | default | meaning |\n| --- | --- | --- |\n" + rows + "\n";
  return page;
}

std::string markdown() {
  std::string page;
  for (const CommandInfo& c : all_commands()) {
    page += "## nvm " + std::string(c.name) + "\n\n`" + usage(c) + "`\n\n";
    page += sentence(c.help) + "\n\n";
    if (!c.examples.empty()) page += "```\n" + std::string(c.examples) + "```\n\n";
    page += option_table(c.name);
  }
  return page;
}

std::string roff(std::string_view text) { return escaped(text, "\\-", "\\"); }

std::string man() {
  std::string page =
      ".TH NVM 1 \"\" \"nvm " + std::string(lib::version()) +
      "\" \"User Commands\"\n.SH NAME\nnvm, neslvm \\- run NESL and VCODE programs on all cores\n"
      ".SH SYNOPSIS\n.B nvm\nCOMMAND [OPTIONS] [OPERANDS]\n.SH DESCRIPTION\n"
      "Runs programs in NESL and VCODE. The same binary is installed as\n.B neslvm\n"
      "because a shell function of another program may hide\n.B nvm\n"
      "and as\n.B vinterp\nto take the place of the legacy interpreter.\n.SH COMMANDS\n";
  for (const CommandInfo& c : all_commands()) {
    page += ".SS " + roff(usage(c)) + "\n" + roff(sentence(c.help)) + "\n";
    if (!c.examples.empty()) page += ".PP\n.EX\n" + roff(c.examples) + ".EE\n";
    for (const OptionInfo& o : options_of_command(c.name)) {
      page += ".TP\n.B " + roff(spelled(o)) + "\n" + roff(o.help_of(c.name));
      page += o.fallback.empty() ? "\n" : " (default " + roff(o.fallback) + ")\n";
    }
  }
  return page +
         ".SH ENVIRONMENT\nAn option that is not given is taken from the variable NVM_ and its name in "
         "capitals,\nwith _ for \\-: NVM_INT_BITS=32 stands for \\-\\-int\\-bits 32.\n"
         ".SH FILES\n~/.cache/nvm, or $XDG_CACHE_HOME/nvm: what was measured and compiled, for later runs;\n"
         "it may be removed.\n"
         ".SH EXIT STATUS\n0 if all went well, 1 if the program failed while it ran, 2 if the program or the "
         "command line is wrong.\n"
         ".SH SEE ALSO\nThe documents and programs in share/doc/neslvm: docs/tutorial.md is the way in, "
         "docs/glossary.md explains the terms.\n";
}

std::string bash() {
  std::string names, cases;
  for (const CommandInfo& c : all_commands()) {
    names += (names.empty() ? "" : " ") + std::string(c.name);
    std::string flags;
    for (const OptionInfo& o : completed_options(c))
      flags += (flags.empty() ? "--" : " --") + std::string(o.name());
    if (!flags.empty()) cases += "    " + std::string(c.name) + ") flags='" + flags + "' ;;\n";
  }
  std::string values;
  for (const OptionInfo& o : all_options())
    if (!choices(o).empty())
      values += "    --" + std::string(o.name()) + ") values='" + choices(o) + "' ;;\n";
  return "# Completion of nvm for bash.\n"
         "_neslvm() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags='' values=''\n"
         "  COMPREPLY=()\n"
         "  case $before in\n" +
         values +
         "  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" = 1 ] || [ \"${COMP_WORDS[1]}\" = help ]; then values='" +
         names +
         "'; fi\n"
         "  if [ -n \"$values\" ]; then mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
         "  elif [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
         "  else mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); fi\n"
         "}\n"
         "complete -o filenames -F _neslvm neslvm nvm\n";
}

// Between single quotes; a backslash before one does not keep it there.
std::string quoted_in_zsh(std::string_view text) { return escaped(text, "'", "'\\'"); }

std::string zsh() {
  // `commands` is a special parameter of zsh.
  std::string page = "#compdef neslvm nvm\n# Completion of nvm for zsh.\nlocal -a verbs\nverbs=(\n";
  for (const CommandInfo& c : all_commands())
    page += "  '" + std::string(c.name) + ":" + quoted_in_zsh(c.help) + "'\n";
  page +=
      ")\nif (( CURRENT == 2 )); then _describe command verbs; return; fi\n"
      "local name=$words[2]\nshift words\n(( CURRENT-- ))\ncase $name in\n";
  for (const CommandInfo& c : all_commands()) {
    if (c.name == std::string_view("help")) {
      page += "  help) _describe command verbs ;;\n";
      continue;
    }
    page += "  " + std::string(c.name) + ") _arguments";
    for (const OptionInfo& o : completed_options(c)) {
      page += " \\\n    '--" + std::string(o.name()) + "[" +
              quoted_in_zsh(escaped(o.help_of(c.name), "[]:", "\\")) + "]";
      if (!o.argument.empty()) page += ":" + escaped(o.argument, "[]:|", "\\") + ":";
      if (!choices(o).empty())
        page += "(" + choices(o) + ")";
      else if (takes_file(o))
        page += "_files";
      page += "'";
    }
    page += c.operands.empty() ? " ;;\n" : " \\\n    '*:file:_files' ;;\n";
  }
  return page + "esac\n";
}

std::string fish() {
  std::string page = "# Completion of nvm for fish.\nfor name in neslvm nvm\n";
  for (const CommandInfo& c : all_commands())
    page += "  complete -c $name -n __fish_use_subcommand -f -a " + std::string(c.name) + " -d '" +
            escaped(c.help, "'", "\\") + "'\n";
  for (const CommandInfo& c : all_commands()) {
    for (const OptionInfo& o : completed_options(c)) {
      page += "  complete -c $name -n '__fish_seen_subcommand_from " + std::string(c.name) + "' -l " +
              std::string(o.name());
      if (!letter(o).empty()) page += " -s " + std::string(letter(o));
      if (!choices(o).empty())
        page += " -x -a '" + choices(o) + "'";
      else if (takes_file(o))
        page += " -r";
      else if (!o.argument.empty())
        page += " -x";
      page += " -d '" + escaped(o.help_of(c.name), "'", "\\") + "'\n";
    }
  }
  page += "  complete -c $name -n '__fish_seen_subcommand_from help' -f -a '";
  for (const CommandInfo& c : all_commands()) page += std::string(c.name) + " ";
  return page + "'\nend\n";
}

}  // namespace

std::optional<std::string> generated_page(std::string_view kind) {
  if (kind == "--markdown") return markdown();
  if (kind == "--man") return man();
  if (kind == "--bash") return bash();
  if (kind == "--zsh") return zsh();
  if (kind == "--fish") return fish();
  return std::nullopt;
}

}  // namespace nvm::cmd
