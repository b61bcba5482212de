// Prints the tables of docs/fission.md from the rules.
#include <iostream>
#include <string>

#include "bytecode/plan/fission.h"

namespace {

using nvm::plan::Condition;
using nvm::plan::Join;
using nvm::plan::Need;
using nvm::plan::Record;

std::string code(const char* enumerator) { return "`" + std::string(enumerator) + "`"; }

void pull(const char* name, Condition condition, Need need, const char* why) {
  std::cout << "| " << code(name) << " | " << text(condition) << " | " << text(need) << " | " << why
            << " |\n";
}

void sink(const char* name, Condition condition, Record record, Join join, const char* why) {
  const int words = most_words(record);
  std::cout << "| " << code(name) << " | " << text(condition) << " | " << text(record)
            << (words == 0 ? "" : " (" + std::to_string(words) + ")") << " | " << text(join) << " | " << why
            << " |\n";
}

}  // namespace

int main() {
  std::cout << "| pull | if | a part needs | |\n| --- | --- | --- | --- |\n";
#define PULL(id, condition, need, text) pull(#id, Condition::condition, Need::need, text);
#include "bytecode/plan/fission.def"
  std::cout << "\n| sink | if | a part hands on (words) | results | the bits are those of no cut, because |\n"
               "| --- | --- | --- | --- | --- |\n";
#define SINK(id, condition, record, join, text) \
  sink(#id, Condition::condition, Record::record, Join::join, text);
#include "bytecode/plan/fission.def"
  return 0;
}
