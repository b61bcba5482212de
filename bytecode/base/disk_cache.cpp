#include "bytecode/base/disk_cache.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "bytecode/base/hash.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"

namespace nvm {

namespace {

namespace fs = std::filesystem;

struct Header {
  char magic[16] = {};
  std::uint64_t key_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t checksum = 0;
};

Header header_of(const std::string& kind) {
  Header h;
  std::snprintf(h.magic, sizeof h.magic, "nvm %s\n", kind.c_str());
  return h;
}

}  // namespace

std::string cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0')
    return std::string(xdg) + "/nvm";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/nvm";
  return {};
}

DiskCache::DiskCache(std::string folder, std::string kind)
    : folder_(std::move(folder)), kind_(std::move(kind)) {}

std::string DiskCache::path(const std::string& key) const {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.", static_cast<unsigned long long>(hash_bytes(key)));
  return folder_ + "/" + name + kind_.substr(0, kind_.find(' '));
}

std::optional<std::vector<char>> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string file = path(key);
  const auto read = read_all(file);
  if (!read) return std::nullopt;
  const std::string& all = *read;
  Header h;
  if (all.size() >= sizeof h) std::memcpy(&h, all.data(), sizeof h);
  const std::size_t body = all.size() < sizeof h ? 0 : all.size() - sizeof h;
  const bool whole = std::memcmp(h.magic, header_of(kind_).magic, sizeof h.magic) == 0 &&
                     h.key_bytes <= body && h.content_bytes == body - h.key_bytes &&
                     hash_bytes({all.data() + sizeof h, body}) == h.checksum;
  if (!whole) {
    std::error_code ignored;
    fs::remove(file, ignored);
    return std::nullopt;
  }
  if (all.compare(sizeof h, h.key_bytes, key) != 0) return std::nullopt;
  const char* content = all.data() + sizeof h + h.key_bytes;
  return std::vector<char>(content, content + h.content_bytes);
}

void DiskCache::add(const std::string& key, const std::vector<char>& content) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return;
  Header h = header_of(kind_);
  h.key_bytes = key.size();
  h.content_bytes = content.size();
  h.checksum = hash_bytes({content.data(), content.size()}, hash_bytes(key));
  OutFile out(path(key), OutFile::Kind::kCache);
  out.write({reinterpret_cast<const char*>(&h), sizeof h});
  out.write(key);
  out.write({content.data(), content.size()});
  out.finish();
}

}  // namespace nvm
