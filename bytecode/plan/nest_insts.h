// Instructions of a lifted function, by what they do for one instance.
#pragma once

#include <string>
#include <vector>

#include "bytecode/plan/nest_meaning.h"
#include "bytecode/plan/nest_numbers.h"

namespace nvm::plan {

class NestInsts {
 public:
  NestInsts(const ssa::Module& module, Nest& nest) : module_(module), nest_(nest), numbers_(nest.body) {}

  [[nodiscard]] NestNumbers& numbers() { return numbers_; }
  // What the parameter is that is cut so.
  [[nodiscard]] Meaning parameter(std::int32_t p, Type type, const ssa::LiftedInfo& lifted);
  // Of an instruction with one result, or of a filter's first; kNothing: there is no word for it. What may
  // fail is noted.
  [[nodiscard]] Meaning meaning(const ssa::Inst& in, const std::vector<Meaning>& of);
  // Of the lengths that a filter makes besides.
  [[nodiscard]] static Meaning kept_lengths(const Meaning& kept);
  // Elements in memory, for a child or a result.
  std::int32_t add_list(const NestList& list);
  // Numbers that have to be computed, read or not, by the instructions since the last time.
  [[nodiscard]] std::vector<std::int32_t> take_checks() { return std::move(checks_); }
  // When all instructions have been looked at.
  void finish() { static_cast<void>(space_of(0)); }
  [[nodiscard]] std::int32_t input(NestInput::What what, std::int32_t parameter);

 private:
  [[nodiscard]] Meaning constant(const ssa::Constant& c);
  [[nodiscard]] Meaning map(const ssa::Inst& in, const std::vector<Meaning>& of);
  [[nodiscard]] Meaning map_lists(const ssa::Inst& in, const std::vector<Meaning>& given);
  [[nodiscard]] Meaning reduce(const ssa::Inst& in, const Meaning& v, const Meaning& shape);
  [[nodiscard]] Meaning fold(Scalar s, const Meaning& list, const Meaning& shape);
  [[nodiscard]] Meaning dist(const Meaning& v, const Meaning& shape);
  [[nodiscard]] Meaning iota(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning filter(const Meaning& of, const Meaning& flags, const Meaning& shape);
  [[nodiscard]] Meaning extract(const Meaning& v, const Meaning& index, const Meaning& shape);
  [[nodiscard]] Meaning replace(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning gather(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning gather_row(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning scatter(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning scatter_row(const std::vector<Meaning>& of);
  [[nodiscard]] Meaning lengths(Op op, const Meaning& of);

  // By segment of a descriptor whose lengths are known, where its elements begin; false: they are not known,
  // or not as many as these.
  [[nodiscard]] bool begins(const Meaning& shape, std::size_t total, std::vector<std::size_t>& at) const;
  [[nodiscard]] bool fills(const Meaning& list, const Meaning& shape) const;
  // A list; places that are counted up over all elements under a descriptor are one.
  [[nodiscard]] Meaning as_list(const Meaning& m);
  [[nodiscard]] std::int32_t space_of(std::int32_t v);
  // Of a list of a parameter.
  [[nodiscard]] std::int32_t element(const Meaning& list, std::int32_t index);
  [[nodiscard]] std::int32_t one(Scalar s, Type type, const std::int32_t* of);

  const ssa::Module& module_;
  Nest& nest_;
  NestNumbers numbers_;
  std::vector<std::int32_t> checks_;
};

}  // namespace nvm::plan
