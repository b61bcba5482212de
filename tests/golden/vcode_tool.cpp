// Golden tool "vcode": what text, reader and verifier make of a file.
//   vcode text FILE     read and write again
//   vcode verify FILE   the typing of every instance, or why there is none
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"

namespace {

void print(const nvm::EntryType& entry) {
  std::cout << nvm::type_name(entry.type);
  if (entry.type != nvm::Type::kPair) return;
  std::cout << '(';
  print(entry.parts[0]);
  std::cout << ' ';
  print(entry.parts[1]);
  std::cout << ')';
}

void print(const nvm::Program& program, const nvm::Instance& instance) {
  std::cout << program.functions[static_cast<std::size_t>(instance.function)].name << ":";
  for (const nvm::EntryType& e : instance.operands) {
    std::cout << ' ';
    print(e);
  }
  std::cout << " ->";
  for (const nvm::EntryType& e : instance.results) {
    std::cout << ' ';
    print(e);
  }
  std::cout << (instance.returns ? "\n" : " never returns\n");
}

int judge(const nvm::Program& program, nvm::Diagnostics& diagnostics) {
  const nvm::VerifyResult result = nvm::verify(program, diagnostics);
  if (result.verdict == nvm::Verdict::kDynamicStack) std::cout << "dynamic stack\n";
  for (const nvm::Instance& instance : result.verified.instances) print(program, instance);
  return result.verdict == nvm::Verdict::kError ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  nvm::Diagnostics diagnostics(argv[2], text);
  const nvm::Program program = nvm::read_vcode(text, diagnostics);
  int status = diagnostics.failed() ? 1 : 0;
  if (status == 0 && std::string(argv[1]) == "text") std::cout << nvm::write_vcode(program);
  if (status == 0 && std::string(argv[1]) == "verify") status = judge(program, diagnostics);
  std::cerr << diagnostics.render();
  return status;
}
