#include "vm/lib/npy.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// A file name that goes with its scope.
struct Temporary {
  std::string path = "/tmp/nvm_npy_test_" + std::to_string(::getpid()) + ".npy";
  ~Temporary() { std::remove(path.c_str()); }
};

void write_raw(const std::string& path, const std::string& dictionary, const std::string& elements) {
  std::ofstream out(path, std::ios::binary);
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  out.write("\x93NUMPY\x01\x00", 8);
  out.write(reinterpret_cast<const char*>(&length), 2);
  out << dictionary << elements;
}

Array read_npy(const std::string& path, Pool& pool) {
  InFile file(path);
  return vm::read_npy(path, file, pool);
}

void write_npy(const std::string& path, const Array& array) {
  OutFile out(path);
  vm::write_npy([&](std::string_view bytes) { out.write(bytes); }, array);
  REQUIRE(out.finish());
}

std::string problem(const std::string& path, Pool& pool) {
  try {
    (void)read_npy(path, pool);
  } catch (const Fault& fault) {
    return fault.message;
  }
  return "";
}

}  // namespace

TEST_CASE("arrays come back from a file as they were written") {
  Temporary file;
  Pool pool;
  Vector v = pool.vector(Storage::kF64, 6);
  for (int i = 0; i < 6; ++i) v.mutable_data<double>()[i] = i / 4.0;
  write_npy(file.path, {{2, 3}, v});
  const Array back = read_npy(file.path, pool);
  CHECK(back.shape == std::vector<std::int64_t>{2, 3});
  REQUIRE(back.elements.storage() == Storage::kF64);
  for (int i = 0; i < 6; ++i) CHECK(back.elements.data<double>()[i] == i / 4.0);
}

TEST_CASE("scalars, empty arrays and narrow integers") {
  Temporary file;
  Pool pool;
  write_npy(file.path, {{}, Vector::of_int(-7)});
  CHECK(read_npy(file.path, pool).elements.scalar_int() == -7);
  write_npy(file.path, {{0}, pool.vector(Storage::kI64, 0)});
  CHECK(read_npy(file.path, pool).elements.length() == 0);
  Vector narrow = pool.vector(Storage::kI8, 2);
  narrow.mutable_data<std::int8_t>()[0] = -1;
  narrow.mutable_data<std::int8_t>()[1] = 3;
  write_npy(file.path, {{2}, narrow});
  const Array back = read_npy(file.path, pool);
  CHECK(back.elements.data<std::int64_t>()[0] == -1);
  CHECK(back.elements.data<std::int64_t>()[1] == 3);
}

TEST_CASE("unsigned bytes and single floats are widened") {
  Temporary file;
  Pool pool;
  write_raw(file.path, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\x01\xff");
  CHECK(read_npy(file.path, pool).elements.data<std::int64_t>()[1] == 255);
  write_raw(file.path, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
            std::string("\x00\x00\xc0\x3f", 4));
  CHECK(read_npy(file.path, pool).elements.scalar_float() == 1.5);
}

TEST_CASE("the other order of bytes is turned around") {
  Temporary file;
  Pool pool;
  write_raw(file.path, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
            std::string("\xff\xfe\x01\x00", 4));
  const Vector v = read_npy(file.path, pool).elements;
  CHECK(v.int_at(0) == -2);
  CHECK(v.int_at(1) == 256);
  write_raw(file.path, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
            std::string("\x3f\xf8\0\0\0\0\0\0", 8));
  CHECK(read_npy(file.path, pool).elements.scalar_float() == 1.5);
}

TEST_CASE("floats of half precision") {
  Temporary file;
  Pool pool;
  write_raw(file.path, "{'descr': '<f2', 'fortran_order': False, 'shape': (6,), }",
            std::string("\x00\x3e\x00\xc0\x00\x7c\x00\x7e\x01\x00\xff\x7b", 12));
  const Vector v = read_npy(file.path, pool).elements;
  CHECK(v.data<double>()[0] == 1.5);
  CHECK(v.data<double>()[1] == -2.0);
  CHECK(std::isinf(v.data<double>()[2]));
  CHECK(std::isnan(v.data<double>()[3]));
  CHECK(v.data<double>()[4] == 0x1p-24);
  CHECK(v.data<double>()[5] == 65504.0);
}

TEST_CASE("arrays in Fortran's order come in ours") {
  Temporary file;
  Pool pool;
  // [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]
  write_raw(file.path, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }",
            std::string("\0\6\2\10\4\12\1\7\3\11\5\13", 12));
  const Array array = read_npy(file.path, pool);
  CHECK(array.shape == std::vector<std::int64_t>{2, 3, 2});
  for (int i = 0; i < 12; ++i) CHECK(array.elements.int_at(i) == i);
  write_raw(file.path, "{'descr': '<i8', 'fortran_order': True, 'shape': (0, 3), }", "");
  CHECK(read_npy(file.path, pool).elements.length() == 0);
}

TEST_CASE("flags are 0 or 1, whatever byte says so") {
  Temporary file;
  Pool pool;
  write_raw(file.path, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
            std::string("\x00\x07\x01", 3));
  const Vector flags = read_npy(file.path, pool).elements;
  for (int i = 0; i < 3; ++i) CHECK(flags.data<std::uint8_t>()[i] == (i == 0 ? 0 : 1));
}

TEST_CASE("unsigned numbers beyond INT are refused") {
  Temporary file;
  Pool pool;
  const std::string one("\x01\0\0\0\0\0\0\0", 8), huge("\x05\0\0\0\0\0\0\x80", 8);
  const std::string two = "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }";
  write_raw(file.path, two, one + one);
  CHECK(read_npy(file.path, pool).elements.data<std::int64_t>()[1] == 1);
  write_raw(file.path, two, one + huge);
  CHECK(problem(file.path, pool).find("element 1, 9223372036854775813, is more than an INT holds") !=
        std::string::npos);
}

TEST_CASE("what is wrong with a file is said") {
  Temporary file;
  Pool pool;
  CHECK(problem("/nonexistent.npy", pool).find("does not exist") != std::string::npos);
  write_raw(file.path, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678");
  CHECK(problem(file.path, pool).find("not supported") != std::string::npos);
  write_raw(file.path, "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "12345678");
  CHECK(problem(file.path, pool).find("impossible") != std::string::npos);
  write_raw(file.path, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "12345678");
  CHECK(problem(file.path, pool).find("ends before") != std::string::npos);
  write_raw(file.path, "{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000, 4), }",
            "");
  CHECK(problem(file.path, pool).find("impossible") != std::string::npos);
  std::ofstream(file.path) << "nonsense that is long enough";
  CHECK(problem(file.path, pool).find("not a .npy") != std::string::npos);
}

TEST_CASE("a header that is not understood is not guessed at") {
  Temporary file;
  Pool pool;
  const std::string eight = "12345678", descr = "'descr': '<f8'", fortran = "'fortran_order': False",
                    shape = "'shape': (1,)";
  for (const std::string& good :
       {"{" + shape + "," + fortran + ", " + descr + "}",
        std::string("{\"descr\": \"=f8\", 'fortran_order': True, 'shape': (1L, 1L), } \n")}) {
    write_raw(file.path, good, eight);
    CHECK(problem(file.path, pool) == "");
  }
  const auto entries = [](const std::string& a, const std::string& b, const std::string& c) {
    return "{" + a + ", " + b + ", " + c + ", }";
  };
  for (const std::string& bad :
       {std::string("{}"), "{" + descr + ", " + shape + "}", entries(descr, "'fortran_order': False1", shape),
        entries(descr, "'fortran_order': Frue", shape), entries(descr, fortran, "'shapf': (1,)"),
        entries(descr, fortran, "'shape': (1)"), entries(descr, fortran, "'shape': (1.5,)"),
        entries(descr, fortran, "'shape': (1 1)"), entries(descr, fortran, "'shape': (,)"),
        entries(descr, fortran, "'shape': (1,"), entries(descr, fortran, shape + " 1"),
        entries(descr, fortran, shape) + "x", entries(descr, descr, shape),
        entries(descr, fortran + ", " + descr, shape), entries("'descr': '<f8", fortran, shape),
        entries("'descr': '<1 '", fortran, "'shape': (0,)"), entries("'descr': '< i'", fortran, shape),
        entries("'descr': 'xf8'", fortran, shape), entries("'descr': [('a', '<f8')]", fortran, shape)}) {
    INFO(bad);
    write_raw(file.path, bad, eight);
    CHECK(problem(file.path, pool) != "");
  }
}

TEST_CASE("what becomes of the file changes nothing that was read") {
  Temporary file;
  Pool pool;
  Vector v = pool.vector(Storage::kI64, 100000);
  for (int i = 0; i < 100000; ++i) v.mutable_data<std::int64_t>()[i] = i;
  write_npy(file.path, {{100000}, v});
  const Array array = read_npy(file.path, pool);
  {
    std::fstream other(file.path, std::ios::binary | std::ios::in | std::ios::out);
    other.seekp(128 + 8 * 99999);
    other << "garbage!";
  }
  CHECK(array.elements.int_at(99999) == 99999);
  std::filesystem::resize_file(file.path, 0);
  CHECK(array.elements.int_at(50000) == 50000);
  write_npy(file.path, array);
  CHECK(read_npy(file.path, pool).elements.int_at(99999) == 99999);
}

TEST_CASE("an array may come from memory") {
  Pool pool;
  const std::string dictionary = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += {static_cast<char>(dictionary.size()), '\0'};
  bytes += dictionary + std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 16);
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    InFile file("m.npy", bytes.substr(0, n));
    if (n == bytes.size())
      CHECK(vm::read_npy("m.npy", file, pool).elements.int_at(1) == 2);
    else
      CHECK_THROWS_AS(vm::read_npy("m.npy", file, pool), Fault);
  }
}
