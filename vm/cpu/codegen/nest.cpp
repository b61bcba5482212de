#include "vm/cpu/codegen/nest.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <set>

#include "bytecode/base/at.h"
#include "bytecode/base/stack.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/nest_numbers.h"
#include "vm/cpu/codegen/nest_pass.h"

namespace nvm::vm::cpu {

namespace {

using plan::NestInput;
using plan::NestLeaf;
using plan::NestList;
using plan::NestPiece;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

std::uint32_t scale_of(Storage storage) {
  return static_cast<std::uint32_t>(std::countr_zero(storage_bytes(storage)));
}

class Emitter {
 public:
  Emitter(x86::Compiler& cc, Isa isa, const plan::Nest& nest, const plan::NestStorage& storage)
      : cc_(cc),
        nest_(nest),
        storage_(storage),
        lanes_(make_lanes(cc, isa, IntBits::k64)),
        args_(cc.newIntPtr()),
        instance_(cc.newIntPtr()),
        next_(cc.newIntPtr()),
        failed_(cc.newLabel()),
        done_(cc.newLabel()),
        numbers_(*lanes_, nest, storage, args_, instance_, failed_) {}

  void emit() {
    asmjit::FuncNode* function = cc_.addFunc(asmjit::FuncSignatureT<void, NestArgs*>());
    function->frame().setAvxEnabled();
    if (lanes_->isa() == Isa::kAvx512) function->frame().setAvx512Enabled();
    function->frame().addAttributes(asmjit::FuncAttributes::kX86_AVXCleanup);
    function->setArg(0, args_);
    lanes_->prepare_packing();
    cc_.mov(instance_, field(offsetof(NestArgs, first)));
    cc_.mov(next_, field(offsetof(NestArgs, next)));
    const asmjit::Label loop = cc_.newLabel(), leave = cc_.newLabel();
    cc_.bind(loop);
    cc_.cmp(instance_, field(offsetof(NestArgs, last)));
    cc_.jae(leave);
    emit_node(0);
    cc_.bind(done_);
    cc_.add(instance_, static_cast<std::int32_t>(8 * nest_.cells()));
    cc_.jmp(loop);
    cc_.bind(failed_);
    cc_.mov(field(offsetof(NestArgs, failed)), 1);
    cc_.bind(leave);
    cc_.mov(field(offsetof(NestArgs, next)), next_);
    cc_.ret();
    cc_.endFunc();
  }

 private:
  [[nodiscard]] x86::Mem field(std::size_t offset) const {
    return x86::qword_ptr(args_, static_cast<std::int32_t>(offset));
  }
  [[nodiscard]] x86::Mem slot(std::size_t number) const { return numbers_.slot(number); }

  void emit_node(std::int32_t n) {
    check_stack();
    const plan::NestNode& node = nest_.nodes[at(n)];
    if (node.condition == kNone && node.leaf == kNone) {
      cc_.jmp(failed_);
      return;
    }
    if (node.condition == kNone) return emit_leaf(n, nest_.leaves[at(node.leaf)]);
    make(node.condition, n);
    const asmjit::Label otherwise = cc_.newLabel();
    numbers_.jump_unless(node.condition, otherwise);
    const NestNumbers::Known known = numbers_.known();
    const std::map<std::int32_t, x86::Gp> ends = ends_;
    emit_node(node.yes);
    cc_.bind(otherwise);
    numbers_.restore(known);
    ends_ = ends;
    emit_node(node.no);
    numbers_.restore(known);
    ends_ = ends;
  }

  // ---- passes

  // A list that has to be counted, or written and folded, on the way to a number.
  [[nodiscard]] std::int32_t missing(std::int32_t v) const {
    check_stack();
    for (const std::int32_t x : scanned(v)) {
      const BodyInst& in = nest_.body.insts[at(x)];
      if (in.scalar == Scalar::kNoScalar || !in_memory(in.a)) return missing_in(in.a);
      if (const std::int32_t list = missing(nest_.lists[at(in.a)].length); list != kNone) return list;
    }
    return kNone;
  }
  // What a value is computed from that is scanned and not yet known.
  [[nodiscard]] std::vector<std::int32_t> scanned(std::int32_t v) const {
    if (v == kNone) return {};
    std::vector<bool> read(at(v) + 1);
    read[at(v)] = true;
    std::vector<std::int32_t> found;
    for (std::int32_t x = v; x >= 0; --x) {
      if (!read[at(x)] || numbers_.has(x)) continue;
      const BodyInst& in = nest_.body.insts[at(x)];
      if (in.pull == Pull::kScanned) {
        found.push_back(x);
        continue;
      }
      for (const std::int32_t of : {in.a, in.b, in.c})
        if (of != kNone) read[at(of)] = true;
    }
    return found;
  }
  [[nodiscard]] bool in_memory(std::int32_t list) const {
    return made(list) || nest_.given(nest_.lists[at(list)]);
  }
  // The list itself, or one whose length has to be known before.
  [[nodiscard]] std::int32_t missing_in(std::int32_t list) const {
    for (const std::int32_t v : {nest_.lists[at(list)].value, nest_.lists[at(list)].filter})
      if (const std::int32_t before = missing(v); before != kNone) return before;
    return list;
  }
  [[nodiscard]] bool made(std::int32_t list) const { return ends_.count(list) > 0; }
  // Has the number computed, by passes if need be.
  void make(std::int32_t v, std::int32_t node) {
    for (std::int32_t list = missing(v); list != kNone; list = missing(v)) pass(list, node);
  }
  void make_list(std::int32_t list, std::int32_t node) {
    while (!made(list)) pass(missing_in(list), node);
  }
  // With `list` goes everything over the same elements that somebody behind `node` wants and that can be
  // told.
  void pass(std::int32_t list, std::int32_t node) {
    const std::int32_t space = nest_.lists[at(list)].space;
    std::set<std::int32_t> wanted;
    want(node, wanted);
    std::vector<std::int32_t> lists;
    const auto same_filter = [&](std::int32_t l) {
      return nest_.lists[at(l)].filter == nest_.lists[at(list)].filter;
    };
    for (const std::int32_t l : wanted)
      if (nest_.lists[at(l)].space == space && !made(l) && missing_in(l) == l) lists.push_back(l);
    const bool counted_too = nest_.lists[at(list)].value == kNone && nest_.lists[at(list)].filter != kNone &&
                             std::any_of(lists.begin(), lists.end(), same_filter);
    if (!counted_too && std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    NestPass pass(*lanes_, nest_, storage_, numbers_, space, lists);
    pass.emit([&](std::int32_t l) { return slot(at(l)); });
    for (const std::int32_t l : lists) ends_.emplace(l, pass.end_of(l));
  }
  // Lists in memory.
  void want(std::int32_t n, std::set<std::int32_t>& lists) const {
    check_stack();
    const plan::NestNode& node = nest_.nodes[at(n)];
    if (node.condition != kNone) {
      want_folded(node.condition, lists);
      want(node.yes, lists);
      want(node.no, lists);
      return;
    }
    if (node.leaf == kNone) return;
    const NestLeaf& leaf = nest_.leaves[at(node.leaf)];
    for (const std::int32_t v : leaf.checks) want_folded(v, lists);
    for (const auto& child : leaf.children)
      for (const NestInput& in : nest_.inputs)
        if (in.what == NestInput::What::kNumber) want_folded(child[at(in.parameter)], lists);
    for (const std::int32_t l : given_to_children(leaf)) lists.insert(l);
    for (const auto& result : leaf.results)
      for (const NestPiece& p : result)
        if (p.list != kNone && !nest_.given(nest_.lists[at(p.list)]) &&
            nest_.lists[at(p.list)].space != kNone)
          lists.insert(p.list);
  }
  // What is folded on the way to a number, or to a list that is.
  void want_folded(std::int32_t v, std::set<std::int32_t>& lists) const {
    check_stack();
    for (const std::int32_t x : scanned(v)) {
      const BodyInst& in = nest_.body.insts[at(x)];
      if (in.scalar != Scalar::kNoScalar && !in_memory(in.a) && !lists.insert(in.a).second) continue;
      for (const std::int32_t of : {nest_.lists[at(in.a)].value, nest_.lists[at(in.a)].filter})
        want_folded(of, lists);
    }
  }
  [[nodiscard]] std::set<std::int32_t> given_to_children(const NestLeaf& leaf) const {
    std::set<std::int32_t> lists;
    for (const auto& child : leaf.children)
      for (const NestInput& in : nest_.inputs)
        if (in.what == NestInput::What::kList) lists.insert(child[at(in.parameter)]);
    return lists;
  }

  // ---- ends

  void emit_leaf(std::int32_t n, const NestLeaf& leaf) {
    for (const std::int32_t v : leaf.checks) {
      make(v, n);
      static_cast<void>(numbers_.get(v));
    }
    std::set<std::int32_t> lists;
    want(n, lists);
    for (const std::int32_t l : lists) make_list(l, n);
    make(leaf.length, n);
    if (nest_.sizes && leaf.length != leaf.wanted) {
      const x86::Gp length = numbers_.get(leaf.length), wanted = numbers_.get(leaf.wanted);
      cc_.cmp(length, wanted);
      cc_.jne(failed_);
    }
    const x86::Gp place = cc_.newInt64();
    cc_.mov(place, nest_.sizes ? x86::qword_ptr(instance_) : field(offsetof(NestArgs, own)));
    for (std::size_t r = 0; r < leaf.results.size(); ++r)
      for (const NestPiece& p : leaf.results[r])
        if (p.list != kNone) lay(p, r, place, n);
    if (!nest_.sizes) record(leaf, place, n);
    for (std::size_t c = 0; c < leaf.children.size(); ++c) child(leaf, c, place, n);
    for (const std::int32_t l : given_to_children(leaf)) cc_.mov(slot(at(l)), ends_.at(l));
    cc_.jmp(done_);
  }

  void record(const NestLeaf& leaf, const x86::Gp& own, std::int32_t n) {
    const x86::Gp record = cc_.newIntPtr(), children = cc_.newIntPtr();
    const auto word = [&](std::size_t offset) {
      return x86::qword_ptr(record, static_cast<std::int32_t>(offset));
    };
    cc_.mov(record, x86::qword_ptr(instance_));
    cc_.mov(word(offsetof(plan::NestRecord, own)), own);
    cc_.mov(word(offsetof(plan::NestRecord, leaf)), static_cast<std::int32_t>(&leaf - nest_.leaves.data()));
    cc_.mov(children, field(offsetof(NestArgs, records)));
    cc_.mov(word(offsetof(plan::NestRecord, children)), children);
    make(leaf.length, n);
    cc_.mov(word(offsetof(plan::NestRecord, length)), numbers_.get(leaf.length));
    for (std::size_t c = 0; c < leaf.called.size(); ++c) {
      make(leaf.called[c].start, n);
      cc_.mov(word(sizeof(plan::NestRecord) + 8 * c), numbers_.get(leaf.called[c].start));
    }
    cc_.add(own, numbers_.get(leaf.length));
    cc_.mov(field(offsetof(NestArgs, own)), own);
    cc_.add(children, static_cast<std::int32_t>(leaf.children.size() * nest_.record_bytes()));
    cc_.mov(field(offsetof(NestArgs, records)), children);
  }

  void child(const NestLeaf& leaf, std::size_t c, const x86::Gp& place, std::int32_t n) {
    if (!nest_.sizes) {
      const x86::Gp record = cc_.newIntPtr();
      cc_.mov(record, x86::qword_ptr(instance_));
      cc_.mov(record, x86::qword_ptr(record, offsetof(plan::NestRecord, children)));
      cc_.add(record, static_cast<std::int32_t>(c * nest_.record_bytes()));
      cc_.mov(x86::qword_ptr(next_), record);
    }
    for (const NestPiece& p : leaf.results.empty() ? std::vector<NestPiece>() : leaf.results[0])
      if (p.child == static_cast<std::int32_t>(c)) {
        make(p.start, n);
        const x86::Gp to = cc_.newInt64();
        cc_.mov(to, place);
        cc_.add(to, numbers_.get(p.start));
        cc_.mov(x86::qword_ptr(next_), to);
      }
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
      const NestInput& in = nest_.inputs[i];
      const std::int32_t given = leaf.children[c][at(in.parameter)];
      const x86::Mem cell = x86::qword_ptr(next_, static_cast<std::int32_t>(8 * (i + 1)));
      if (in.what == NestInput::What::kList) {
        const x86::Gp begin = cc_.newIntPtr();
        cc_.mov(begin, slot(at(given)));
        cc_.mov(cell, begin);
      } else {
        make(given, n);
        cc_.mov(cell, numbers_.get(given));
      }
    }
    cc_.add(next_, static_cast<std::int32_t>(8 * nest_.cells()));
  }

  // A list, or a number a few times.
  void lay(const NestPiece& p, std::size_t r, const x86::Gp& place, std::int32_t n) {
    const NestList& list = nest_.lists[at(p.list)];
    if (list.space != kNone) return copy(p, r, place, n);
    const Storage to = storage_.targets[r];
    make(p.start, n);
    make(list.value, n);
    const x86::Gp target = cc_.newIntPtr(), first = cc_.newInt64(), one = numbers_.get(list.value);
    cc_.mov(first, place);
    cc_.add(first, numbers_.get(p.start));
    cc_.mov(target, slot(nest_.lists.size() + r));
    cc_.lea(target, x86::ptr(target, first, scale_of(to)));
    const std::int64_t times = nest_.body.insts[at(p.length)].imm;
    for (std::int64_t k = 0; k < times; ++k)
      store(x86::ptr(target, static_cast<std::int32_t>(k * static_cast<std::int64_t>(storage_bytes(to)))),
            one, to);
  }

  // Of a result: nothing but its elements is written, for others' stand beside them.
  void copy(const NestPiece& p, std::size_t r, const x86::Gp& place, std::int32_t n) {
    const NestList& list = nest_.lists[at(p.list)];
    const bool given = nest_.given(list);
    const std::int32_t input = given ? nest_.body.insts[at(list.value)].var : kNone;
    const Storage from =
        given ? storage_.parameters[at(nest_.inputs[at(input)].parameter)] : storage_.lists[at(p.list)];
    const Storage to = storage_.targets[r];
    make(p.start, n);
    make(p.length, n);
    const x86::Gp source = cc_.newIntPtr(), target = cc_.newIntPtr(), first = cc_.newInt64();
    given ? cc_.mov(source, numbers_.cell(input)) : cc_.mov(source, slot(at(p.list)));
    cc_.mov(first, place);
    cc_.add(first, numbers_.get(p.start));
    cc_.mov(target, slot(nest_.lists.size() + r));
    cc_.lea(target, x86::ptr(target, first, scale_of(to)));
    const x86::Gp length = numbers_.get(p.length), k = cc_.newInt64(), ahead = cc_.newInt64(),
                  one = cc_.newInt64();
    const asmjit::Label whole = cc_.newLabel(), rest = cc_.newLabel(), each = cc_.newLabel(),
                        done = cc_.newLabel();
    cc_.xor_(k.r32(), k.r32());
    cc_.bind(whole);
    cc_.lea(ahead, x86::ptr(k, lanes_->count()));
    cc_.cmp(ahead, length);
    cc_.jg(rest);
    lanes_->store(to, x86::ptr(target, k, scale_of(to)),
                  lanes_->load(from, x86::ptr(source, k, scale_of(from))), false);
    cc_.mov(k, ahead);
    cc_.jmp(whole);
    cc_.bind(rest);
    cc_.cmp(k, length);
    cc_.jge(done);
    cc_.bind(each);
    numbers_.load(one, from, x86::ptr(source, k, scale_of(from)));
    store(x86::ptr(target, k, scale_of(to)), one, to);
    cc_.inc(k);
    cc_.cmp(k, length);
    cc_.jl(each);
    cc_.bind(done);
  }
  void store(x86::Mem to, const x86::Gp& one, Storage storage) {
    to.setSize(static_cast<std::uint32_t>(storage_bytes(storage)));
    switch (storage_bytes(storage)) {
      case 1: cc_.mov(to, one.r8()); return;
      case 4: cc_.mov(to, one.r32()); return;
      default: cc_.mov(to, one); return;
    }
  }

  x86::Compiler& cc_;
  const plan::Nest& nest_;
  const plan::NestStorage& storage_;
  std::unique_ptr<Lanes> lanes_;
  x86::Gp args_, instance_, next_;
  asmjit::Label failed_, done_;
  NestNumbers numbers_;
  std::map<std::int32_t, x86::Gp> ends_;  // behind the lists that have been written, or counted
};

}  // namespace

void emit_nest(x86::Compiler& cc, Isa isa, const plan::Nest& nest, const plan::NestStorage& storage) {
  Emitter(cc, isa, nest, storage).emit();
}

}  // namespace nvm::vm::cpu
