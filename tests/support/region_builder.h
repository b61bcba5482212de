// Writes regions by hand, the way the recorder would: shapes are unified by the table's shape column.
#pragma once

#include <initializer_list>
#include <map>

#include "bytecode/soac/region.h"

namespace nvm::test {

class RegionBuilder {
 public:
  explicit RegionBuilder(IntBits bits = IntBits::k64) {
    region_.int_bits = bits;
    one_ = length(soac::LengthKind::kOne);
  }

  soac::LengthId length(soac::LengthKind kind = soac::LengthKind::kBound) {
    region_.lengths.push_back(kind);
    return static_cast<soac::LengthId>(region_.lengths.size() - 1);
  }
  soac::VarId vector(Type type, soac::LengthId n, soac::VarRole role = soac::VarRole::kInput) {
    soac::Var v;
    v.role = role;
    v.type = type;
    const Storage wide = region_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
    v.storage = type == Type::kInt ? wide : type == Type::kFloat ? Storage::kF64 : Storage::kB8;
    v.length = n;
    region_.vars.push_back(v);
    return static_cast<soac::VarId>(region_.vars.size() - 1);
  }
  soac::VarId vector(Type type, soac::LengthId n, Storage storage) {
    const soac::VarId x = vector(type, n);
    region_.vars.back().storage = storage;
    return x;
  }
  [[nodiscard]] soac::LengthId one() const { return one_; }
  soac::VarId scalar(Type type) { return vector(type, one_); }
  // An INT scalar that the code relies on.
  soac::VarId fixed(std::int64_t value) {
    const soac::VarId x = scalar(Type::kInt);
    region_.vars.back().is_fixed = true;
    region_.vars.back().fixed = value;
    return x;
  }
  // All elements of an INT vector are known.
  void fix(soac::VarId x, std::int64_t value) {
    region_.vars[static_cast<std::size_t>(x)].is_fixed = true;
    region_.vars[static_cast<std::size_t>(x)].fixed = value;
  }
  soac::VarId segdes(soac::LengthId segments, soac::LengthId total, soac::DescForm form) {
    soac::Var v;
    v.is_desc = true;
    v.length = segments;
    v.total = total;
    v.form = form;
    region_.vars.push_back(v);
    return static_cast<soac::VarId>(region_.vars.size() - 1);
  }
  soac::VarId whole(soac::LengthId n) { return segdes(one_, n, soac::DescForm::kOneSegment); }
  soac::VarId segments(soac::LengthId k, soac::LengthId n) {
    return segdes(k, n, soac::DescForm::kIrregular);
  }

  // Records op; the first result. Result lengths follow the shape column.
  soac::VarId op(Op op, TypeWord word, std::initializer_list<soac::VarId> operands) {
    const OpInfo& info = op_info(op);
    const Shape& shape = op_shape(op);
    std::map<char, soac::LengthId> known;
    known['1'] = one_;
    soac::RegionInst in;
    in.op = op;
    in.word = word;
    in.operands = operands;
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const soac::Var& v = region_.vars[static_cast<std::size_t>(in.operands[i])];
      known.try_emplace(shape.terms[i].length, v.length);
      if (v.is_desc) known.try_emplace(shape.terms[i].total, v.total);
    }
    for (std::size_t i = 0; i < info.results.size(); ++i) {
      const ShapeTerm term = shape.terms[in.operands.size() + i];
      const auto find = [&](char c) {
        if (!known.contains(c)) known[c] = length(soac::LengthKind::kCounted);
        return known[c];
      };
      const Type type = letter_type(info.results[i], word);
      soac::VarId r = soac::kNone;
      if (type == Type::kSegdes) {
        const soac::LengthId k = find(term.length);
        r = segdes(k, find(term.total), k == one_ ? soac::DescForm::kOneSegment : soac::DescForm::kIrregular);
        region_.vars.back().role = soac::VarRole::kTemp;
      } else {
        r = vector(type, find(term.length), soac::VarRole::kTemp);
      }
      in.results.push_back(r);
    }
    region_.insts.push_back(in);
    return in.results[0];
  }
  // The places of a stable split: those whose flag is F first; `ranked` are counted, `flags` choose.
  soac::VarId split_places(soac::VarId flags, soac::VarId ranked, soac::VarId base, soac::LengthId n) {
    return split_places(flags, ranked, base, whole(n), fixed(0), fixed(1));
  }
  // The same in each segment of desc; an INDEX counts from `zero` by `one`.
  soac::VarId split_places(soac::VarId flags, soac::VarId ranked, soac::VarId base, soac::VarId desc,
                           soac::VarId zero, soac::VarId one) {
    const auto rank = op(Op::kAddScan, TypeWord::kInt, {op(Op::kBtoI, TypeWord::kNone, {ranked}), desc});
    const auto behind = op(Op::kAdd, TypeWord::kInt, {op(Op::kDist, TypeWord::kInt, {base, desc}), rank});
    const auto index = op(Op::kIndex, TypeWord::kNone, {zero, one, desc});
    const auto front = op(Op::kSub, TypeWord::kInt, {index, rank});
    return op(Op::kSelect, TypeWord::kInt, {flags, behind, front});
  }
  // A check conditional on x that was passed.
  void check(soac::VarId x) {
    soac::RegionInst in;
    in.op = Op::kIf;
    in.operands = {x};
    region_.insts.push_back(in);
  }
  [[nodiscard]] soac::VarId second_result() const { return region_.insts.back().results.at(1); }
  void live(soac::VarId x) { region_.vars[static_cast<std::size_t>(x)].role = soac::VarRole::kOutput; }
  [[nodiscard]] const soac::Region& region() const { return region_; }

 private:
  soac::Region region_;
  soac::LengthId one_ = 0;
};

}  // namespace nvm::test
