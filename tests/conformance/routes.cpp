// Holds that the two routes from flat code to SSA mean the same: directly, and by a stack that is verified
// and lowered. Of every form of the texts named on the command line that has a value, with and without checks
// of arguments, for both widths of INT: the module is the same, instruction by instruction, with its lines.
//
//   routes FILE.nesl ...
//   routes --write FILE.nesl ...     writes the VCODE of each form instead: NUL, FILE:LINE, newline, text
#include <bit>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "bytecode/base/read_file.h"
#include "bytecode/ssa/passes.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "frontend/emit.h"
#include "frontend/flatten.h"
#include "frontend/nesl/compile.h"

namespace {

using namespace nvm;

// All that a run sees of a module.
std::string text_of(const ssa::Module& module) {
  std::string text = module.file + " " + module.origins.own + " " + std::to_string(module.entry) + "\n";
  for (const std::string& file : module.origins.others) text += file + "\n";
  for (const ssa::Constant& c : module.constants) {  // all of it: print() leaves elements out
    text += std::string(type_word_text(c.word)) + " input " + std::to_string(c.input) +
            (c.is_single ? " single" : "");
    for (const std::int64_t v : c.ints) text += " " + std::to_string(v);
    for (const double v : c.floats) text += " " + std::to_string(std::bit_cast<std::int64_t>(v));
    text += "\n";
  }
  for (const ssa::Function& f : module.functions) {
    text += ssa::print(module, f) + f.origin + (f.lifted.claimed ? " lifted" : "") +
            (f.lifted.tail_parallel ? " tail-parallel" : "") + "\nlines";
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& in : block.insts) text += " " + std::to_string(in.origin_line);
    text += "\n";
  }
  return text;
}

std::optional<ssa::Module> by_the_stack(const frontend::core::Program& core,
                                        const frontend::EmitOptions& options) {
  const Program program = frontend::emit_vcode(core, options).code;
  Diagnostics diagnostics(options.file, "");
  const VerifyResult verified = verify(program, diagnostics, options.int_bits);
  if (verified.verdict == Verdict::kOk) return ssa::lower(program, verified.verified, options.int_bits);
  std::cerr << diagnostics.render();
  return std::nullopt;
}

// The lines in which two texts begin to differ.
void show_difference(std::string_view one, std::string_view other) {
  std::size_t at = 0, line = 0;
  while (at < one.size() && at < other.size() && one[at] == other[at])
    if (one[at++] == '\n') line = at;
  const auto from = [line](std::string_view text) {
    std::size_t end = line;
    for (int lines = 0; lines < 8 && end != std::string_view::npos; ++lines) end = text.find('\n', end + 1);
    return text.substr(line, end == std::string_view::npos ? end : end - line);
  };
  std::cerr << "directly:\n" << from(one) << "\nby the stack:\n" << from(other) << "\n";
}

struct Tally {
  int forms = 0;
  int different = 0;
};

// What is executed, but that combining scatters are written as they are for others.
ssa::Module in_words_of_the_stack(const frontend::core::Program& core, const frontend::EmitOptions& options) {
  frontend::Flattener flattener(core, options);
  frontend::flat::Program code = flattener.run();
  frontend::flat::expand_combining_scatters(code);
  ssa::Module module = frontend::flat::to_ssa(code, options);
  ssa::check(module);
  return module;
}

void compare(const frontend::core::Program& core, const std::string& where, Tally& tally) {
  ++tally.forms;
  for (const bool checks : {true, false})
    for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
      frontend::EmitOptions options{where, checks};
      options.int_bits = bits;
      ssa::check(frontend::emit_ssa(core, options).code);
      const ssa::Module direct = in_words_of_the_stack(core, options);
      const auto stacked = by_the_stack(core, options);
      const std::string one = text_of(direct), other = stacked ? text_of(*stacked) : "nothing";
      if (one == other) continue;
      ++tally.different;
      std::cerr << where << ":\n";
      show_difference(one, other);
      return;
    }
}

void print_vcode(const frontend::core::Program& core, const std::string& where, Tally& tally) {
  ++tally.forms;
  std::cout << '\0' << where << "\n" << write_vcode(frontend::emit_vcode(core, {where, true}).code);
}

using Look = void (*)(const frontend::core::Program& core, const std::string& where, Tally& tally);

void look_at(const std::string& path, Look look, Tally& tally) {
  const auto text = read_all(path);
  if (!text) return;
  frontend::Environment environment;
  Diagnostics diagnostics(path, *text);
  const frontend::Source source{path, *text, 1, false, 0, true};
  frontend::Parser parser(source, diagnostics);
  while (!parser.at_end()) {
    auto form = parser.next_form();
    const bool is_command =
        form && (form->kind == frontend::FormKind::kCommand || form->kind == frontend::FormKind::kDefconfig);
    if (!form || is_command) continue;
    const std::uint32_t line = form->pos.line;
    const auto compiled = frontend::compile_form(environment, std::move(*form), diagnostics);
    if (!compiled) continue;
    if (compiled->core) look(*compiled->core, path + ":" + std::to_string(line), tally);
    frontend::bind_result(environment, *compiled);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Tally tally;
  const bool writes = argc > 1 && std::string_view(argv[1]) == "--write";
  for (int i = writes ? 2 : 1; i < argc; ++i) look_at(argv[i], writes ? print_vcode : compare, tally);
  if (writes) return tally.forms > 0 ? 0 : 1;
  std::cout << tally.forms << " forms, " << tally.different << " different\n";
  return tally.different == 0 && tally.forms > 0 ? 0 : 1;
}
