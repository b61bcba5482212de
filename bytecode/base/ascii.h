// Letters of names, which are ASCII whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace nvm {

[[nodiscard]] constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}
[[nodiscard]] inline std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = upper(c);
  return out;
}
// Of the name of a file, in letters of any case.
[[nodiscard]] inline bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && lower(name.substr(name.size() - ending.size())) == ending;
}

}  // namespace nvm
