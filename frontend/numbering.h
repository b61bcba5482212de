// Value numbering: what the operations gave that were executed in the block that is being built and in those
// around it. To look costs the same however many blocks are open; to close one, what was seen in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "bytecode/table/op_info.h"
#include "frontend/scoped_map.h"

namespace nvm::frontend::flat {

using Atom = std::int32_t;  // a vector or descriptor of one function
using Atoms = std::vector<Atom>;

class Numbering {
 public:
  // An operation with its arguments, or something else that is made once.
  class Key {
   public:
    Key(Op op, TypeWord word, Atoms args);
    static Key constant(std::int32_t index) { return Key({-1, index}); }
    static Key pair(std::int32_t a, std::int32_t b) { return Key({-2, a, b}); }
    bool operator==(const Key&) const = default;
    [[nodiscard]] std::size_t hash() const;
    // Of an operation.
    [[nodiscard]] bool is(Op op) const { return parts_[0] == static_cast<std::int32_t>(op); }
    [[nodiscard]] TypeWord word() const { return static_cast<TypeWord>(parts_[1]); }
    [[nodiscard]] std::size_t args() const { return parts_[0] < 0 ? 0 : parts_.size() - kArgs; }
    [[nodiscard]] Atom arg(std::size_t i) const { return parts_[kArgs + i]; }
    [[nodiscard]] Key with(Atom second, Atom first) const;  // in place of the first

   private:
    explicit Key(std::vector<std::int32_t> parts) : parts_(std::move(parts)) {}
    static constexpr std::size_t kArgs = 2;
    std::vector<std::int32_t> parts_;
  };
  // A copy of something along a descriptor.
  struct Copies {
    Atom of = -1;
    TypeWord word = TypeWord::kNone;
    Atom result = -1;
  };

  // Null if there is none; valid until the next change.
  [[nodiscard]] const Atoms* find(const Key& key) const { return results_.find(key); }
  // Keeps what was there before.
  void add(const Key& key, Atoms results);
  // From here on, in this block: what was done with the first need not be done with the second. Cost: what
  // was done with the first.
  void equate(Atom first, Atom second);
  // Those of outer blocks first.
  [[nodiscard]] std::vector<Copies> copies_along(Atom segments) const;

  // What `make` gives, made once for the pair.
  Atom once(std::int32_t a, std::int32_t b, const std::function<Atom()>& make);

  void open();
  void close();

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.hash(); }
  };
  // Where an atom is an argument, and where it was before that.
  struct Use {
    Key key;
    std::size_t depth;
    std::optional<std::size_t> before;
  };
  struct Mark {
    std::size_t results, last_use, uses;
  };
  [[nodiscard]] std::vector<const Use*> uses_of(Atom atom) const;  // first to last

  ScopedMap<Key, Atoms, Hash> results_;
  ScopedMap<Atom, std::size_t> last_use_;
  std::vector<Use> uses_;
  std::vector<Mark> open_;
};

}  // namespace nvm::frontend::flat
