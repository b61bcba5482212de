// Lists of vectors that are composed lazily.
#include "vm/lib/guarded.h"
#include "vm/lib/lazy_parts.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

using namespace lazily;

namespace {

Promise descriptor_of(const Part& lengths) {
  return record(*find_instruction("MAKE_SEGDES"), {&lengths.values, 1});
}

bool is_int(const Part& lengths) { return lengths.values.kind() == Kind::kInt; }
Failure no_lengths() { return refused("lengths are integers", Failure::Cause::kType); }

// An instruction's result, whose length only the run knows.
Lazy counted(const CoreRef& core, const Promise& x) {
  const Promise length = record(*find_instruction(typed("LENGTH", x)), {&x, 1});
  return made(core, x, std::make_shared<Size>(record(*find_instruction("MAKE_SEGDES"), {&length, 1})));
}

std::optional<OpKind> kind_of(std::string_view instruction) {
  const Instruction* found = find_instruction(instruction);
  if (found == nullptr) return std::nullopt;
  return op_info(found->op).kind;
}

}  // namespace

Result<Lazy> lazy_fold(std::string_view instruction, const Lazy& elements, const Lazy& lengths) {
  const Lazy both[] = {elements, lengths};
  return together(both, [&](const CoreRef& core, const Part* x) -> Result<Lazy> {
    const auto kind = kind_of(instruction);
    if (kind != OpKind::kReduce && kind != OpKind::kScan)
      return refused(std::string(instruction) + " is no reduction and no scan", Failure::Cause::kType);
    if (!is_int(x[1])) return no_lengths();
    const Promise operands[] = {x[0].values, descriptor_of(x[1])};
    return emit(core, instruction, operands, kind == OpKind::kReduce ? x[1].size : x[0].size);
  });
}

Result<Lazy> lazy_distributed(const Lazy& values, const Lazy& lengths) {
  const Lazy both[] = {values, lengths};
  return together(both, [](const CoreRef& core, const Part* x) -> Result<Lazy> {
    if (!is_int(x[1])) return no_lengths();
    if (differ(x[0], x[1]))
      return refused(text_of(x[0].size->known()) + " values for " + text_of(x[1].size->known()) + " lists");
    const Promise operands[] = {spread(x[0], x[1].size), descriptor_of(x[1])};
    return counted(core, record(*find_instruction(typed("DIST", x[0].values)), operands));
  });
}

Result<Lazy> lazy_places(const Lazy& lengths) {
  return together({&lengths, 1}, [](const CoreRef& core, const Part* x) -> Result<Lazy> {
    if (!is_int(*x)) return no_lengths();
    const auto all = [&](std::int64_t number) {
      return spread({whole(core, number), Size::of_number(x->size->graph())}, x->size);
    };
    const Promise operands[] = {all(0), all(1), descriptor_of(*x)};
    return counted(core, record(*find_instruction("INDEX"), operands));
  });
}

Result<LazyLists> lazy_pack(const Lazy& elements, const Lazy& flags, const Lazy& lengths) {
  const Lazy all[] = {elements, flags, lengths};
  std::optional<Lazy> counts;
  auto kept = together(all, [&](const CoreRef& core, const Part* x) -> Result<Lazy> {
    if (!is_int(x[2])) return no_lengths();
    if (differ(x[0], x[1]))
      return refused(text_of(x[1].size->known()) + " flags for " + text_of(x[0].size->known()) + " elements");
    if (x[1].values.kind() != Kind::kBool) return refused("flags are no numbers", Failure::Cause::kType);
    const Promise operands[] = {x[0].values, spread(x[1], x[0].size), descriptor_of(x[2])};
    const Promise packed = record(*find_instruction(typed("PACK", x[0].values)), operands);
    const Promise segments(packed.node(), 1);
    auto n = emit(core, "LENGTHS", {&segments, 1}, x[2].size);
    if (!n) return n;
    counts = std::move(*n);
    return counted(core, packed);
  });
  if (!kept) return std::move(kept).failure();
  return LazyLists{*kept, *counts};
}

Result<Lazy> lazy_sorted(const Lazy& elements, const Lazy* lengths) {
  const Lazy both[] = {elements, lengths != nullptr ? *lengths : elements};
  return together({both, lengths != nullptr ? 2U : 1U},
                  [&](const CoreRef& core, const Part* x) -> Result<Lazy> {
                    if (lengths != nullptr && !is_int(x[1])) return no_lengths();
                    if (x->values.kind() == Kind::kBool)
                      return refused("flags have no order", Failure::Cause::kType);
                    const Promise segments = lengths != nullptr ? descriptor_of(x[1]) : x->size->segments();
                    const Promise ranked[] = {x->values, segments};
                    const Promise moved[] = {
                        x->values, record(*find_instruction(typed("RANK_UP", x->values)), ranked), segments};
                    return emit(core, typed("PERMUTE", x->values), moved, x->size);
                  });
}

}  // namespace nvm::lib
