// The commands of a Remora top level: what names mean.
#include <algorithm>
#include <ostream>

#include "frontend/remora/library.h"
#include "frontend/remora/scope.h"
#include "vm/lib/remora_session.h"

namespace nvm::lib {

namespace {

constexpr std::string_view kHelp =
    "Definitions and expressions are evaluated; brackets may be closed on later lines.\n"
    "  describe NAME, ?NAME   the type of a name and what it does\n"
    "  help                   this\n"
    "  exit                   leave\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == text.npos ? "" : text.substr(begin, end + 1 - begin);
}

std::string of_library(std::string_view name, std::int32_t row) {
  const remora::LibraryEntry& entry = remora::library()[static_cast<std::size_t>(row)];
  std::string text =
      std::string(name) + " : " + std::string(entry.type) + "\n  " + std::string(entry.documentation) + "\n";
  std::vector<std::string_view> names = remora::library_names();
  std::sort(names.begin(), names.end());
  for (const std::string_view other : names)
    if (other != name && remora::library_row(other) == row)
      text += "  also called " + std::string(other) + "\n";
  return text;
}

}  // namespace

std::string Remora::Impl::describe(const std::string& name) const {
  if (const remora::ValueId value = top.find(name); value >= 0) {
    const std::string text = name + " : " + remora::print(top.type_of(value), top.variables()) + "\n";
    const auto& place = definitions.at(value).place;
    return text + (place.empty() ? "  from a file\n" : "  defined at " + place + "\n");
  }
  const std::int32_t row = remora::library_row(name);
  return row >= 0 ? of_library(name, row) : "";
}

bool Remora::Impl::command(std::string_view text) {
  const std::string_view line = trimmed(text);
  constexpr std::string_view kDescribe = "describe ";
  std::string_view name;
  if (line == "help") {
    out << kHelp << std::flush;
    return true;
  }
  if (line.starts_with("?"))
    name = trimmed(line.substr(1));
  else if (line.starts_with(kDescribe))
    name = trimmed(line.substr(kDescribe.size()));
  if (name.empty() || name.find_first_of(" \t\n()[]{}") != name.npos) return false;
  const std::string said_of = describe(std::string(name));
  if (said_of.empty()) {
    std::vector<std::string> like;
    for (const std::string_view other : remora::library_names())
      if (other.find(name) != other.npos) like.emplace_back(other);
    std::sort(like.begin(), like.end());
    err << "nothing is called " << name << "\n";
    for (const std::string& other : like) err << "  " << other << "\n";
    err << std::flush;
  }
  out << said_of << std::flush;
  return true;
}

std::vector<std::string> Remora::Impl::names() {
  std::vector<std::string> all;
  for (const std::string_view name : remora::library_names()) all.emplace_back(name);
  for (std::string& name : top.names()) all.push_back(std::move(name));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace nvm::lib
