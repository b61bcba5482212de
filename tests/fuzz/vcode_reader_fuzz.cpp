// Any bytes: the reader and the verifier neither crash nor hang, and what the reader accepts survives being
// written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytecode/base/check.h"
#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "tests/support/same_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  nvm::Diagnostics diagnostics("fuzz", text);
  const nvm::Program program = nvm::read_vcode(text, diagnostics);
  (void)diagnostics.render();
  if (diagnostics.failed()) return 0;

  const std::string written = nvm::write_vcode(program);
  nvm::Diagnostics again_diagnostics("written", written);
  const nvm::Program again = nvm::read_vcode(written, again_diagnostics);
  NVM_CHECK(!again_diagnostics.failed(), again_diagnostics.render());
  NVM_CHECK(same_program(program, again), "reading what was written gives another program");
  NVM_CHECK(nvm::write_vcode(again) == written, "writing again gives another text");

  const nvm::VerifyResult judged = nvm::verify(program, diagnostics);
  NVM_CHECK((judged.verdict == nvm::Verdict::kError) == diagnostics.failed(),
            "verdict and messages disagree");
  (void)diagnostics.render();
  return 0;
}
