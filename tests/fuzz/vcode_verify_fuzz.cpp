// The bytes are choices that build a program: past the reader, so that all of the verifier and writer is
// reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "tests/support/random_program.h"
#include "tests/support/same_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Two bytes a choice: enough for every list that the generators choose from.
nvm::test::Choices choices(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i + 1 < size; i += 2)
    numbers.push_back(data[i] | static_cast<std::uint32_t>(data[i + 1]) << 8);
  return nvm::test::Choices(std::move(numbers));
}

void round_trip(const nvm::Program& program, nvm::Verdict verdict) {
  const std::string text = nvm::write_vcode(program);
  nvm::Diagnostics diagnostics("written", text);
  const nvm::Program again = nvm::read_vcode(text, diagnostics);
  NVM_CHECK(!diagnostics.failed(), diagnostics.render());
  NVM_CHECK(same_program(program, again), "reading what was written gives another program");
  NVM_CHECK(nvm::verify(again, diagnostics).verdict == verdict, "judged differently after a round trip");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nvm::Diagnostics any_diagnostics("any", "");
  const nvm::Program any = nvm::test::AnyProgram(choices(data, size)).make(any_diagnostics);
  const nvm::VerifyResult judged = nvm::verify(any, any_diagnostics);
  NVM_CHECK((judged.verdict == nvm::Verdict::kError) == any_diagnostics.failed(),
            "verdict and messages disagree");
  round_trip(any, judged.verdict);

  nvm::Diagnostics typed_diagnostics("typed", "");
  std::vector<nvm::Type> results;
  const nvm::Program typed = nvm::test::TypedProgram(choices(data, size)).make(typed_diagnostics, results);
  NVM_CHECK(nvm::verify(typed, typed_diagnostics).verdict == nvm::Verdict::kOk, typed_diagnostics.render());
  round_trip(typed, nvm::Verdict::kOk);
  return 0;
}
