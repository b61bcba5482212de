// Compiled sources on disk, shared by processes. A hit compares the whole key; entries have a version, sizes
// and a checksum and appear by renaming; damaged ones are deleted, a file that cannot be read never is.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nvm::gpu {

// $XDG_CACHE_HOME/nvm or ~/.cache/nvm; empty if neither is known.
[[nodiscard]] std::string cache_folder();

class CubinCache {
 public:
  // An empty folder keeps nothing.
  explicit CubinCache(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::optional<std::vector<char>> find(const std::string& key) const;
  // Failing to write is no error: the next run compiles again.
  void add(const std::string& key, const std::vector<char>& cubin) const;
  [[nodiscard]] std::string path(const std::string& key) const;

 private:
  std::string folder_;
};

}  // namespace nvm::gpu
