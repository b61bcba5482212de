#include "bytecode/text/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "bytecode/text/annotation.h"

namespace nvm {

void append_float(std::string& out, double value) {
  if (std::isinf(value)) {
    out += value < 0 ? "-1.0e999" : "1.0e999";
    return;
  }
  std::array<char, 32> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  const std::size_t exponent = std::min(text.find('e'), text.size());
  out += text.substr(0, exponent);
  if (text.find('.') == std::string_view::npos) out += ".0";
  out += text.substr(exponent);
}

namespace {

constexpr std::size_t kLineLength = 100;  // vectors are wrapped here
constexpr std::size_t kMostIndent = 200;  // text of IFs within IFs is not quadratic in their depth

void append_int(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

constexpr std::size_t kLongestString = 97;  // of longer ones the legacy scanner warns

// Bytes as a string literal holds them: signed, and neither a quote, for which there is no escape, nor zero.
bool is_string(const Constant& c) {
  return c.size() <= kLongestString && std::all_of(c.ints.begin(), c.ints.end(), [](std::int64_t v) {
           return v >= -128 && v <= 127 && v != '"' && v != 0;
         });
}

class Writer {
 public:
  Writer(const Program& program, WriteOptions options) : program_(program), options_(options) {}

  std::string run() {
    if (options_.annotations && !program_.origins.own.empty())
      out_ += annotation_text({Annotation::Kind::kSource, program_.origins.own, false, false, 0}) + "\n\n";
    bool first = true;
    for (const Function& f : program_.functions) {
      if (!first) out_ += '\n';
      first = false;
      function(f);
    }
    return std::move(out_);
  }

 private:
  void function(const Function& f) {
    out_ += "FUNC " + f.name;
    if (options_.annotations && (!f.origin.empty() || f.lifted || f.tail_parallel))
      out_ += " " + annotation_text({Annotation::Kind::kFunction, f.origin, f.lifted, f.tail_parallel, 0});
    out_ += '\n';
    depth_ = 0;
    Origin line = 0;
    for (const Instr& in : f.code) {
      if (options_.annotations && in.origin_line != line) {
        line = in.origin_line;
        const std::string file = program_.origins.elsewhere(line) ? program_.origins.of(line) : "";
        out_ += annotation_text({Annotation::Kind::kLine, file, false, false, origin_line_of(line),
                                 origin_column_of(line)}) +
                "\n";
      }
      instruction(in);
    }
  }

  void begin_line() {
    line_start_ = out_.size();
    if (options_.indent) out_.append(std::min(2 * depth_, kMostIndent), ' ');
  }
  void next_line() {
    out_ += '\n';
    begin_line();
  }

  void instruction(const Instr& in) {
    if (in.op == Op::kElse || in.op == Op::kEndif) --depth_;
    begin_line();
    out_ += op_info(in.op).text;
    if (in.op == Op::kConst) {
      constant(program_.constants[static_cast<std::size_t>(in.a)]);
    } else if (in.op == Op::kCall) {
      out_ += " " + program_.functions[static_cast<std::size_t>(in.a)].name;
    } else if (in.op == Op::kCopy || in.op == Op::kPop || in.op == Op::kCpop) {
      out_ += " " + std::to_string(in.a) + " " + std::to_string(in.b);
    } else if (in.word != TypeWord::kNone) {
      out_ += ' ';
      out_ += type_word_text(in.word);
    }
    out_ += '\n';
    if (in.op == Op::kIf || in.op == Op::kElse) ++depth_;
  }

  // There is no literal for what is not a number: infinity less infinity is none, other numbers less zero
  // stay.
  void not_all_numbers(const Constant& c) {
    Constant numbers = c, less = c;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const bool is_number = !std::isnan(c.floats[i]);
      if (!is_number) numbers.floats[i] = std::numeric_limits<double>::infinity();
      less.floats[i] = is_number ? 0.0 : numbers.floats[i];
    }
    constant(numbers);
    next_line();
    out_ += op_info(Op::kConst).text;
    constant(less);
    next_line();
    ((out_ += op_info(Op::kSub).text) += ' ') += type_word_text(c.word);
  }

  void constant(const Constant& c) {
    if (std::any_of(c.floats.begin(), c.floats.end(), [](double x) { return std::isnan(x); }))
      return not_all_numbers(c);
    const bool spelt_out = c.word == TypeWord::kChar && !is_string(c);
    const bool segments = c.word == TypeWord::kSegdes && c.size() > 1;
    out_ += ' ';
    out_ += type_word_text(spelt_out || segments ? TypeWord::kInt : c.word);
    out_ += ' ';
    if ((spelt_out || segments) && options_.annotations)
      out_ += annotation_text(
                  {segments ? Annotation::Kind::kSegdes : Annotation::Kind::kChar, {}, false, false, 0}) +
              " ";
    if (c.input >= 0) {
      out_ += "() {input " + std::to_string(c.input) + "}";
    } else if (c.word == TypeWord::kChar && !spelt_out) {
      out_ += '"';
      for (const std::int64_t v : c.ints) out_ += static_cast<char>(v);
      out_ += '"';
    } else if (c.size() == 1) {
      element(c, 0);
    } else {
      list(c);
      if (!segments) return;
      options_.annotations ? void(out_ += ' ') : next_line();  // as one instruction, or as it will be read
      out_ += op_info(Op::kMakeSegdes).text;
    }
  }

  void list(const Constant& c) {
    out_ += '(';
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (out_.size() - line_start_ >= kLineLength) {
        out_ += '\n';
        line_start_ = out_.size();
      } else if (i > 0) {
        out_ += ' ';
      }
      element(c, i);
    }
    out_ += ')';
  }

  void element(const Constant& c, std::size_t i) {
    if (c.word == TypeWord::kFloat)
      append_float(out_, c.floats[i]);
    else if (c.word == TypeWord::kBool)
      out_ += c.ints[i] != 0 ? 'T' : 'F';
    else
      append_int(out_, c.ints[i]);
  }

  const Program& program_;
  WriteOptions options_;
  std::string out_;
  std::size_t depth_ = 0;  // open IFs
  std::size_t line_start_ = 0;
};

}  // namespace

std::string write_vcode(const Program& program, WriteOptions options) {
  return Writer(program, options).run();
}

}  // namespace nvm
