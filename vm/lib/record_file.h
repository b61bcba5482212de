// The file of a recorded run, or of a checkpoint: a head, then parts, each with its size and a checksum.
// Those of a recorded run are written as they come up, so that one that crashes leaves what is needed to
// repeat it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/hash.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::lib {

// kWords: the command line. kFile: name and contents of a file that was read. kHost: an instruction that
// looked outside, and its results. kEnd: what the run came to; missing if it did not end. kRun, kState: of
// checkpoints (checkpoint.h).
enum class PartKind : std::uint32_t { kWords = 1, kFile = 2, kHost = 3, kEnd = 4, kRun = 5, kState = 6 };

inline constexpr std::string_view kRecordHead = "nvm record 2\n";
inline constexpr std::string_view kCheckpointHead = "nvm checkpoint 2\n";

struct Part {
  PartKind kind = PartKind::kWords;
  std::string bytes;
};

// A hash (bytecode/base/hash.h) of the elements of values, whatever their storage.
[[nodiscard]] std::uint64_t hash_values(std::span<const vm::Value> values, std::uint64_t hash);

// Writes numbers, texts and values; reads them back in the same order. A Reader that meets the end, or what
// makes no sense, is no longer good() and gives zeros.
class PartWriter {
 public:
  void number(std::uint64_t x);
  void text(std::string_view text);
  void value(const vm::Value& value);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class PartReader {
 public:
  explicit PartReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number();
  std::string text();
  vm::Value value(vm::Pool& pool);
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::size_t n);
  std::string_view bytes_;
  bool good_ = true;
};

// Writes the parts. The file has its name when finish() is called.
class RecordWriter {
 public:
  RecordWriter(const std::string& path, std::string_view head, OutFile::Kind kind);
  void write(PartKind kind, std::string_view bytes);
  bool finish() { return file_.finish(); }
  [[nodiscard]] int error_number() const { return file_.error(); }
  [[nodiscard]] bool opened() const { return file_.opened(); }
  // Why the file is incomplete, "" if it is not.
  [[nodiscard]] std::string error() const;

 private:
  OutFile file_;
};

// Reads them, one by one.
class RecordReader {
 public:
  RecordReader(const std::string& path, std::string_view head);
  // Nothing at the end; nothing, with a reason, if the file is damaged or none of ours.
  [[nodiscard]] std::optional<Part> next();
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  [[nodiscard]] std::optional<Part> fail(const std::string& why) {
    reason_ = path_ + why;
    return std::nullopt;
  }

  std::string path_;
  InFile file_;
  std::size_t at_ = 0;
  std::string reason_;
};

// All parts of a recorded run, likewise.
[[nodiscard]] std::optional<std::vector<Part>> read_record(const std::string& path, std::string& reason);

}  // namespace nvm::lib
