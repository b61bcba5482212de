#include "vm/lib/remora_files.h"

#include <algorithm>
#include <map>

#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "bytecode/base/utf8.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl_print.h"

namespace nvm::lib {

namespace {

using remora::AtomKind;
using vm::Segdes;
using vm::Vector;

[[noreturn]] void fail(const std::string& why) { throw vm::Fault{vm::Fault::Kind::kIo, why}; }

// Atoms in row-major order, and what they are.
struct Contents {
  AtomKind atom = AtomKind::kInt;
  std::vector<std::int64_t> shape;
  Vector atoms;
};

const char* atom_name(AtomKind kind) {
  switch (kind) {
    case AtomKind::kFloat: return "float";
    case AtomKind::kBool: return "bool";
    case AtomKind::kChar: return "char";
    default: return "int";
  }
}

AtomKind atom_of(const Vector& v) {
  return v.type() == Type::kFloat  ? AtomKind::kFloat
         : v.type() == Type::kBool ? AtomKind::kBool
                                   : AtomKind::kInt;
}

Vector ints(const std::vector<std::int64_t>& numbers, vm::Pool& pool) {
  if (numbers.size() == 1) return Vector::of_int(numbers[0]);
  Vector out = pool.vector(Storage::kI64, static_cast<std::int64_t>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), out.mutable_data<std::int64_t>());
  return out;
}

// A file's bytes as code points.
Contents text_of(const std::vector<vm::Value>& slots, vm::Pool& pool) {
  const auto& bytes = std::get<Vector>(slots[1]);
  std::string text;
  for (std::int64_t i = 0; i < bytes.length(); ++i) text += static_cast<char>(vm::int_at(bytes, i));
  std::vector<std::int64_t> codes;
  for (const std::int32_t c : decode_utf8(text)) codes.push_back(c);
  return {AtomKind::kChar, {static_cast<std::int64_t>(codes.size())}, ints(codes, pool)};
}

Contents contents_of(const std::string& word, vm::World* world, vm::Pool& pool) {
  if (const auto number = vm::number_value(word)) {
    const auto& v = std::get<Vector>(number->second[0]);
    return {atom_of(v), {}, v};
  }
  const vm::NamedFile file = vm::named_file(word);
  InFile in = vm::input_file(world, file);
  if (file.kind == vm::FileKind::kNpy) {
    vm::Array array = vm::read_array(file, in, pool);
    return {atom_of(array.elements), std::move(array.shape), std::move(array.elements)};
  }
  const std::vector<vm::Value> slots = vm::read_slots(file, in, pool);
  if (file.kind == vm::FileKind::kText) return text_of(slots, pool);
  Contents table;
  for (const vm::Value& slot : slots) {
    if (const auto* lengths = std::get_if<Segdes>(&slot)) {
      if (!lengths->is_regular()) fail(file.path + ": the rows have different lengths");
      table.shape.push_back(lengths->regular_length());
    } else if (&slot != &slots.back()) {
      fail(file.path + ": only what has numbers, flags or characters alone is an array");
    } else {
      table.atoms = std::get<Vector>(slot);
    }
  }
  table.atom = atom_of(table.atoms);
  return table;
}

// "[float 3 3]:FILE" in two; no type in front of anything else.
std::pair<std::string, std::string> split_type(const std::string& word) {
  std::size_t end = word.starts_with("[") ? word.find("]:") + 1 : 0;
  for (const char* atom : {"int", "float", "bool", "char"})
    if (word.starts_with(std::string(atom) + ":")) end = std::string(atom).size();
  if (end == 0 || end >= word.size()) return {"", word};
  return {word.substr(0, end), word.substr(end + 1)};
}

// A name with a colon that is no file's may have been meant as a type and a file.
Contents file_of(const std::string& type, const std::string& file, vm::World* world, vm::Pool& pool) {
  try {
    return contents_of(file, world, pool);
  } catch (const vm::Fault& fault) {
    const std::size_t colon = file.rfind(':');
    if (!type.empty() || colon == std::string::npos) throw;
    throw vm::Fault{fault.kind, fault.message + "; and " + file.substr(0, colon) +
                                    " is no type of a file, as int, float, bool, char and [int 2 3] are"};
  }
}

std::string shown(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (const std::int64_t n : shape) out += (out.size() > 1 ? " " : "") + std::to_string(n);
  return out + "]";
}

// What is of the type, which has numbers for dimensions; without atoms.
Contents declared(const remora::Given& given) {
  const remora::Checked checked = remora::check_program("", {&given, 1});
  if (!checked.errors.empty()) fail(given.type + ": " + checked.errors[0].text);
  const remora::Type type = type_of(checked.program, checked.program.forms[0]);
  if (type.array != remora::kNoVar || type.atom->kind > AtomKind::kChar)
    fail(given.type + ": files hold numbers, flags and characters");
  Contents out{type.atom->kind, {}, {}};
  for (const remora::Piece& p : type.shape) {
    const auto n = p.shape == remora::kNoVar ? p.dim.number() : std::nullopt;
    if (!n) fail(given.type + ": the dimensions of a file are numbers");
    out.shape.push_back(*n);
  }
  return out;
}

void check_type(const RemoraInput& input, const Contents& found) {
  const Contents wanted = declared(input.given);
  if (wanted.atom != found.atom)
    fail("the file has atoms of type " + std::string(atom_name(found.atom)) + ", not " +
         atom_name(wanted.atom));
  if (wanted.shape != found.shape)
    fail("the file has the shape " + shown(found.shape) + ", not " + shown(wanted.shape));
}

}  // namespace

RemoraInput remora_array(const std::string& name, const std::string& type, Vector atoms) {
  RemoraInput input{{name, type}, {}, std::nullopt};
  const Contents wanted = declared(input.given);
  const bool fits =
      atom_of(atoms) == wanted.atom || (atom_of(atoms) == AtomKind::kInt && wanted.atom == AtomKind::kChar);
  if (!fits) fail("these are no atoms of type " + std::string(atom_name(wanted.atom)));
  std::int64_t size = 1;
  for (const std::int64_t n : wanted.shape)
    if (__builtin_mul_overflow(size, n, &size)) fail(type + " is too large");
  if (size != atoms.length())
    fail(type + " has " + std::to_string(size) + " atoms, not " + std::to_string(atoms.length()));
  if (!wanted.shape.empty()) {
    input.length = wanted.shape[0];
    input.slots.emplace_back(Segdes::regular(1, size));
  }
  input.slots.emplace_back(std::move(atoms));
  return input;
}

RemoraInput remora_input(const std::string& name, const std::string& word, vm::World* world, vm::Pool& pool) {
  const auto [type, file] = split_type(word);
  Contents c = file_of(type, file, world, pool);
  RemoraInput input{{name, type}, {}, std::nullopt};
  if (!c.shape.empty()) input.length = c.shape[0];
  if (!type.empty()) {
    check_type(input, c);
  } else if (c.shape.empty()) {
    input.given.type = atom_name(c.atom);
  } else {
    std::string dims;
    for (std::size_t k = 0; k < c.shape.size(); ++k) {
      dims += " d" + std::to_string(k + 1);
      input.slots.emplace_back(Vector::of_int(c.shape[k]));
    }
    input.given.type = "(Sigma (" + dims.substr(1) + ") [" + atom_name(c.atom) + dims + "])";
  }
  if (!c.shape.empty()) input.slots.emplace_back(Segdes::regular(1, c.atoms.length()));
  input.slots.emplace_back(std::move(c.atoms));
  return input;
}

namespace {

// The array that is written: the value, or what is in a box.
const remora::Type& array_of(const remora::Type& type) {
  const bool box = type.array == remora::kNoVar && type.shape.empty() && type.atom->kind == AtomKind::kSigma;
  return box ? type.atom->types[0] : type;
}

Contents contents_of(const remora::Type& type, const frontend::core::Type* core,
                     std::span<const vm::Value> slots) {
  using frontend::core::TypeKind;
  std::map<remora::Var, std::vector<std::int64_t>> witnesses;
  std::size_t at = 0;
  if (&array_of(type) != &type)
    for (const remora::Var v : type.atom->bound) {
      auto& dims = witnesses[v];
      if (core->a->kind == TypeKind::kSeq) ++at;
      const auto& numbers = std::get<Vector>(slots[at++]);
      for (std::int64_t i = 0; i < numbers.length(); ++i) dims.push_back(vm::int_at(numbers, i));
      core = core->b;
    }
  const remora::Type& array = array_of(type);
  Contents out{array.atom->kind, {}, {}};
  for (const remora::Piece& p : array.shape) {
    if (p.shape != remora::kNoVar) {
      const auto& dims = witnesses.at(p.shape);
      out.shape.insert(out.shape.end(), dims.begin(), dims.end());
      continue;
    }
    std::int64_t sum = 0;
    for (const auto& [variables, c] : p.dim.terms) {
      std::int64_t term = c;
      for (const remora::Var v : variables)
        for (const std::int64_t n : witnesses.at(v)) term *= n;
      sum += term;
    }
    out.shape.push_back(sum);
  }
  out.atoms = std::get<Vector>(slots[at + (array.shape.empty() ? 0 : 1)]);
  return out;
}

}  // namespace

namespace {

// A nest of sequences as NESL has it; arrays of characters of one axis are texts.
const frontend::Type* nest_of(AtomKind atom, std::size_t axes, frontend::TypeArena& arena) {
  const auto element = atom == AtomKind::kFloat               ? frontend::TypeKind::kFloat
                       : atom == AtomKind::kBool              ? frontend::TypeKind::kBool
                       : atom == AtomKind::kChar && axes == 1 ? frontend::TypeKind::kChar
                                                              : frontend::TypeKind::kInt;
  const frontend::Type* nest = frontend::TypeArena::base(element);
  for (std::size_t k = 0; k < axes; ++k) nest = arena.seq(nest);
  return nest;
}

}  // namespace

std::string remora_refuses(vm::FileKind kind, const remora::Type& type) {
  const remora::Type& array = array_of(type);
  const bool plain = array.array == remora::kNoVar && array.atom->kind <= AtomKind::kChar;
  if (!plain) return "only arrays of numbers, flags or characters, also in a box, are written";
  if (kind == vm::FileKind::kNpy) return "";
  const bool known = std::all_of(array.shape.begin(), array.shape.end(),
                                 [](const remora::Piece& p) { return p.shape == remora::kNoVar; });
  if (!known) return "how many axes there are is known only when it is unboxed";
  frontend::TypeArena arena;
  return vm::refuses(kind, nest_of(array.atom->kind, array.shape.size(), arena));
}

void write_remora(OutFile& out, const vm::NamedFile& file, const remora::Type& type,
                  const frontend::core::Type* core, std::span<const vm::Value> slots, vm::Pool& pool) {
  if (const std::string why = remora_refuses(file.kind, type); !why.empty()) fail(file.path + ": " + why);
  Contents c = contents_of(type, core, slots);
  if (file.kind == vm::FileKind::kNpy) {
    vm::write_npy([&](std::string_view bytes) { out.write(bytes); },
                  {std::move(c.shape), std::move(c.atoms)});
    if (!out.finish()) fail(out.why());
    return;
  }
  frontend::TypeArena arena;
  const frontend::Type* nest = nest_of(c.atom, c.shape.size(), arena);
  if (c.atom == AtomKind::kChar && c.shape.size() == 1) {
    std::string text;
    for (std::int64_t i = 0; i < c.atoms.length(); ++i)
      encode_utf8(static_cast<std::int32_t>(vm::int_at(c.atoms, i)), text);
    c.shape = {static_cast<std::int64_t>(text.size())};
    c.atoms = vm::characters_of(text, pool);
  }
  std::vector<vm::Value> parts;
  std::int64_t rows = 1;
  for (const std::int64_t n : c.shape) {
    parts.emplace_back(Segdes::regular(rows, n));
    rows *= n;
  }
  parts.emplace_back(std::move(c.atoms));
  vm::write_value(out, file, nest, parts);
}

}  // namespace nvm::lib
