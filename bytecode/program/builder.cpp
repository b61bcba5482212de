#include "bytecode/program/builder.h"

#include <algorithm>
#include <cmath>

#include "bytecode/base/check.h"
#include "bytecode/base/suggest.h"

namespace nvm {

void ProgramBuilder::begin_function(std::string name, SourcePos pos) {
  NVM_CHECK(!open_, "function inside a function");
  Function f;
  f.name = std::move(name);
  f.pos = pos;
  program_.functions.push_back(std::move(f));
  open_ = true;
}

Origin ProgramBuilder::line_of(const std::string& file, std::uint32_t line, std::uint32_t column) {
  if (file.empty() || line == 0 || file == program_.origins.own) return origin_number(0, line, column);
  std::vector<std::string>& others = program_.origins.others;
  const auto known = std::find(others.begin(), others.end(), file);
  const auto number = static_cast<std::uint32_t>(known - others.begin()) + 1;
  if (known == others.end() && number <= kMostOriginSource) others.push_back(file);
  return origin_number(number, line, column);
}

void ProgramBuilder::end_function(SourcePos pos) {
  at(pos);
  emit(Op::kRet);
  open_ = false;
}

void ProgramBuilder::emit(Op op, TypeWord word) {
  NVM_CHECK(open_, "instruction outside a function");
  Instr in;
  in.op = op;
  in.word = word;
  in.pos = pos_;
  in.origin_line = origin_line_;
  current().code.push_back(in);
}

void ProgramBuilder::copy(std::int32_t count, std::int32_t depth) {
  emit(Op::kCopy);
  current().code.back().a = count;
  current().code.back().b = depth;
}

void ProgramBuilder::pop(std::int32_t count, std::int32_t depth) {
  emit(Op::kPop);
  current().code.back().a = count;
  current().code.back().b = depth;
}

void ProgramBuilder::cpop(std::int32_t count, std::int32_t depth) {
  emit(Op::kCpop);
  current().code.back().a = count;
  current().code.back().b = depth;
}

void ProgramBuilder::call(std::string_view name) {
  emit(Op::kCall);
  const auto [it, fresh] =
      call_ids_.try_emplace(std::string(name), static_cast<std::int32_t>(call_names_.size()));
  if (fresh) call_names_.emplace_back(name);
  current().code.back().a = it->second;
}

void ProgramBuilder::constant(Constant constant) {
  NVM_CHECK(
      std::none_of(constant.floats.begin(), constant.floats.end(), [](double x) { return std::isnan(x); }),
      "VCODE has no literal for NaN");
  emit(Op::kConst, constant.word);
  current().code.back().a = static_cast<std::int32_t>(program_.constants.size());
  program_.constants.push_back(std::move(constant));
}

void ProgramBuilder::nest_conditionals(Function& f, Diagnostics& diagnostics) const {
  struct Open {
    std::size_t at;
    bool has_else;
  };
  std::vector<Open> open;
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    Instr& in = f.code[i];
    if (in.op == Op::kIf) {
      open.push_back({i, false});
    } else if (in.op == Op::kElse || in.op == Op::kEndif) {
      if (open.empty()) {
        diagnostics.error(in.pos,
                          std::string(op_info(in.op).text) + " without an open IF (improper IF nesting)");
        continue;
      }
      if (in.op == Op::kElse && open.back().has_else) {
        diagnostics.error(in.pos, "second ELSE for one IF (improper IF nesting)");
        continue;
      }
      f.code[open.back().at].a = static_cast<std::int32_t>(i);
      if (in.op == Op::kElse)
        open.back() = {i, true};
      else
        open.pop_back();
    }
  }
  for (const Open& o : open)
    diagnostics.error(f.code[o.at].pos,
                      "RETURN found in middle of IF...ENDIF: this IF has no ENDIF before RET");
}

void ProgramBuilder::unresolved(SourcePos pos, const std::string& name, Diagnostics& diagnostics) const {
  std::string message = "unresolved identifier " + name + ": no function of this name";
  if (diagnostics.errors() < Diagnostics::kMaxKept) {
    std::vector<std::string_view> names;
    for (const Function& f : program_.functions) names.emplace_back(f.name);
    const std::string_view near = nearest_name(name, names);
    if (!near.empty()) message += "; did you mean " + std::string(near) + "?";
    if (!near.empty() && same_but_case(near, name)) message += " Upper and lower case differ";
  }
  diagnostics.error(pos, std::move(message));
}

namespace {

void warn_redefined(const Function& f, const Function& before, Diagnostics& diagnostics) {
  diagnostics.warning(f.pos, "label " + f.name + " being redefined.");
  diagnostics.note(before.pos, "this definition is not used: every call goes to the last one");
}

}  // namespace

Program ProgramBuilder::finish(Diagnostics& diagnostics) {
  NVM_CHECK(!open_, "unfinished function");
  std::unordered_map<std::string, std::int32_t> defined;
  int mains = 0;
  for (std::size_t i = 0; i < program_.functions.size(); ++i) {
    const Function& f = program_.functions[i];
    const auto index = static_cast<std::int32_t>(i);
    if (f.name == "MAIN" && ++mains == 2) diagnostics.error(f.pos, "attempt to redefine MAIN");
    if (!defined.try_emplace(f.name, index).second) {
      if (f.name != "MAIN")
        warn_redefined(f, program_.functions[static_cast<std::size_t>(defined[f.name])], diagnostics);
      defined[f.name] = index;
    }
  }
  if (program_.functions.empty())
    diagnostics.error({1, 1}, "no function: a program needs at least one FUNC ... RET");
  for (Function& f : program_.functions) {
    nest_conditionals(f, diagnostics);
    for (Instr& in : f.code) {
      if (in.op != Op::kCall) continue;
      const std::string& name = call_names_[static_cast<std::size_t>(in.a)];
      const auto it = defined.find(name);
      if (it == defined.end())
        unresolved(in.pos, name, diagnostics);
      else
        in.a = it->second;
    }
  }
  const auto main = defined.find("MAIN");
  program_.entry = main != defined.end() ? main->second : 0;
  if (main == defined.end() && !program_.functions.empty())
    program_.entry = defined[program_.functions[0].name];
  return std::move(program_);
}

}  // namespace nvm
