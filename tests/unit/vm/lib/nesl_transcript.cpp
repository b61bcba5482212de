// Holds the top level against observed input and output of the legacy one
// (tests/conformance/nesl/transcript.txt).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "vm/lib/nesl.hpp"

using namespace nvm;

namespace {

struct Step {
  std::size_t line = 0;
  std::string input, expected;
};
using Session = std::vector<Step>;

std::vector<Session> read_sessions(const std::string& path) {
  std::vector<Session> sessions;
  std::ifstream in(path);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '%') continue;
    if (line.starts_with("# "))
      sessions.emplace_back();
    else if (line.starts_with(">> "))
      sessions.back().push_back({number, line.substr(3), ""});
    else
      sessions.back().back().expected += line + "\n";
  }
  return sessions;
}

// One line, single blanks, type variables named in order of appearance.
std::string canonical(const std::string& text) {
  std::string line;
  std::istringstream lines(text);
  for (std::string l; std::getline(lines, l);)
    if (!l.starts_with("Redefining ")) line += l + " ";
  line = std::regex_replace(line, std::regex("\\s+"), " ");
  line = std::regex_replace(line, std::regex("^ | $"), "");
  std::smatch context;
  const std::size_t colon = line.find(" : ");
  if (colon == line.npos || !std::regex_search(line, context, std::regex(" :: \\(([a-z0-9_ ;]*)\\)$")))
    return line;
  std::map<std::string, std::string> classes, names;
  const std::string list = context[1].str();
  const std::regex part("(\\w+) in (\\w+)");
  for (std::sregex_iterator it(list.begin(), list.end(), part), end; it != end; ++it)
    classes[(*it)[1]] = (*it)[2];
  const std::string body = line.substr(colon + 3, static_cast<std::size_t>(context.position()) - colon - 3);
  std::string out = line.substr(0, colon + 3), order;
  const std::regex word("[a-z_][a-z0-9_]*|[^a-z_]+");
  for (std::sregex_iterator it(body.begin(), body.end(), word), end; it != end; ++it) {
    const std::string w = it->str();
    if (classes.count(w) == 0) {
      out += w;
      continue;
    }
    if (names.count(w) == 0) {
      names.emplace(w, std::string(1, static_cast<char>('a' + names.size())));
      order += names[w] + " in " + classes[w] + ";";
    }
    out += names[w];
  }
  return out + " :: " + order;
}

}  // namespace

TEST_CASE("inputs get the answers of the legacy top level") {
  std::FILE* sink = std::fopen("/dev/null", "w");
  int steps = 0;
  for (const Session& session : read_sessions(NVM_SOURCE_DIR "/tests/conformance/nesl/transcript.txt")) {
    std::ostringstream out, err;
    lib::NeslOptions options;
    options.int_bits = 32;
    options.interactive = true;
    options.vm.err = sink;
    lib::Nesl nesl(options, out, err);
    for (const Step& step : session) {
      out.str("");
      err.str("");
      const lib::NeslStatus status = nesl.run_text(step.input, "input");
      INFO("transcript.txt:" << step.line << ": " << step.input << "\n" << err.str());
      if (step.expected.starts_with("! run-time")) {
        CHECK(status == lib::NeslStatus::kRunError);
      } else if (step.expected.starts_with("! error")) {
        CHECK(status == lib::NeslStatus::kCompileError);
      } else {
        CHECK(canonical(out.str()) == canonical(step.expected));
      }
      ++steps;
    }
  }
  std::fclose(sink);
  CHECK(steps > 1000);
}
