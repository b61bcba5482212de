// Values of Remora from and to files: what --in and --out read and write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/core.h"
#include "frontend/remora/program.h"
#include "vm/data/value.h"
#include "vm/lib/files.h"
#include "vm/lib/npy.h"

namespace nvm::vm {
class World;
}

namespace nvm::lib {

// A value from outside: its type as it is written, its slots, and its items along the first axis.
struct RemoraInput {
  remora::Given given;
  std::vector<vm::Value> slots;
  std::optional<std::int64_t> length;
};

// The contents of a file, named as a command line does, with a type in front if one is wanted: "x.npy",
// "[float 3 3]:x.npy", "7". Throws Fault kIo with what is wrong.
[[nodiscard]] RemoraInput remora_input(const std::string& name, const std::string& word, vm::World* world,
                                       vm::Pool& pool);

// An array of the type with these atoms. Throws Fault kIo if they are none.
[[nodiscard]] RemoraInput remora_array(const std::string& name, const std::string& type, vm::Vector atoms);

// Why no value of the type can be written to a file of this kind; "" if one can.
[[nodiscard]] std::string remora_refuses(vm::FileKind kind, const remora::Type& type);
void write_remora(OutFile& out, const vm::NamedFile& file, const remora::Type& type,
                  const frontend::core::Type* core, std::span<const vm::Value> slots, vm::Pool& pool);

}  // namespace nvm::lib
