#include "vm/cmd/arguments.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "bytecode/base/suggest.h"

namespace nvm::cmd {

namespace {

namespace po = boost::program_options;

constexpr OptionInfo kOptions[] = {
#define OPTION(id, flag, argument, fallback, commands, help) {flag, argument, fallback, commands, help},
#include "bytecode/base/options.def"
};

po::options_description describe(std::string_view command) {
  po::options_description options;
  for (const OptionInfo& info : kOptions) {
    if (!info.belongs_to(command)) continue;
    const std::string flag(info.flag);
    if (info.argument.empty())
      options.add_options()(flag.c_str(), po::bool_switch());
    else
      options.add_options()(flag.c_str(), po::value<std::string>());
  }
  return options;
}

std::string unknown_option(std::string_view command, const std::string& word) {
  std::vector<std::string_view> names;
  for (const OptionInfo& info : kOptions)
    if (info.belongs_to(command)) names.push_back(info.name());
  const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string_view near = nearest_name(bare, names, 2);
  std::string message = "unknown option " + word + " of " + std::string(command);
  if (!near.empty()) message += "; did you mean --" + std::string(near) + "?";
  return message;
}

// NVM_INT_BITS for int-bits.
std::string variable_of(std::string_view name) {
  std::string variable = "NVM_";
  for (const char c : name)
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

// What the environment says of an option that takes no argument.
bool switched_on(std::string_view name, std::string_view value) {
  if (value != "1" && value != "0" && !value.empty())
    throw UsageError{variable_of(name) + "=" + std::string(value) +
                     ": expected 1, or 0 as if it were not given"};
  return value == "1";
}

template <typename T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void bad_value(Option option, const std::string& text, const std::string& expected) {
  throw UsageError{"--" + std::string(option_info(option).name()) + " " + text + ": expected " + expected};
}

}  // namespace

bool OptionInfo::belongs_to(std::string_view command) const {
  return commands.find(" " + std::string(command) + " ") != std::string_view::npos;
}

// A text ends in what it says of single commands: "seed of the random numbers; bench: draw other inputs".
std::string_view OptionInfo::help_of(std::string_view command) const {
  std::size_t general = help.size();
  std::string_view own;
  for (std::string_view others = commands; !others.empty();) {
    const std::size_t end = std::min(others.find(' '), others.size());
    const std::string_view other = others.substr(0, end);
    others.remove_prefix(std::min(end + 1, others.size()));
    const std::string mark = "; " + std::string(other) + ": ";
    const std::size_t at = other.empty() ? std::string_view::npos : help.find(mark);
    if (at == std::string_view::npos) continue;
    general = std::min(general, at);
    if (other == command) own = help.substr(at + mark.size());
  }
  return own.empty() ? help.substr(0, general) : own;
}

std::span<const OptionInfo> all_options() { return kOptions; }
const OptionInfo& option_info(Option option) { return kOptions[static_cast<std::size_t>(option)]; }

Arguments::Arguments(std::string_view command, const std::vector<std::string>& words) : command_(command) {
  const po::options_description options = describe(command);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    const po::parsed_options parsed = po::command_line_parser(words).options(options).style(style).run();
    for (const po::option& o : parsed.options) {
      if (o.position_key != -1 || o.string_key.empty())
        operands_.insert(operands_.end(), o.value.begin(), o.value.end());
      else
        lists_[o.string_key].push_back(values_[o.string_key] = o.value.empty() ? "1" : o.value.front());
    }
  } catch (const po::unknown_option& e) {
    throw UsageError{unknown_option(command, e.get_option_name())};
  } catch (const po::error& e) {
    throw UsageError{e.what()};
  }
  for (const OptionInfo& info : kOptions) {
    if (!info.belongs_to(command)) continue;
    const char* value = std::getenv(variable_of(info.name()).c_str());
    if (value != nullptr && info.argument.empty() && !switched_on(info.name(), value)) continue;
    if (value != nullptr && values_.try_emplace(std::string(info.name()), value).second)
      lists_[std::string(info.name())] = {value};
  }
}

const std::string& Arguments::operand(std::string_view what) const {
  if (operands_.empty()) throw UsageError{"expected " + std::string(what)};
  if (operands_.size() > 1) throw UsageError{"unexpected operand " + operands_[1]};
  return operands_.front();
}

std::vector<std::string> Arguments::words_without(std::span<const Option> options) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : values_) {
    const auto is_it = [&name = name](Option o) { return option_info(o).name() == name; };
    if (std::any_of(options.begin(), options.end(), is_it)) continue;
    const auto info = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&name = name](const OptionInfo& i) { return i.name() == name; });
    const auto list = lists_.find(name);
    if (info->argument.empty())
      words.push_back("--" + name);
    else if (list == lists_.end())
      words.push_back("--" + name + "=" + value);
    else
      for (const std::string& each : list->second) words.push_back("--" + name + "=" + each);
  }
  words.insert(words.end(), operands_.begin(), operands_.end());
  return words;
}

bool Arguments::given(Option option) const { return values_.contains(option_info(option).name()); }

std::string Arguments::text(Option option) const {
  const auto found = values_.find(option_info(option).name());
  return found == values_.end() ? std::string(option_info(option).fallback) : found->second;
}

std::vector<std::string> Arguments::all(Option option) const {
  const auto found = lists_.find(option_info(option).name());
  return found == lists_.end() ? std::vector<std::string>() : found->second;
}

namespace {

std::string at_least(std::int64_t least) {
  return least == std::numeric_limits<std::int64_t>::min() ? "" : ", " + std::to_string(least) + " or more";
}

}  // namespace

std::int64_t Arguments::integer(Option option, std::int64_t least, std::int64_t most) const {
  std::int64_t value = 0;
  if (!parse(text(option), value) || value < least || value > most)
    bad_value(option, text(option),
              most == INT64_MAX ? "an integer" + at_least(least)
                                : "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::int64_t Arguments::count_or_all(Option option) const {
  return text(option) == "all" ? std::numeric_limits<std::int64_t>::max() : integer(option, 0);
}

double Arguments::number(Option option) const {
  double value = 0;
  if (!parse(text(option), value) || !(value >= 0)) bad_value(option, text(option), "a number, 0 or more");
  return value;
}

std::uint64_t Arguments::size(Option option) const {
  std::string digits = text(option);
  const std::string units = "kMG";
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = units.find(digits.back() == 'K' ? 'k' : digits.back());
    if (unit != std::string::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      digits.pop_back();
    }
  }
  std::uint64_t value = 0;
  if (!parse(digits, value) || value > ~std::uint64_t{0} >> shift)
    bad_value(option, text(option), "a size such as 512M");
  return value << shift;
}

std::size_t Arguments::choice(Option option) const {
  const std::string_view words = option_info(option).argument;
  std::size_t index = 0;
  for (std::size_t from = 0; from <= words.size(); ++index) {
    const std::size_t end = std::min(words.find('|', from), words.size());
    if (words.substr(from, end - from) == text(option)) return index;
    from = end + 1;
  }
  bad_value(option, text(option), "one of " + std::string(words));
}

namespace {

constexpr std::size_t kHelpColumn = 34, kHelpWidth = 110;

// Text as lines of at most `width` characters where its words allow it, those after the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string page;
  for (std::size_t room = width; text.size() > room; room = width - indent) {
    const std::size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos || (page.empty() && end < indent)) break;
    page += std::string(text.substr(0, end)) + "\n" + std::string(indent, ' ');
    text.remove_prefix(end + 1);
  }
  return page + std::string(text) + "\n";
}

}  // namespace

std::string describe_options(std::string_view command) {
  std::string page;
  for (const OptionInfo& info : kOptions) {
    if (!info.belongs_to(command)) continue;
    const std::size_t comma = info.flag.find(',');
    std::string line = "  --" + std::string(info.name());
    if (comma != std::string_view::npos) line += ", -" + std::string(info.flag.substr(comma + 1));
    if (!info.argument.empty()) line += " " + std::string(info.argument);
    line.resize(std::max(line.size() + 2, kHelpColumn), ' ');
    const std::string fallback = info.fallback.empty() ? "" : " (default " + std::string(info.fallback) + ")";
    page += wrapped(line + std::string(info.help_of(command)) + fallback, kHelpColumn, kHelpWidth);
  }
  return page;
}

}  // namespace nvm::cmd
