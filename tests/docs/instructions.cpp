// Prints the instruction reference of docs/vcode.md from the table.
#include <array>
#include <iostream>
#include <string>

#include "bytecode/table/op_info.h"

namespace {

using nvm::Op;
using nvm::OpInfo;
using nvm::OpKind;

struct Section {
  OpKind kind;
  const char* title;
  const char* text;
};
constexpr std::array kSections{
    Section{OpKind::kMap, "Elementwise",
            "Applied at each position. Operands have equal lengths; a vector of length one is not spread by "
            "itself."},
    Section{OpKind::kRandom, "Random numbers", "One draw per element, in element order."},
    Section{OpKind::kScan, "Scans",
            "Exclusive, left to right, starting again in every segment: the first element of a segment "
            "receives the identity."},
    Section{
        OpKind::kReduce, "Reductions",
        "One value per segment, left to right from the identity, which is the value of an empty segment."},
    Section{OpKind::kScatter, "Scatter",
            "Indices count from the start of the corresponding segment. Of several sources for one place the "
            "last wins; places never written are 0 or F, or the default where there is one."},
    Section{OpKind::kCombine, "Combining scatter",
            "Indices count from the start of the corresponding segment. Each element of the result is its "
            "default "
            "combined with the values that go there, from the left, in their order."},
    Section{OpKind::kGather, "Gather", "Indices count from the start of the corresponding segment."},
    Section{OpKind::kExtract, "Extract", "One index per segment."},
    Section{OpKind::kReplace, "Replace",
            "One index and one value per segment; a segment without elements stays as it is, whatever the "
            "index."},
    Section{OpKind::kFilter, "Pack", "The new descriptor is on top."},
    Section{OpKind::kDist, "Distribute", ""},
    Section{OpKind::kIota, "Index", ""},
    Section{OpKind::kRank, "Rank",
            "Stable in both directions. FLOAT order: by value, -0.0 below 0.0, NaN beyond the infinities by "
            "its sign."},
    Section{OpKind::kShape, "Lengths and descriptors", ""},
    Section{OpKind::kBlock, "Stack",
            "Counts and depths are integers written after the word; depth 0 is the top. The block keeps its "
            "order."},
    Section{OpKind::kControl, "Control",
            "IF and ELSE continue after the matching ELSE or ENDIF. A function has one RET, at its end."},
    Section{OpKind::kHost, "Clock, input and output",
            "Input and output end by pushing an error text (empty on success) and a flag (T on success)."},
};

std::string written(const OpInfo& info) {
  std::string out = "`" + std::string(info.text);
  switch (info.op) {
    case Op::kCopy:
    case Op::kPop:
    case Op::kCpop: return out + "` n m";
    case Op::kCall: return out + "` name";
    case Op::kConst: return out + "` t value";
    default: break;
  }
  return out + "`";
}

std::string words(const OpInfo& info) {
  std::string out;
  for (const auto word : {nvm::TypeWord::kInt, nvm::TypeWord::kFloat, nvm::TypeWord::kBool,
                          nvm::TypeWord::kSegdes, nvm::TypeWord::kChar}) {
    if (!word_allowed(info.op, word)) continue;
    out += (out.empty() ? "" : " ") + std::string(type_word_text(word));
  }
  return out;
}

std::string kinds(std::string_view letters) {
  std::string out;
  for (const char letter : letters) {
    if (!out.empty()) out += ' ';
    out += letter == '*' ? "\\*" : std::string(1, letter);
  }
  return out;
}

// Two operands or results share a length letter, so lengths can disagree.
bool lengths_can_disagree(Op op) {
  const nvm::Shape& shape = op_shape(op);
  std::string seen;
  for (int i = 0; i < shape.operands; ++i) {
    for (const char c : {shape.terms[i].length, shape.terms[i].total}) {
      if (c == '1') return true;
      if (c == 0 || c == '_') continue;
      if (seen.find(c) != std::string::npos) return true;
      seen += c;
    }
  }
  return false;
}

std::string value_error(const OpInfo& info) {
  switch (info.kind) {
    case OpKind::kMap: return info.effect == nvm::Effect::kFaults ? "divisor 0, or the least INT by -1" : "";
    case OpKind::kScatter:
    case OpKind::kCombine:
    case OpKind::kGather:
    case OpKind::kExtract:
    case OpKind::kReplace: return "index outside its segment";
    case OpKind::kRandom: return "bound 0";
    case OpKind::kShape: return info.effect == nvm::Effect::kFaults ? "negative length" : "";
    case OpKind::kHost: return info.op == Op::kFopen ? "mode other than 1 2 3" : "";
    default: return "";
  }
}

std::string errors(const OpInfo& info) {
  const std::string value = value_error(info);
  if (!lengths_can_disagree(info.op)) return value;
  return value.empty() ? "lengths" : "lengths; " + value;
}

std::string identity(const OpInfo& info) {
  std::string out;
  for (const auto word : {nvm::TypeWord::kInt, nvm::TypeWord::kFloat, nvm::TypeWord::kBool}) {
    if (!word_allowed(info.op, word)) continue;
    out += out.empty() ? "" : ", ";
    if (word == nvm::TypeWord::kInt) {
      const auto value = int_identity(info.scalar, nvm::IntBits::k64);
      const bool limit = info.scalar == nvm::Scalar::kMax || info.scalar == nvm::Scalar::kMin;
      out += limit ? (value < 0 ? "least INT" : "greatest INT") : std::to_string(value);
    } else if (word == nvm::TypeWord::kFloat) {
      const double value = float_identity(info.scalar);
      out += value == 0.0   ? "0.0"
             : value == 1.0 ? "1.0"
             : value < 0    ? "-9.99999961690316e+35"
                            : "9.99999961690316e+35";
    } else {
      out += bool_identity(info.scalar) ? "T" : "F";
    }
  }
  return out;
}

void row(const OpInfo& info) {
  const bool folds = info.kind == OpKind::kScan || info.kind == OpKind::kReduce;
  const std::string shape = info.shape.empty() ? "" : "`" + std::string(info.shape) + "`";
  std::cout << "| " << written(info) << " | " << words(info) << " | " << kinds(info.operands) << " | "
            << kinds(info.results) << " | " << shape << " | " << info.doc
            << (folds ? "; identity " + identity(info) : "") << " | " << errors(info) << " |\n";
}

}  // namespace

int main() {
  std::size_t rows = 0;
  for (const Section& section : kSections) {
    std::cout << "### " << section.title << "\n\n";
    if (*section.text != '\0') std::cout << section.text << "\n\n";
    std::cout << "| instruction | type words | takes | gives | lengths | meaning | errors at run time |\n"
                 "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const OpInfo& info : nvm::all_ops()) {
      if (info.kind != section.kind) continue;
      row(info);
      ++rows;
    }
    std::cout << "\n";
  }
  return rows == nvm::all_ops().size() ? 0 : 1;  // a kind without a section
}
