// Where the instructions of programs come from: function and place, in the source where that is known,
// else in the VCODE text. Names and places are numbered once for all programs that are seen, so that they
// outlive them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

struct SourcePlace {
  std::int32_t function = 0;  // number of a name
  std::int32_t file = 0;      // number of a name
  std::uint32_t line = 0;     // 0: unknown
  std::uint32_t column = 0;   // 0: of the whole line
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

class SourceMap {
 public:
  SourceMap() { static_cast<void>(name_number("")); }

  // From now on instructions and functions are those of `module`.
  void begin(const ssa::Module& module);

  // Number of the place of an instruction of the module; place 0 is nowhere.
  [[nodiscard]] std::int32_t place(const ssa::Inst* inst) const {
    Known& known = known_[reinterpret_cast<std::uintptr_t>(inst) / sizeof(ssa::Inst) % known_.size()];
    if (known.inst == inst) return known.place;
    const auto found = place_of_.find(inst);
    known = {inst, found == place_of_.end() ? 0 : found->second};
    return known.place;
  }
  [[nodiscard]] const SourcePlace& at(std::int32_t place) const {
    return places_[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] std::size_t places() const { return places_.size(); }
  // Number of the name of a function of the module.
  [[nodiscard]] std::int32_t function(ssa::FunctionId f) const {
    return function_names_[static_cast<std::size_t>(f)];
  }
  // Number of a place that is no instruction's.
  [[nodiscard]] std::int32_t place_number(const SourcePlace& place);
  [[nodiscard]] std::int32_t name_number(const std::string& name);
  [[nodiscard]] const std::string& name(std::int32_t number) const {
    return names_[static_cast<std::size_t>(number)];
  }
  // "quicksort:7" or "quicksort:7:3", without line if there is none; "quicksort:7 in sorts.nesl" if that is
  // not the file of the first program.
  [[nodiscard]] std::string text(std::int32_t place) const;

 private:
  struct Known {
    const ssa::Inst* inst = nullptr;
    std::int32_t place = 0;
  };

  mutable std::array<Known, 256> known_;  // asked for lately
  std::int32_t home_ = 0;                 // the name of the first program's file
  std::vector<std::string> names_;
  std::map<std::string, std::int32_t> number_of_;
  std::vector<SourcePlace> places_{SourcePlace{}};
  std::map<SourcePlace, std::int32_t> place_numbers_{{SourcePlace{}, 0}};
  std::unordered_map<const ssa::Inst*, std::int32_t> place_of_;
  std::vector<std::int32_t> function_names_;
};

}  // namespace nvm::vm
