#include "vm/lib/record_file.h"

#include <cerrno>
#include <cstring>

#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"

namespace nvm::lib {

namespace {

enum class Shape : std::uint64_t { kNothing, kVector, kSegdes };

std::string bytes_of(std::uint64_t x) {
  std::string out(8, '\0');
  for (int i = 0; i < 8; ++i) out[static_cast<std::size_t>(i)] = static_cast<char>(x >> (8 * i));
  return out;
}

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < 8; ++i)
    x |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return x;
}

std::uint64_t hash_number(std::uint64_t x, std::uint64_t hash) { return hash_bytes(bytes_of(x), hash); }

std::uint64_t real_bits(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

std::uint64_t element_bits(const vm::Vector& v, std::int64_t i) {
  switch (v.type()) {
    case Type::kFloat: return real_bits(v.is_scalar() ? v.scalar_float() : v.float_at(i));
    case Type::kBool: return (v.is_scalar() ? v.scalar_bool() : v.bool_at(i)) ? 1 : 0;
    default: return static_cast<std::uint64_t>(v.is_scalar() ? v.scalar_int() : v.int_at(i));
  }
}

}  // namespace

std::uint64_t hash_values(std::span<const vm::Value> values, std::uint64_t hash) {
  check_stack();
  for (const vm::Value& value : values) {
    if (const auto* v = std::get_if<vm::Vector>(&value)) {
      hash = hash_number(static_cast<std::uint64_t>(v->type()), hash_number(1, hash));
      for (std::int64_t i = 0; i < v->length(); ++i) hash = hash_number(element_bits(*v, i), hash);
    } else if (const auto* s = std::get_if<vm::Segdes>(&value)) {
      hash = hash_number(static_cast<std::uint64_t>(s->segments()), hash_number(2, hash));
      for (std::int64_t k = 0; k < s->segments(); ++k)
        hash = hash_number(static_cast<std::uint64_t>(s->length_at(k)), hash);
    } else if (const auto* p = std::get_if<std::shared_ptr<const vm::PairValue>>(&value)) {
      const vm::Value both[] = {(*p)->left, (*p)->right};
      hash = hash_values(both, hash_number(3, hash));
    }
  }
  return hash;
}

void PartWriter::number(std::uint64_t x) { bytes_ += bytes_of(x); }
void PartWriter::text(std::string_view text) {
  number(text.size());
  bytes_ += text;
}

void PartWriter::value(const vm::Value& value) {
  if (const auto* v = std::get_if<vm::Vector>(&value)) {
    number(static_cast<std::uint64_t>(Shape::kVector));
    number(static_cast<std::uint64_t>(v->type()));
    number(static_cast<std::uint64_t>(v->length()));
    for (std::int64_t i = 0; i < v->length(); ++i) number(element_bits(*v, i));
  } else if (const auto* s = std::get_if<vm::Segdes>(&value)) {
    number(static_cast<std::uint64_t>(Shape::kSegdes));
    number(static_cast<std::uint64_t>(s->segments()));
    for (std::int64_t k = 0; k < s->segments(); ++k) number(static_cast<std::uint64_t>(s->length_at(k)));
  } else {
    number(static_cast<std::uint64_t>(Shape::kNothing));
  }
}

std::string_view PartReader::take(std::size_t n) {
  if (n > bytes_.size()) {
    good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view taken = bytes_.substr(0, n);
  bytes_.remove_prefix(n);
  return taken;
}

std::uint64_t PartReader::number() {
  const std::string_view bytes = take(8);
  return bytes.empty() ? 0 : number_of(bytes);
}

std::string PartReader::text() { return std::string(take(number())); }

vm::Value PartReader::value(vm::Pool& pool) {
  const std::uint64_t shape = number();
  if (shape == static_cast<std::uint64_t>(Shape::kNothing)) return {};
  const bool is_segdes = shape == static_cast<std::uint64_t>(Shape::kSegdes);
  const std::uint64_t type = is_segdes ? 0 : number();
  const std::uint64_t n = number();
  if (n > bytes_.size() / 8 || type > static_cast<std::uint64_t>(Type::kBool)) {
    good_ = false;
    return {};
  }
  std::vector<std::int64_t> elements;
  for (std::uint64_t i = 0; i < n; ++i) elements.push_back(static_cast<std::int64_t>(number()));
  if (is_segdes) {
    return vm::Segdes::checked(vm::int_vector(pool, elements));
  }
  if (type == static_cast<std::uint64_t>(Type::kFloat)) {
    std::vector<double> reals(elements.size());
    if (!reals.empty()) std::memcpy(reals.data(), elements.data(), 8 * reals.size());
    return reals.size() == 1 ? vm::Vector::of_float(reals[0]) : vm::float_vector(pool, reals);
  }
  if (type == static_cast<std::uint64_t>(Type::kBool)) {
    if (elements.size() == 1) return vm::Vector::of_bool(elements[0] != 0);
    const std::unique_ptr<bool[]> flags(new bool[elements.size()]);
    for (std::size_t i = 0; i < elements.size(); ++i) flags[i] = elements[i] != 0;
    return vm::bool_vector(pool, {flags.get(), elements.size()});
  }
  return elements.size() == 1 ? vm::Vector::of_int(elements[0]) : vm::int_vector(pool, elements);
}

RecordWriter::RecordWriter(const std::string& path, std::string_view head, OutFile::Kind kind)
    : file_(path, kind) {
  file_.write(head);
}

std::string RecordWriter::error() const {
  return file_.error() == 0 ? ""
                            : "cannot write the record " + file_.path() + ": " + std::strerror(file_.error());
}

void RecordWriter::write(PartKind kind, std::string_view bytes) {
  const std::string front = bytes_of(static_cast<std::uint64_t>(kind)) + bytes_of(bytes.size());
  file_.write(front);
  file_.write(bytes);
  file_.write(bytes_of(hash_bytes(bytes, hash_bytes(front))));
}

RecordReader::RecordReader(const std::string& path, std::string_view head) : path_(path), file_(path) {
  const std::string begin = file_.rest(head.size());
  at_ = begin.size();
  if (file_.error() != 0)
    reason_ = "cannot read " + path + ": " + std::strerror(file_.error());
  else if (begin != head)
    reason_ = path + " is no " + std::string(head.substr(4, head.rfind(' ') - 4)) +
              " of a run, or of another version of nvm";
}

std::optional<Part> RecordReader::next() {
  constexpr std::size_t kFront = 16, kSum = 8;
  if (!reason_.empty()) return std::nullopt;
  const std::string front = file_.rest(kFront);
  if (front.empty() && file_.error() == 0) return std::nullopt;
  const std::string cut_off = " is cut off at byte " + std::to_string(at_);
  if (front.size() < kFront) return fail(cut_off);
  const std::uint64_t size = number_of(std::string_view(front).substr(8));
  const std::size_t left = file_.size().value_or(SIZE_MAX) - at_;
  if (left < kFront + kSum || size > left - kFront - kSum) return fail(cut_off);
  Part part{static_cast<PartKind>(number_of(front)), file_.rest(size)};
  const std::string sum = file_.rest(kSum);
  if (part.bytes.size() < size || sum.size() < kSum) return fail(cut_off);
  const std::size_t end = at_ + kFront + size + kSum;
  if (number_of(sum) != hash_bytes(part.bytes, hash_bytes(front)))
    return fail(" is damaged between bytes " + std::to_string(at_) + " and " + std::to_string(end));
  at_ = end;
  return part;
}

std::optional<std::vector<Part>> read_record(const std::string& path, std::string& reason) {
  RecordReader file(path, kRecordHead);
  std::vector<Part> parts;
  while (auto part = file.next()) parts.push_back(std::move(*part));
  reason = file.reason();
  if (!reason.empty()) return std::nullopt;
  return parts;
}

}  // namespace nvm::lib
