#include "bytecode/ssa/constants.h"

#include "bytecode/base/budget.h"

namespace nvm::ssa {

namespace {

std::string key_of(const Constant& c) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(c.word)));
  if (c.input >= 0) return key + "input" + std::to_string(c.input);
  key.append(reinterpret_cast<const char*>(c.ints.data()), c.ints.size() * sizeof(std::int64_t));
  key.append(reinterpret_cast<const char*>(c.floats.data()), c.floats.size() * sizeof(double));
  return key;
}

}  // namespace

ConstantPool::ConstantPool(Module& module) : module_(module) {
  for (std::size_t i = 0; i < module_.constants.size(); ++i)
    index_.try_emplace(key_of(module_.constants[i]), static_cast<std::int32_t>(i));
}

std::int32_t ConstantPool::add(Constant constant) {
  check_budget();
  if (constant.word == TypeWord::kChar) constant.word = TypeWord::kInt;
  for (std::int64_t& v : constant.ints) v = wrap_int(v, module_.int_bits);
  const auto [it, fresh] =
      index_.try_emplace(key_of(constant), static_cast<std::int32_t>(module_.constants.size()));
  if (fresh) module_.constants.push_back(std::move(constant));
  return it->second;
}

}  // namespace nvm::ssa
