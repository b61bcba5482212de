// Runs every case in tests/golden/ssa: VCODE in, the passes it names, the printed SSA compared with the
// expected text. NVM_REBASE=1 in the environment writes the expectations anew; review the difference.
//
//   passes: <name> ...        first line
//   { what the case shows }
//   --- input
//   --- expected
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"

using namespace nvm;

namespace {

std::string run_case(const std::string& head, const std::string& input) {
  Diagnostics diagnostics("case", input);
  const Program program = read_vcode(input, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(!diagnostics.failed());
  const VerifyResult verified = verify(program, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
  ssa::check(module);
  std::istringstream names(head.substr(0, head.find('\n')));
  std::string name;
  names >> name;
  REQUIRE(name == "passes:");
  while (names >> name) {
    const auto& passes = ssa::pipeline();
    const auto pass =
        std::find_if(passes.begin(), passes.end(), [&](const ssa::Pass& p) { return name == p.name; });
    INFO(name);
    REQUIRE(pass != passes.end());
    pass->run(module);
    ssa::check(module);
  }
  std::string text = ssa::print(module);
  for (const ssa::Function& f : module.functions)
    if (!f.lifted.refusal.empty()) text += f.name + " is not lifted: " + f.lifted.refusal + "\n";
  return text;
}

}  // namespace

TEST_CASE("passes turn each golden case into its expected text", "[ssa][golden]") {
  const std::filesystem::path folder = std::string(NVM_SOURCE_DIR) + "/tests/golden/ssa";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 10);
  for (const auto& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const std::string all = text.str();
    const std::string kInput = "--- input\n", kExpected = "--- expected\n";
    const std::size_t input = all.find(kInput);
    REQUIRE(input != std::string::npos);
    const std::size_t expected = std::min(all.find(kExpected), all.size());
    const std::string from = all.substr(input + kInput.size(), expected - input - kInput.size());
    INFO(file);
    const std::string now = run_case(all.substr(0, input), from);
    if (std::getenv("NVM_REBASE") != nullptr) {
      std::ofstream(file) << all.substr(0, expected) << kExpected << now;
    } else {
      CHECK((expected < all.size() ? all.substr(expected + kExpected.size()) : "") == now);
    }
  }
}
