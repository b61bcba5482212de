// What is worth keeping between runs, on disk, shared by processes. A hit compares the whole key; entries
// have a version, sizes and a checksum and appear by renaming; damaged ones are deleted, a file that cannot
// be read never is.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nvm {

// $XDG_CACHE_HOME/nvm or ~/.cache/nvm; empty if neither is known.
[[nodiscard]] std::string cache_folder();

class DiskCache {
 public:
  // An empty folder keeps nothing. `kind`: what is kept, a word with the version of its form: "cubin 1".
  // Files end in its first word.
  DiskCache(std::string folder, std::string kind);
  [[nodiscard]] std::optional<std::vector<char>> find(const std::string& key) const;
  // Replaces what was there. Failing to write is no error: the next run makes it again.
  void add(const std::string& key, const std::vector<char>& content) const;
  [[nodiscard]] std::string path(const std::string& key) const;

 private:
  std::string folder_;
  std::string kind_;
};

}  // namespace nvm
