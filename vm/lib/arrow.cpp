#include "vm/lib/arrow.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "vm/interp/spawn.h"
#include "vm/lib/arrow_script.h"
#include "vm/lib/nesl_print.h"
#include "vm/lib/nesl_slots.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;
using Json = nlohmann::json;

constexpr int kGood = 0, kMissing = 3, kFailed = 4;  // how arrow.py ends

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// A file in memory with this text, which a child has, too.
File memory_file(std::string_view text) {
  const int file = ::memfd_create("arrow", 0);
  File stream(file < 0 ? nullptr : ::fdopen(file, "w+"));
  if (!stream) {
    if (file >= 0) ::close(file);
    throw Fault{Fault::Kind::kIo, std::string("no files in memory: ") + std::strerror(errno)};
  }
  if (std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size() || std::fflush(stream.get()) != 0)
    throw Fault{Fault::Kind::kIo, std::string("no room in memory: ") + std::strerror(errno)};
  std::rewind(stream.get());
  return stream;
}

std::string contents_of(std::FILE* file) {
  struct stat is {};
  if (::fstat(::fileno(file), &is) != 0) return {};
  std::string text(static_cast<std::size_t>(is.st_size), '\0');
  for (std::size_t have = 0; have < text.size();) {
    const ssize_t n =
        ::pread(::fileno(file), text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Fault{Fault::Kind::kIo, std::string("memory cannot be read: ") + std::strerror(errno)};
    have += static_cast<std::size_t>(n);
  }
  return text;
}

// A child that is waited for; a limit on time ends it.
int status_of(int pid) {
  struct Ending {
    ~Ending() {
      if (pid <= 0) return;
      ::kill(pid, SIGKILL);
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    }
    int pid;
  } ending{pid};
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) break;
    nvm::Budget::look();
  }
  ending.pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Answer {
  int status = kGood;
  std::string out, why;
};

Answer ask_python(const std::string& words, std::string_view input) {
  const File script = memory_file(arrow_script()), in = memory_file(input), out = memory_file(""),
             err = memory_file("");
  std::FILE* const streams[3] = {in.get(), out.get(), err.get()};
  const Spawned child =
      spawn("python3 /dev/fd/" + std::to_string(::fileno(script.get())) + " " + words, streams);
  if (child.pid < 0) return {kMissing, "", "python3: " + child.error};
  const int status = status_of(child.pid);
  std::string why = contents_of(err.get());
  while (!why.empty() && why.back() == '\n') why.pop_back();
  return {status, contents_of(out.get()), std::move(why)};
}

std::string advice(const std::string& why) {
  return "this needs Apache Arrow in Python (python3 -m pip install pyarrow): " + why;
}

std::string name_of(ArrowFormat format) { return format == ArrowFormat::kParquet ? "parquet" : "arrow"; }

std::string converted(const std::string& what, ArrowFormat format, std::string_view input,
                      const std::string& path) {
  Answer answer = ask_python(what + " " + name_of(format), input);
  if (answer.status == kGood) return std::move(answer.out);
  if (answer.status == kMissing) fail_file(path, advice(answer.why));
  if (answer.status == kFailed) fail_file(path, answer.why);
  fail_file(path, "Apache Arrow ended without an answer" + (answer.why.empty() ? "" : ": " + answer.why));
}

const Type* type_of(const Json& text, TypeArena& arena) {
  check_stack();
  if (text == "int") return TypeArena::base(TypeKind::kInt);
  if (text == "float") return TypeArena::base(TypeKind::kFloat);
  if (text == "bool") return TypeArena::base(TypeKind::kBool);
  if (text == "char") return TypeArena::base(TypeKind::kChar);
  if (text.at(0) == "seq") return arena.seq(type_of(text.at(1), arena));
  std::vector<const Type*> parts;
  for (std::size_t k = 1; k < text.size(); ++k) parts.push_back(type_of(text.at(k), arena));
  return arena.tuple(parts);
}

template <typename T>
std::vector<T> numbers_in(std::string_view bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

Value part_of(char kind, std::string_view bytes, std::int64_t next, Pool& pool) {
  if (kind == 'd') return nested(numbers_in<std::int64_t>(bytes), next, pool);
  if (kind == 'i') return vector_of(numbers_in<std::int64_t>(bytes), Storage::kI64, pool);
  if (kind == 'f') return vector_of(numbers_in<double>(bytes), Storage::kF64, pool);
  if (kind == 'c') return characters_of(bytes, pool);
  std::vector<std::uint8_t> flags = numbers_in<std::uint8_t>(bytes);
  for (std::uint8_t& flag : flags) flag = flag != 0;
  return vector_of(flags, Storage::kB8, pool);
}

constexpr std::size_t width_of(char kind) { return kind == 'b' || kind == 'c' ? 1 : 8; }

// How many elements there are in sequences of these lengths; negative if that is no number of them.
std::int64_t total_of(std::string_view lengths) {
  std::int64_t total = 0;
  for (const std::int64_t n : numbers_in<std::int64_t>(lengths))
    if (n < 0 || __builtin_add_overflow(total, n, &total)) return -1;
  return total;
}

// Nothing if the header promises other bytes than there are.
std::optional<std::vector<Value>> parts_of(const Json& header, std::string_view bytes, Pool& pool) {
  std::vector<Value> slots;
  for (const Json& part : header.at("parts")) {
    const auto word = part.at(0).get<std::string>();
    if (word.size() != 1 || !part.at(1).is_number_unsigned()) return std::nullopt;
    const char kind = word[0];
    const auto n = part.at(1).get<std::size_t>();
    if (n > bytes.size() / width_of(kind)) return std::nullopt;
    const std::string_view mine = bytes.substr(0, n * width_of(kind));
    bytes.remove_prefix(mine.size());
    const std::int64_t total = kind == 'd' ? total_of(mine) : 0;
    if (total < 0 || total > static_cast<std::int64_t>(bytes.size())) return std::nullopt;
    slots.push_back(part_of(kind, mine, total, pool));
  }
  return slots;
}

// The type of a value as arrow.py has it, and its parts.
class Packed {
 public:
  Packed(TypeArena& arena, std::span<const Value> slots) : arena_(arena), slots_(slots) {}

  Json add(const Type* type) {
    check_stack();
    type = resolve(type);
    if (type->kind == TypeKind::kPair || type->kind == TypeKind::kRecord) {
      Json all = Json::array({"tuple"});
      for (const Type* part : components_of(arena_, type)) all.push_back(add(part));
      return all;
    }
    const Value& slot = slots_.front();
    slots_ = slots_.subspan(1);
    if (type->kind == TypeKind::kSeq) {
      lengths(std::get<Segdes>(slot));
      return Json::array({"seq", add(type->args[0])});
    }
    return elements(type->kind, std::get<Vector>(slot));
  }
  [[nodiscard]] const Json& parts() const { return parts_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void put(T x) {
    char raw[sizeof(T)];
    std::memcpy(raw, &x, sizeof x);
    bytes_.append(raw, sizeof x);
  }
  void part(const char* kind, std::int64_t n) { parts_.push_back(Json::array({kind, n})); }
  void lengths(const Segdes& segdes) {
    part("d", segdes.segments());
    for (std::int64_t k = 0; k < segdes.segments(); ++k) put(segdes.length(k));
  }
  Json elements(TypeKind kind, const Vector& v) {
    const std::int64_t n = v.length();
    const bool small = kind == TypeKind::kBool || kind == TypeKind::kChar;
    part(kind == TypeKind::kFloat  ? "f"
         : kind == TypeKind::kBool ? "b"
         : kind == TypeKind::kChar ? "c"
                                   : "i",
         n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (kind == TypeKind::kFloat)
        put(v.is_scalar() ? v.scalar_float() : v.data<double>()[i]);
      else if (small)
        put(static_cast<std::uint8_t>(int_at(v, i)));
      else
        put(int_at(v, i));
    }
    return kind == TypeKind::kFloat  ? "float"
           : kind == TypeKind::kBool ? "bool"
           : kind == TypeKind::kChar ? "char"
                                     : "int";
  }

  TypeArena& arena_;
  std::span<const Value> slots_;
  Json parts_ = Json::array();
  std::string bytes_;
};

bool has_function(TypeArena& arena, const Type* type) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kSeq) return has_function(arena, type->args[0]);
  if (type->kind != TypeKind::kPair && type->kind != TypeKind::kRecord) return !is_plain(type);
  for (const Type* part : components_of(arena, type))
    if (has_function(arena, part)) return true;
  return false;
}

}  // namespace

std::string arrow_missing() {
  const Answer answer = ask_python("probe", "");
  return answer.status == kGood ? "" : advice(answer.why);
}

std::string unpack_arrow(ArrowFormat format, std::string_view bytes, const std::string& path) {
  return converted("read", format, bytes, path);
}

Typed read_arrow(const std::string& answer, const std::string& path, TypeArena& arena, Pool& pool) {
  const std::size_t line = std::min(answer.find('\n'), answer.size());
  try {
    const Json header = Json::parse(std::string_view(answer).substr(0, line));
    const Type* type = type_of(header.at("type"), arena);
    auto slots = parts_of(header, std::string_view(answer).substr(std::min(line + 1, answer.size())), pool);
    const bool fits = slots && static_cast<std::size_t>(frontend::slot_count(arena, type)) == slots->size();
    if (!fits || misfit(arena, type, *slots))
      fail_file(path, "came back from Apache Arrow in parts that do not fit");
    return {type, std::move(*slots)};
  } catch (const Json::exception& wrong) {
    fail_file(path, std::string("came back from Apache Arrow as no value: ") + wrong.what());
  }
}

std::string arrow_refuses(const Type* type, std::size_t names) {
  TypeArena arena;
  if (has_function(arena, type)) return "a function stands in no table";
  if (names == 0)
    return resolve(type)->kind == TypeKind::kSeq ? ""
                                                 : "only a sequence makes a table, a row for each element";
  for (const Type* part : components_of(arena, type))
    if (resolve(part)->kind != TypeKind::kSeq) return "columns are sequences";
  return "";
}

std::string write_arrow(ArrowFormat format, const Type* type, std::span<const Value> slots,
                        std::span<const std::string> titles, const std::string& path) {
  TypeArena arena;
  Packed packed(arena, slots);
  const Json whole = packed.add(type);
  Json columns = Json::array();
  const Json& parts = titles.empty() ? whole.at(1) : whole;
  const bool several = parts.is_array() && parts.at(0) == "tuple";
  for (std::size_t k = several ? 1 : 0; several && k < parts.size(); ++k)
    columns.push_back(titles.empty() ? parts.at(k) : parts.at(k).at(1));
  if (!several) columns.push_back(titles.empty() ? parts : parts.at(1));
  const Json header = {{"titles", titles}, {"columns", columns}, {"parts", packed.parts()}};
  return converted("write", format, header.dump() + "\n" + packed.bytes(), path);
}

}  // namespace nvm::vm
