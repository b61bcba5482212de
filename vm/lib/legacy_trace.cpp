#include "vm/lib/legacy_trace.h"

#include "bytecode/text/lexer.h"
#include "vm/interp/check_args.h"
#include "vm/interp/elements.h"
#include "vm/interp/text_io.h"

namespace nvm::lib {

namespace {

void put(std::FILE* file, const std::string& text) { std::fwrite(text.data(), 1, text.size(), file); }

std::vector<std::size_t> begins_of(const nvm::Program& program) {
  std::vector<std::size_t> begins;
  std::size_t next = 0;
  for (const Function& f : program.functions) {
    begins.push_back(next);
    next += f.code.size();
  }
  return begins;
}

std::string details(const nvm::Program& program, const Instr& in) {
  std::string text;
  if (in.word != TypeWord::kNone) text = "type = " + std::string(type_word_text(in.word)) + "; ";
  switch (in.op) {
    case Op::kCopy:
    case Op::kPop:
    case Op::kCpop: return text + "args = " + std::to_string(in.a) + " " + std::to_string(in.b) + "; ";
    case Op::kCall: return text + "to " + program.functions[static_cast<std::size_t>(in.a)].name + "; ";
    case Op::kConst:
      return text + "length = " + std::to_string(program.constants[static_cast<std::size_t>(in.a)].size()) +
             "; ";
    default: return text;
  }
}

std::string line_of(const nvm::Program& program, std::size_t index, const Instr& in) {
  return "(" + std::to_string(index) + ") vop = " + vm::op_name(in.op) + "; " + details(program, in) +
         "line = " + std::to_string(in.pos.line) + "\n";
}

// "3(Int) 1(Bool)": a Segdes counts its segments, a pair is one.
std::string kinds_of(std::span<const vm::Value> stack) {
  std::string text;
  for (const vm::Value& value : stack) {
    std::int64_t n = 1;
    if (const auto* v = std::get_if<vm::Vector>(&value)) n = v->length();
    if (const auto* s = std::get_if<vm::Segdes>(&value)) n = s->segments();
    text += std::to_string(n) + "(" + std::string(type_name(vm::type_of(value))) + ") ";
  }
  return text;
}

// Prints what stands between two tokens but blanks: comments.
void print_comments(std::string_view between, std::FILE* out) {
  for (std::size_t from = 0; (from = between.find('{', from)) != std::string_view::npos;) {
    const std::size_t end = std::min(between.find('}', from), between.size() - 1) + 1;
    put(out, std::string(between.substr(from, end - from)) + "\n");
    from = end;
  }
}

}  // namespace

bool traces_execution(std::uint32_t words) {
  return traces(words, TraceWord::kCommand) || traces(words, TraceWord::kStack) ||
         traces(words, TraceWord::kValues) || traces(words, TraceWord::kRuntime) ||
         traces(words, TraceWord::kHeap);
}

void trace_tokens(std::uint32_t words, std::string_view text, std::FILE* out) {
  if (!traces(words, TraceWord::kLex)) return;
  Diagnostics ignored("", text);
  Lexer lexer(text, ignored);
  std::size_t at = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    const bool quoted = token.kind == TokenKind::kString || token.kind == TokenKind::kAnnotation;
    const auto begin = static_cast<std::size_t>(token.text.data() - text.data()) - (quoted ? 1 : 0);
    const std::size_t size = token.text.size() + (quoted ? 2 : 0);
    print_comments(text.substr(at, begin - at), out);
    put(out, std::string(text.substr(begin, size)) + "\n");
    at = begin + size;
  }
  print_comments(text.substr(at), out);
}

void trace_program(std::uint32_t words, const nvm::Program& program, std::FILE* err) {
  const std::vector<std::size_t> begins = begins_of(program);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    if (traces(words, TraceWord::kLink))
      put(err, "label " + function.name + " at (" + std::to_string(begins[f]) + ")\n");
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      const Instr& in = function.code[i];
      if (traces(words, TraceWord::kProgram)) put(err, line_of(program, begins[f] + i, in));
      if (traces(words, TraceWord::kLink) && in.op == Op::kCall)
        put(err, "call at (" + std::to_string(begins[f] + i) + ") goes to (" +
                     std::to_string(begins[static_cast<std::size_t>(in.a)]) + ")\n");
    }
  }
}

StackTrace::StackTrace(std::uint32_t words, const nvm::Program& program, const vm::Pool& pool, std::FILE* err)
    : words_(words), program_(program), pool_(pool), err_(err), begins_(begins_of(program)) {}

void StackTrace::before(std::int32_t function, std::size_t at, std::span<const vm::Value> stack) {
  const auto f = static_cast<std::size_t>(function);
  std::string text;
  if (traces(words_, TraceWord::kHeap))
    text += "vectors take " + std::to_string(pool_.stats().live) + " bytes\n";
  const bool values = traces(words_, TraceWord::kValues);
  if (values || traces(words_, TraceWord::kStack)) text += kinds_of(stack) + "\n";
  for (std::size_t i = 0; values && i < stack.size(); ++i) {
    text += "\t";
    vm::append_value(text, stack[i]);
  }
  if (traces(words_, TraceWord::kCommand))
    text += line_of(program_, begins_[f] + at, program_.functions[f].code[at]);
  put(err_, text);
}

void StackTrace::moved(const char* how, std::int32_t function, std::size_t depth) {
  if (traces(words_, TraceWord::kRuntime))
    put(err_, std::string(how) + " " + program_.functions[static_cast<std::size_t>(function)].name +
                  "; open calls = " + std::to_string(depth) + "\n");
}

}  // namespace nvm::lib
