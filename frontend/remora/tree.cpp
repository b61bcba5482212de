#include "frontend/remora/tree.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bytecode/base/budget.h"
#include "bytecode/base/utf8.h"

namespace nvm::remora {

namespace {

[[noreturn]] void fail(SourcePos pos, std::string text) { throw Error{"syntax", pos, std::move(text)}; }

bool is_blank(std::int32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(std::int32_t c) { return c >= '0' && c <= '9'; }
bool ends_word(std::int32_t c) {
  return c < 0 || is_blank(c) ||
         std::string_view("()[]{}\",'`;|\\").find(static_cast<char>(c)) != std::string_view::npos;
}
bool ends_word_at(std::int32_t c) { return c < 128 && ends_word(c); }

class Reader {
 public:
  explicit Reader(std::string_view text, std::uint32_t line = 1) : text_(text), pos_{line, 1} {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  // Where the expression begins that was being read, or the comment before it.
  [[nodiscard]] std::size_t begin() const { return begin_; }

  std::vector<Tree> all() {
    std::vector<Tree> out;
    std::vector<Tree> open;  // brackets that are not closed yet
    for (;;) {
      check_budget();
      if (open.empty()) begin_ = at_;
      skip();
      if (open.empty()) begin_ = at_;
      const SourcePos pos = pos_;
      const std::int32_t c = peek();
      std::vector<Tree>& into = open.empty() ? out : open.back().kids;
      if (c < 0) {
        if (!open.empty()) fail(open.back().pos, "this bracket is not closed");
        return out;
      }
      if (c == '(' || c == '[' || c == '{') {
        if (open.size() >= kMaxNesting) too_deep(pos);
        open.push_back(opened(c, into));
      } else if (c == ')' || c == ']' || c == '}') {
        if (open.empty()) fail(pos, "nothing is open that this bracket closes");
        close(open, out, c);
      } else if (c == '|' && !open.empty() && has_bar(open.back())) {
        next();
        open.back().bar = open.back().kids.size();
        bars_.back() = true;
      } else {
        into.push_back(atom());
      }
    }
  }

 private:
  [[noreturn]] static void too_deep(SourcePos pos) {
    fail(pos, "brackets are nested too deeply: at most " + std::to_string(kMaxNesting) + " levels");
  }
  static bool has_bar(const Tree& t) { return t.is(Tree::Kind::kCurly) || t.is(Tree::Kind::kInstance); }

  // A { that touches the expression before it begins an instantiation of that.
  Tree opened(std::int32_t c, std::vector<Tree>& before) {
    Tree t;
    t.pos = pos_;
    t.kind = c == '(' ? Tree::Kind::kRound : c == '[' ? Tree::Kind::kSquare : Tree::Kind::kCurly;
    if (c == '{' && !before.empty() && at_ == end_of_last_) {
      t.kind = Tree::Kind::kInstance;
      t.kids.push_back(std::move(before.back()));
      before.pop_back();
    }
    bars_.push_back(false);
    next();
    return t;
  }

  void close(std::vector<Tree>& open, std::vector<Tree>& out, std::int32_t c) {
    Tree t = std::move(open.back());
    const bool fits = (c == ')' && t.is(Tree::Kind::kRound)) || (c == ']' && t.is(Tree::Kind::kSquare)) ||
                      (c == '}' && has_bar(t));
    if (!fits) fail(pos_, "this bracket closes another kind of bracket");
    open.pop_back();
    // Inside of a form it may be an empty list of parameters or dimensions.
    if (t.is(Tree::Kind::kRound) && t.kids.empty() && open.empty()) fail(t.pos, "() is no expression");
    if (has_bar(t) && !bars_.back()) {
      if (t.is(Tree::Kind::kInstance))
        fail(t.pos, "expected a bar between types and indices: {types | indices}");
      t.bar = t.kids.size();
    } else if (t.is(Tree::Kind::kCurly)) {
      fail(t.pos,
           "a bar belongs to an instantiation: f{types | indices}, without a blank in front of the brace");
    }
    // The place of an instantiation is that of its expression; a bracket's is its own.
    if (t.is(Tree::Kind::kInstance)) t.pos = t.kids[0].pos;
    bars_.pop_back();
    for (const Tree& kid : t.kids) t.height = std::max(t.height, kid.height + 1);
    if (t.height > kMaxNesting) too_deep(t.pos);
    next();
    end_of_last_ = at_;
    (open.empty() ? out : open.back().kids).push_back(std::move(t));
  }

  Tree atom() {
    Tree t;
    t.pos = pos_;
    const std::int32_t c = peek();
    if (c == '"') {
      string(t);
    } else if (c == '#' && peek(1) == '\\') {
      character(t);
    } else if (ends_word_at(c)) {
      fail(pos_, std::string("a stray ") + static_cast<char>(c));
    } else {
      word(t);
    }
    end_of_last_ = at_;
    return t;
  }

  void word(Tree& t) {
    const std::size_t begin = at_;
    while (!ends_word_at(peek())) {
      if (peek() == '@' && at_ != begin) fail(pos_, "@ may stand only in front of a name");
      next();
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (number(t, word)) return;
    if (word == "#t" || word == "#true" || word == "#f" || word == "#false") {
      t.kind = Tree::Kind::kBool;
      t.number = word[1] == 't' ? 1 : 0;
      return;
    }
    t.kind = Tree::Kind::kName;
    t.text = word;
  }

  static bool number(Tree& t, std::string_view word) {
    std::size_t k = word.starts_with('-') ? 1 : 0;
    const std::size_t first = k;
    while (k < word.size() && is_digit(word[k])) ++k;
    std::size_t digits = k - first;
    if (k == word.size() && digits > 0) {
      t.kind = Tree::Kind::kInt;
      if (std::from_chars(word.data(), word.data() + word.size(), t.number).ec != std::errc{})
        fail(t.pos, "an integer has at most 64 bits");
      return true;
    }
    bool point = false, exponent = false;
    if (k < word.size() && word[k] == '.') {
      point = true;
      for (++k; k < word.size() && is_digit(word[k]); ++k) ++digits;
    }
    if (digits == 0) return false;
    if (k < word.size() && (word[k] == 'e' || word[k] == 'E')) {
      exponent = true;
      ++k;
      if (k < word.size() && (word[k] == '+' || word[k] == '-')) ++k;
      const std::size_t power = k;
      while (k < word.size() && is_digit(word[k])) ++k;
      if (k == power) return false;
    }
    if (k != word.size() || !(point || exponent)) return false;
    t.kind = Tree::Kind::kFloat;
    t.real = real(word);
    return true;
  }

  // Correctly rounded; too large is infinite, too small is zero.
  static double real(std::string_view word) {
    std::string text(word);
    if (text.starts_with("-.")) text.insert(1, "0");
    return std::strtod(text.c_str(), nullptr);
  }

  void string(Tree& t) {
    t.kind = Tree::Kind::kString;
    next();
    for (;;) {
      const SourcePos pos = pos_;
      const std::int32_t c = peek();
      if (c < 0) fail(t.pos, "this string is not closed");
      next();
      if (c == '"') return;
      t.codes.push_back(c == '\\' ? escape(pos) : c);
    }
  }

  std::int32_t escape(SourcePos pos) {
    static constexpr std::string_view kLetters = "ntrbf\\/\"", kCodes = "\n\t\r\b\f\\/\"";
    const std::int32_t c = peek();
    if (c == 'x') {
      next();
      if (const auto code = hexadecimal()) return *code;
      fail(pos, "expected two hexadecimal digits behind \\x");
    }
    const std::size_t k = c < 0 || c > 127 ? std::string_view::npos : kLetters.find(static_cast<char>(c));
    if (k == std::string_view::npos)
      fail(pos, "no such escape; there are \\n \\t \\r \\b \\f \\\\ \\/ \\\" \\xHH");
    next();
    return kCodes[k];
  }

  std::optional<std::int32_t> hexadecimal() {
    if (at_ + 2 > text_.size()) return std::nullopt;
    std::int32_t code = 0;
    const auto got = std::from_chars(text_.data() + at_, text_.data() + at_ + 2, code, 16);
    if (got.ec != std::errc{} || got.ptr != text_.data() + at_ + 2 || code < 0) return std::nullopt;
    next();
    next();
    return code;
  }

  void character(Tree& t) {
    t.kind = Tree::Kind::kChar;
    next();
    next();
    if (peek() < 0) fail(t.pos, "expected a character behind #\\");
    const std::size_t begin = at_;
    t.number = peek();
    next();
    while (!ends_word_at(peek())) next();
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (decode_utf8(word).size() == 1) return;
    static constexpr struct {
      std::string_view name;
      char code;
    } kNamed[] = {{"space", ' '}, {"newline", '\n'}, {"tab", '\t'}, {"nul", '\0'}};
    for (const auto& [name, code] : kNamed)
      if (word == name) {
        t.number = code;
        return;
      }
    if (word.size() == 3 && word[0] == 'x' &&
        std::from_chars(word.data() + 1, word.data() + 3, t.number, 16).ptr == word.data() + 3)
      return;
    fail(t.pos, "no such character; named ones are #\\space #\\newline #\\tab #\\nul #\\xHH");
  }

  void skip() {
    for (;;) {
      const std::int32_t c = peek();
      if (is_blank(c)) {
        next();
      } else if (c == ';') {
        while (peek() >= 0 && peek() != '\n') next();
      } else if (c == '#' && peek(1) == '|') {
        const SourcePos pos = pos_;
        next();
        next();
        while (!(peek() == '|' && peek(1) == '#')) {
          if (peek() < 0) fail(pos, "this comment is not closed");
          next();
        }
        next();
        next();
      } else {
        return;
      }
    }
  }

  // The code point here, or the byte `ahead` bytes further; -1 at the end.
  [[nodiscard]] std::int32_t peek(std::size_t ahead = 0) const {
    if (at_ + ahead >= text_.size()) return -1;
    if (ahead > 0) return static_cast<unsigned char>(text_[at_ + ahead]);
    return decode_utf8_at(text_, at_).code;
  }
  void next() {
    if (at_ >= text_.size()) return;
    const std::size_t bytes = decode_utf8_at(text_, at_).bytes;
    if (bytes == 1 && static_cast<unsigned char>(text_[at_]) >= 0x80) fail(pos_, "this byte is no UTF-8");
    if (text_[at_] == '\n') {
      ++pos_.line;
      pos_.column = 0;
    }
    at_ += bytes;
    ++pos_.column;
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  std::size_t end_of_last_ = SIZE_MAX;  // where the last expression ended
  SourcePos pos_{1, 1};
  std::vector<bool> bars_;  // of the open brackets: was there a bar?
};

}  // namespace

std::string visible(std::string_view text) {
  static constexpr std::pair<std::int32_t, std::int32_t> kUnseen[] = {
      {0, 0x1F},        {0x7F, 0xA0},     {0xAD, 0xAD},     {0x1680, 0x1680}, {0x2000, 0x200F},
      {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE0FFF}};
  std::string out;
  for (const std::int32_t code : decode_utf8(text)) {
    const auto within = [&](const auto& range) { return range.first <= code && code <= range.second; };
    if (std::none_of(std::begin(kUnseen), std::end(kUnseen), within)) {
      encode_utf8(code, out);
      continue;
    }
    char number[16];
    std::snprintf(number, sizeof number, "<U+%04X>", static_cast<unsigned>(code));
    out += number;
  }
  return out;
}

std::vector<Tree> read_trees(std::string_view text, std::uint32_t line) { return Reader(text, line).all(); }

std::string readable(std::string text) {
  for (std::size_t from = 0; from < text.size();) {
    Reader reader(std::string_view(text).substr(from));
    try {
      static_cast<void>(reader.all());
      break;
    } catch (const Error&) {
      const std::size_t begin = from + reader.begin();
      from = std::min(text.find("\n(", begin), text.size());
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(from),
          [](char c) { return c != '\n'; }, ' ');
    }
  }
  return text;
}

bool ends_within(std::string_view text) {
  Reader reader(text);
  try {
    static_cast<void>(reader.all());
    return false;
  } catch (const Error&) {
    return reader.at_end();
  }
}

}  // namespace nvm::remora
