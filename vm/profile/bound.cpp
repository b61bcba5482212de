#include "vm/profile/bound.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace nvm::vm {

namespace {

using Names = std::map<std::string, double, std::less<>>;

struct BadText {
  std::string message;
};

// Evaluates while it reads: recursive descent, one function per level of precedence.
class Reader {
 public:
  Reader(std::string_view text, const Names& names) : text_(text), names_(names) {}

  BoundCheck check() {
    BoundCheck result;
    result.left = sum();
    const std::string relation = comparison();
    result.right = sum();
    if (peek() != 0) fail("unexpected text");
    const double l = result.left, r = result.right;
    if (!std::isfinite(l) || !std::isfinite(r)) return result;
    result.holds = relation == "<="   ? l <= r
                   : relation == "<"  ? l < r
                   : relation == ">=" ? l >= r
                   : relation == ">"  ? l > r
                                      : l == r;
    return result;
  }

 private:
  static constexpr int kMostNesting = 200;

  [[noreturn]] void fail(const std::string& what) const {
    throw BadText{what + " at column " + std::to_string(at_ + 1) + " of \"" + std::string(text_) + "\""};
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected ") + c);
  }

  std::string comparison() {
    for (const char* word : {"<=", ">=", "==", "<", ">"}) {
      peek();
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      return word;
    }
    fail("expected a comparison (<= < >= > ==)");
  }

  double sum() {
    double value = product();
    for (;;) {
      if (accept('+'))
        value += product();
      else if (accept('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = power();
    for (;;) {
      if (accept('*'))
        value *= power();
      else if (accept('/'))
        value /= power();
      else
        return value;
    }
  }

  double power() {
    if (++nesting_ > kMostNesting) fail("too deeply nested");
    const double base = accept('-') ? -power() : primary();
    const double value = accept('^') ? std::pow(base, power()) : base;
    --nesting_;
    return value;
  }

  double primary() {
    const char c = peek();
    if (accept('(')) {
      const double value = sum();
      expect(')');
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '#')
      fail("expected a number or a name");
    return name();
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("expected a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  double name() {
    const std::size_t from = at_;
    if (text_[at_] == '#') ++at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (accept('(')) return function(word);
    const auto found = names_.find(word);
    if (found != names_.end()) return found->second;
    at_ = from;
    std::string known;
    for (const auto& [n, value] : names_) known += (known.empty() ? "" : ", ") + n;
    fail("there is no " + std::string(word) + " (known: " + known + ")");
  }

  double function(std::string_view word) {
    const double x = sum();
    if (word == "min" || word == "max") {
      expect(',');
      const double y = sum();
      expect(')');
      return word == "min" ? std::fmin(x, y) : std::fmax(x, y);
    }
    expect(')');
    if (word == "log2") return std::log2(x);
    if (word == "log") return std::log(x);
    if (word == "sqrt") return std::sqrt(x);
    fail("there is no function " + std::string(word) + " (known: log2, log, sqrt, min, max)");
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

BoundCheck check_bound(std::string_view text, const Names& names) {
  try {
    return Reader(text, names).check();
  } catch (const BadText& bad) {
    BoundCheck result;
    result.error = bad.message;
    return result;
  }
}

}  // namespace nvm::vm
