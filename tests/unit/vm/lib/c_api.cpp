// What C programs may get wrong in their calls is an answer, not a crash.
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <string>

#include "vm/lib/nvm.h"

namespace {

constexpr char kSum[] = "FUNC MAIN + INT RET";
constexpr nvm_kind kTwoInts[] = {NVM_INT, NVM_INT};

nvm_program* load(const nvm_kind* inputs, int count) {
  nvm_load_options options{};
  options.inputs = inputs;
  options.input_count = count;
  return nvm_load_text(kSum, std::strlen(kSum), "t", &options);
}

}  // namespace

TEST_CASE("options that cannot be are refused in words") {
  const auto refused = [](auto set, const char* why) {
    nvm_options options{};
    set(options);
    CHECK(nvm_new(&options) == nullptr);
    CHECK(nvm_error() == "nvm: " + std::string(why) + "\n");
  };
  refused([](nvm_options& o) { o.allow.read_count = 3; }, "the folders are NULL");
  refused([](nvm_options& o) { o.allow.write_count = -3; }, "-3 folders");
  refused([](nvm_options& o) { o.threads = -1; }, "-1 threads");
  refused([](nvm_options& o) { o.max_depth = -1; }, "a depth of -1 calls");
  refused([](nvm_options& o) { o.time_limit = -1.0; }, "a time limit of -1.000000 seconds");
  refused([](nvm_options& o) { o.time_limit = std::numeric_limits<double>::quiet_NaN(); },
          "a time limit of nan seconds");
}

TEST_CASE("inputs that are not there are named") {
  CHECK(load(nullptr, 2) == nullptr);
  CHECK(nvm_error() == std::string("nvm: the inputs are NULL\n"));
  CHECK(load(kTwoInts, -1) == nullptr);
  CHECK(nvm_error() == std::string("nvm: -1 inputs\n"));

  nvm_program* program = load(kTwoInts, 2);
  REQUIRE(program != nullptr);
  nvm_vm* vm = nvm_new(nullptr);
  CHECK(nvm_run(vm, program, nullptr, 2) == nullptr);
  CHECK(nvm_error() == std::string("nvm: the inputs are NULL\n"));
  nvm_value* empty = nvm_make_ints(nullptr, 0);
  nvm_value* inputs[] = {empty, nullptr};
  CHECK(nvm_run(vm, program, inputs, 2) == nullptr);
  CHECK(nvm_error() == std::string("nvm: input 1 is NULL\n"));
  nvm_value_free(empty), nvm_free(vm), nvm_program_free(program);
}

TEST_CASE("vectors without elements go in and come out") {
  nvm_program* program = load(kTwoInts, 2);
  nvm_vm* vm = nvm_new(nullptr);
  nvm_value* none = nvm_make_ints(nullptr, 0);
  nvm_value* inputs[] = {none, none};
  nvm_results* results = nvm_run(vm, program, inputs, 2);
  REQUIRE(results != nullptr);
  REQUIRE(nvm_results_count(results) == 1);
  nvm_value* sum = nvm_results_take(results, 0);
  CHECK(nvm_value_kind(sum) == NVM_INT);
  CHECK(nvm_value_size(sum) == 0);
  CHECK(nvm_results_take(results, 1) == nullptr);
  nvm_value_free(sum), nvm_results_free(results), nvm_value_free(none), nvm_free(vm),
      nvm_program_free(program);
}
