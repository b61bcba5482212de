#include "bytecode/text/reader.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "bytecode/base/decimal.h"
#include "bytecode/base/suggest.h"
#include "bytecode/program/builder.h"
#include "bytecode/text/annotation.h"
#include "bytecode/text/lexer.h"

namespace nvm {

namespace {

struct Stream {
  std::string_view name;
  std::int64_t handle;
};
constexpr std::array kStreams{Stream{"STDIN", 0}, Stream{"STDOUT", 1}, Stream{"STDERR", 2},
                              Stream{"NULL_STREAM", -1}};
constexpr std::array kTypeWords{TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool, TypeWord::kSegdes,
                                TypeWord::kChar};

std::optional<TypeWord> find_type_word(std::string_view text) {
  for (const TypeWord word : kTypeWords)
    if (type_word_text(word) == text) return word;
  return std::nullopt;
}

// Words that begin an instruction or a function: where reading can go on after an error.
const std::vector<std::string_view>& starting_words() {
  static const std::vector<std::string_view> kWords = [] {
    std::vector<std::string_view> words;
    for (const OpInfo& info : all_ops()) words.push_back(info.text);
    words.emplace_back("FUNC");
    words.emplace_back("FUSED");
    return words;
  }();
  return kWords;
}

bool is_keyword(std::string_view text) {
  static const std::unordered_set<std::string_view> kWords = [] {
    std::unordered_set<std::string_view> words(starting_words().begin(), starting_words().end());
    for (const TypeWord word : kTypeWords) words.insert(type_word_text(word));
    for (const Stream& stream : kStreams) words.insert(stream.name);
    words.insert({"T", "F", "I", "O"});
    return words;
  }();
  return kWords.contains(text);
}

// "INT, BOOL or FLOAT": the words that may follow an instruction.
std::string allowed_words(Op op) {
  std::vector<std::string_view> words;
  for (const TypeWord word : kTypeWords)
    if (word_allowed(op, word)) words.push_back(type_word_text(word));
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

// A token as a message shows it: quoted, short, one line.
std::string shown(const Token& token) {
  constexpr std::size_t kLimit = 40;
  if (token.kind == TokenKind::kEnd) return "end of file";
  std::string out = token.kind == TokenKind::kString ? "string \"" : "\"";
  for (const char c : token.text.substr(0, kLimit)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return out + (token.text.size() > kLimit ? "...\"" : "\"");
}

class Reader {
 public:
  Reader(std::string_view text, Diagnostics& diagnostics)
      : lexer_(text, diagnostics), diagnostics_(diagnostics), builder_(diagnostics.file()) {
    advance();
  }

  Program run() {
    while (token_.kind != TokenKind::kEnd) {
      if (is_word("FUNC"))
        function();
      else
        outside();
    }
    return builder_.finish(diagnostics_);
  }

 private:
  void advance();
  void annotate(const Annotation& annotation);
  [[nodiscard]] bool is_word(std::string_view text) const {
    return token_.kind == TokenKind::kWord && token_.text == text;
  }
  [[nodiscard]] bool is_start() const {
    return token_.kind == TokenKind::kWord &&
           (find_op(token_.text) || token_.text == "FUNC" || token_.text == "FUSED");
  }
  // To where an instruction may begin: a word that begins one, or any word on a later line.
  void skip_to_start() {
    const std::uint32_t line = token_.pos.line;
    while (token_.kind != TokenKind::kEnd && !is_start() &&
           (token_.kind != TokenKind::kWord || token_.pos.line == line))
      advance();
  }
  void expected(const std::string& what) {
    if (token_.kind == TokenKind::kEnd && lexer_.cut_short()) return;  // reported where it begins
    diagnostics_.error(token_.pos, "syntax error: " + shown(token_) + ": expected " + what);
  }

  void outside();
  void function();
  std::string function_name();
  void header();
  void body();
  void instruction();
  void unknown_instruction();
  void fused();
  void type_word(Op op);
  void block(Op op);
  bool immediate(Op op, const char* what, std::int32_t& value);
  void call();
  void constant();
  void text_constant(Constant& c);
  bool element(Constant& c) const;
  bool scalar(Constant& c);
  void list(Constant& c);
  void stray_element(const Constant& c);

  Lexer lexer_;
  Diagnostics& diagnostics_;
  ProgramBuilder builder_;
  Token token_;
  // Annotations seen since they last applied. They are read one token ahead of the place they stand at.
  Annotation function_note_;
  Origin origin_line_ = 0;
  TypeWord spelt_ = TypeWord::kInt;  // what an annotation says that CONST INT spells out
  int nameless_ = 0;
};

void Reader::advance() {
  for (token_ = lexer_.next(); token_.kind == TokenKind::kAnnotation; token_ = lexer_.next())
    annotate(parse_annotation(token_.text));
}

void Reader::annotate(const Annotation& annotation) {
  switch (annotation.kind) {
    case Annotation::Kind::kSource: builder_.origins().own = annotation.name; break;
    case Annotation::Kind::kFunction: function_note_ = annotation; break;
    case Annotation::Kind::kLine:
      origin_line_ = builder_.line_of(annotation.name, annotation.line, annotation.column);
      break;
    case Annotation::Kind::kChar: spelt_ = TypeWord::kChar; break;
    case Annotation::Kind::kSegdes: spelt_ = TypeWord::kSegdes; break;
    case Annotation::Kind::kNone: break;
  }
}

// Anything but FUNC between functions: one message, on to the next function.
void Reader::outside() {
  expected(is_word("RET") ? "FUNC: this RET closes no function; a function has one RET, at its end"
                          : "FUNC, the start of a function");
  while (token_.kind != TokenKind::kEnd && !is_word("FUNC")) advance();
}

void Reader::function() {
  const SourcePos pos = token_.pos;
  function_note_ = {};
  origin_line_ = 0;
  advance();
  builder_.begin_function(function_name(), pos);
  if (function_note_.kind == Annotation::Kind::kFunction) {
    builder_.current().origin = function_note_.name;
    builder_.current().lifted = function_note_.lifted;
    builder_.current().tail_parallel = function_note_.tail;
  }
  header();
  body();
}

std::string Reader::function_name() {
  if (token_.kind == TokenKind::kWord && !is_keyword(token_.text)) {
    std::string name(token_.text);
    advance();
    return name;
  }
  const bool keyword = token_.kind == TokenKind::kWord;
  expected(keyword ? "a function name; this word is a keyword" : "a function name");
  if (!is_start() && token_.kind != TokenKind::kEnd) advance();
  return "(nameless " + std::to_string(++nameless_) + ")";
}

// I types O types: accepted and ignored, as the legacy interpreter does.
void Reader::header() {
  if (!is_word("I")) return;
  advance();
  while (token_.kind == TokenKind::kWord && find_type_word(token_.text)) advance();
  if (!is_word("O")) {
    expected("a type word or O, in the header I types O types");
    skip_to_start();
    return;
  }
  advance();
  while (token_.kind == TokenKind::kWord && find_type_word(token_.text)) advance();
}

void Reader::body() {
  while (!is_word("RET")) {
    if (token_.kind == TokenKind::kEnd || is_word("FUNC")) {
      expected("RET, the end of FUNC " + builder_.current().name);
      builder_.end_function(token_.pos);
      return;
    }
    instruction();
  }
  builder_.origin_line(origin_line_);
  builder_.end_function(token_.pos);
  advance();
}

void Reader::instruction() {
  builder_.at(token_.pos);
  builder_.origin_line(origin_line_);
  if (token_.kind != TokenKind::kWord) {
    expected("an instruction");
    return skip_to_start();
  }
  if (token_.text == "FUSED") return fused();
  const std::optional<Op> op = find_op(token_.text);
  if (!op) return unknown_instruction();
  advance();
  switch (*op) {
    case Op::kCopy:
    case Op::kPop:
    case Op::kCpop: return block(*op);
    case Op::kCall: return call();
    case Op::kConst: return constant();
    default: return type_word(*op);
  }
}

void Reader::unknown_instruction() {
  std::string message = "syntax error: " + shown(token_) + ": expected an instruction";
  if (diagnostics_.errors() < Diagnostics::kMaxKept) {
    const std::string_view near = nearest_name(token_.text, starting_words());
    if (!near.empty()) message += "; did you mean " + std::string(near) + "?";
    if (!near.empty() && same_but_case(near, token_.text)) message += " VCODE words are upper case";
  }
  diagnostics_.error(token_.pos, message);
  skip_to_start();  // leaves the word: it is on this line and begins nothing
}

void Reader::fused() {
  diagnostics_.error(token_.pos, "FUSED calls found in VCODE, but no fused library was provided with -l.");
  advance();
  skip_to_start();
}

void Reader::type_word(Op op) {
  const OpInfo& info = op_info(op);
  const auto word = token_.kind == TokenKind::kWord ? find_type_word(token_.text) : std::nullopt;
  if (word_allowed(op, word.value_or(TypeWord::kNone))) {
    if (word) advance();
    builder_.emit(op, word.value_or(TypeWord::kNone));
    return;
  }
  if (info.words == Words::kNoWord)
    expected("no type word after " + std::string(info.text));
  else
    expected(allowed_words(op) + " after " + std::string(info.text));
  if (word) advance();
  skip_to_start();
}

void Reader::block(Op op) {
  std::int32_t count = 0;
  std::int32_t depth = 0;
  if (!immediate(op, "a count", count) || !immediate(op, "a depth", depth)) return skip_to_start();
  if (op == Op::kCopy) builder_.copy(count, depth);
  if (op == Op::kPop) builder_.pop(count, depth);
  if (op == Op::kCpop) builder_.cpop(count, depth);
}

bool Reader::immediate(Op op, const char* what, std::int32_t& value) {
  const std::string_view name = op_info(op).text;
  if (token_.kind != TokenKind::kInt) {
    expected(std::string(what) + ", an integer: " + std::string(name) + " takes a count and a depth");
    return false;
  }
  const std::int64_t wide = int_literal(token_.text);
  using Limits = std::numeric_limits<std::int32_t>;
  if (wide < Limits::min() || wide > Limits::max()) {
    expected(std::string(what) + " of at most " + std::to_string(Limits::max()));
    return false;
  }
  value = static_cast<std::int32_t>(wide);
  advance();
  return true;
}

void Reader::call() {
  if (token_.kind == TokenKind::kWord && !is_keyword(token_.text)) {
    builder_.call(token_.text);
    advance();
    return;
  }
  expected("a function name after CALL");
  skip_to_start();
}

void Reader::constant() {
  const auto word = token_.kind == TokenKind::kWord ? find_type_word(token_.text) : std::nullopt;
  if (!word) {
    expected(allowed_words(Op::kConst) + " after CONST");
    return skip_to_start();
  }
  spelt_ = TypeWord::kInt;
  advance();
  Constant c;
  c.word = *word;
  const TypeWord spelt = *word == TypeWord::kInt ? spelt_ : *word;
  const bool makes_segdes = spelt == TypeWord::kSegdes && *word == TypeWord::kInt;
  if (*word == TypeWord::kChar)
    text_constant(c);
  else if (token_.kind == TokenKind::kOpen)
    list(c);
  else if (!scalar(c))
    return skip_to_start();
  if (!makes_segdes) {
    c.word = spelt;
  } else if (is_word(op_info(Op::kMakeSegdes).text)) {
    c.word = spelt;
    advance();
  }
  builder_.constant(std::move(c));
}

void Reader::text_constant(Constant& c) {
  if (token_.kind != TokenKind::kString) {
    expected("a string in double quotes after CONST CHAR");
    return skip_to_start();
  }
  c.ints.reserve(token_.text.size());
  for (const char byte : token_.text) c.ints.push_back(static_cast<signed char>(byte));
  advance();
}

// Appends the token if it is an element of the constant's type.
bool Reader::element(Constant& c) const {
  switch (c.word) {
    case TypeWord::kInt:
    case TypeWord::kSegdes:
      if (token_.kind != TokenKind::kInt) return false;
      c.ints.push_back(int_literal(token_.text));
      return true;
    case TypeWord::kFloat:
      if (token_.kind != TokenKind::kFloat) return false;
      c.floats.push_back(nearest_double(token_.text));
      return true;
    case TypeWord::kBool:
      if (!is_word("T") && !is_word("F")) return false;
      c.ints.push_back(token_.text == "T" ? 1 : 0);
      return true;
    default: return false;
  }
}

std::string element_words(TypeWord word) {
  switch (word) {
    case TypeWord::kFloat: return "a number with a decimal point";
    case TypeWord::kBool: return "T or F";
    default: return "an integer";
  }
}

bool Reader::scalar(Constant& c) {
  if (element(c)) {
    advance();
    return true;
  }
  if (c.word == TypeWord::kInt && token_.kind == TokenKind::kWord) {
    for (const Stream& stream : kStreams) {
      if (token_.text != stream.name) continue;
      c.ints.push_back(stream.handle);
      advance();
      return true;
    }
  }
  std::string what = element_words(c.word) + " or ( after CONST " + std::string(type_word_text(c.word));
  if (c.word == TypeWord::kFloat && token_.kind == TokenKind::kInt)
    what += ": write " + std::string(token_.text) + ".0";
  expected(what);
  return false;
}

void Reader::list(Constant& c) {
  const SourcePos open = token_.pos;
  advance();
  while (token_.kind != TokenKind::kClose) {
    const bool sign = is_word("+") || is_word("-");
    if (token_.kind == TokenKind::kEnd || (is_start() && !sign)) {
      expected(element_words(c.word) + " or ) to close the vector that line " + std::to_string(open.line) +
               " opens");
      return;
    }
    if (!element(c)) stray_element(c);
    advance();
  }
  advance();
}

void Reader::stray_element(const Constant& c) {
  const bool literal = token_.kind == TokenKind::kInt || token_.kind == TokenKind::kFloat ||
                       token_.kind == TokenKind::kString || is_word("T") || is_word("F");
  if (!literal) return expected(element_words(c.word) + " or )");
  std::string message = "parse error: illegal type mixing in constant: " + shown(token_) +
                        " in a vector of " + std::string(type_word_text(c.word));
  if (c.word == TypeWord::kFloat && token_.kind == TokenKind::kInt) message += "; write a decimal point";
  diagnostics_.error(token_.pos, std::move(message));
}

// How the legacy compiler begins every program.
constexpr std::string_view kLegacyHeader = "{ Generated by the NESL Compiler";

}  // namespace

Program read_vcode(std::string_view text, Diagnostics& diagnostics) {
  Program program = Reader(text, diagnostics).run();
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  program.legacy = start != std::string_view::npos && text.substr(start).starts_with(kLegacyHeader);
  return program;
}

bool looks_like_vcode(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v", kFirst = "FUNC";
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (!text.starts_with('{')) break;
    text.remove_prefix(std::min(text.find('}'), text.size() - 1) + 1);
  }
  if (!text.starts_with(kFirst)) return false;
  text.remove_prefix(kFirst.size());
  return !text.empty() && (kBlanks.find(text.front()) != std::string_view::npos || text.front() == '{');
}

}  // namespace nvm
