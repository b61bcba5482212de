// Files as values of NESL, and back.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bytecode/base/read_file.h"
#include "vm/data/value.h"
#include "vm/lib/component.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/png.h"
#include "vm/lib/unpack.h"
#include "vm/lib/zip.h"

using namespace nvm;
using namespace nvm::lib;

namespace {

class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("nvm_files_test_" + std::to_string(::getpid()));
};

// The variable v bound to a file, as it is shown; or what is wrong, without the folder.
std::string shown(const std::string& word) {
  std::ostringstream out, err;
  Nesl nesl({}, out, err);
  if (const auto wrong = nesl.bind_file("v", word)) {
    const std::size_t name = wrong->find(": ");
    return wrong->substr(name == wrong->npos ? 0 : name);
  }
  nesl.run_expression("v");
  return out.str();
}

// What is wrong with writing the values of these expressions, named a, b, ...; "" if nothing is.
std::string saved(const std::string& word, std::initializer_list<std::string> values) {
  std::ostringstream out, err;
  Nesl nesl({}, out, err);
  std::string names;
  char name = 'a';
  for (const std::string& value : values) {
    nesl.run_text(std::string(1, name) + " = " + value + ";", "test");
    names += (names.empty() ? "" : ",") + std::string(1, name++);
  }
  const auto wrong = nesl.save_file(names, word);
  return err.str() + wrong.value_or("");
}

std::string json(const Folder& folder, const std::string& text) {
  return shown(folder.write("v.jsonl", text));
}

std::string keys(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += (i == 0 ? "{\"k" : ",\"k") + std::to_string(i) + "\":1";
  return text + "}";
}

}  // namespace

TEST_CASE("JSON lines are sequences", "[lib]") {
  const Folder folder;
  CHECK(json(folder, "1\n\n2\n") == "it = [1, 2] : [int]\n");
  CHECK(json(folder, "1\n2.5") == "it = [1.0, 2.5] : [float]\n");
  CHECK(json(folder, "1\nnull") == "it = [1.0, nan] : [float]\n");
  CHECK(json(folder, "null\n\"x\"") == "it = [\"\", \"x\"] : [[char]]\n");
  CHECK(json(folder, "9223372036854775807\n-9223372036854775808") ==
        "it = [9223372036854775807, -9223372036854775808] : [int]\n");
  CHECK(json(folder, "9223372036854775808") == "it = [9.22337203685478E18] : [float]\n");
  CHECK(json(folder, "[]\n[[true]]\n") == "it = [[], [[T]]] : [[[bool]]]\n");
  CHECK(json(folder, "{\"a\":1,\"b\":{\"c\":[\"x\"],\"d\":2}}\n{\"b\":{\"d\":3,\"c\":[]}}") ==
        "it = [(1.0, [\"x\"], 2), (nan, [], 3)] : [(float, [[char]], int)]\n");
}

TEST_CASE("JSON that is none, or not as above, is named with its line", "[lib]") {
  const Folder folder;
  CHECK(json(folder, "1\n{") == ": line 2, column 2 is no JSON");
  CHECK(json(folder, "1\n\"x\"") == ": line 2 is a string; what stands there above is a number");
  CHECK(json(folder, "{\"a\":[1]}\n{\"a\":[\"x\"]}") ==
        ": line 2: \"a\": an element is a string; what stands there above is a number");
  CHECK(json(folder, "{\"a\":1}\n{\"b\":1}") ==
        ": line 2 has the key \"b\", which the first line does not have");
  CHECK(json(folder, "true\nnull") == ": line 2 is null or missing: only numbers and strings can be");
  CHECK(json(folder, "null\ntrue") ==
        ": line 2 is true or false, which is null above: only numbers and strings can be missing");
  CHECK(json(folder, "{}") == ": line 1 is an object without keys, which is no tuple");
  CHECK(json(folder, keys(500)).find("it = [(1, 1,") == 0);
  CHECK(json(folder, keys(501)) == ": line 1 has an object of more than 500 keys, which make no tuple");
  const auto levels = [](const char* open, const char* shut, int n) {
    std::string text = "0";
    for (int i = 0; i < n; ++i) text = open + text + shut;
    return text;
  };
  CHECK(json(folder, levels("{\"a\":", "}", 500)) == "it = [0] : [int]\n");
  for (const int n : {501, 30'000}) {
    CHECK(json(folder, levels("{\"a\":", "}", n)) == ": line 1 is nested too deeply: at most 500 levels");
    CHECK(json(folder, levels("[", "]", n)) == ": line 1 is nested too deeply: at most 500 levels");
  }
  CHECK(json(folder, "\n") == ": is empty, so nothing says which values there are");
  CHECK(json(folder, std::string("1\0 2\n3", 6)) == ": line 1 has a NUL character");
  CHECK(json(folder, "\"\xff\"") == ": line 1, column 2 is no JSON");
  CHECK(json(folder, "1e400").find(": line 1: number overflow") == 0);
  CHECK(json(folder, std::string(100'000, '[') + std::string(100'000, ']')).find("too deeply") !=
        std::string::npos);
}

TEST_CASE("JSON lines are written as they are read", "[lib]") {
  const Folder folder;
  const std::string file = folder.at("v.jsonl");
  const auto text = [&](std::initializer_list<std::string> values) {
    const std::string wrong = saved(file, values);
    return wrong.empty() ? read_all(file).value_or("none") : wrong;
  };
  CHECK(text({"[1, 2]"}) == "1\n2\n");
  CHECK(text({"[0.1, 1.0, 1.0e300, 5.0e-324, 0.1 + 0.2]"}) ==
        "0.1\n1.0\n1e+300\n5e-324\n0.30000000000000004\n");
  CHECK(text({"\"a\\\"b\""}) == "\"a\\\"b\"\n");
  CHECK(text({"(1, (T, `x))"}) == "[1,true,\"x\"]\n");
  CHECK(text({"[[1.5], [] float]"}) == "[1.5]\n[]\n");
  CHECK(text({"[1, 2]", "[\"x\", \"y\"]"}) == "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n");
  CHECK(text({"[1, 2]", "[3]"}).find("the columns have different lengths, 2 and 1") != std::string::npos);
  CHECK(text({"[1, 2]", "3"}).find("columns are sequences") != std::string::npos);
  CHECK(text({"[1, 2]", "([3, 4], [5, 6])"}).find("a tuple is no column") != std::string::npos);
  CHECK(text({"[2.5, 1.0e308 * 10.0]"}).find("v.jsonl: line 2: JSON has no infinite numbers") !=
        std::string::npos);
  CHECK(
      text({"[1, 2, 3]", "[\"a\", \"b\", [code_char(200)]]"}).find("v.jsonl: line 3: a text is not UTF-8") !=
      std::string::npos);
}

TEST_CASE("a tuple is no column of a table", "[lib]") {
  const Folder folder;
  CHECK(saved(folder.at("v.csv"), {"[1, 2]", "([3, 4], [5, 6])"}).find("a tuple is no column") !=
        std::string::npos);
}

TEST_CASE("no row of a table is lost", "[lib]") {
  const Folder folder;
  const std::string file = folder.write("v.csv", "old");
  CHECK(saved(file, {"[[1], [] int, [2]]"}).find("row 1 is empty") != std::string::npos);
  CHECK(*read_all(file) == "old");
  CHECK(saved(folder.at("v.jsonl"), {"[[1], [] int, [2]]"}).empty());
  CHECK(shown(folder.at("v.jsonl")) == "it = [[1], [], [2]] : [[int]]\n");
  CHECK(saved(file, {"[] [int]"}).empty());
}

TEST_CASE("names of files say what they are", "[lib]") {
  const Folder folder;
  folder.write("b.txt", "a|b\n1|x,y\n");
  CHECK(shown("rows|:" + folder.at("b.txt")) == "it = [(1, \"x,y\")] : [(int, [char])]\n");
  CHECK(shown("fields|:" + folder.at("b.txt")) == "it = [[\"a\", \"b\"], [\"1\", \"x,y\"]] : [[[char]]]\n");
  folder.write("b.csv", "1::2\n");
  CHECK(shown("csv::" + folder.at("b.csv")).find("is no number") == std::string::npos);
  CHECK(shown("x.json").find(".jsonl") != std::string::npos);
  CHECK(saved(folder.at("x.csv.gz"), {"[1]"}).find("compressed files are only read") != std::string::npos);
  CHECK(saved("rows:" + folder.at("x"), {"[1]"}).find(".csv or .tsv") != std::string::npos);
}

TEST_CASE("compressed files, archives and images need libraries, and say so", "[lib]") {
  vm::Component none("libnobody.so.7", "libnobody7", true);
  CHECK(none.missing().find("this needs libnobody.so.7 (apt install libnobody7)") == 0);
  vm::Component unbuilt("libc.so.6", "c6", false);
  CHECK(unbuilt.missing() == "nvm was built without libc6: install its development files, build again");
  CHECK_THROWS_AS(unbuilt.need("x"), vm::Fault);
}

TEST_CASE("images are rows of pixels", "[lib]") {
  if (!vm::png_missing().empty()) return;
  const Folder folder;
  const std::string file = folder.at("v.png");
  CHECK(saved(file, {"[[0, 255], [7, 1]]"}).empty());
  CHECK(shown(file) == "it = [[0, 255], [7, 1]] : [[int]]\n");
  CHECK(saved(file, {"[[(1, 2, 3)]]"}).empty());
  CHECK(shown(file) == "it = [[(1, 2, 3)]] : [[(int, int, int)]]\n");
  CHECK(saved(file, {"[[(1, 2, 3, 255), (4, 5, 6, 0)]]"}).empty());
  CHECK(shown(file).find("(1, 2, 3, 255)") != std::string::npos);
  CHECK(saved(file, {"[[1, 256]]"}).find("row 0, column 1 has 256; bytes go from 0 to 255") !=
        std::string::npos);
  CHECK(saved(file, {"[[-1]]"}).find("has -1") != std::string::npos);
  CHECK(saved(file, {"[[1], [2, 3]]"}).find("rows of different lengths") != std::string::npos);
  CHECK(saved(file, {"[] [int]"}).find("a pixel or more") != std::string::npos);
  CHECK(saved(file, {"[[] int, [] int]"}).find("a pixel or more") != std::string::npos);
  CHECK(saved(file, {"[[1.0]]"}).find("rows of pixels") != std::string::npos);
  const std::string whole = *read_all(file);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CHECK(shown(folder.write("cut.png", whole.substr(0, n))).find("damaged") != std::string::npos);
    if (n < 8) continue;
    std::string changed = whole;
    changed[n] = static_cast<char>(changed[n] ^ 1);
    CHECK(shown(folder.write("changed.png", changed)).find("damaged") != std::string::npos);
  }
}

TEST_CASE("images keep their bytes, whatever they say of gamma", "[lib]") {
  if (!vm::png_missing().empty()) return;
  using namespace std::string_literals;
  const Folder folder;
  constexpr std::size_t kHeader = 33;  // signature and first chunk
  const std::string gamma = "\0\0\0\4gAMA\0\1\x86\xa0\x31\xe8\x96\x5f"s;
  const auto with_gamma = [&](const std::string& png) {
    return folder.write("gamma.png", png.substr(0, kHeader) + gamma + png.substr(kHeader));
  };
  const std::string file = folder.at("v.png");
  CHECK(saved(file, {"[[128, 64, 1]]"}).empty());
  CHECK(shown(with_gamma(*read_all(file))) == "it = [[128, 64, 1]] : [[int]]\n");
  const std::string wide =  // 0x8080, 0x4040, 0x0101
      "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\3\0\0\0\1\x10\0\0\0\0\x6e\x1b\x97\x2b"
      "\0\0\0\x0fIDAT\x78\x9c\x63\x68\x68\x70\x70\x60\x64\x04\0\x07\x4a\x01\x83\xf0\x66\xa5\x59"
      "\0\0\0\0IEND\xae\x42\x60\x82"s;
  CHECK(shown(folder.write("wide.png", wide)) == "it = [[128, 64, 1]] : [[int]]\n");
  CHECK(shown(with_gamma(wide)) == "it = [[128, 64, 1]] : [[int]]\n");
}

TEST_CASE("archives of arrays are tuples", "[lib]") {
  if (!vm::zip_missing().empty()) return;
  const Folder folder;
  const std::string file = folder.at("v.npz");
  CHECK(saved(file, {"[[1, 2], [3, 4]]", "[0.5]"}).empty());
  CHECK(shown(file) == "it = ([[1, 2], [3, 4]], [0.5]) : [[int]], [float]\n");
  CHECK(vm::read_zip(*read_all(file), file).at(1).name == "b.npy");
  CHECK(saved(file, {"([1, 2], 3.5)"}).empty());
  CHECK(shown(file) == "it = ([1, 2], 3.5) : [int], float\n");
  CHECK(vm::read_zip(*read_all(file), file).at(1).name == "arr_1.npy");
  CHECK(saved(file, {"[T, F]"}).empty());
  CHECK(shown(file) == "it = [T, F] : [bool]\n");
  CHECK(saved(file, {"[[1], [2, 3]]"}).find("different lengths") != std::string::npos);
  const std::string whole = *read_all(file);
  CHECK(shown(folder.write("cut.npz", whole.substr(0, whole.size() / 2))).find("damaged") !=
        std::string::npos);
}
