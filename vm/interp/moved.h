// Bytes that instructions move where vectors may stay delayed (vm/prims/views.h). Who leaves its result
// delayed moves nothing; who reads that moves what it is made of, each element once. A result that is a
// part of an operand, or lies in its memory already, is not moved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bytecode/table/op_kind.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Of one instruction: its operands before it is executed, then its results.
class Moving {
 public:
  explicit Moving(Op op);
  // In their order.
  void reads(const Value& operand);
  // By another instruction of the same pass.
  void has_been_read() { read_ = 0; }
  void writes(const Value& result);
  [[nodiscard]] std::int64_t bytes() const { return read_ + written_; }
  // What a vector or a descriptor counts where all elements are moved; nothing for other values.
  [[nodiscard]] static std::optional<std::int64_t> plain(const Value& value);

 private:
  void read_value(const Value& value);
  void read_vector(const Vector& v, bool source);
  void read_view(const View& v);
  void read_numbers(const View& v);
  void read_half(const View& half);
  void read_slice(const View& v);
  void read_assembly(const View& v);
  [[nodiscard]] bool lies_there(const Vector& v) const;

  struct Place {
    const std::byte* begin = nullptr;
    std::int64_t bytes = 0;
  };
  bool moves_, picks_;
  std::int64_t first_ = 0, element_ = 0;  // bytes of the first operand, and of one of its elements
  int operands_ = 0;
  std::int64_t read_ = 0, written_ = 0;
  std::array<Place, 4> sources_;  // that elements were moved from
  std::size_t count_ = 0;
};

}  // namespace nvm::vm
