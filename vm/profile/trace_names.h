// What events of a trace say of a program: texts of its places, functions, levels and kernels, made once.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/interp/observer.h"
#include "vm/profile/event_ring.h"
#include "vm/profile/source_map.h"

namespace nvm::vm {

// What is constant in the events of a kernel.
struct KernelNames {
  const std::string* name = nullptr;         // "quicksort:7 map+reduce"
  const std::string* combinators = nullptr;  // "map+reduce"
  const std::string* lines = nullptr;        // ["quicksort:7","quicksort:8"]
};

// On the run's thread, except `words`.
class TraceNames {
 public:
  void begin(const ssa::Module& module);

  [[nodiscard]] const SourceMap& source() const { return source_; }
  // Any text; on any thread.
  [[nodiscard]] const std::string* words(std::string_view text) { return words_.of(text); }
  // "quicksort:7"
  [[nodiscard]] const std::string* place(std::int32_t place);
  // Of the file that a place is in, and "region quicksort:7".
  [[nodiscard]] const std::string* file(std::int32_t place) { return name(source_.at(place).file); }
  [[nodiscard]] const std::string* region(std::int32_t place);
  // "quicksort", by number.
  [[nodiscard]] const std::string* name(std::int32_t number);
  // "quicksort level 3"; deep levels share one.
  [[nodiscard]] const std::string* level(std::int32_t number, std::int32_t level);

  void compiled(const Compilation& compilation);
  [[nodiscard]] const KernelNames& kernel(const KernelRun& run);

 private:
  struct Kernel {
    std::string combinators;
    std::vector<const ssa::Inst*> insts;  // of the run that `names` are of
    KernelNames names;
  };

  SourceMap source_;
  EventWords words_;
  std::vector<const std::string*> places_, regions_, names_;  // by number; null: not asked for yet
  std::map<std::pair<std::uint32_t, std::uint32_t>, Kernel> kernels_;
};

}  // namespace nvm::vm
