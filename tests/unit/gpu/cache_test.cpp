// The cache of compiled sources: hits compare keys, damage is removed, failing to write is quiet.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "gpu/cache.h"
#include "gpu/cuda_engine.h"

using namespace nvm::gpu;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("nvm_cache_test_" + std::to_string(::getpid()))) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  fs::path path_;
};

const std::vector<char> kCubin = {'c', 'u', 'b', 'i', 'n'};

}  // namespace

TEST_CASE("what was added is found under its key alone") {
  const Folder folder;
  const CubinCache cache(folder.name());
  CHECK_FALSE(cache.find("key").has_value());
  cache.add("key", kCubin);
  CHECK(cache.find("key") == kCubin);
  CHECK_FALSE(cache.find("other key").has_value());
  // A collision: another key's entry under this key's name.
  fs::copy_file(cache.path("key"), cache.path("third"));
  CHECK_FALSE(cache.find("third").has_value());
  CHECK(fs::exists(cache.path("third")));
}

TEST_CASE("a damaged entry is deleted and written anew") {
  const Folder folder;
  const CubinCache cache(folder.name());
  cache.add("key", kCubin);
  for (const auto size : {fs::file_size(cache.path("key")) - 1, std::uintmax_t{10}, std::uintmax_t{0}}) {
    cache.add("key", kCubin);
    fs::resize_file(cache.path("key"), size);
    CHECK_FALSE(cache.find("key").has_value());
    CHECK_FALSE(fs::exists(cache.path("key")));
  }
  cache.add("key", kCubin);
  std::fstream file(cache.path("key"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end).put('x');
  file.close();
  CHECK_FALSE(cache.find("key").has_value());
  cache.add("key", kCubin);
  CHECK(cache.find("key") == kCubin);
}

TEST_CASE("a cache that cannot be written keeps nothing") {
  const CubinCache nowhere("/proc/no such folder");
  nowhere.add("key", kCubin);
  CHECK_FALSE(nowhere.find("key").has_value());
  const CubinCache none("");
  none.add("key", kCubin);
  CHECK_FALSE(none.find("key").has_value());
}

TEST_CASE("without a device the engine says why") {
  std::string reason;
  if (make_engine(reason) == nullptr) CHECK_FALSE(reason.empty());
}
