// What is behind ValueFile.
#pragma once

#include <utility>

#include "bytecode/base/out_file.h"
#include "vm/lib/files.h"
#include "vm/lib/nvm.hpp"

namespace nvm::lib {

struct ValueFile::Impl {
  vm::NamedFile named;
  OutFile out;
  explicit Impl(vm::NamedFile file) : named(std::move(file)), out(named.path) {}
};

}  // namespace nvm::lib
