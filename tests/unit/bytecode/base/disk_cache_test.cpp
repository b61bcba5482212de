// The cache on disk: hits compare keys, damage is removed, failing to write is quiet.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "bytecode/base/disk_cache.h"
#include "tests/support/temp_folder.h"

using namespace nvm;
namespace fs = std::filesystem;

namespace {

const std::vector<char> kContent = {'c', 'u', 'b', 'i', 'n'};

}  // namespace

TEST_CASE("what was added is found under its key alone") {
  const test::TempFolder folder("nvm_cache_test");
  const DiskCache cache(folder.name(), "cubin 1");
  CHECK_FALSE(cache.find("key").has_value());
  cache.add("key", kContent);
  CHECK(cache.find("key") == kContent);
  CHECK_FALSE(cache.find("other key").has_value());
  // A collision: another key's entry under this key's name.
  fs::copy_file(cache.path("key"), cache.path("third"));
  CHECK_FALSE(cache.find("third").has_value());
  CHECK(fs::exists(cache.path("third")));
}

TEST_CASE("a damaged entry is deleted and written anew") {
  const test::TempFolder folder("nvm_cache_test");
  const DiskCache cache(folder.name(), "cubin 1");
  cache.add("key", kContent);
  for (const auto size : {fs::file_size(cache.path("key")) - 1, std::uintmax_t{10}, std::uintmax_t{0}}) {
    cache.add("key", kContent);
    fs::resize_file(cache.path("key"), size);
    CHECK_FALSE(cache.find("key").has_value());
    CHECK_FALSE(fs::exists(cache.path("key")));
  }
  cache.add("key", kContent);
  std::fstream file(cache.path("key"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end).put('x');
  file.close();
  CHECK_FALSE(cache.find("key").has_value());
  cache.add("key", kContent);
  CHECK(cache.find("key") == kContent);
}

TEST_CASE("a cache that cannot be written keeps nothing") {
  const DiskCache nowhere("/proc/no such folder", "cubin 1");
  nowhere.add("key", kContent);
  CHECK_FALSE(nowhere.find("key").has_value());
  const DiskCache none("", "cubin 1");
  none.add("key", kContent);
  CHECK_FALSE(none.find("key").has_value());
}

TEST_CASE("another version of the form is not read") {
  const test::TempFolder folder("nvm_cache_test");
  const DiskCache old(folder.name(), "cubin 1");
  old.add("key", kContent);
  CHECK_FALSE(DiskCache(folder.name(), "cubin 2").find("key").has_value());
}
