// Every vector instruction of the table becomes a node of the graph; the others are listed here, with who has
// them instead.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/soac/graph.h"
#include "tests/support/region_builder.h"

using namespace nvm;
using soac::Combinator;
using soac::Graph;
using soac::Node;
using test::RegionBuilder;

namespace {

// What is no work on vectors. Moves of stack entries and constants are gone in SSA form; calls and
// conditionals are followed while lines are recorded; seed, clock, files and processes are the host's.
const std::set<std::string_view> kStack = {"COPY", "POP", "CPOP", "PAIR", "UNPAIR", "CONST"};
const std::set<std::string_view> kControl = {"CALL", "RET", "IF", "ELSE", "ENDIF", "EXIT"};
const std::set<std::string_view> kHost = {"SRAND",  "START_TIMER", "STOP_TIMER", "READ",   "WRITE", "FOPEN",
                                          "FCLOSE", "FREAD",       "FREAD_CHAR", "FWRITE", "SPAWN"};
// Nothing fuses with a scatter that combines: lines end in front of it, and its primitive does it.
const std::set<std::string_view> kCombining = {"+_DPERMUTE",   "*_DPERMUTE",  "MAX_DPERMUTE", "MIN_DPERMUTE",
                                               "AND_DPERMUTE", "OR_DPERMUTE", "XOR_DPERMUTE"};

constexpr TypeWord kWords[] = {TypeWord::kNone, TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};

// A region of this one instruction, on inputs whose lengths agree as the table wants; LENGTH and LENGTHS are
// recorded only of what the region itself measures, so they follow a PACK.
class OneInstruction {
 public:
  OneInstruction(const OpInfo& info, TypeWord word, soac::DescForm form) : word_(word), form_(form) {
    const Shape& shape = op_shape(info.op);
    region_.lengths = {soac::LengthKind::kOne};
    in_.op = info.op;
    in_.word = word;
    if (info.op == Op::kLength || info.op == Op::kLengths)
      measure(info.op);
    else
      for (std::size_t i = 0; i < info.operands.size(); ++i)
        in_.operands.push_back(operand(info.operands[i], shape.terms[i]));
    for (std::size_t i = 0; i < info.results.size(); ++i) {
      const soac::VarId r =
          operand(info.results[i], shape.terms[static_cast<std::size_t>(shape.operands) + i]);
      region_.vars[static_cast<std::size_t>(r)].role = soac::VarRole::kOutput;
      in_.results.push_back(r);
    }
    region_.insts.push_back(in_);
  }

  [[nodiscard]] const soac::Region& region() const { return region_; }

 private:
  soac::LengthId length(char letter) {
    if (letter == '1') return 0;
    if (form_ == soac::DescForm::kOneSegment && letter == 'k') return 0;
    soac::LengthId& known = known_[static_cast<unsigned char>(letter)];
    if (known == 0) {
      known = static_cast<soac::LengthId>(region_.lengths.size());
      const bool found = in_.operands.size() == op_info(in_.op).operands.size();
      region_.lengths.push_back(found ? soac::LengthKind::kCounted : soac::LengthKind::kBound);
    }
    return known;
  }
  soac::VarId operand(char letter, const ShapeTerm& term) {
    soac::Var v;
    const Type type = letter_type(letter, word_);
    v.length = length(term.length);
    if (type == Type::kSegdes) {
      v.is_desc = true;
      v.total = length(term.total);
      v.form = form_;
    } else {
      v.type = type;
      v.storage = type == Type::kFloat ? Storage::kF64 : type == Type::kBool ? Storage::kB8 : Storage::kI64;
    }
    region_.vars.push_back(v);
    return static_cast<soac::VarId>(region_.vars.size() - 1);
  }
  void measure(Op op) {
    soac::RegionInst pack;
    pack.op = Op::kPack;
    pack.word = word_ == TypeWord::kNone ? TypeWord::kInt : word_;
    word_ = pack.word;
    pack.operands = {operand('t', {'n', 0}), operand('B', {'n', 0}), operand('S', {'k', 'n'})};
    pack.results = {operand('t', {'m', 0}), operand('S', {'k', 'm'})};
    region_.lengths[static_cast<std::size_t>(length('m'))] = soac::LengthKind::kCounted;
    for (const soac::VarId made : pack.results)
      region_.vars[static_cast<std::size_t>(made)].role = soac::VarRole::kTemp;
    region_.insts.push_back(pack);
    in_.operands = {op == Op::kLength ? pack.results[0] : pack.results[1]};
  }

  TypeWord word_;
  soac::DescForm form_;
  soac::LengthId known_[128] = {};
  soac::RegionInst in_;
  soac::Region region_;
};

}  // namespace

TEST_CASE("every instruction of the table has a combinator, or is listed as none of vectors") {
  std::set<std::string_view> without;
  for (const OpInfo& info : all_ops())
    if (!soac::recordable(info.op) || info.op == Op::kIf) without.insert(info.text);
  std::set<std::string_view> listed = kStack;
  listed.insert(kControl.begin(), kControl.end());
  listed.insert(kHost.begin(), kHost.end());
  listed.insert(kCombining.begin(), kCombining.end());
  CHECK(without == listed);
}

TEST_CASE("what is listed moves stack entries, decides, or belongs to the host") {
  for (const OpInfo& info : all_ops()) {
    INFO(info.text);
    CHECK(kStack.contains(info.text) == (info.kind == OpKind::kBlock));
    CHECK(kControl.contains(info.text) == (info.kind == OpKind::kControl));
    CHECK(kHost.contains(info.text) == (info.kind == OpKind::kHost));
    CHECK(kCombining.contains(info.text) == (info.kind == OpKind::kCombine));
  }
}

TEST_CASE("every other instruction builds a node, of all words, over one segment and several") {
  int built = 0;
  for (const OpInfo& info : all_ops()) {
    if (!soac::recordable(info.op) || info.op == Op::kIf) continue;
    for (const TypeWord word : kWords) {
      if (!word_allowed(info.op, word)) continue;
      for (const auto form : {soac::DescForm::kOneSegment, soac::DescForm::kIrregular}) {
        const OneInstruction one(info, word, form);
        INFO(soac::print(one.region()));
        Graph graph = soac::build(one.region());
        soac::check(graph);
        soac::narrow(graph, true, true);
        soac::check(graph);
        const Node& last = graph.nodes.back();
        const soac::VarId result = one.region().insts.back().results[0];
        CHECK((last.out == result || last.out_desc == result));
        CHECK(soac::print(graph).find(soac::combinator_name(last.kind)) != std::string::npos);
        ++built;
      }
    }
  }
  CHECK(built > 150);
}

TEST_CASE("RANK, RAND and MAKE_SEGDES of computed lengths are combinators of their own") {
  RegionBuilder b;
  const auto n = b.length(), k = b.length();
  const auto keys = b.vector(Type::kFloat, n);
  const auto one = b.op(Op::kRankUp, TypeWord::kFloat, {keys, b.whole(n)});
  const auto each = b.op(Op::kRankDown, TypeWord::kInt, {one, b.segments(k, n)});
  const auto below = b.op(Op::kRand, TypeWord::kNone, {each});
  const auto lengths = b.vector(Type::kInt, k);
  const auto desc = b.op(Op::kMakeSegdes, TypeWord::kNone, {lengths});
  const auto copied = b.op(Op::kDist, TypeWord::kInt, {lengths, desc});
  b.live(below);
  b.live(copied);
  const Graph graph = soac::build(b.region());
  soac::check(graph);
  std::vector<Combinator> kinds;
  for (const Node& node : graph.nodes) kinds.push_back(node.kind);
  CHECK(kinds == std::vector<Combinator>{Combinator::kRank, Combinator::kSegRank, Combinator::kRandom,
                                         Combinator::kSegdes, Combinator::kMap});
  CHECK(graph.nodes[1].down);
  CHECK(graph.nodes[3].out == soac::kNone);
  CHECK(graph.counted_by[static_cast<std::size_t>(graph.nodes[4].space)] == 3);
  const std::string text = soac::print(graph);
  for (const char* part :
       {"0: RANK over n1 -> x2 value v0\n", "1: SEG_RANK over n1 by x3 -> x4 value v0 down\n",
        "2: RANDOM over n1 -> x5 value v0\n", "3: SEGDES over n2 -> x7 sums n3 value v0\n"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(soac::print_dot(graph, {}).find("SEGDES") != std::string::npos);
}

TEST_CASE("lengths that were computed are what LENGTHS and LENGTH find") {
  RegionBuilder b;
  const auto k = b.length();
  const auto lengths = b.vector(Type::kInt, k);
  const auto desc = b.op(Op::kMakeSegdes, TypeWord::kNone, {lengths});
  const auto copied = b.op(Op::kDist, TypeWord::kInt, {lengths, desc});
  b.live(b.op(Op::kLengths, TypeWord::kNone, {desc}));
  b.live(b.op(Op::kLength, TypeWord::kInt, {copied}));
  const Graph graph = soac::build(b.region());
  soac::check(graph);
  CHECK(graph.nodes[2].kind == Combinator::kMap);
  CHECK(graph.nodes[2].space == k);
  CHECK(graph.nodes[3].kind == Combinator::kReduce);
  CHECK(graph.nodes[3].space == k);
}

TEST_CASE("LENGTH of what was parted counts the filter before, not the flags that part") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n), flags = b.vector(Type::kBool, n);
  const auto kept = b.op(Op::kPack, TypeWord::kInt, {x, flags, b.whole(n)});
  const auto kept_desc = b.second_result();
  const auto m = b.region().vars[static_cast<std::size_t>(kept)].length;
  const auto sides = b.op(Op::kItoB, TypeWord::kNone, {kept});
  const auto places = b.vector(Type::kInt, m);
  const auto moved = b.op(Op::kDfpermute, TypeWord::kInt, {kept, places, sides, kept, kept_desc, kept_desc});
  b.live(b.op(Op::kLength, TypeWord::kInt, {moved}));
  const Graph graph = soac::build(b.region());
  soac::check(graph);
  CHECK(graph.nodes.back().kind == Combinator::kReduce);
  CHECK(graph.nodes.back().space == n);
}

TEST_CASE("ranks take four bytes where all lengths do, and under computed lengths nothing is known") {
  for (const bool describes : {false, true}) {
    RegionBuilder b;
    const auto n = b.length(), k = b.length();
    const auto rank = b.op(Op::kRankUp, TypeWord::kInt, {b.vector(Type::kInt, n), b.whole(n)});
    b.live(rank);
    if (describes) b.op(Op::kMakeSegdes, TypeWord::kNone, {b.vector(Type::kInt, k)});
    Graph graph = soac::build(b.region());
    soac::narrow(graph, true, true);
    CHECK(graph.vars[static_cast<std::size_t>(rank)].storage == (describes ? Storage::kI64 : Storage::kI32));
    CHECK_FALSE(graph.vars[static_cast<std::size_t>(rank)].guessed);
  }
}
