// Inputs of a run that are not what the program takes, or that lie where they cannot be read like others.
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <limits>

#include "vm/lib/nvm.hpp"

using namespace nvm::lib;

namespace {

using Ints = std::vector<std::int64_t>;

// What `text` says to `inputs` of `kinds`: its results, or the reason why there are none.
std::string answer(const std::string& text, std::vector<Kind> kinds, const std::vector<Value>& inputs,
                   int int_bits = 64, Jit jit = Jit::kHot) {
  LoadOptions load;
  load.inputs = std::move(kinds);
  load.int_bits = int_bits;
  auto program = Program::from_text(text, "t.vcode", load);
  if (!program) return program.failure().message;
  Options options;
  options.jit = jit;
  Vm vm(options);
  auto run = vm.run(*program, inputs);
  if (!run) return run.failure().reason;
  std::string shown;
  for (const Value& v : run->values) shown += v.text();
  return shown;
}

// Memory that ends where nothing can be read.
class AtTheEdge {
 public:
  explicit AtTheEdge(std::size_t bytes) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    base_ = static_cast<char*>(
        ::mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(base_ + size_, page_, PROT_NONE);
    begin_ = base_ + size_ - bytes;
  }
  ~AtTheEdge() { ::munmap(base_, size_ + page_); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;
  [[nodiscard]] void* begin() const { return begin_; }

 private:
  std::size_t page_ = 0, size_ = 0;
  char* base_ = nullptr;
  char* begin_ = nullptr;
};

}  // namespace

TEST_CASE("inputs of other kinds or numbers than the program takes are refused", "[lib]") {
  const std::string text = "FUNC MAIN +_REDUCE INT RET";
  const std::vector<Kind> kinds{Kind::kInt, Kind::kSegdes};
  const Value ints = make_ints(Ints{1, 2, 3}), segdes = *make_segdes(Ints{2, 1});
  CHECK(answer(text, kinds, {ints, segdes}) == "( 3 3 )\n");
  CHECK(answer(text, kinds, {segdes, ints}) == "input 0 is Segdes, expected Int");
  CHECK(answer(text, kinds, {make_floats(std::vector<double>{1, 2, 3}), segdes}) ==
        "input 0 is Float, expected Int");
  CHECK(answer(text, kinds, {ints, ints}) == "input 1 is Int, expected Segdes");
  CHECK(answer(text, kinds, {ints}) == "input 1 is missing");
  CHECK(answer(text, kinds, {ints, segdes, ints}) == "3 inputs, expected 2");
  CHECK(answer("FUNC MAIN RET", {}, {ints}) == "1 inputs, expected 0");
  CHECK(answer("FUNC MAIN POP 1 0 RET", {Kind::kInt}, {segdes}) == "input 0 is Segdes, expected Int");
}

TEST_CASE("inputs of a program whose stack depends on data are looked at, too", "[lib]") {
  const std::string text =
      "FUNC MAIN CONST INT 0 CALL S RET\n"
      "FUNC S COPY 1 0 CONST INT 2 = INT IF ELSE COPY 1 0 CONST INT 1 + INT CALL S ENDIF RET";
  CHECK(answer(text, {Kind::kInt}, {make_ints(Ints{7})}) == "( 7 )\n( 0 )\n( 1 )\n( 2 )\n");
  CHECK(answer(text, {Kind::kInt}, {}) == "input 0 is missing");
  CHECK(answer(text, {Kind::kInt}, {make_floats(std::vector<double>{1})}) ==
        "input 0 is Float, expected Int");
}

TEST_CASE("a pair is no input, and INT has 32 or 64 bits", "[lib]") {
  LoadOptions load;
  load.inputs = {Kind::kInt, Kind::kPair};
  CHECK(Program::from_text("FUNC MAIN RET", "t.vcode", load).failure().message.find("input 1") !=
        std::string::npos);
  LoadOptions odd;
  odd.int_bits = 16;
  CHECK(Program::from_text("FUNC MAIN RET", "t.vcode", odd).failure().message.find("16") !=
        std::string::npos);
}

TEST_CASE("a vector of a length that none has is no value", "[lib]") {
  const double element = 1;
  for (const std::int64_t n :
       {std::int64_t{-1}, std::int64_t{1} << 46, std::numeric_limits<std::int64_t>::max()})
    CHECK_FALSE(foreign(&element, n, nullptr, nullptr));
}

TEST_CASE("integers wider than the program's are refused", "[lib]") {
  const std::int64_t elements[] = {1, std::int64_t{1} << 40, 3};
  const std::string refused = "input 0 has 1099511627776 at position 1, more than an INT of 32 bits holds";
  const std::string text = "FUNC MAIN I_TO_F RET";
  CHECK(answer(text, {Kind::kInt}, {make_ints(elements)}, 32) == refused);
  CHECK(answer(text, {Kind::kInt}, {foreign(elements, 3, nullptr, nullptr)}, 32) == refused);
  CHECK(answer("FUNC MAIN LENGTHS RET", {Kind::kSegdes}, {*make_segdes(elements)}, 32) ==
        "input 0 has 1099511627780 elements, more than an INT of 32 bits counts");
  CHECK(answer("FUNC MAIN RET", {Kind::kInt}, {make_ints(Ints{std::int64_t{-1} << 31})}, 32) ==
        "( -2147483648 )\n");
  CHECK(answer("FUNC MAIN RET", {Kind::kInt}, {make_ints(Ints{std::int64_t{1} << 31})}, 32) ==
        "input 0 has 2147483648 at position 0, more than an INT of 32 bits holds");
}

TEST_CASE("integers stored wider than the program's give what others give", "[lib]") {
  std::vector<std::int64_t> wide;
  std::vector<std::int32_t> narrow;
  for (std::int32_t i = 0; i < 10'000; ++i) narrow.push_back(i * 199'999), wide.push_back(narrow.back());
  const std::string text =
      "FUNC MAIN COPY 1 0 COPY 1 1 * INT COPY 1 0 NOT INT COPY 1 1 COPY 1 3 < INT COPY 1 2 I_TO_F "
      "COPY 1 4 COPY 1 0 LENGTH INT MAKE_SEGDES MAX_SCAN INT RET";
  for (const Jit jit : {Jit::kOff, Jit::kAlways})
    CHECK(answer(text, {Kind::kInt}, {foreign(wide.data(), 10'000, nullptr, nullptr)}, 32, jit) ==
          answer(text, {Kind::kInt}, {foreign(narrow.data(), 10'000, nullptr, nullptr)}, 32, Jit::kOff));
}

TEST_CASE("flags are T whatever number says so", "[lib]") {
  const std::vector<std::uint8_t> flags(5000, 7);
  CHECK(answer("FUNC MAIN COPY 1 1 LENGTH BOOL MAKE_SEGDES PACK BOOL CPOP 1 1 POP 1 0 RET",
               {Kind::kBool, Kind::kBool}, {make_bools(flags), make_bools(flags)}) == "[ 5000 ]\n");
  CHECK(answer("FUNC MAIN B_TO_I RET", {Kind::kBool}, {make_bools(std::vector<std::uint8_t>{0, 1, 255})}) ==
        "( 0 1 1 )\n");
}

TEST_CASE("foreign elements may end where memory ends", "[lib]") {
  for (const std::int64_t n : {3, 100, 5001}) {
    const AtTheEdge memory(static_cast<std::size_t>(n) * sizeof(std::int64_t));
    auto* elements = static_cast<std::int64_t*>(memory.begin());
    for (std::int64_t i = 0; i < n; ++i) elements[i] = i;
    int released = 0;
    const std::string sum = "( " + std::to_string(n * (n - 1)) + " )\n";
    const auto release = [](void* count) { ++*static_cast<int*>(count); };
    for (const Jit jit : {Jit::kOff, Jit::kAlways})
      CHECK(answer("FUNC MAIN COPY 1 0 + INT COPY 1 0 LENGTH INT MAKE_SEGDES +_REDUCE INT RET", {Kind::kInt},
                   {foreign(elements, n, release, &released)}, 64, jit) == sum);
    CHECK(released == 2);
  }
}
