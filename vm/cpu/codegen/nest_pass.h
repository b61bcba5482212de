// One pass over the elements of an instance: what filters keep goes where its list is, several filters at
// once.
#pragma once

#include <map>
#include <vector>

#include "bytecode/base/at.h"
#include "vm/cpu/codegen/nest.h"
#include "vm/cpu/codegen/nest_numbers.h"

namespace nvm::vm::cpu {

class NestPass {
 public:
  // Over the elements under `space`: all of `lists`, which a filter or nobody thins out, and what is counted
  // of them. `position` is where a list begins.
  NestPass(Lanes& lanes, const plan::Nest& nest, const plan::NestStorage& storage, NestNumbers& numbers,
           std::int32_t space, const std::vector<std::int32_t>& lists);

  template <typename Position>
  void emit(Position position) {
    for (Written& w : written_) {
      if (nest_.lists[at(w.list)].value == soac::kNone) continue;
      w.to = cc_.newIntPtr();
      cc_.mov(w.to, position(w.list));
    }
    loop();
    for (const Written& w : written_) count(w, position);
  }
  // Behind the last element of a list.
  [[nodiscard]] x86::Gp end_of(std::int32_t list) const;

 private:
  struct Written {
    std::int32_t list;
    x86::Gp to;     // where the next element goes
    x86::Gp count;  // of a list that is only counted
  };
  void loop();
  void step(bool whole);
  void write(const Written& w, const KeptLanes& kept);
  [[nodiscard]] Lane in_all(const x86::Gp& number);
  [[nodiscard]] const Lane& value(std::int32_t v);
  void hoist(std::int32_t v);
  [[nodiscard]] std::uint32_t scale(std::int32_t list) const;
  template <typename Position>
  void count(const Written& w, Position position) {
    const plan::NestList& list = nest_.lists[at(w.list)];
    if (list.filter == soac::kNone) return;
    const std::int32_t counted = counted_by(list);
    if (counted == soac::kNone || numbers_.has(counted)) return;
    x86::Gp n = w.count;
    if (list.value != soac::kNone) {
      n = cc_.newInt64();
      cc_.mov(n, w.to);
      cc_.sub(n, position(w.list));
      if (scale(w.list) > 0) cc_.shr(n, scale(w.list));
    }
    numbers_.set(counted, n);
  }
  // The number that is the length of what its filter keeps.
  [[nodiscard]] std::int32_t counted_by(const plan::NestList& list) const;

  Lanes& lanes_;
  x86::Compiler& cc_;
  const plan::Nest& nest_;
  const plan::NestStorage& storage_;
  NestNumbers& numbers_;
  std::vector<Written> written_;
  x86::Gp n_, i_;
  std::map<std::int32_t, x86::Gp> bases_;  // of lists of parameters, by input
  std::map<std::int32_t, Lane> uniform_;   // numbers
  std::map<std::int32_t, Lane> values_;    // of the elements that are read
};

}  // namespace nvm::vm::cpu
