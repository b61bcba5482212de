// Computes with parts of equally long segments, strip by strip in the first-level cache, and puts what comes
// out together: each element is read and written once (part_maps.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/prims/elementwise.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// One computation over `segments` times `length` elements. Values are known by number.
class PartRun {
 public:
  PartRun(const PrimContext& context, std::int64_t segments, std::int64_t length)
      : context_(context), segments_(segments), length_(length) {}

  // Elements from `offset` on of every segment of v; segments there are `stride` apart.
  int part(const Vector& v, std::int64_t stride, std::int64_t offset);
  // A vector with all elements, or one element repeated.
  int whole(const Vector& v);
  int map(Op op, TypeWord word, std::span<const int> from);
  // The smaller, or the larger, of two INTs.
  int extreme(bool least, int a, int b);

  // In every segment the elements of a, then those of b. May be called once. A vector of which this run has
  // the only reference may be overwritten.
  [[nodiscard]] Value join(int a, int b);

 private:
  // Where elements lie: in memory, from `offset` on of segments that are `stride` apart; one strip for all;
  // or in a room, a strip of scratch memory.
  struct Slot {
    Storage storage = Storage::kI64;
    std::byte* base = nullptr;
    std::int64_t stride = 0, offset = 0;
    int room = -1;
  };
  struct Step {
    MapLoop loop;  // none: a copy
    void (*order)(const void* a, const void* b, void* least, void* most, std::int64_t n) = nullptr;
    int from[3] = {-1, -1, -1};
    int to = -1;
    int most = -1;  // of `order`, which gives both
  };
  // Elements [at, at + n) of a segment, or those of so many whole segments from it on.
  struct Strip {
    std::int64_t segment, at, n;
  };

  int add(Slot slot);
  int room(Storage storage);
  int as(int slot, Storage storage);
  int result(int slot, Storage storage, std::int64_t offset);
  [[nodiscard]] bool is_short() const;
  [[nodiscard]] Strip strip(std::int64_t number) const;
  [[nodiscard]] const Vector& hold(const Vector& v);
  [[nodiscard]] bool exchanges(int a, int b) const;
  [[nodiscard]] Value exchange(bool turned);
  void execute();
  void run_strip(const Strip& strip, std::byte* rooms, std::span<std::byte*> places) const;
  void run_step(const Step& step, std::int64_t n, std::span<std::byte*> places) const;
  void join_short(const Strip& strip, std::byte* rooms, std::span<std::byte*> places) const;

  const PrimContext& context_;
  std::int64_t segments_, length_;
  std::vector<Vector> held_;
  std::vector<BufferRef> blocks_;
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  int rooms_ = 0;
  std::byte* out_ = nullptr;
  int low_ = -1, high_ = -1;  // slots of the result's parts
};

}  // namespace nvm::vm
