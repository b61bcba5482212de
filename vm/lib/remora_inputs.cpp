// Values that come into a session in Remora from outside.
#include <algorithm>

#include "vm/interp/world.h"
#include "vm/lib/remora_session.h"

namespace nvm::lib {

template <typename Make>
std::optional<std::string> Remora::Impl::bound(const std::string& name, Make make) {
  const bool plain = !name.empty() && name[0] != '@' &&
                     name.find_first_of("()[]{}|,;\"'` \t\n") == name.npos &&
                     name.find_first_not_of("-.0123456789") != name.npos;
  if (!plain) return name + " cannot name a value";
  if (own_file) return "values of files are bound before anything else";
  RemoraInput input = make();
  std::map<remora::ValueId, Definition> by_form;
  by_form[0].slots = std::move(input.slots);
  inputs.reserve(inputs.size() + 1);
  const auto same = [&](const RemoraInput& i) { return i.given.name == name; };
  const auto before = std::find_if(inputs.begin(), inputs.end(), same);
  carry_out(top.give(input.given), std::move(by_form));
  if (before != inputs.end())
    *before = std::move(input);
  else
    inputs.push_back(std::move(input));
  return std::nullopt;
}

std::optional<std::string> Remora::Impl::bind_file(const std::string& name, const std::string& word) {
  return bound(name, [&] { return remora_input(name, word, world_of(options.vm.watchers), *files); });
}

std::optional<std::string> Remora::Impl::bind(const std::string& name, const std::string& type,
                                              const lib::Value& atoms) {
  if (!atoms) return kNoMemory;
  return bound(name, [&] {
    const vm::Value value = vm::with_owner(atoms.impl()->value, atoms.impl());
    const auto* vector = std::get_if<vm::Vector>(&value);
    if (vector == nullptr) throw vm::Fault{vm::Fault::Kind::kIo, "a descriptor has no atoms"};
    return remora_array(name, type, *vector);
  });
}

}  // namespace nvm::lib
