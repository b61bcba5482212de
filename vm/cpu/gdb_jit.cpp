// Source of the interface: "JIT Compilation Interface" in the manual of gdb.
#include "vm/cpu/gdb_jit.h"

#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

// gdb looks for these names, and breaks in the function. Weak, since another compiler in the process may have
// them too: then all share one list.
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

// NOLINTBEGIN(bugprone-reserved-identifier): the names that gdb looks for
__attribute__((weak, visibility("default"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
__attribute__((weak, visibility("default"), noinline)) void __jit_debug_register_code();
void __jit_debug_register_code() { __asm__ volatile("" ::: "memory"); }
// NOLINTEND(bugprone-reserved-identifier)
}

namespace nvm::vm::cpu {

namespace {

enum Action : std::uint32_t { kNone, kRegister, kUnregister };
enum Section : std::uint16_t { kNull, kText, kSymbols, kStrings, kSections };

constexpr char kNames[] = "\0.text\0.symtab\0.strtab";  // the name of the code follows

// What stands before the strings.
struct Image {
  Elf64_Ehdr head;
  std::array<Elf64_Shdr, kSections> sections;
  std::array<Elf64_Sym, 2> symbols;
};

std::string object_file(const void* code, std::size_t bytes, const std::string& name) {
  Image image = {};
  Elf64_Ehdr& h = image.head;
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_ident[EI_VERSION] = EV_CURRENT;
  h.e_type = ET_EXEC;
  h.e_machine = EM_X86_64;
  h.e_version = EV_CURRENT;
  h.e_ehsize = sizeof h;
  h.e_shoff = offsetof(Image, sections);
  h.e_shentsize = sizeof(Elf64_Shdr);
  h.e_shnum = kSections;
  h.e_shstrndx = kStrings;
  Elf64_Shdr& text = image.sections[kText];
  text.sh_name = 1;
  text.sh_type = SHT_NOBITS;  // it is in memory already
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = reinterpret_cast<std::uintptr_t>(code);
  text.sh_size = bytes;
  text.sh_addralign = 16;
  Elf64_Shdr& symbols = image.sections[kSymbols];
  symbols.sh_name = 7;
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = offsetof(Image, symbols);
  symbols.sh_size = sizeof image.symbols;
  symbols.sh_link = kStrings;
  symbols.sh_info = 1;  // local symbols
  symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_addralign = 8;
  Elf64_Shdr& strings = image.sections[kStrings];
  strings.sh_name = 15;
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = sizeof image;
  strings.sh_size = sizeof kNames + name.size() + 1;
  strings.sh_addralign = 1;
  Elf64_Sym& symbol = image.symbols[1];
  symbol.st_name = sizeof kNames;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = kText;
  symbol.st_value = text.sh_addr;
  symbol.st_size = bytes;
  std::string file(reinterpret_cast<const char*>(&image), sizeof image);
  file.append(kNames, sizeof kNames);
  file.append(name.c_str(), name.size() + 1);
  return file;
}

struct Announced {
  std::string file;
  jit_code_entry entry = {};
};

std::mutex g_mutex;

std::map<const void*, std::unique_ptr<Announced>>& all() {
  static auto* const announced =
      new std::map<const void*, std::unique_ptr<Announced>>;  // outlives every kernel
  return *announced;
}

void tell(Action action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = kNone;
}

void forget(std::map<const void*, std::unique_ptr<Announced>>::iterator at) {
  jit_code_entry& entry = at->second->entry;
  if (entry.prev_entry != nullptr)
    entry.prev_entry->next_entry = entry.next_entry;
  else
    __jit_debug_descriptor.first_entry = entry.next_entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = entry.prev_entry;
  tell(kUnregister, &entry);
  all().erase(at);
}

}  // namespace

void announce_to_gdb(const void* code, std::size_t bytes, const std::string& name) {
  auto announced = std::make_unique<Announced>();
  announced->file = object_file(code, bytes, name);
  jit_code_entry& entry = announced->entry;
  entry.symfile_addr = announced->file.data();
  entry.symfile_size = announced->file.size();
  const std::lock_guard lock(g_mutex);
  // Whoever had this address and did not say that it is gone: the list may not lead to what is freed.
  if (const auto before = all().find(code); before != all().end()) forget(before);
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  all()[code] = std::move(announced);
  tell(kRegister, &entry);
}

void forget_in_gdb(const void* code) {
  const std::lock_guard lock(g_mutex);
  if (const auto at = all().find(code); at != all().end()) forget(at);
}

}  // namespace nvm::vm::cpu
