// What find_lifted proves holds when run: the results for instances cut into two groups, joined, are those
// for all instances, unless a group faults.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"
#include "vm/interp/interp.h"
#include "vm/interp/text_io.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Column = std::vector<std::int64_t>;  // elements, or a descriptor's lengths

Numbers long_list() {
  return *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
}

// The factorial of every instance, as the legacy compiler lowers it: split, skip and merge.
constexpr const char* kFactorial = R"(
FUNC MAIN CONST INT (3 0 5) CONST INT 3 MAKE_SEGDES CALL FACT RET
FUNC FACT
COPY 1 1 CONST INT 0 COPY 1 2 DIST INT = INT
COPY 1 1 LENGTHS COPY 1 1 B_TO_I COPY 1 3 +_REDUCE INT
COPY 1 1 CONST INT 0 = INT IF
  POP 5 0 CONST INT ()
ELSE COPY 2 0 = INT IF
  POP 3 0 CONST INT 1 CPOP 1 1 DIST INT POP 1 1
ELSE COPY 1 0 CONST INT 0 = INT IF
  POP 3 0 COPY 1 1 CONST INT 1 COPY 1 2 DIST INT - INT CPOP 1 1 CALL FACT * INT
ELSE
  POP 2 0 NOT BOOL CONST INT 0 CONST INT 1 COPY 1 3 INDEX COPY 1 1 COPY 1 3 PACK INT
  COPY 1 4 COPY 1 2 COPY 1 5 COPY 1 3 BPERMUTE INT
  COPY 1 0 CONST INT 1 COPY 1 3 DIST INT - INT COPY 1 2 CALL FACT * INT
  COPY 1 2 CONST INT 1 COPY 1 6 DIST INT COPY 1 3 COPY 1 7 DPERMUTE INT
  POP 5 1
ENDIF ENDIF ENDIF RET)";

// Random values for the parameters of a lifted function, as columns.
std::vector<Column> parameters(const ssa::Function& f, std::int64_t instances, test::Choices& choices) {
  const auto& splits = f.lifted.parameters;
  std::vector<Column> columns(splits.size());
  std::vector<bool> done(splits.size(), false);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      const auto under = static_cast<std::size_t>(splits[i].under);
      if (done[i] || (splits[i].kind == ssa::Split::Kind::kUnder && !done[under])) continue;
      std::int64_t n = 1;
      if (splits[i].kind == ssa::Split::Kind::kInstances) n = instances;
      if (splits[i].kind == ssa::Split::Kind::kUnder) {
        n = 0;
        for (const std::int64_t length : columns[under]) n += length;
      }
      for (std::int64_t k = 0; k < n; ++k) columns[i].push_back(static_cast<std::int64_t>(choices.below(4)));
      if (splits[i].kind == ssa::Split::Kind::kFrame) columns[i] = {instances};
      done[i] = again = true;
    }
  }
  return columns;
}

// Instances first .. last-1 of them.
std::vector<Column> cut(const ssa::Function& f, const std::vector<Column>& all, std::int64_t first,
                        std::int64_t last) {
  const auto& splits = f.lifted.parameters;
  std::vector<Column> part = all;
  auto range_of = [&](auto self, std::size_t i) -> std::pair<std::int64_t, std::int64_t> {
    if (splits[i].kind != ssa::Split::Kind::kUnder) return {first, last};
    const auto under = static_cast<std::size_t>(splits[i].under);
    const auto [from, to] = self(self, under);
    std::int64_t begin = 0, end = 0;
    for (std::int64_t k = 0; k < to; ++k) {
      if (k < from) begin += all[under][static_cast<std::size_t>(k)];
      end += all[under][static_cast<std::size_t>(k)];
    }
    return {begin, end};
  };
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].kind == ssa::Split::Kind::kSame) continue;
    if (splits[i].kind == ssa::Split::Kind::kFrame) {
      part[i] = {last - first};
      continue;
    }
    const auto [from, to] = range_of(range_of, i);
    part[i].assign(all[i].begin() + from, all[i].begin() + to);
  }
  return part;
}

vm::Vector vector_of(vm::Pool& pool, Type type, const Column& column) {
  const auto n = static_cast<std::int64_t>(column.size());
  if (n == 1) {
    if (type == Type::kFloat) return vm::Vector::of_float(static_cast<double>(column[0]) / 2);
    return type == Type::kBool ? vm::Vector::of_bool(column[0] > 1) : vm::Vector::of_int(column[0]);
  }
  const Storage storage = type == Type::kFloat  ? Storage::kF64
                          : type == Type::kBool ? Storage::kB8
                                                : Storage::kI64;
  vm::Vector v = pool.vector(storage, n);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (type == Type::kFloat) v.mutable_data<double>()[i] = static_cast<double>(column[i]) / 2;
    if (type == Type::kInt) v.mutable_data<std::int64_t>()[i] = column[i];
    if (type == Type::kBool) v.mutable_data<std::uint8_t>()[i] = column[i] > 1;
  }
  return v;
}

// The results, each as its printed elements; nothing if the run faults.
std::optional<std::vector<std::string>> run(const ssa::Module& module, ssa::FunctionId id,
                                            const std::vector<Column>& columns) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  vm::Pool pool;
  vm::HostOptions options;
  vm::Host host(options, pool, module.int_bits);
  vm::Machine machine;
  machine.prims.pool = &pool;
  machine.prims.int_bits = module.int_bits;
  machine.prims.random = &host.random();
  machine.host = &host;
  machine.max_depth = 200;
  const vm::Code code = vm::make_code(module, pool);
  std::vector<vm::Value> arguments;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Type type = f.value_types[static_cast<std::size_t>(f.blocks[0].parameters[i])];
    if (type == Type::kSegdes) {
      std::int64_t total = 0;
      for (const std::int64_t n : columns[i]) total += n;
      arguments.emplace_back(vm::Segdes::from_lengths(vector_of(pool, Type::kInt, columns[i]), total));
    } else {
      arguments.emplace_back(vector_of(pool, type, columns[i]));
    }
  }
  const vm::Outcome outcome = vm::Interp(code, machine).call(id, std::move(arguments));
  if (outcome.error) return std::nullopt;
  std::vector<std::string> results;
  for (const vm::Value& v : outcome.values) {
    std::string text;
    vm::append_value(text, v);
    results.push_back(text.substr(1, text.size() - 4));  // without "(" and " )\n"
  }
  return results;
}

void groups_join(const ssa::Module& module, ssa::FunctionId id, test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto instances = static_cast<std::int64_t>(choices.below(7));
  const std::vector<Column> all = parameters(f, instances, choices);
  const auto middle = static_cast<std::int64_t>(choices.below(static_cast<std::size_t>(instances) + 1));
  const auto first = run(module, id, cut(f, all, 0, middle));
  const auto second = run(module, id, cut(f, all, middle, instances));
  if (!first || !second) return;
  const auto whole = run(module, id, all);
  RC_LOG() << ssa::print(module, f);
  RC_ASSERT(whole.has_value());
  for (std::size_t r = 0; r < whole->size(); ++r) RC_ASSERT((*whole)[r] == (*first)[r] + (*second)[r]);
}

}  // namespace

TEST_CASE("the lifted factorial is found, and its groups join") {
  Diagnostics diagnostics("factorial", kFactorial);
  const Program program = read_vcode(kFactorial, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(!diagnostics.failed());
  const VerifyResult verified = verify(program, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
  ssa::optimise(module, true);
  ssa::FunctionId id = 0;
  while (module.functions[static_cast<std::size_t>(id)].name != "FACT") ++id;
  INFO(module.functions[static_cast<std::size_t>(id)].lifted.refusal);
  REQUIRE(module.functions[static_cast<std::size_t>(id)].lifted.lifted);
  CHECK(rc::check("factorial", [&] { groups_join(module, id, test::Choices(long_list())); }));
}

TEST_CASE("groups join for every random function that is found to be lifted") {
  CHECK(rc::check("random lifted functions", [] {
    Diagnostics diagnostics("random", "");
    const ssa::Module module = [&] {
      const Program program = test::SegmentProgram(test::Choices(long_list())).make(diagnostics);
      Diagnostics more("random", "");
      const VerifyResult verified = verify(program, more);
      RC_ASSERT(verified.verdict == Verdict::kOk);
      // Not inlined, so that H remains to be judged.
      ssa::Module lowered = ssa::lower(program, verified.verified, IntBits::k64);
      ssa::eliminate_common(lowered);
      ssa::simplify_segdes(lowered);
      ssa::eliminate_dead(lowered);
      ssa::find_lifted(lowered);
      return lowered;
    }();
    bool any = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].lifted.lifted) continue;
      any = true;
      groups_join(module, static_cast<ssa::FunctionId>(i), test::Choices(long_list()));
    }
    RC_CLASSIFY(any, "lifted");
  }));
}

}  // namespace nvm
