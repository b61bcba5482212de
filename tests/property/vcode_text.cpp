#include <rapidcheck.h>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bytecode/text/reader.h"
#include "bytecode/text/writer.h"
#include "bytecode/verify/verify.h"
#include "tests/support/random_program.h"
#include "tests/support/same_program.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers long_list() {
  return *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
}

void round_trip(const Program& program, WriteOptions options) {
  const std::string text = write_vcode(program, options);
  Diagnostics diagnostics("written", text);
  const Program again = read_vcode(text, diagnostics);
  RC_LOG() << text << "\n" << diagnostics.render();
  RC_ASSERT(!diagnostics.failed());
  if (options.annotations) RC_ASSERT(same_program(program, again));
  RC_ASSERT(write_vcode(again, options) == text);
}

}  // namespace

TEST_CASE("what is written reads back the same and is written again byte for byte") {
  CHECK(rc::check("round trip", [] {
    Diagnostics diagnostics("random", "");
    const Program program = test::AnyProgram(test::Choices(long_list())).make(diagnostics);
    RC_ASSERT(!diagnostics.failed());
    round_trip(program, {});
    round_trip(program, {true, false});
    round_trip(program, {false, true});
  }));
}

TEST_CASE("the verifier judges any program without crashing, and the same after a round trip") {
  CHECK(rc::check("any program", [] {
    Diagnostics diagnostics("random", "");
    const Program program = test::AnyProgram(test::Choices(long_list())).make(diagnostics);
    const VerifyResult judged = verify(program, diagnostics);
    RC_ASSERT((judged.verdict == Verdict::kError) == diagnostics.failed());
    const std::string text = write_vcode(program);
    Diagnostics more("written", text);
    RC_ASSERT(verify(read_vcode(text, more), more).verdict == judged.verdict);
  }));
}

TEST_CASE("a program built to be well typed is accepted, with the kinds it was built to leave") {
  CHECK(rc::check("typed program", [] {
    Diagnostics diagnostics("random", "");
    std::vector<Type> expected;
    const Program program = test::TypedProgram(test::Choices(long_list())).make(diagnostics, expected);
    const VerifyResult judged = verify(program, diagnostics);
    RC_LOG() << write_vcode(program) << diagnostics.render();
    RC_ASSERT(judged.verdict == Verdict::kOk);
    const Instance& entry = judged.verified.instances[static_cast<std::size_t>(judged.verified.entry)];
    RC_ASSERT(entry.returns);
    std::vector<Type> found;
    for (const EntryType& e : entry.results) found.push_back(e.type);
    RC_ASSERT(found == expected);
  }));
}

}  // namespace nvm
