#include <charconv>
#include <cmath>
#include <cstring>

#include "bytecode/base/budget.h"
#include "vm/interp/elements.h"
#include "vm/interp/text_io.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kChunk = 1 << 16;  // bytes gathered before they are handed on
constexpr std::size_t kLongest = 32;     // no element is written longer than this, blank included

// Gathers text in one block and hands it on whenever the block is nearly full.
template <typename Flush>
class Writer {
 public:
  explicit Writer(Flush flush) : flush_(flush) {}
  void text(std::string_view s) {
    std::memcpy(room(), s.data(), s.size());
    end_ += s.size();
  }
  // Where the next element goes: at least kLongest bytes.
  char* room() {
    if (end_ + kLongest > kChunk) finish();
    return block_ + end_;
  }
  void advance(const char* end) { end_ = static_cast<std::size_t>(end - block_); }
  void finish() {
    flush_(std::string_view(block_, end_));
    end_ = 0;
  }

 private:
  Flush flush_;
  std::size_t end_ = 0;
  char block_[kChunk];
};

template <typename W, typename Put>
void write_elements(W& w, std::int64_t n, Put put) {
  for (std::int64_t i = 0; i < n; ++i) {
    check_budget();
    char* at = w.room();
    *at++ = ' ';
    w.advance(put(at, i));
  }
}

char* put_int(char* at, std::int64_t value) { return std::to_chars(at, at + kLongest - 1, value).ptr; }

template <typename W>
void write_vector(W& w, const Vector& v) {
  w.text("(");
  if (v.type() == Type::kInt) {
    with_ints(v, [&](const auto* p) {
      write_elements(w, v.length(), [p](char* at, std::int64_t i) { return put_int(at, p[i]); });
    });
  } else if (v.type() == Type::kFloat) {
    write_elements(w, v.length(),
                   [p = v.data<double>()](char* at, std::int64_t i) { return format_float(at, p[i]); });
  } else {
    write_elements(w, v.length(), [&v](char* at, std::int64_t i) {
      *at = v.bool_at(i) ? 'T' : 'F';
      return at + 1;
    });
  }
  w.text(" )\n");
}

template <typename W>
void write(W& w, const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) {
    write_vector(w, *v);
  } else if (const auto* s = std::get_if<Segdes>(&value); s != nullptr && s->is_unread()) {
    w.text("( )\n");
  } else if (s != nullptr) {
    w.text("[");
    write_elements(w, s->segments(), [s](char* at, std::int64_t k) { return put_int(at, s->length(k)); });
    w.text(" ]\n");
  } else if (const auto* p = std::get_if<std::shared_ptr<const PairValue>>(&value)) {
    w.text("pair(");
    w.text(type_name(type_of((*p)->left)));
    w.text(",");
    w.text(type_name(type_of((*p)->right)));
    w.text(") \n");
  } else {
    NVM_CHECK(false, "only computed values are printed");
  }
  w.finish();
}

}  // namespace

char* format_float(char* out, double value) {
  if (std::isfinite(value))
    return std::to_chars(out, out + kLongest - 1, value, std::chars_format::scientific, 14).ptr;
  if (std::signbit(value)) *out++ = '-';
  std::memcpy(out, std::isnan(value) ? "nan" : "inf", 3);
  return out + 3;
}

void append_value(std::string& out, const Value& value) {
  Writer w([&out](std::string_view s) { out += s; });
  write(w, value);
}

bool print_value(std::FILE* file, const Value& value) {
  bool good = true;
  Writer w([&](std::string_view s) { good = good && std::fwrite(s.data(), 1, s.size(), file) == s.size(); });
  write(w, value);
  return std::fflush(file) == 0 && good;
}

}  // namespace nvm::vm
