#include "vm/lib/zip.h"

#include <algorithm>
#include <memory>

#include "bytecode/base/budget.h"
#include "vm/lib/component.h"
#include "vm/lib/file_values.h"

#if __has_include(<zip.h>)
#include <zip.h>
#define NVM_ZIP true
#else
#define NVM_ZIP false
#endif

namespace nvm::vm {

namespace {
Component libzip() { return Component("libzip.so.4", "libzip4", NVM_ZIP); }
}  // namespace

std::string zip_missing() { return libzip().missing(); }

#if NVM_ZIP

namespace {

#define NVM_FUNCTION(library, name) (library).function<decltype(::name)>(#name)

class Archive {
 public:
  Archive(Component& library, const std::string& path, const void* bytes, std::size_t size, int flags)
      : library_(library), discard_(NVM_FUNCTION(library, zip_discard)) {
    zip_error_t error{};
    source_ = NVM_FUNCTION(library, zip_source_buffer_create)(bytes, size, 0, &error);
    if (source_ == nullptr) throw std::bad_alloc();
    zip_ = NVM_FUNCTION(library, zip_open_from_source)(source_, flags, &error);
    if (zip_ != nullptr) return;
    std::string why = NVM_FUNCTION(library, zip_error_strerror)(&error);
    NVM_FUNCTION(library, zip_error_fini)(&error);
    NVM_FUNCTION(library, zip_source_free)(source_);
    fail_file(path, "is no archive, or damaged: " + why);
  }
  ~Archive() {
    if (zip_ != nullptr) discard_(zip_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] zip_t* get() const { return zip_; }
  [[nodiscard]] std::string why() const { return NVM_FUNCTION(library_, zip_strerror)(zip_); }
  // Closes it and takes what was written.
  std::string written(const std::string& path) {
    NVM_FUNCTION(library_, zip_source_keep)(source_);
    const std::unique_ptr<zip_source_t, decltype(&::zip_source_free)> source(
        source_, NVM_FUNCTION(library_, zip_source_free));
    if (NVM_FUNCTION(library_, zip_close)(zip_) != 0) fail_file(path, "cannot be made: " + why());
    zip_ = nullptr;
    zip_stat_t info{};
    if (NVM_FUNCTION(library_, zip_source_stat)(source_, &info) != 0) fail_file(path, "cannot be made");
    std::string bytes(info.size, '\0');
    if (NVM_FUNCTION(library_, zip_source_open)(source_) != 0 ||
        NVM_FUNCTION(library_, zip_source_read)(source_, bytes.data(), bytes.size()) !=
            static_cast<zip_int64_t>(bytes.size()))
      fail_file(path, "cannot be made");
    return bytes;
  }

 private:
  Component& library_;
  decltype(&::zip_discard) discard_;
  zip_source_t* source_ = nullptr;
  zip_t* zip_ = nullptr;
};

// All of a file of an archive, however long it says that it is.
std::string content(Component& library, const Archive& archive, zip_uint64_t i, const std::string& where) {
  const auto read = NVM_FUNCTION(library, zip_fread);
  const std::unique_ptr<zip_file_t, decltype(&::zip_fclose)> file(
      NVM_FUNCTION(library, zip_fopen_index)(archive.get(), i, 0), NVM_FUNCTION(library, zip_fclose));
  if (file == nullptr) fail_file(where, "cannot be read: " + archive.why());
  std::string bytes;
  const auto piece = std::make_unique<char[]>(std::size_t{64} << 10);
  for (;;) {
    Budget::look();
    const zip_int64_t n = read(file.get(), piece.get(), std::size_t{64} << 10);
    if (n < 0) fail_file(where, "is damaged");
    if (n == 0) return bytes;
    bytes.append(piece.get(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::vector<ZipMember> read_zip(const std::string& bytes, const std::string& path) {
  Component library = libzip();
  library.need(path);
  const Archive archive(library, path, bytes.data(), bytes.size(), ZIP_RDONLY);
  const zip_int64_t n = NVM_FUNCTION(library, zip_get_num_entries)(archive.get(), 0);
  const auto name = NVM_FUNCTION(library, zip_get_name);
  std::vector<ZipMember> members;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(std::max<zip_int64_t>(n, 0)); ++i) {
    const char* text = name(archive.get(), i, 0);
    const std::string called = text == nullptr ? "" : text;
    members.push_back({called, content(library, archive, i, path + ": " + called)});
  }
  return members;
}

std::string write_zip(const std::vector<ZipMember>& members, const std::string& path) {
  Component library = libzip();
  library.need(path);
  constexpr int kFresh = ZIP_TRUNCATE;
  Archive archive(library, path, nullptr, 0, kFresh);
  const auto buffer = NVM_FUNCTION(library, zip_source_buffer);
  const auto add = NVM_FUNCTION(library, zip_file_add);
  const auto store = NVM_FUNCTION(library, zip_set_file_compression);
  const auto date = NVM_FUNCTION(library, zip_file_set_dostime);
  for (const ZipMember& member : members) {
    zip_source_t* source = buffer(archive.get(), member.bytes.data(), member.bytes.size(), 0);
    const zip_int64_t i =
        source == nullptr ? -1 : add(archive.get(), member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (i < 0) {
      if (source != nullptr) NVM_FUNCTION(library, zip_source_free)(source);
      fail_file(path, "cannot be made: " + archive.why());
    }
    constexpr zip_uint16_t kFirstDay = 1 << 5 | 1;  // the first of January 1980: equal files are equal bytes
    if (store(archive.get(), static_cast<zip_uint64_t>(i), ZIP_CM_STORE, 0) != 0 ||
        date(archive.get(), static_cast<zip_uint64_t>(i), 0, kFirstDay, 0) != 0)
      fail_file(path, "cannot be made: " + archive.why());
  }
  return archive.written(path);
}

#else

std::vector<ZipMember> read_zip(const std::string&, const std::string& path) {
  libzip().need(path);
  return {};
}

std::string write_zip(const std::vector<ZipMember>&, const std::string& path) {
  libzip().need(path);
  return "";
}

#endif

}  // namespace nvm::vm
