// Vectors of VCODE programs from and to files.
#include "vm/interp/elements.h"
#include "vm/lib/files.h"
#include "vm/lib/from_world.h"
#include "vm/lib/impl.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

namespace {

Failure failure_of(const vm::Fault& fault) {
  return {Failure::Class::kProgram, "nvm: " + fault.message + "\n", 0, 0, fault.message};
}

bool is_text(const std::string& path) { return !path.ends_with(".npy") && !path.ends_with(".csv"); }

void check_characters(const std::string& path, const vm::Vector& v) {
  bool good = v.type() == Type::kInt;
  for (std::int64_t i = 0; good && i < v.length(); ++i) good = v.int_at(i) >= 0 && v.int_at(i) < 256;
  if (!good)
    throw vm::Fault{vm::Fault::Kind::kIo,
                    path + ": only integers from 0 to 255 are characters; .npy and .csv take any numbers"};
}

void write(const std::string& path, const vm::Vector& v) {
  if (is_text(path)) check_characters(path, v);
  const auto element = is_text(path)              ? frontend::TypeKind::kChar
                       : v.type() == Type::kFloat ? frontend::TypeKind::kFloat
                       : v.type() == Type::kBool  ? frontend::TypeKind::kBool
                                                  : frontend::TypeKind::kInt;
  frontend::TypeArena arena;
  const vm::Value slots[] = {vm::Segdes::regular(1, v.length()), v};
  vm::write_value(path, arena.seq(frontend::TypeArena::base(element)), slots);
}

}  // namespace

Result<std::vector<Value>> read_values(const std::string& path,
                                       std::span<const std::shared_ptr<Watcher>> watchers) {
  try {
    const FromWorld file(world_of(watchers), path);
    std::vector<vm::Value> slots = vm::read_slots(file.path(), loose_pool());
    // The outermost descriptor, of the one sequence, says what the next slot's length says.
    if (slots.size() > 1) slots.erase(slots.begin());
    std::vector<Value> values;
    for (vm::Value& slot : slots) values.push_back(loose_value(std::move(slot)));
    return values;
  } catch (const vm::Fault& fault) {
    return failure_of(fault);
  }
}

Result<Value> read_segdes(const std::string& path, std::span<const std::shared_ptr<Watcher>> watchers) {
  auto values = read_values(path, watchers);
  if (!values) return values.failure();
  if (values->size() != 1 || values->front().kind() != Kind::kInt)
    return failure_of(
        {vm::Fault::Kind::kIo, path + ": the lengths of a descriptor are a vector of integers"});
  auto segdes = make_segdes(values->front().ints());
  if (!segdes) return failure_of({vm::Fault::Kind::kIo, path + ": " + segdes.failure().reason});
  return segdes;
}

std::optional<std::string> write_value(const std::string& path, const Value& value) {
  try {
    if (value.kind() == Kind::kPair) return path + ": a pair is no vector";
    const bool lengths = value.kind() == Kind::kSegdes;
    write(path, std::get<vm::Vector>(lengths ? make_ints(value.ints()).impl()->value : value.impl()->value));
  } catch (const vm::Fault& fault) {
    return fault.message;
  }
  return std::nullopt;
}

}  // namespace nvm::lib
