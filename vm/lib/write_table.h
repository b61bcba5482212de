// Values as lines of text whose fields a separator parts.
#pragma once

#include <span>
#include <string>

#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm {
class OutFile;
}

namespace nvm::vm {

// Why no value of this type makes a table; "" if one does (files.h).
[[nodiscard]] std::string table_refuses(const frontend::Type* type);
// Strings stand in quotes where they need it. Throws Fault kIo, with the path, for columns of different
// lengths, and for rows without numbers.
void write_table(OutFile& out, const std::string& path, const frontend::Type* type,
                 std::span<const Value> slots, char separator, std::span<const std::string> titles);

}  // namespace nvm::vm
