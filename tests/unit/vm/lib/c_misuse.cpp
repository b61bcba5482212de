// Every function of nvm.h with nothing, with wrong sizes and with values of another kind: an answer, never a
// crash.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "bytecode/base/read_file.h"
#include "vm/lib/nvm.h"

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                       kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLengths[] = {-1, kLeast, kMost, std::int64_t{1} << 46, (std::int64_t{1} << 61) + 1};
constexpr std::int64_t kPlaces[] = {-1, 3, 100'000'000'000, kLeast, kMost};
constexpr std::int64_t kInts[] = {1, 2, 300};
constexpr double kFloats[] = {0.5, 1.5, 2.5};
constexpr std::uint8_t kFlags[] = {0, 1, 7};

// The last error of the thread has a text, and is not an older one.
template <typename F>
bool refused(F f) {
  const bool none = f();
  return none && *nvm_error() != '\0' && *nvm_error_reason() != '\0';
}

// A value of each kind, and one of none.
std::vector<nvm_value*> values_of_all_kinds() {
  const char pairs[] = "FUNC MAIN CONST INT 1 CONST INT 2 PAIR RET";
  nvm_program* program = nvm_load_text(pairs, std::strlen(pairs), "p", nullptr);
  nvm_vm* vm = nvm_new(nullptr);
  nvm_results* results = nvm_run(vm, program, nullptr, 0);
  std::vector<nvm_value*> all = {
      nvm_make_ints(kInts, 3),     nvm_make_ints(kInts, 1),     nvm_make_ints(nullptr, 0),
      nvm_make_floats(kFloats, 3), nvm_make_floats(kFloats, 1), nvm_make_floats(nullptr, 0),
      nvm_make_bools(kFlags, 3),   nvm_make_bools(kFlags, 1),   nvm_make_bools(nullptr, 0),
      nvm_make_segdes(kInts, 3),   nvm_make_segdes(nullptr, 0), nvm_results_take(results, 0)};
  nvm_results_free(results), nvm_free(vm), nvm_program_free(program);
  for (nvm_value* value : all) REQUIRE(value != nullptr);
  all.push_back(nullptr);
  return all;
}

}  // namespace

TEST_CASE("C: values are asked for what they do not have") {
  for (nvm_value* value : values_of_all_kinds()) {
    const std::int64_t n = nvm_value_size(value);
    for (std::int64_t i = 0; i < n; ++i)
      static_cast<void>(nvm_value_int(value, i)), static_cast<void>(nvm_value_float(value, i)),
          static_cast<void>(nvm_value_bool(value, i));
    for (const std::int64_t i : kPlaces) {
      CHECK(nvm_value_int(value, i) == 0);
      CHECK(nvm_value_float(value, i) == 0);
      CHECK(nvm_value_bool(value, i) == 0);
    }
    CHECK(nvm_value_int(value, n) == 0);
    const nvm_kind kind = nvm_value_kind(value);
    if (kind != NVM_FLOAT && n > 0) CHECK(nvm_value_float(value, 0) == 0);
    if (kind == NVM_FLOAT && n > 0) CHECK(nvm_value_int(value, 0) == 0);
    if (kind == NVM_SEGDES || kind == NVM_PAIR) CHECK(nvm_value_data(value) == nullptr);
    static_cast<void>(nvm_value_element_bytes(value));
    CHECK(nvm_value_print(value, nullptr) == 0);
    std::FILE* closed = std::fopen("/dev/null", "r");  // cannot be written
    if (n > 0) CHECK(nvm_value_print(value, closed) == 0);
    std::fclose(closed);
    nvm_value_free(value);
  }
}

TEST_CASE("C: vectors of impossible lengths, or without elements") {
  for (const std::int64_t n : kLengths) {
    CHECK(refused([&] { return nvm_make_ints(kInts, n) == nullptr; }));
    CHECK(refused([&] { return nvm_make_floats(kFloats, n) == nullptr; }));
    CHECK(refused([&] { return nvm_make_bools(kFlags, n) == nullptr; }));
    CHECK(refused([&] { return nvm_make_segdes(kInts, n) == nullptr; }));
    CHECK(refused([&] { return nvm_foreign_ints(kInts, n, nullptr, nullptr) == nullptr; }));
    CHECK(refused([&] { return nvm_foreign_floats(kFloats, n, nullptr, nullptr) == nullptr; }));
  }
  CHECK(refused([&] { return nvm_make_ints(nullptr, 2) == nullptr; }));
  CHECK(refused([&] { return nvm_make_floats(nullptr, 2) == nullptr; }));
  CHECK(refused([&] { return nvm_make_bools(nullptr, 2) == nullptr; }));
  CHECK(refused([&] { return nvm_make_segdes(nullptr, 2) == nullptr; }));
  CHECK(refused([&] { return nvm_foreign_ints(nullptr, 2, nullptr, nullptr) == nullptr; }));
  CHECK(refused([&] { return nvm_foreign_floats(nullptr, 2, nullptr, nullptr) == nullptr; }));
  const std::int64_t wrong[][2] = {{-1, 2}, {kMost, 1}, {kMost, kMost}, {kLeast, 0}};
  for (const auto& lengths : wrong) CHECK(refused([&] { return nvm_make_segdes(lengths, 2) == nullptr; }));
  int released = 0;
  const auto release = [](void* count) { ++*static_cast<int*>(count); };
  nvm_value* value = nvm_foreign_ints(nullptr, 0, release, &released);
  nvm_value_free(value);
  CHECK(released == 1);
  static const std::vector<std::int64_t> many(1000, 7);
  nvm_value_free(nvm_foreign_ints(many.data(), 1000, nullptr, nullptr));
}

TEST_CASE("C: programs that are none, and options that are none") {
  CHECK(refused([] { return nvm_load_text(nullptr, 5, "t", nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_text("x", 1, nullptr, nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_text("", 0, "", nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_text("a\0b", 3, "t", nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_file(nullptr, nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_file("", nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_load_file("/", nullptr) == nullptr; }));
  const char sum[] = "FUNC MAIN + INT RET";
  const auto load = [&](const nvm_load_options& options) {
    return refused([&] {
      nvm_program* program = nvm_load_text(sum, std::strlen(sum), "t", &options);
      nvm_program_free(program);
      return program == nullptr;
    });
  };
  for (const int bits : {-1, 1, 8, 33, 128}) {
    nvm_load_options options{};
    options.int_bits = bits;
    CHECK(load(options));
  }
  for (const int kind : {-1, 4, 5, 77, 256, 257, std::numeric_limits<int>::max()}) {
    std::int32_t numbers[2] = {NVM_INT, kind};
    nvm_kind kinds[2];
    static_assert(sizeof kinds == sizeof numbers);
    std::memcpy(kinds, numbers, sizeof kinds);
    nvm_load_options options{};
    options.inputs = kinds;
    options.input_count = 2;
    CHECK(load(options));
  }
  nvm_load_options options{};
  options.input_count = -1;
  CHECK(load(options));
  options.input_count = 1;
  CHECK(load(options));
  options.input_count = 0;
  options.function = "NONE";
  CHECK(load(options));
}

TEST_CASE("C: machines with options that make no sense are refused, or run") {
  const char seven[] = "FUNC MAIN CONST INT 7 RET";
  nvm_program* program = nvm_load_text(seven, std::strlen(seven), "t", nullptr);
  const auto runs = [&](const nvm_options& options) {
    nvm_vm* vm = nvm_new(&options);
    if (vm == nullptr) return *nvm_error() != '\0';
    nvm_results* results = nvm_run(vm, program, nullptr, 0);
    const bool good = results != nullptr ? nvm_results_count(results) == 1 : *nvm_error() != '\0';
    nvm_results_free(results), nvm_free(vm);
    return good;
  };
  for (const int threads :
       {-1, std::numeric_limits<int>::min(), 1'000'000, std::numeric_limits<int>::max()}) {
    nvm_options options{};
    options.threads = threads;
    CHECK(runs(options));
  }
  for (const double seconds : {-1.0, -0.0, 1e-300, 1e300, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    nvm_options options{};
    options.time_limit = seconds;
    CHECK(runs(options));
    nvm_limits* limits = nvm_limits_begin(0, seconds);
    if (limits != nullptr) CHECK(nvm_limits_end(limits) == 0);
  }
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{100}, UINT64_MAX}) {
    nvm_options options{};
    options.memory = options.fuel = options.output_limit = bytes;
    CHECK(runs(options));
    nvm_limits* limits = nvm_limits_begin(bytes, 0);
    if (limits != nullptr) CHECK(nvm_limits_end(limits) == 0);
  }
  for (const std::int64_t depth : {std::int64_t{-1}, kLeast, kMost}) {
    nvm_options options{};
    options.max_depth = depth;
    CHECK(runs(options));
  }
  const char* const nobody[] = {nullptr};
  const char* const odd[] = {"", "/nonexistent", "\xff"};
  nvm_options options{};
  options.allow.read = nobody;
  options.allow.read_count = 1;
  CHECK(refused([&] { return nvm_new(&options) == nullptr; }));
  CHECK(refused([&] { return nvm_nesl_new(&options) == nullptr; }));
  options.allow.read = nullptr;
  CHECK(refused([&] { return nvm_new(&options) == nullptr; }));
  options.allow.read_count = -1;
  CHECK(refused([&] { return nvm_new(&options) == nullptr; }));
  options.allow.read = odd;
  options.allow.read_count = 3;
  CHECK(runs(options));
  options.untrusted = 1;
  CHECK(runs(options));
  CHECK(refused([&] { return nvm_limits_begin(0, -1) == nullptr; }));
  CHECK(nvm_limits_end(nullptr) == 0);
  nvm_program_free(program);
}

TEST_CASE("C: runs with inputs of another number or kind, and without a machine") {
  const char sum[] = "FUNC MAIN + INT RET";
  const nvm_kind kinds[] = {NVM_INT, NVM_INT};
  nvm_load_options load{};
  load.inputs = kinds;
  load.input_count = 2;
  nvm_program* program = nvm_load_text(sum, std::strlen(sum), "t", &load);
  nvm_vm* vm = nvm_new(nullptr);
  CHECK(refused([&] { return nvm_run(nullptr, program, nullptr, 0) == nullptr; }));
  CHECK(refused([&] { return nvm_run(vm, nullptr, nullptr, 0) == nullptr; }));
  CHECK(refused([&] { return nvm_run(vm, program, nullptr, 0) == nullptr; }));
  CHECK(refused([&] { return nvm_run(vm, program, nullptr, 1) == nullptr; }));
  CHECK(refused([&] { return nvm_run(vm, program, nullptr, -1) == nullptr; }));
  const std::vector<nvm_value*> all = values_of_all_kinds();
  for (nvm_value* a : all)
    for (nvm_value* b : all) {
      nvm_value* const inputs[] = {a, b, b};
      for (const int n : {1, 2, 3}) {
        nvm_results* results = nvm_run(vm, program, inputs, n);
        const bool fit = n == 2 && a != nullptr && b != nullptr && nvm_value_kind(a) == NVM_INT &&
                         nvm_value_kind(b) == NVM_INT && nvm_value_size(a) == nvm_value_size(b);
        CHECK((results != nullptr) == fit);
        if (results == nullptr) CHECK(*nvm_error_reason() != '\0');
        for (const int i : {-1, 1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
          CHECK(refused([&] { return nvm_results_take(results, i) == nullptr; }));
        nvm_results_free(results);
      }
    }
  for (nvm_value* value : all) nvm_value_free(value);
  CHECK(nvm_results_count(nullptr) == 0);
  nvm_cancel(nullptr), nvm_cancel(vm);
  nvm_free(vm), nvm_program_free(program);
  nvm_free(nullptr), nvm_program_free(nullptr), nvm_results_free(nullptr), nvm_value_free(nullptr);
}

TEST_CASE("C: NESL without session, text, arguments or a type") {
  nvm_nesl* session = nvm_nesl_new(nullptr);
  const char text[] = "function first(v) = v[0]; function same(x) = x;";
  REQUIRE(nvm_nesl_define(session, text, std::strlen(text), "d") == 0);
  CHECK(refused([&] { return nvm_nesl_define(nullptr, text, 3, "d") != 0; }));
  CHECK(refused([&] { return nvm_nesl_define(session, nullptr, 3, "d") != 0; }));
  CHECK(refused([&] { return nvm_nesl_define(session, text, 3, nullptr) != 0; }));
  CHECK(refused([&] { return nvm_nesl_define(session, "function (", 10, "") != 0; }));
  CHECK(nvm_nesl_define(session, "", 0, "") == 0);
  nvm_nesl_value* one = nvm_nesl_int(1);
  const auto fails = [&](nvm_nesl* s, const char* f, nvm_nesl_value* const* a, int n) {
    return refused([&] { return nvm_nesl_call(s, f, a, n) == nullptr; });
  };
  CHECK(fails(nullptr, "same", &one, 1));
  CHECK(fails(session, nullptr, &one, 1));
  CHECK(fails(session, "same", nullptr, 1));
  CHECK(fails(session, "same", &one, -1));
  CHECK(fails(session, "same", &one, 0));
  for (const char* f : {"", "nobody", "first", ")", "same)(", "same; same", "\"", "1", "(x => x)(", "same $"})
    CHECK(fails(session, f, &one, 1));
  nvm_nesl_value* const with_none[] = {one, nullptr};
  CHECK(fails(session, "+", with_none, 2));

  nvm_nesl_value* nan = nvm_nesl_float(std::nan(""));
  nvm_nesl_value* flag = nvm_nesl_bool(7);
  nvm_nesl_value* const both[] = {nan, flag};
  CHECK(fails(session, "+", both, 2));
  nvm_nesl_value_free(nan), nvm_nesl_value_free(flag);
  CHECK(refused([] { return nvm_nesl_text(nullptr, 1) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_text("x", SIZE_MAX) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_sequence(nullptr) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_nest(nullptr, kInts, 1) == nullptr; }));
  CHECK(refused([&] { return nvm_nesl_nest(one, kInts, 1) == nullptr; }));
  nvm_nesl_value* const components[] = {one, nullptr};
  for (const int n : {-1, 0, 1, 2}) {
    CHECK(refused([&] { return nvm_nesl_tuple(components, n) == nullptr; }));
    CHECK(refused([&] { return nvm_nesl_tuple(nullptr, n) == nullptr; }));
  }
  CHECK(refused([] { return nvm_nesl_make(nullptr, nullptr, 0) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_make("", nullptr, 0) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_make("int", nullptr, 1) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_make("int", nullptr, -1) == nullptr; }));
  for (const int i : {-1, 1, std::numeric_limits<int>::max()})
    CHECK(refused([&] { return nvm_nesl_part(one, i) == nullptr; }));
  CHECK(refused([] { return nvm_nesl_part(nullptr, 0) == nullptr; }));
  CHECK(nvm_nesl_type(nullptr) == std::string());
  CHECK(nvm_nesl_part_count(nullptr) == 0);
  nvm_nesl_value_free(one), nvm_nesl_value_free(nullptr), nvm_nesl_free(session), nvm_nesl_free(nullptr);
}

TEST_CASE("C: values of NESL whose parts do not fit their types are refused by a call") {
  nvm_nesl* session = nvm_nesl_new(nullptr);
  const char text[] = "function same(x) = x; datatype point(float, int);";
  REQUIRE(nvm_nesl_define(session, text, std::strlen(text), "d") == 0);
  const std::vector<nvm_value*> all = values_of_all_kinds();
  int made = 0, called = 0;
  for (const char* type :
       {"int",         "[int]", "[[float]]", "(int, bool)", "[char]",   "char",     "point", "[point]",
        "nothing",     "a",     "[a]",       "int -> int",  "[int",     "int)",     "(",     "stream",
        "[[[[int]]]]", "()",    "[()]",      "\"",          "int, int", "function", "number"})
    for (nvm_value* a : all)
      for (nvm_value* b : all)
        for (const int n : {0, 1, 2, 3, 5}) {
          nvm_value* const parts[] = {a, b, a, b, b};
          nvm_nesl_value* value = nvm_nesl_make(type, parts, n);
          if (value == nullptr) continue;
          ++made;
          CHECK(nvm_nesl_type(value) == std::string(type));
          CHECK(nvm_nesl_part_count(value) == n);
          nvm_nesl_value* result = nvm_nesl_call(session, "same", &value, 1);
          if (result == nullptr && *nvm_error_reason() == '\0') FAIL(type);
          if (result != nullptr) ++called;
          // What is built on it fails, or fails when it is called.
          nvm_nesl_value* nest = nvm_nesl_nest(value, kInts, 3);
          nvm_nesl_value* const both[] = {value, nest != nullptr ? nest : value};
          nvm_nesl_value* tuple = nvm_nesl_tuple(both, 2);
          for (nvm_nesl_value* built : {nest, tuple})
            if (built != nullptr) nvm_nesl_value_free(nvm_nesl_call(session, "same", &built, 1));
          nvm_nesl_value_free(tuple), nvm_nesl_value_free(nest), nvm_nesl_value_free(result),
              nvm_nesl_value_free(value);
        }
  CHECK(made > 1000);
  CHECK(called > 10);
  for (nvm_value* value : all) {
    nvm_nesl_value* sequence = nvm_nesl_sequence(value);
    const bool vector = value != nullptr && nvm_value_kind(value) <= NVM_BOOL;
    CHECK((sequence != nullptr) == vector);
    for (const std::int64_t n : kLengths)
      CHECK(refused([&] { return nvm_nesl_nest(sequence, kInts, n) == nullptr; }));
    CHECK(refused([&] { return nvm_nesl_nest(sequence, nullptr, 2) == nullptr; }));
    nvm_nesl_value_free(sequence), nvm_value_free(value);
  }
  nvm_nesl_free(session);
}

TEST_CASE("C: every function of the header is above") {
  const std::string header = *nvm::read_all(NVM_SOURCE_DIR "/vm/lib/nvm.h");
  const std::string here = *nvm::read_all(NVM_SOURCE_DIR "/tests/unit/vm/lib/c_misuse.cpp");
  // These only tell of the last error, or of the library.
  const std::set<std::string> tell = {"nvm_error_file", "nvm_error_line", "nvm_error_column",
                                      "nvm_error_cause", "nvm_version"};
  const std::regex function("\\b(nvm_[a-z_]+)\\(");
  std::set<std::string> missing;
  for (std::sregex_iterator it(header.begin(), header.end(), function), end; it != end; ++it)
    if (here.find((*it)[1].str() + "(") == here.npos && tell.count((*it)[1]) == 0) missing.insert((*it)[1]);
  CHECK(missing == std::set<std::string>());
}
