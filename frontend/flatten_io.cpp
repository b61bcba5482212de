// Primitives with effects: random numbers, checks written in a library, output, input and processes.
#include "bytecode/base/check.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::Expr;
using core::Prim;
using core::TypeKind;
using flat::Atom;
using flat::Atoms;

namespace {
constexpr std::int64_t kRandomSteps = std::int64_t{1} << 30;  // of a random float in 0..1
}

// The codes of a string that every instance writes.
Atom Body::codes(const Val& string, const Lanes* lanes) {
  const Val here = ops_.spread(string, deeper(level(string), lanes));
  return ops_.at(here.kids[0], here.lanes);
}

Val Body::text(Atom codes) {
  const Atom length = b_.op(Op::kLength, TypeWord::kInt, {codes});
  const Lanes* lanes = ops_.elements(ops_.root(), ops_.descriptor(length));
  return ops_.sequence(lanes, ops_.scalar(core::base_type(TypeKind::kChar), lanes, codes));
}

// The message and the flag with which results of input and output end.
Val Body::status(const Atoms& results, std::size_t first) {
  Val message = text(results[first]);
  return LaneOps::pair(std::move(message), boolean(ops_.root(), results[first + 1]));
}

Val Body::random(const Val& bound, const Lanes* lanes) {
  const bool is_int = bound.type->kind == TypeKind::kInt;
  const auto stands = [&](Op relation) {
    return map2(relation, word_of(bound.type), TypeKind::kBool, bound, ops_.zero(bound.type));
  };
  // NaN is no positive number.
  check(is_int ? stands(Op::kLe) : map1(Op::kNot, TypeWord::kBool, TypeKind::kBool, stands(Op::kGt)), lanes,
        "Rand only works with positive numbers.");
  if (is_int) return integer(lanes, b_.op(Op::kRand, TypeWord::kNone, {ops_.at(bound, lanes)}));
  const Atom steps = b_.op(Op::kRand, TypeWord::kNone, {ops_.at(ops_.integer(kRandomSteps), lanes)});
  const Val fraction = map1(Op::kItoF, TypeWord::kNone, TypeKind::kFloat, integer(lanes, steps));
  const Val step = ops_.scalar(bound.type, ops_.root(), b_.real(1.0 / static_cast<double>(kRandomSteps)));
  // To scale by a power of two is exact, so it may come first: bounds are often the same for all.
  const Val unit = map2(Op::kMul, TypeWord::kFloat, TypeKind::kFloat, bound, step);
  return map2(Op::kMul, TypeWord::kFloat, TypeKind::kFloat, unit, fraction);
}

Val Body::print(const Val& string, const Lanes* lanes) {
  b_.ops(Op::kWrite, TypeWord::kChar, {codes(string, lanes)});
  return ops_.boolean(true);
}

Val Body::read_vector(const Expr& e, TypeWord word, Atom stream) {
  const Atoms results = b_.ops(Op::kFread, word, {stream});
  Atom vector = results[0];
  if (word == TypeWord::kSegdes) vector = ops_.read_lengths(vector);
  const core::Type* type = e.type->a;
  const TypeWord length_word = word == TypeWord::kSegdes ? TypeWord::kInt : word;
  const Atom length = b_.op(Op::kLength, length_word, {vector});
  const Lanes* lanes = ops_.elements(ops_.root(), ops_.descriptor(length));
  Val sequence = ops_.sequence(lanes, ops_.scalar(type->a, lanes, vector));
  return LaneOps::pair(std::move(sequence), status(results, 1));
}

Val Body::read_char(const Val& x) {
  const Atom delimiters = codes(x.kids[0], ops_.root());
  const Atoms results =
      b_.ops(Op::kFreadChar, TypeWord::kNone, {delimiters, x.kids[1].kids[0].atom, x.kids[1].kids[1].atom});
  // A closed stream gives no code at all; the sum of none is one number.
  const Atom length = b_.op(Op::kLength, TypeWord::kInt, {results[1]});
  const Atom why = b_.op(Op::kAddReduce, TypeWord::kInt, {results[1], ops_.descriptor(length)});
  Val string = text(results[0]);
  return LaneOps::pair(std::move(string), LaneOps::pair(integer(ops_.root(), why), status(results, 2)));
}

Val Body::spawn(const Val& x) {
  const Val& streams = x.kids[1];
  const Atoms results = b_.ops(Op::kSpawn, TypeWord::kNone,
                               {codes(x.kids[0], ops_.root()), streams.kids[0].atom,
                                streams.kids[1].kids[0].atom, streams.kids[1].kids[1].atom});
  const auto stream = [&](std::size_t i) { return integer(ops_.root(), results[i]); };
  return LaneOps::pair(stream(2), LaneOps::pair(stream(1), LaneOps::pair(stream(0), status(results, 3))));
}

Val Body::checked(const Expr& e, const Val& x, const Lanes* lanes) {
  const Val bad = map1(Op::kNot, TypeWord::kBool, TypeKind::kBool, x.kids[0]);
  const Expr& given = *e.kids[0];
  const bool parts = given.kind == core::ExprKind::kPair && given.kids[1]->kind == core::ExprKind::kPair;
  const Expr* message = parts ? given.kids[1]->kids[0].get() : nullptr;
  if (!all_.options().arg_check) return x.kids[1].kids[1];
  check_with(bad, lanes, [&] {
    const std::string head = "\n" + place() + "RUNTIME ERROR: ";
    if (message && message->kind == core::ExprKind::kString) return write_text(head + message->text + "\n");
    write_text(head);
    b_.ops(Op::kWrite, TypeWord::kChar, {codes(x.kids[1].kids[0], ops_.root())});
    write_text("\n");
  });
  const Val& value = x.kids[1].kids[1];
  const Constant* fine = b_.known(x.kids[0].atom);
  if (!all_.source().sound || value.type->kind != TypeKind::kInt || value.lanes == lanes ||
      lanes->inhabited || (fine && fine->ints[0] != 0))
    return value;
  // A number from outside that instances check: 0, which is a number of items and a place in front of them,
  // where there is none to check it.
  const Val instances = integer(value.lanes, ops_.read_lengths(ops_.segments(lanes, value.lanes)));
  return choose(map2(Op::kGt, TypeWord::kInt, TypeKind::kBool, instances, ops_.integer(0)), value,
                ops_.integer(0));
}

// A library's: message and what the numbers are stand in its text.
Val Body::checked_numbers(const Expr& e, const Val& x, const Lanes* lanes) {
  const Expr& texts = *e.kids[0]->kids[1];
  const Val& value = x.kids[1].kids[1].kids[1];
  std::vector<Val> numbers;
  const Val* rest = &value;
  for (; rest->type->kind == TypeKind::kPair; rest = &rest->kids[1]) numbers.push_back(rest->kids[0]);
  numbers.push_back(*rest);
  const Val bad = map1(Op::kNot, TypeWord::kBool, TypeKind::kBool, x.kids[0]);
  check_numbers(bad, lanes, texts.kids[0]->text, texts.kids[1]->kids[0]->text, numbers);
  return value;
}

// The stream is the same for all instances, and so is the number of a command.
Atom Body::shared(const Val& number) {
  if (number.lanes == ops_.root()) return number.atom;
  return b_.op(Op::kMaxReduce, TypeWord::kInt, {number.atom, ops_.whole(number.lanes)});
}

Val Body::plot_command(const Val& x, const Lanes* lanes) {
  const Val& data = x.kids[1].kids[0];
  const Lanes* all = deeper(lanes, level(x));
  const Atom stream = shared(x.kids[1].kids[1]);
  const auto write = [&](TypeWord word, Atom vector) { b_.ops(Op::kFwrite, word, {vector, stream}); };
  write(TypeWord::kInt, shared(x.kids[0]));
  write(TypeWord::kInt, ops_.count(all));
  Atoms slots;
  std::vector<Type> kinds;
  ops_.slots(ops_.settle(data, all), slots);
  slot_kinds(data.type, kinds);
  for (std::size_t i = 0; i < slots.size(); ++i)
    write(kinds[i] == Type::kFloat    ? TypeWord::kFloat
          : kinds[i] == Type::kBool   ? TypeWord::kBool
          : kinds[i] == Type::kSegdes ? TypeWord::kSegdes
                                      : TypeWord::kInt,
          slots[i]);
  return ops_.boolean(true);
}

Val Body::effect_prim(const Expr& e, const Val& x, const Lanes* lanes) {
  const auto write = [&](TypeWord word) {
    Atom vector =
        word == TypeWord::kChar ? codes(x.kids[0], lanes) : ops_.at(x.kids[0].kids[0], x.kids[0].lanes);
    if (word == TypeWord::kSegdes) vector = ops_.descriptor(vector);
    return status(b_.ops(Op::kFwrite, word, {vector, shared(x.kids[1])}), 0);
  };
  switch (e.prim) {
    case Prim::kRand: return random(x, lanes);
    case Prim::kRandSeed: return boolean(ops_.root(), b_.op(Op::kSrand, TypeWord::kInt, {x.atom}));
    case Prim::kCheck: return checked(e, x, lanes);
    case Prim::kCheckNumbers: return checked_numbers(e, x, lanes);
    case Prim::kFail: {
      const Val always = ops_.boolean(true);
      check_with(always, lanes, [&] {
        write_text("\n" + place());
        b_.ops(Op::kWrite, TypeWord::kChar, {codes(x, lanes)});
      });
      return always;
    }
    case Prim::kPrintString: return print(x, lanes);
    case Prim::kOpenFile: {
      const Atoms results = b_.ops(Op::kFopen, TypeWord::kNone, {codes(x.kids[0], lanes), x.kids[1].atom});
      return LaneOps::pair(integer(ops_.root(), results[0]), status(results, 1));
    }
    case Prim::kCloseFile: return status(b_.ops(Op::kFclose, TypeWord::kNone, {x.atom}), 0);
    case Prim::kReadChar: return read_char(x);
    case Prim::kReadInts: return read_vector(e, TypeWord::kInt, x.atom);
    case Prim::kReadFloats: return read_vector(e, TypeWord::kFloat, x.atom);
    case Prim::kReadBools: return read_vector(e, TypeWord::kBool, x.atom);
    case Prim::kReadLengths: return read_vector(e, TypeWord::kSegdes, x.atom);
    case Prim::kWriteString: return write(TypeWord::kChar);
    case Prim::kWriteInts: return write(TypeWord::kInt);
    case Prim::kWriteFloats: return write(TypeWord::kFloat);
    case Prim::kWriteBools: return write(TypeWord::kBool);
    case Prim::kWriteLengths: return write(TypeWord::kSegdes);
    case Prim::kSpawn: return spawn(x);
    case Prim::kPlotCommand: return plot_command(x, lanes);
    default: break;
  }
  NVM_CHECK(false, "primitive without a translation");
  return x;
}

}  // namespace nvm::frontend
