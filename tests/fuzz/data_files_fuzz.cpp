// Any bytes as a file of data: the first byte chooses .npy, CSV, JSON lines, an image, an archive, what is
// compressed, or a record of a run. What is read makes
// sense, the rest is refused with a message.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "bytecode/base/check.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "vm/lib/csv.h"
#include "vm/lib/image_values.h"
#include "vm/lib/json_lines.h"
#include "vm/lib/npy.h"
#include "vm/lib/record_file.h"
#include "vm/lib/unpack.h"
#include "vm/lib/zip.h"

using namespace nvm;

namespace {

// A file in memory, with a path.
class File {
 public:
  explicit File(std::string_view bytes) : file_(::memfd_create("fuzz", 0)) {
    NVM_CHECK(::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "no memory");
  }
  ~File() { ::close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void read_array(std::string_view bytes) {
  vm::Pool pool(std::size_t{64} << 20);
  InFile file("fuzz.npy", std::string(bytes));
  const vm::Array array = vm::read_npy("fuzz.npy", file, pool);
  const std::int64_t elements =
      std::accumulate(array.shape.begin(), array.shape.end(), std::int64_t{1}, std::multiplies<>());
  NVM_CHECK(array.elements.length() == elements, "an array has as many elements as its shape says");
  static_cast<void>(lib::hash_values({{vm::Value(array.elements)}}, 0));  // every element can be read
}

std::size_t rows_of(const vm::Column& column) {
  return column.kind == vm::Column::Kind::kTexts ? column.lengths.size() : column.floats.size();
}

void read_columns(std::string_view bytes) {
  const std::vector<vm::Column> columns = vm::read_columns(bytes, "fuzz.csv");
  for (const vm::Column& column : columns)
    NVM_CHECK(rows_of(column) == rows_of(columns[0]), "columns have all rows");
}

void read_fields(std::string_view bytes) {
  const vm::Fields fields = vm::read_fields(bytes, "fuzz.csv");
  const auto sum = [](const auto& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); };
  NVM_CHECK(sum(fields.lengths) == static_cast<std::int64_t>(fields.text.size()),
            "fields have all characters");
  NVM_CHECK(sum(fields.rows) == static_cast<std::int64_t>(fields.lengths.size()), "rows have all fields");
}

void read_table(std::string_view bytes) {
  const vm::Table table = vm::read_csv(bytes, "fuzz.csv");
  const std::vector<std::int64_t> lengths = table.lengths.all();
  const std::int64_t all = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  NVM_CHECK(all == static_cast<std::int64_t>(table.numbers.size()), "rows have all numbers");
}

void read_parts(std::string_view bytes) {
  std::string reason;
  const auto parts = lib::read_record(File(bytes).path(), reason);
  NVM_CHECK(parts.has_value() == reason.empty(), "a record is read or refused");
  vm::Pool pool(std::size_t{64} << 20);
  for (const lib::Part& part : parts.value_or(std::vector<lib::Part>())) {
    lib::PartReader texts(part.bytes), values(part.bytes);
    while (texts.good() && !texts.at_end()) static_cast<void>(texts.text());
    while (values.good() && !values.at_end()) static_cast<void>(values.value(pool));
  }
}

// The first byte parts fields.
void read_parted(std::string_view bytes) {
  if (bytes.empty() || bytes[0] == '"' || bytes[0] == '\n' || bytes[0] == '\r' || bytes[0] == '\0') return;
  const vm::Fields fields = vm::read_fields(bytes.substr(1), "fuzz.csv", bytes[0]);
  for (const std::int64_t n : fields.rows) NVM_CHECK(n > 0, "a row has a field");
}

void read_lines(std::string_view bytes) {
  vm::Pool pool(std::size_t{64} << 20);
  frontend::TypeArena arena;
  const vm::Typed lines = vm::read_json_lines(bytes, "fuzz.jsonl", arena, pool);
  NVM_CHECK(static_cast<std::int64_t>(lines.second.size()) == frontend::slot_count(arena, lines.first),
            "a value has the slots of its type");
  static_cast<void>(lib::hash_values(lines.second, 0));
}

// Images that are larger than this are not decoded: the fuzzer has no limit on the heap.
void read_image(std::string_view bytes) {
  constexpr std::size_t kHeader = 24;
  const auto part = [&](std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
      n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
    return std::uint64_t{n};
  };
  if (bytes.size() >= kHeader && part(16) * part(20) > 1'000'000) return;
  const vm::Image image = vm::read_png(std::string(bytes), "fuzz.png");
  NVM_CHECK(static_cast<std::int64_t>(image.bytes.size()) == image.width * image.height * image.channels,
            "an image has all bytes");
}

void read_archive(std::string_view bytes) {
  vm::Pool pool(std::size_t{64} << 20);
  for (const vm::ZipMember& member : vm::read_zip(std::string(bytes), "fuzz.npz")) {
    InFile file(member.name, member.bytes);
    static_cast<void>(vm::read_npy(member.name, file, pool));
  }
}

void unpack(vm::Compression compression, std::string_view bytes) {
  static_cast<void>(vm::unpacked(compression, std::string(bytes), "fuzz"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'n': read_array(bytes); break;
      case 'c': read_table(bytes); break;
      case 't': read_columns(bytes); break;
      case 'f': read_fields(bytes); break;
      case 's': read_parted(bytes); break;
      case 'j': read_lines(bytes); break;
      case 'p': read_image(bytes); break;
      case 'a': read_archive(bytes); break;
      case 'g': unpack(vm::Compression::kGzip, bytes); break;
      case 'z': unpack(vm::Compression::kZstd, bytes); break;
      default: read_parts(bytes); break;
    }
  } catch (const vm::Fault& fault) {
    NVM_CHECK(!fault.message.empty(), "a refusal says why");
  } catch (const TooDeep&) {  // what is nested without end
  }
  return 0;
}
