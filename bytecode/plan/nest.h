// A recursive function as a loop nest: over the instances of a level, and within each over its elements.
// It is what the function does for one instance, which is what it does for many (ssa::LiftedInfo): lengths
// are numbers, a filter's result is a list, a descriptor is nothing but the lengths in it, and a fold over a
// segment is a number: what folds that list, in the order that all folds have. What the recursive
// call is given becomes instances of the next level; what it will return belongs where the instance's result
// has room for it. If results are as long as the function says beforehand (ssa/levels.h), nothing is left to
// be done when it does; else an instance leaves a record of its part, and all are put together in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/soac/body.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::plan {

using soac::kNone;

// What an instance is given, by VarId of the body. In memory an instance is one cell of 8 bytes for its place
// among the results, counted in elements, or for the address of its record, and one for each of these.
struct NestInput {
  enum class What : std::uint8_t {
    kNumber,  // the element that parameter `parameter` has for it: INT, BOOL as 0 or 1, the bits of a FLOAT
    kLength,  // of its segment of descriptor `parameter`
    kList,    // the address of its first element of vector `parameter`
  };
  What what = What::kNumber;
  std::int32_t parameter = kNone;
};

// Elements that an instance has, one behind the other. All values are of the nest's body.
struct NestList {
  std::int32_t value = kNone;  // element by element, or a number: so often
  std::int32_t space =
      kNone;  // over the elements under this descriptor, a parameter; kNone: as many as `length`
  std::int32_t filter = kNone;  // BOOL: those for which it is T; kNone: all
  std::int32_t length = kNone;  // how many, a number
  friend bool operator==(const NestList&, const NestList&) = default;
};

// A part of an instance's result: a list, or what a child returns.
struct NestPiece {
  std::int32_t list = kNone, child = kNone;
  std::int32_t start = kNone, length = kNone;  // numbers
};

// How an instance ends.
struct NestLeaf {
  // Of the recursive call. By parameter: a number, a length, a list; kNone for the frame.
  std::vector<std::vector<std::int32_t>> children;
  // Of every vector among the results, in order: from the first element on, without gaps and overlaps. Every
  // child stands in each at the same place.
  std::vector<std::vector<NestPiece>> results;
  // Where lengths are found: those have the instance's own elements alone, and here is, in the order in which
  // they stand, what children return, with how many own elements in front of it.
  std::vector<NestPiece> called;
  std::int32_t length = kNone;       // of these; has to be `wanted`
  std::int32_t wanted = kNone;       // the instance's own; the same value if that is known
  std::vector<std::int32_t> checks;  // numbers whose computation may fail, read or not
};

// A decision, or a leaf.
struct NestNode {
  std::int32_t condition = kNone;        // BOOL, a number; kNone: a leaf
  std::int32_t yes = kNone, no = kNone;  // nodes
  std::int32_t leaf = kNone;             // kNone: an instance that comes here fails
};

struct Nest {
  // kElement and kGather pull from lists of parameters, kUniform numbers and lengths; kWithin is an element's
  // number among those under descriptor `desc`, a parameter; kPerSegment, which no leaf reads, how long the
  // results of child `imm` are. kScanned is what `scalar` folds list `a` to,
  // whose elements are values, or, without one, how many elements it has: it has a filter. There is nothing
  // else. Elements trap nowhere.
  soac::Body body;
  std::vector<std::int32_t> spaces;  // by value of the body: the descriptor it has an element for each of;
                                     // kNone: it is a number
  std::vector<NestInput> inputs;
  std::vector<std::int32_t> under;  // by parameter: the descriptor it lies under; kNone: it is no list
  std::vector<NestList> lists;
  std::vector<NestNode> nodes;  // the first is where it begins
  std::vector<NestLeaf> leaves;
  std::size_t frame = 0;  // the parameter whose one length is how many instances there are
  // The parameter that says how long results are; nothing: their lengths are found.
  std::optional<std::size_t> sizes;
  std::size_t lengths = 0;    // the result that says it
  std::vector<Type> results;  // types of the vectors among the results, in order

  [[nodiscard]] std::size_t cells() const { return inputs.size() + 1; }
  [[nodiscard]] std::size_t record_bytes() const;
  // Of the input; kNone: there is none.
  [[nodiscard]] std::int32_t find(NestInput::What what, std::int32_t parameter) const;
  [[nodiscard]] std::size_t most_children() const;
  // Is it a list of a parameter as it was given, from the first element to the last?
  [[nodiscard]] bool given(const NestList& list) const;
};

// What is left of an instance until the lengths of all results are known. By number in NestLeaf::called, the
// own elements in front of what a child returns follow.
struct NestRecord {
  std::int64_t own = 0;  // place of its own elements among all that are kept so
  std::int64_t leaf = 0;
  NestRecord* children = nullptr;
  std::int64_t length = 0;            // own elements
  std::int64_t total = 0, place = 0;  // with what children return; in the end

  [[nodiscard]] const std::int64_t* in_front() const {
    return reinterpret_cast<const std::int64_t*>(this + 1);
  }
};

// Is it a recursion that returns lists? Others are never nests.
[[nodiscard]] bool may_be_nest(const ssa::Module& module, ssa::FunctionId function);
// Nothing, and `refusal` says why in words, if an instance does something that a nest has no word for.
[[nodiscard]] std::optional<Nest> build_nest(const ssa::Module& module, ssa::FunctionId function,
                                             std::string& refusal);

[[nodiscard]] std::string print(const Nest& nest);
// Of all functions of a module that may be nests; where one is none, why.
[[nodiscard]] std::string print_nests(const ssa::Module& module);

// The instances of one level.
struct NestLevel {
  const std::int64_t* first = nullptr;
  const std::int64_t* last = nullptr;  // behind the last one
  std::int64_t* next = nullptr;        // where their children go; in the end, behind the last of these
  // By list: where its elements go, the instances' one behind the other. Not those of parameters as given.
  // Up to 64 bytes behind may be written. Lists that no child gets begin anew for every instance.
  std::span<std::byte*> lists;
  std::span<std::byte* const> targets;  // by vector among the results
  // Where lengths are found: the next record, and the place of own elements; in the end, behind them.
  std::byte* records = nullptr;
  std::int64_t own = 0;
};

class NestCode {
 public:
  virtual ~NestCode() = default;
  // False: something fails that an interpreter tells, or a result is not as long as it should be. Targets may
  // have been written.
  [[nodiscard]] virtual bool run(NestLevel& level) const = 0;
  [[nodiscard]] virtual std::size_t code_bytes() const = 0;
};

// How elements are stored: of lists, by number, and of targets. Lists of parameters as given are as those.
struct NestStorage {
  std::vector<Storage> parameters, lists, targets;
};

// What an engine has that has code for nests (Engine::nests). Null with a reason if this nest has none.
class NestEngine {
 public:
  virtual ~NestEngine() = default;
  [[nodiscard]] virtual std::unique_ptr<NestCode> compile_nest(const Nest& nest, const NestStorage& storage,
                                                               const std::string& name,
                                                               std::string& reason) = 0;
};

// What stores every list as the child's parameter is. Nothing if a child's list might not fit.
[[nodiscard]] std::optional<NestStorage> store_lists(const Nest& nest, std::span<const Storage> parameters,
                                                     std::span<const Storage> targets);

}  // namespace nvm::plan
