#include "frontend/edit/layout.h"

#include <algorithm>

namespace nvm::edit {

using frontend::FormKind;
using frontend::Tok;
using frontend::Token;

namespace {

// Comments and blanks between two words.
void read_gap(std::string_view text, std::size_t at, std::size_t end, std::vector<LayoutWord>& out,
              LayoutWord& next) {
  while (at < end) {
    const char c = text[at];
    if (c == '%') {
      const std::size_t close = std::min(text.find('%', at + 1), end - 1);
      next.text = text.substr(at, close + 1 - at);
      next.comment = true;
      out.push_back(next);
      next = LayoutWord();
      at = close + 1;
      continue;
    }
    if (c == '\n') {
      ++next.newlines;
      next.blanks = 0;
    } else {
      ++next.blanks;
    }
    ++at;
  }
}

bool opens(const Token& t) { return t.is("(") || t.is("[") || t.is("{"); }
bool closes(const Token& t) { return t.is(")") || t.is("]") || t.is("}"); }

bool is_keyword(const Token& t) {
  return t.kind == Tok::kName && frontend::is_reserved(t.text) && t.text != "t" && t.text != "f";
}
// Words of the language that are written as calls.
bool is_call_word(const Token& t) { return t.is_word("closure") || t.is_word("time"); }

// What can be called, indexed, or stand to the left of an operator.
bool is_operand(const Token& t) {
  switch (t.kind) {
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar:
    case Tok::kString:
    case Tok::kQuoted: return true;
    case Tok::kName: return !is_keyword(t);
    default: return closes(t);
  }
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Inside of what a line begins.
struct Frame {
  enum class Kind : std::uint8_t { kBracket, kLet, kIn, kIf } kind;
  std::size_t column;      // of its word
  std::size_t line;        // indentation of the line that has it
  std::size_t indent = 0;  // of lines within
  bool open = true;        // the next word says what `indent` is
  char bracket = ' ';
  bool has_else = false;
};

class Layout {
 public:
  Layout(const std::vector<LayoutWord>& words, FormKind kind, const LayoutPlace& place)
      : words_(words),
        verbatim_(kind == FormKind::kCommand || kind == FormKind::kDefconfig),
        function_(kind == FormKind::kFunction),
        place_(place) {}

  std::string run() {
    for (std::size_t k = 0; k < words_.size(); ++k) word(words_[k]);
    return std::move(out_);
  }

 private:
  using Kind = Frame::Kind;

  void word(const LayoutWord& w) {
    const bool first_code = !w.comment && before_ == nullptr;
    if (!w.comment) leave(w.token);
    if (w.newlines > 0 || out_.empty()) {
      const bool begins = out_.empty() && place_.first;
      const std::size_t ends = begins ? 0 : std::min<std::size_t>(w.newlines, 2);
      for (std::size_t k = 0; k < ends; ++k) out_ += place_.newline;
      line_ = before_ == nullptr ? 0 : indent(w);
      if (ends == 0 && !begins) line_ = w.comment ? std::max<std::size_t>(w.blanks, 1) : 1;  // behind a form
      out_.append(line_, ' ');
      column_ = line_;
    } else {
      const std::size_t n = gap(w);
      out_.append(n, ' ');
      column_ += n;
    }
    if (!frames_.empty() && frames_.back().open) {
      Frame& frame = frames_.back();
      frame.open = false;
      frame.indent = w.newlines > 0 ? frame.line + 2 : column_;
    }
    const std::size_t at = column_;
    out_ += w.text;
    const std::size_t newline = w.text.rfind('\n');
    column_ = newline == w.text.npos ? column_ + width(w.text) : width(w.text.substr(newline + 1));
    behind_comment_ = w.comment;
    if (w.comment) return;
    if (!first_code && w.newlines > 0 && !body_) ++header_lines_;
    enter(w.token, at);
    before_before_ = before_;
    before_ = &w.token;
  }

  // What ends in front of a word.
  void leave(const Token& t) {
    const auto pop_to = [&](auto stays) {
      while (!frames_.empty() && !stays(frames_.back())) frames_.pop_back();
    };
    const auto bracket = [](const Frame& f) { return f.kind == Kind::kBracket; };
    const auto list = [](const Frame& f) { return f.kind == Kind::kBracket || f.kind == Kind::kLet; };
    if (closes(t)) pop_to(bracket);
    if (t.is(",") || t.is("|") || t.is(":")) {
      if (std::any_of(frames_.begin(), frames_.end(), list)) pop_to(list);
    }
    if (t.is(";")) pop_to(list);
    if (t.is_word("in") && ends_let()) pop_to(list);
    if (t.is_word("else") && awaits_else())
      pop_to([&](const Frame& f) { return f.kind == Kind::kIf && !f.has_else; });
    if (t.is_word("then") && awaits_else()) pop_to([&](const Frame& f) { return f.kind == Kind::kIf; });
  }

  // Whether the nearest list is of a let.
  [[nodiscard]] bool ends_let() const {
    for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
      if (f->kind == Kind::kBracket || f->kind == Kind::kLet) return f->kind == Kind::kLet;
    return false;
  }
  [[nodiscard]] bool awaits_else() const {
    for (auto f = frames_.rbegin(); f != frames_.rend(); ++f) {
      if (f->kind == Kind::kBracket || f->kind == Kind::kLet) return false;
      if (f->kind == Kind::kIf && !f->has_else) return true;
    }
    return false;
  }

  void enter(const Token& t, std::size_t at) {
    if (opens(t)) {
      frames_.push_back({Kind::kBracket, at, line_});
      frames_.back().bracket = t.text[0];
      return;
    }
    if (closes(t) && !frames_.empty()) return frames_.pop_back();
    if (t.is_word("let")) return frames_.push_back({Kind::kLet, at, at});
    if (t.is_word("in") && ends_let()) {
      frames_.back() = {Kind::kIn, frames_.back().column, at};
      return;
    }
    if (t.is_word("if")) return begin_if(at);
    if ((t.is_word("then") || t.is_word("else")) && awaits_else()) {
      Frame& frame = frames_.back();
      frame.open = true;
      frame.line = frame.column;
      frame.has_else = t.is_word("else");
      return;
    }
    if (function_ && t.is("=") && frames_.empty() && !body_) body_ = true;
  }

  // else if goes on with the if before.
  void begin_if(std::size_t at) {
    const bool goes_on = before_ != nullptr && before_->is_word("else") && at != line_ && !frames_.empty() &&
                         frames_.back().kind == Kind::kIf;
    if (!goes_on) return frames_.push_back({Kind::kIf, at, at});
    frames_.back().has_else = false;
    frames_.back().open = true;
  }

  // Of a line that begins with a word.
  [[nodiscard]] std::size_t indent(const LayoutWord& w) const {
    const Token& t = w.token;
    const bool ends_form = !w.comment && frames_.empty() && (t.is(";") || t.is("$"));
    if (frames_.empty()) {
      const bool begins_body = body_ && before_->is("=") && header_lines_ == 0;
      return ends_form || begins_body ? 0 : 2;
    }
    const Frame& frame = frames_.back();
    if (!w.comment) {
      if (closes(t)) return frame.open || frame.indent == frame.line + 2 ? frame.line : frame.column;
      if (t.is_word("in") && frame.kind == Kind::kLet) return frame.column;
      if ((t.is_word("then") || t.is_word("else")) && frame.kind == Kind::kIf) return frame.column;
    }
    if (frame.open) return frame.line + 2;
    const bool continues = frame.kind == Kind::kLet && !before_->is(";") && !before_->is_word("let");
    return frame.indent + (continues ? 2 : 0);
  }

  // Blanks between the word before and this one, in one line.
  [[nodiscard]] std::size_t gap(const LayoutWord& w) const {
    if (w.comment) return std::max<std::size_t>(w.blanks, 1);
    if (before_ == nullptr || behind_comment_) return 1;
    const Token &a = *before_, &b = w.token;
    if (verbatim_) return b.is(";") ? 0 : w.blanks;
    if (b.is(",") || b.is(";") || closes(b) || opens(a)) return 0;
    if (a.is(",") || a.is(";")) return 1;
    if (is_prefix(a)) return 0;
    const bool in_square =
        !frames_.empty() && frames_.back().bracket == '[' && frames_.back().kind == Kind::kBracket;
    if ((a.is(":") || b.is(":")) && in_square) return 0;
    const bool behind_empty = a.is("]") && before_before_ != nullptr && before_before_->is("[");
    if (b.is("(") || b.is("["))
      return (is_operand(a) && !behind_empty) || (b.is("(") && is_call_word(a)) ? 0 : 1;
    if (b.is("{") && is_operand(a)) return std::min<std::size_t>(w.blanks, 1);
    return 1;
  }

  // Whether the word before is an operator in front of its only operand.
  [[nodiscard]] bool is_prefix(const Token& a) const {
    if (a.is("#") || a.is("@")) return true;
    return a.is("-") && (before_before_ == nullptr || !is_operand(*before_before_));
  }

  const std::vector<LayoutWord>& words_;
  bool verbatim_;  // blanks between words stay
  bool function_;
  LayoutPlace place_;
  std::string out_;
  std::vector<Frame> frames_;
  std::size_t column_ = 0, line_ = 0;  // of what comes next; the indentation of its line
  const Token* before_ = nullptr;      // the last words that are no comments
  const Token* before_before_ = nullptr;
  bool behind_comment_ = false;
  bool body_ = false;  // the = of a function was there
  std::size_t header_lines_ = 0;
};

}  // namespace

std::vector<LayoutWord> layout_words(std::string_view text) {
  std::vector<LayoutWord> out;
  Diagnostics ignored("", "");
  const frontend::Source source{"", text};
  frontend::Lexer lexer(source, ignored);
  std::size_t at = 0;
  for (;;) {
    Token token = lexer.next();
    LayoutWord next;
    read_gap(text, at, token.begin, out, next);
    if (token.kind == Tok::kEnd) return out;
    next.text = text.substr(token.begin, token.end - token.begin);
    at = token.end;
    next.token = std::move(token);
    out.push_back(std::move(next));
  }
}

std::string lay_out(const std::vector<LayoutWord>& words, FormKind kind, const LayoutPlace& place) {
  return Layout(words, kind, place).run();
}

}  // namespace nvm::edit
