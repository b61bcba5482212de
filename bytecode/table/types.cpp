#include "bytecode/table/types.h"

#include "bytecode/base/check.h"

namespace nvm {

std::string_view type_word_text(TypeWord word) {
  switch (word) {
    case TypeWord::kNone: return "";
    case TypeWord::kInt: return "INT";
    case TypeWord::kFloat: return "FLOAT";
    case TypeWord::kBool: return "BOOL";
    case TypeWord::kSegdes: return "SEGDES";
    case TypeWord::kChar: return "CHAR";
  }
  return "";
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::kInt: return "Int";
    case Type::kFloat: return "Float";
    case Type::kBool: return "Bool";
    case Type::kSegdes: return "Segdes";
    case Type::kPair: return "Pair";
  }
  return "";
}

Type type_of(TypeWord word) {
  switch (word) {
    case TypeWord::kInt:
    case TypeWord::kChar: return Type::kInt;
    case TypeWord::kFloat: return Type::kFloat;
    case TypeWord::kBool: return Type::kBool;
    case TypeWord::kSegdes: return Type::kSegdes;
    case TypeWord::kNone: break;
  }
  NVM_CHECK(false, "type word missing");
  return Type::kInt;
}

TypeWord word_of(Type type) {
  switch (type) {
    case Type::kInt: return TypeWord::kInt;
    case Type::kFloat: return TypeWord::kFloat;
    case Type::kBool: return TypeWord::kBool;
    case Type::kSegdes: return TypeWord::kSegdes;
    case Type::kPair: break;
  }
  NVM_CHECK(false, "no type word is for pairs");
  return TypeWord::kNone;
}

}  // namespace nvm
